"""Stored things, runs, tools and the record over REST, as their owner, another user and nobody (platform 2 and 29)."""

import pytest
from tests.application.conftest import STORED
from tests.server.conftest import events_of

SERVICE = {
    "name": "shop",
    "type": "rest_api",
    "protocol": "http",
    "connectionSchema": {
        "type": "object",
        "required": ["endpoint"],
        "properties": {"endpoint": {"type": "string"}},
    },
}


@pytest.fixture
def client(site):
    return site.client("me")


def loaded(site, client):
    """A service, a tool and three Processes are there."""
    applied = client.post("/api/v1/apply", json={"text": STORED})
    assert {each["action"] for each in applied.json()["data"]} == {"create"}, applied.text


def test_a_service_is_made_read_changed_found_and_deleted(site, client):
    made = client.post("/api/v1/services", json=SERVICE)
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    path = made.headers["location"]
    assert client.get(path).json() == client.get("/api/v1/services/shop").json() == made.json()
    changed = client.patch(path, json={"name": "bakery"}, headers={"if-match": '"1"'})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert client.patch(path, json={"name": "else"}, headers={"if-match": '"1"'}).status_code == 412
    assert [each["name"] for each in client.get("/api/v1/services?owner=own").json()["data"]] == ["bakery"]
    assert [each["name"] for each in client.get("/api/v1/search?q=bakery").json()["data"]] == ["bakery"]
    assert client.delete(path, headers={"if-match": '"1"'}).status_code == 412
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404


def test_what_uses_a_thing_keeps_it_and_is_named(site, client):
    client.post("/api/v1/services", json=SERVICE)
    tool = {
        "name": "stock",
        "description": "What is there.",
        "serviceId": client.get("/api/v1/services/shop").json()["id"],
        "connectionParams": {"endpoint": "http://127.0.0.1:9"},
        "operation": {"type": "rest_request", "path": "/stock"},
        "inputSchema": {"type": "object"},
    }
    made = client.post("/api/v1/tools", json=tool)
    assert made.status_code == 201, made.text
    refused = client.delete("/api/v1/services/shop")
    assert (refused.status_code, "stock" in str(refused.json()["details"]["by"])) == (409, True)
    assert [each["name"] for each in client.get("/api/v1/services/shop/uses").json()["data"]] == ["stock"]


def test_a_secret_is_written_and_never_read_platform_3(site, client, tmp_path):
    made = client.post("/api/v1/secrets", json={"name": "key", "type": "api_key", "value": {"key": "zeppelin-7f3a"}})
    assert made.status_code == 201, made.text
    for path in ("/api/v1/secrets", "/api/v1/secrets/key", "/api/v1/audit", "/api/v1/search?q=key"):
        answer = client.get(path)
        assert (answer.status_code, "zeppelin" in answer.text) == (200, False), path
    broken = client.post("/api/v1/secrets", json={"name": "k2", "type": "api_key", "value": {"key": ["zeppelin-7f3a"]}})
    assert (broken.status_code, "zeppelin" in broken.text) == (422, False)


@pytest.mark.parametrize(
    "path",
    [
        "services",
        "secrets",
        "tools",
        "service-templates",
        "tool-templates",
        "processes",
        "schedules",
        "webhooks",
        "alerts",
    ],
)
def test_of_every_kind_the_own_things_are_the_users_alone_platform_2(site, path):
    mine, theirs, nobody = site.client("me"), site.client("eve"), site.client()
    assert nobody.get(f"/api/v1/{path}").status_code == 401
    assert nobody.post(f"/api/v1/{path}", json={}).status_code == 401
    assert mine.get(f"/api/v1/{path}?owner=own").json()["data"] == []
    if path == "services":
        made = mine.post("/api/v1/services", json=SERVICE)
        place = made.headers["location"]
        for method in ("GET", "DELETE", "PATCH"):
            answer = theirs.request(method, place, **({"json": {}} if method == "PATCH" else {}))
            assert answer.status_code == 404, method
        mine.patch(place, json={"shared": True})
        assert theirs.get(place).status_code == 200
        assert theirs.patch(place, json={"name": "mine now"}).status_code == 403
        assert theirs.delete(place).status_code == 403
    empty = mine.post(f"/api/v1/{path}", json={"surely": "unknown"})
    assert empty.status_code == 422
    assert {"/surely"} <= {each["pointer"] for each in empty.json()["details"]["problems"]}


