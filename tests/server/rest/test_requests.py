"""Requests of the kernel over REST: begun, followed, cancelled, resumed; by the folder's owner alone."""

import threading

import pytest
from tests.application.test_requests import ADD
from tests.server.conftest import events_of

from aeon.testing.llm import ScriptedAdapter


def test_a_request_is_waited_for_followed_found_and_its_log_is_the_truth(serve):
    site = serve(ADD)
    client = site.client("me")
    done = client.post("/api/v1/requests", json={"request": "tell me 15*23 plus 7"}, headers={"prefer": "wait=30"})
    assert done.status_code == 200, done.text
    whole = done.json()
    assert (whole["state"], whole["answer"], whole["trusted"], whole["error"]) == ("completed", "it is 352", True, None)
    assert [step["status"] for step in whole["plan"]["steps"]] == ["complete", "complete"]
    path = done.headers["location"]
    *events, (_, name, last) = events_of(client.get(f"{path}/events"))
    assert (name, last) == ("end", whole)
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    assert {"plan_ready", "run_ended"} <= {data["event"] for _, _, data in events}, events
    again = events_of(client.get(f"{path}/events", headers={"last-event-id": "2"}))
    assert [number for number, _, _ in again[:-1]] == list(range(3, len(events) + 1))
    (listed,) = client.get("/api/v1/requests").json()["data"]
    assert (listed["id"], listed["state"], listed["request"]) == (whole["id"], "completed", "tell me 15*23 plus 7")
    site.workspaces.owned.requests._begun.clear()  # as after a restart
    assert client.get(path).json() == whole
    assert [name for _, name, _ in events_of(client.get(f"{path}/events"))] == ["end"]
    assert client.post(f"{path}/resume").status_code == 422
    assert client.post(f"{path}/cancel").status_code == 409


def test_a_request_with_a_key_is_done_once_also_after_a_restart_platform_20(serve):
    site = serve(ADD)
    client = site.client("me")
    once = {"idempotency-key": "one", "prefer": "wait=30"}
    asked = {"request": "tell me 15*23 plus 7"}
    first = client.post("/api/v1/requests", json=asked, headers=once)
    again = client.post("/api/v1/requests", json=asked, headers=once)
    site.workspaces.owned.requests._begun.clear()  # as after a restart
    later = client.post("/api/v1/requests", json=asked, headers=once)
    assert [each.status_code for each in (first, again, later)] == [200] * 3
    assert first.json() == again.json() == later.json()
    assert [each.headers.get("idempotency-replayed") for each in (first, again, later)] == [None, "true", "true"]
    assert len(site.model.requests) == 1
    other = client.post("/api/v1/requests", json={"request": "another"}, headers=once)
    assert other.status_code == 409
    assert [each["action"] for each in client.get("/api/v1/audit").json()["data"]].count("request.begin") == 1


def test_what_was_accepted_and_never_seen_is_not_begun_a_second_time(serve):
    """The server was killed between the two, or it is another one that works on it."""
    site = serve()
    fields = {"request": "tell me", "tools": None}
    site.workspaces.of("me").idempotency.reserve_id("request.begin", fields, "20261125-000000-abcdef", "one")
    sent = site.client("me").post("/api/v1/requests", json=fields, headers={"idempotency-key": "one"})
    assert sent.status_code == 409
    assert "another key" in sent.json()["nextStep"]


class HeldModel(ScriptedAdapter):
    """A model that plans once it is let go."""

    def __init__(self):
        super().__init__([ADD])
        self.has_begun = threading.Event()
        self.goes_on = threading.Event()

    def complete(self, request, on_text=None):
        self.has_begun.set()
        assert self.goes_on.wait(20)
        return super().complete(request)


def test_a_cancelled_request_stops_before_its_next_step_and_is_resumed(serve):
    site = serve(model=HeldModel())
    client = site.client("me")
    begun = client.post("/api/v1/requests", json={"request": "tell me 15*23 plus 7"})
    assert begun.status_code == 202, begun.text
    path = begun.headers["location"]
    assert site.model.has_begun.wait(20)
    waiting = client.post("/api/v1/requests", json={"request": "another"}).headers["location"]
    assert [client.get(each).json()["state"] for each in (path, waiting)] == ["running", "waiting"]
    assert client.post(f"{waiting}/cancel").status_code == 202
    assert client.post(f"{path}/resume").status_code in {404, 422}
    assert client.post(f"{path}/cancel").status_code == 202
    site.model.goes_on.set()
    assert events_of(client.get(f"{path}/events"))[-1][2]["state"] == "cancelled"
    assert events_of(client.get(f"{waiting}/events"))[-1][2]["state"] == "cancelled"
    assert client.post(f"{path}/resume").status_code == 202
    assert events_of(client.get(f"{path}/events"))[-1][2]["answer"] == "it is 352"


def test_a_request_that_cannot_be_planned_has_failed_and_says_why(serve):
    site = serve()
    client = site.client("me")
    failed = client.post("/api/v1/requests", json={"request": "tell me"}, headers={"prefer": "wait=30"})
    assert (failed.status_code, failed.json()["state"]) == (200, "failed"), failed.text
    assert failed.json()["error"]["message"]
    for wrong in ({}, {"request": ""}, {"request": "x", "tools": "all"}, {"request": "x" * 10_001}):
        assert client.post("/api/v1/requests", json=wrong).status_code == 422


@pytest.mark.parametrize("name", ["nothing", "..%2f..%2faeon", "%2e%2e"])
def test_names_are_compared_and_never_used_as_paths(site, name):
    for method, path in (("GET", ""), ("GET", "/events"), ("POST", "/cancel"), ("POST", "/resume")):
        assert site.client("me").request(method, f"/api/v1/requests/{name}{path}").status_code == 404
