"""Streams of runs that wait: they sleep, and end within a second when they must (platform 29, 32; decision 60)."""

import json
import time

import pytest
from tests.server.conftest import events_of

from aeon.adapters.engines.retry import wait_until

WAITS = """
kind: Service
name: graph
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: mine
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Process
name: waits
steps:
  - {id: ask, tool: mine, output: said, execution: {interactionMode: manual, timeout: 300}}
"""


@pytest.fixture
def waiting(site):
    """The address of the events of a run that waits for a person, and a program of its user."""
    client = site.client("me")
    assert client.post("/api/v1/apply", json={"text": WAITS}).status_code == 200
    run = client.post("/api/v1/processes/waits/runs", json={}).json()["id"]
    return client, run, f"/api/v1/runs/{run}/events"


def sleeping(lines):
    """Read the stream up to the question."""
    assert any(line.startswith("data: ") and json.loads(line[6:])["event"]["event"] == "step_started" for line in lines)


def test_it_ends_when_the_server_stops(site, waiting):
    client, _, path = waiting
    with client.stream("GET", path) as stream:
        lines = stream.iter_lines()
        sleeping(lines)
        began = time.monotonic()
        site.state.stopping.set()
        assert "event: stopping" in list(lines)
        assert time.monotonic() - began < 10  # a second, on a machine that is not busy


def test_it_ends_when_its_token_is_revoked_and_those_of_others_go_on_platform_31(site, waiting):
    client, run, path = waiting
    other = site.client("me")
    credential = client.get("/api/v1/session").json()["credential"]
    with client.stream("GET", path) as stream, other.stream("GET", path) as theirs:
        lines = stream.iter_lines()
        sleeping(lines)
        began = time.monotonic()
        assert other.delete(f"/api/v1/tokens/{credential}").status_code == 204
        assert "event: signed_out" in list(lines)
        assert time.monotonic() - began < 10
        other.post(f"/api/v1/runs/{run}/cancel")
        assert events_of(theirs)[-1][1] == "end"


def test_the_place_of_a_reader_who_has_gone_is_free_again_platform_29(site, waiting):
    client, _, path = waiting
    with client.stream("GET", path) as stream:
        sleeping(stream.iter_lines())
        assert site.state.streams.total == 1
    assert wait_until(lambda: site.state.streams.total == 0, 20)


def test_while_it_sleeps_nobody_reads_its_run(site, waiting, monkeypatch):
    client, run, path = waiting
    mine = site.workspaces.of("me")
    reads, looks = [], []

    def counting(calls, real):
        return lambda *given: (calls.append(given), real(*given))[1]

    monkeypatch.setattr(mine.past_runs, "read_on", counting(reads, mine.past_runs.read_on))
    monkeypatch.setattr(mine.access, "is_valid", counting(looks, mine.access.is_valid))
    with client.stream("GET", path) as stream:
        lines = stream.iter_lines()
        sleeping(lines)
        assert wait_until(lambda: len(looks) >= 3, 20)
        reads.clear()
        looks.clear()
        assert wait_until(lambda: len(looks) >= 3, 20)
        assert reads == []
        client.post(f"/api/v1/runs/{run}/cancel")
        assert "event: end" in list(lines)