def test_a_change_of_nothing_changes_nothing(site, client):
    service = client.post("/api/v1/services", json=SERVICE).headers["location"]
    chat = client.post("/api/v1/conversations", json={"title": "A"}).headers["location"]
    client.post("/api/v1/users", json={"name": "eve"})
    named = client.post("/api/v1/knowledge/entities", json={"name": "Tove", "category": "Person"})
    for place in (service, chat, "/api/v1/users/eve", named.headers["location"]):
        before = client.get(place).headers["etag"]
        answer = client.patch(place, json={})
        assert (answer.status_code, answer.headers["etag"]) == (200, before), place
        assert client.get(place).headers["etag"] == before
        assert client.patch(place, json={}, headers={"if-match": '"99"'}).status_code == 412, place
        assert client.patch(place, json={}, headers={"if-match": before}).status_code == 200


def test_a_run_is_started_followed_answered_and_found(site, client):
    loaded(site, client)
    begun = client.post("/api/v1/processes/ask/runs", json={"inputs": {"what": "tea"}})
    assert begun.status_code == 202, begun.text
    path = begun.headers["location"]
    asked = []
    while not asked:
        asked = client.get(f"{path}/questions").json()["data"]
    assert asked[0]["step"] == "approve"
    assert client.get(f"{path}/why").json()["data"][-1]["kind"]
    refused = client.post(f"{path}/answers", json={"step": "nothing", "value": "yes"})
    assert refused.status_code in {404, 422}
    given = client.post(f"{path}/answers", json={"step": "approve", "value": "yes"})
    assert given.status_code == 201, given.text
    with client.stream("GET", f"{path}/events") as stream:
        *entries, (_, name, run) = events_of(stream)
    assert (name, run["phase"], run["output"]) == ("end", "completed", "tea: yes")
    assert [number for number, _, _ in entries] == list(range(1, len(entries) + 1))
    with client.stream("GET", f"{path}/events?after=1", headers={"last-event-id": "3"}) as stream:
        assert [number for number, _, _ in events_of(stream)][:1] == [4], "the header wins"
    assert [each["n"] for each in client.get(f"{path}/entries?after=2&limit=2").json()["data"]] == [3, 4]
    attempts = client.get(f"{path}/attempts").json()["data"]
    assert [each["step"] for each in attempts] == ["look", "approve"]
    assert [each["id"] for each in client.get("/api/v1/runs?process=ask&phase=completed").json()["data"]] == [run["id"]]
    assert client.get(f"{path}/usage").json()["calls"] == 0
    picture = client.get(f"{path}/picture")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in picture.headers["content-security-policy"]
    chart = client.get(f"{path}/picture?format=mermaid")
    assert chart.headers["content-type"] == "text/plain; charset=utf-8"
    assert "flowchart TD" in chart.text
    assert "completed" in chart.text
    assert "completed" not in client.get("/api/v1/processes/ask/picture?format=mermaid").text
    assert client.get(f"{path}/picture?format=png").status_code == 422
    assert client.get(f"{path}/picture?events=4").text == picture.text, "as the page asks for it"
    for other in (f"{path}", f"{path}/events", f"{path}/attempts", f"{path}/picture", f"{path}/questions"):
        assert site.client("eve").get(other).status_code == 404, other


def test_a_run_that_is_waited_for_is_there_when_it_has_ended_and_a_cancelled_one_can_be_retried(site, client):
    loaded(site, client)
    waited = client.post("/api/v1/processes/ask/runs", json={"inputs": {"what": "tea"}}, headers={"prefer": "wait=0"})
    assert waited.status_code == 202
    path = waited.headers["location"]
    cancelled = client.post(f"{path}/cancel")
    assert cancelled.status_code in {200, 202}
    with client.stream("GET", f"{path}/events") as stream:
        assert events_of(stream)[-1][2]["phase"] == "cancelled"
    again = client.post(f"{path}/retry", headers={"idempotency-key": "once"})
    twice = client.post(f"{path}/retry", headers={"idempotency-key": "once"})
    assert (again.status_code, again.json()["id"]) == (202, twice.json()["id"])
    assert twice.headers["idempotency-replayed"] == "true"
    assert client.post("/api/v1/processes/ask/runs", json={"inputs": {}}).status_code == 422


def test_preferences_that_are_not_known_are_ignored_rfc_7240(site, client):
    loaded(site, client)
    path, wish = "/api/v1/processes/greet/runs", {"inputs": {"who": "you"}}
    for preferred in (
        [("prefer", "respond-async, wait=30")],
        [("prefer", "respond-async"), ("prefer", 'Wait = "30"; strict=yes, handling=lenient')],
        [("prefer", 'note="a, wait=0", wait=30')],
    ):
        waited = client.post(path, json=wish, headers=preferred)
        assert (waited.status_code, waited.json()["phase"]) == (200, "completed"), preferred
    assert client.post(path, json=wish, headers={"prefer": "respond-async"}).status_code == 202
    refused = client.post(path, json=wish, headers={"prefer": "wait=soon"})
    assert (refused.status_code, refused.json()["nextStep"]) == (422, "Give whole seconds: wait=30")


