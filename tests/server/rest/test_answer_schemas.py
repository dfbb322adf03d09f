"""Answers are as the description says: of things that were really made, each by its schema in `openapi.json`."""

import jsonschema_rs
import pytest

pytestmark = pytest.mark.server

SERVICE = {
    "name": "shop",
    "type": "rest_api",
    "protocol": "http",
    "connectionSchema": {"type": "object", "required": ["endpoint"]},
}
STEP = {
    "id": "ask",
    "execution": {"interactionMode": "manual"},
    "inputs": {},
    "output": {"variable": "said"},
}


@pytest.fixture
def checked(site):
    """`checked(method, path, operation, json=None)`: the answer, which fits the schema of its operation."""
    client = site.client("me")
    described = client.get("/api/v1/openapi.json").json()
    seen = set()

    def ask(method, path, operation=None, json=None):
        answer = client.request(method, f"/api/v1{path}", json=json)
        assert answer.is_success, answer.text
        responses = described["paths"][f"/api/v1{operation or path}"][method.lower()]["responses"]
        schema = responses[str(answer.status_code)]["content"]["application/json"]["schema"]
        assert schema != {}, "it is described"
        whole = {**schema, "components": described["components"]}
        problems = [str(each)[:300] for each in jsonschema_rs.validator_for(whole).iter_errors(answer.json())]
        assert problems == [], problems
        seen.add((method, operation or path))
        return answer.json()

    return ask


def test_stored_things_are_as_described_platform_29(checked):
    service = checked("POST", "/services", json=SERVICE)
    tool = {
        "name": "item",
        "serviceId": service["id"],
        "connectionParams": {"endpoint": "http://127.0.0.1:9"},
        "operation": {"type": "rest_request", "path": "/{id}"},
        "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
    }
    made = checked("POST", "/tools", json=tool)
    process = checked("POST", "/processes", json={"name": "p", "steps": [{**STEP, "tool": made["id"]}]})
    secret = {"name": "key", "type": "api_key", "value": {"key": "k" * 20}}
    things = {
        "secrets": checked("POST", "/secrets", json=secret),
        "services": service,
        "tools": made,
        "processes": process,
        "schedules": checked(
            "POST", "/schedules", json={"name": "daily", "process": process["id"], "cron": "0 8 * * *"}
        ),
        "webhooks": checked("POST", "/webhooks", json={"name": "hook", "process": process["id"]}),
    }
    for path, each in things.items():
        assert checked("GET", f"/{path}")["data"]
        assert checked("GET", f"/{path}/{each['name']}", f"/{path}/{{name}}")["id"] == each["id"]
        checked("GET", f"/{path}/{each['name']}/uses", f"/{path}/{{name}}/uses")
    assert checked("GET", "/services/shop/uses", "/services/{name}/uses")["data"]
    for path in ("/tool-templates", "/service-templates", "/alerts"):
        checked("GET", path)
    checked("POST", "/processes/p/pause", "/processes/{name}/pause")
    assert checked("PATCH", "/tools/item", "/tools/{name}", json={"description": "One."})["version"] == 2


def test_runs_and_their_questions_are_as_described_platform_29(checked):
    service = checked("POST", "/services", json=SERVICE)
    tool = {"name": "item", "serviceId": service["id"], "connectionParams": {"endpoint": "http://127.0.0.1:9"}}
    tool |= {"operation": {"type": "rest_request", "path": "/"}, "inputSchema": {}}
    made = checked("POST", "/tools", json=tool)
    checked("POST", "/processes", json={"name": "p", "steps": [{**STEP, "tool": made["id"]}]})
    run = checked("POST", "/processes/p/runs", "/processes/{process}/runs", json={"inputs": {}})
    one = "/runs/{run}"
    assert checked("GET", f"/runs/{run['id']}", one)["id"] == run["id"]
    assert checked("GET", "/runs")["data"]
    checked("POST", f"/runs/{run['id']}/cancel", f"{one}/cancel")
    again = checked("POST", f"/runs/{run['id']}/retry", f"{one}/retry")
    assert again["retryOf"] == run["id"]
    checked("GET", "/jobs/dead")
    assert checked("GET", "/metrics")["data"]


def test_conversations_and_knowledge_are_as_described_platform_29(checked):
    talk = checked("POST", "/conversations", json={"title": "Trains"})
    place, one = f"/conversations/{talk['id']}", "/conversations/{conversation}"
    message = checked("POST", f"{place}/messages", f"{one}/messages", json={"content": "Ann Lee lives in Bergen."})
    other = checked(
        "POST",
        f"/messages/{message['id']}/alternatives",
        "/messages/{message}/alternatives",
        json={"content": "Ann Lee lives in Oslo."},
    )
    assert [each["id"] for each in checked("GET", f"{place}/path", f"{one}/path")["data"]] == [other["id"]]
    assert len(checked("GET", f"{place}/tree", f"{one}/tree")["data"]) == 2
    assert len(checked("GET", f"/messages/{other['id']}/alternatives", "/messages/{message}/alternatives")["data"]) == 2
    checked("GET", f"/messages/{other['id']}", "/messages/{message}")
    checked("POST", f"/messages/{message['id']}/activate", "/messages/{message}/activate")
    checked("POST", f"/messages/{message['id']}/fork", "/messages/{message}/fork", json={})
    assert checked("GET", "/conversations")["data"]
    entity = checked("POST", "/knowledge/entities", json={"name": "Ann Lee"})
    checked("GET", "/knowledge/entities")
    fact = checked("POST", "/knowledge/facts", json={"text": "Ann Lee lives in Bergen.", "about": "Ann Lee"})
    assert checked("GET", f"/knowledge/facts/{fact['uuid']}", "/knowledge/facts/{fact}")["assertions"]
    checked(
        "PATCH", f"/knowledge/entities/{entity['uuid']}", "/knowledge/entities/{entity}", json={"category": "Person"}
    )
    checked("GET", "/knowledge/settings")


def test_users_and_credentials_are_as_described_platform_31(checked):
    checked("POST", "/users", json={"name": "ann"})
    assert checked("GET", "/users")["data"]
    checked("GET", "/users/ann", "/users/{user}")
    checked("PATCH", "/users/ann", "/users/{user}", json={"role": "operator"})
    assert checked("POST", "/tokens", json={"name": "laptop"})["secret"]
    assert checked("GET", "/tokens")["data"]
    checked("GET", "/session")