def test_a_run_has_the_priority_and_its_user_the_weight_that_they_were_given_platform_10(site, client):
    loaded(site, client)
    wish = {"inputs": {"what": "tea"}, "priority": "high"}
    run = client.post("/api/v1/processes/ask/runs", json=wish)
    assert (run.status_code, run.json()["priority"]) == (202, "high")
    assert client.post("/api/v1/processes/ask/runs", json={**wish, "priority": "urgent"}).status_code == 422
    theirs = site.client("eve")
    theirs.get("/api/v1/session")  # a user whom the server has seen
    assert client.patch("/api/v1/users/eve", json={"weight": 5}).json()["weight"] == 5
    assert theirs.patch("/api/v1/users/eve", json={"weight": 9}).status_code == 403


def test_a_tool_names_the_labels_of_its_workers_platform_10(site, client):
    loaded(site, client)
    name = client.get("/api/v1/tools?owner=own").json()["data"][0]["name"]
    changed = client.patch(f"/api/v1/tools/{name}", json={"runsOn": ["site=berlin", "gpu", "gpu"]})
    assert (changed.status_code, changed.json()["runsOn"]) == (200, ["gpu", "site=berlin"])
    assert client.patch(f"/api/v1/tools/{name}", json={"runsOn": ["g p u"]}).status_code == 422


def test_a_process_is_paused_and_goes_on_with_the_runs_that_wait_platform_41(site, client):
    loaded(site, client)
    paused = client.post("/api/v1/processes/ask/pause", headers={"if-match": '"1"'})
    assert (paused.status_code, paused.json()["paused"], paused.headers["etag"]) == (200, True, '"2"')
    assert client.post("/api/v1/processes/ask/resume", headers={"if-match": '"1"'}).status_code == 412
    assert site.client("eve").post("/api/v1/processes/ask/pause").status_code == 404
    run = client.post("/api/v1/processes/ask/runs", json={"inputs": {"what": "tea"}}, headers={"prefer": "wait=1"})
    assert (run.status_code, run.json()["phase"]) == (202, "new")
    why = client.get(f"{run.headers['location']}/why").json()["data"]
    assert why[0]["message"] == "Its process is paused."
    assert client.post("/api/v1/processes/ask/resume").json()["paused"] is False
    assert client.post("/api/v1/processes/ask/resume").status_code == 200


def test_a_waiting_run_is_moved_to_the_current_version_platform_41(site, client):
    loaded(site, client)
    path = client.post("/api/v1/processes/ask/runs", json={"inputs": {"what": "tea"}}).headers["location"]
    while not client.get(f"{path}/questions").json()["data"]:
        pass
    refused = client.post(f"{path}/move")
    assert (refused.status_code, "current version already" in refused.json()["detail"]) == (422, True), refused.text
    client.patch("/api/v1/processes/ask", json={"outputTemplate": "{{what}}, now: {{step.said}}"})
    assert site.client("eve").post(f"{path}/move").status_code == 404
    moved = client.post(f"{path}/move")
    assert (moved.status_code, moved.json()["problems"]) == (202, []), moved.text
    old = client.get(path).json()
    assert (old["phase"], old["state"]["movedTo"]) == ("cancelled", moved.json()["id"])
    assert client.post(f"{path}/move").json()["id"] == moved.json()["id"]
    path = moved.headers["location"]
    while not client.get(f"{path}/questions").json()["data"]:
        pass
    client.post(f"{path}/answers", json={"step": "approve", "value": "yes"})
    with client.stream("GET", f"{path}/events") as stream:
        *_, (_, _, run) = events_of(stream)
    assert run["output"] == "tea, now: yes"


def test_documents_are_applied_as_a_whole_or_not_at_all(site, client):
    loaded(site, client)
    again = client.post("/api/v1/apply", json={"text": STORED}).json()["data"]
    assert {each["action"] for each in again} == {"keep"}
    broken = client.post("/api/v1/apply", json={"text": STORED.replace("tool: mine", "tool: nothing")})
    assert broken.status_code == 422
    assert broken.json()["nextStep"] or broken.json()["details"]
    assert len(client.get("/api/v1/processes/ask/versions").json()["data"]) == 1
    changed = STORED.replace("{{what}}: ", "{{what}} - ")
    dry = client.post("/api/v1/apply", json={"text": changed, "isDry": True}).json()["data"]
    assert [(each["name"], each["fields"]) for each in dry if each["fields"]] == [("ask", ["outputTemplate"])]
    typed = "inputs: {order: {type: object, properties: {customer: {}}}}\n"
    wrong = f"{typed}steps:\n  - {{id: look, tool: mine, output: found}}\noutputTemplate: '{{{{order.custmer}}}}'"
    warned = client.post("/api/v1/apply", json={"text": f"kind: Process\nname: odd\n{wrong}", "isDry": True}).json()
    assert "did you mean 'customer'?" in warned["data"][0]["warnings"][0]
    client.post("/api/v1/apply", json={"text": changed})
    assert client.get("/api/v1/processes/ask/diff").json()["differences"]
    assert client.get("/api/v1/processes/ask/picture").text.startswith("<svg")


def test_a_tool_is_called_and_the_call_is_in_the_audit_log(site, client):
    loaded(site, client)
    called = client.post("/api/v1/tools/mine/call", json={"arguments": {}})
    assert called.status_code == 200, called.text
    assert client.post("/api/v1/tools/mine/call", json={"arguments": 1}).status_code == 422
    assert client.get("/api/v1/audit/verify").json()["problem"] is None
    assert client.post("/api/v1/tools/health").json()["data"]


def test_what_an_open_run_waits_for_is_listed_as_an_open_job(site, client):
    loaded(site, client)
    run = client.post("/api/v1/processes/ask/runs", json={"inputs": {"what": "tea"}}).json()["id"]
    while not client.get(f"/api/v1/runs/{run}/questions").json()["data"]:
        pass
    listed = client.get("/api/v1/jobs")
    assert listed.status_code == 200, listed.text
    (job,) = listed.json()["data"]
    assert (job["run"], job["type"], job["step"], job["status"]) == (run, "human", "approve", "waits")
    assert client.get("/api/v1/jobs?queue=process").json()["data"] == []


@pytest.mark.parametrize("path", ["jobs", "jobs/dead", "workers", "metrics", "metrics/tool.calls", "tokens", "audit"])
def test_everything_that_can_be_looked_at_answers(site, client, path):
    loaded(site, client)
    assert client.get(f"/api/v1/{path}").status_code in {200, 404}, path
    assert client.get(f"/api/v1/{path}").headers["content-type"].endswith("json")


def test_no_answer_names_a_command_of_the_command_line(site, client):
    """Doors word next steps themselves (notes on the server, 0.13)."""
    for path in ("services/nothing", "runs/nothing", "processes/nothing", "conversations/nothing", "tools/nothing"):
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == 404
        assert "`aeon" not in answer.text


def test_a_document_reads_no_variable_of_the_server_platform_3(serve, monkeypatch):
    """Attack: another user takes a key of the server's environment into a secret of theirs, and has it sent to them."""
    monkeypatch.setenv("ANOTHER_KEY", "canary-5171")
    site = serve(variables={"ANOTHER_KEY": "canary-5171"})
    text = "kind: Secret\nname: mine\ntype: api_key\nvalue: {key: '${ANOTHER_KEY}'}\n"
    for user in ("eve", "me"):
        sent = site.client(user).post("/api/v1/apply", json={"text": text})
        assert (sent.status_code, "canary" in sent.text) == (422, False)
        assert "does not define ANOTHER_KEY" in sent.text


def test_an_openapi_document_becomes_tools_and_says_all_its_faults(client):
    """The API's own description is such a document."""
    described = client.get("/api/v1/openapi.json").text
    given = {"text": described, "name": "aeon", "server": "http://127.0.0.1:9", "only": ["get_tools*"]}
    dry = client.post("/api/v1/tools/import", json={**given, "isDry": True})
    assert dry.status_code == 200, dry.text
    assert client.get("/api/v1/services/aeon").status_code == 404
    made = client.post("/api/v1/tools/import", json=given).json()
    assert [step["verb"] for step in made["steps"]] == ["create"] * 4
    assert made["needs"][0]["types"] == ["api_key", "oauth_token"]
    assert made["skipped"] == []
    every = client.post("/api/v1/tools/import", json={**given, "only": [], "isDry": True}).json()
    assert [each["name"].partition("_api_")[0] for each in every["skipped"]] == ["import_conversations"]
    assert client.get("/api/v1/tools/get_tools_name").json()["operation"]["path"] == "/api/v1/tools/{name}"
    wrong = client.post("/api/v1/tools/import", json={"text": '{"openapi": "3.1.0", "paths": {"x": 1}}'})
    assert (wrong.status_code, len(wrong.json()["details"]["problems"])) == (422, 3), wrong.text
