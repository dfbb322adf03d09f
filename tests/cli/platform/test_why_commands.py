"""`aeon log why` from the command line: what a run waits for, and what it would meet."""

import pytest

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow]

NARROW = """
kind: Service
name: narrow
type: rest_api
protocol: http
connectionSchema: {{type: object, required: [endpoint]}}
limits: {{concurrency: 1}}
---
kind: Tool
name: one
service: narrow
connectionParams: {{endpoint: "http://127.0.0.1:{port}"}}
operation: {{type: rest_request, path: "/{{id}}", allowPrivate: true}}
inputSchema: {{type: object, required: [id], properties: {{id: {{type: string}}}}}}
---
kind: Process
name: pair
initialContext: []
steps:
  - {{id: a, tool: one, inputs: {{id: slow}}, output: a, execution: {{mode: parallel}}}}
  - {{id: b, tool: one, inputs: {{id: slow}}, output: b, execution: {{mode: parallel}}}}
"""
ASKING = """
kind: Process
name: visit
initialContext: []
steps:
  - {id: ask, tool: item, inputs: {id: first}, output: ask, execution: {interactionMode: manual}}
  - {id: last, tool: item, inputs: {id: last}, output: last}
"""


def test_a_step_that_waits_for_a_place_names_the_limit(aeon, applied, background, shop):
    applied(NARROW.format(port=shop.port))
    running = background("process", "run", "pair")
    until(lambda: shop.calls["/slow"] == 1)

    def reasons():
        return {each["why"]: each for each in aeon("log", "why", "last", "--json").json}

    # That the other waits for a place, and which worker makes the call, is written down a moment after the call.
    until(lambda: set(reasons()) == {"limit", "running"})
    waits = reasons()["limit"]
    assert waits["message"] == ("Waits for a place: the service 'narrow' takes 1 call(s) at once (limit), all taken.")
    shop.lets_go.set()
    assert running.waited() == 0


def test_a_service_that_went_down_is_told_before_its_step_is_reached(aeon, applied, shop):
    """Platform 5: since when, what the check said, what to do."""
    applied(ASKING)
    assert aeon("process", "run", "visit").code == 3
    shop.close()
    for _ in range(2):
        aeon("tool", "health")
    told = aeon("log", "why", "last").out
    assert "ask: Waits for an answer of me." in told
    assert "last: Waits for 'ask'. It would fail when it is reached: the tool 'item' is down:" in told
    assert ", since 20" in told
    assert "`aeon tool health` checks it again" in told


def test_a_run_that_is_not_in_this_record_says_in_which_it_was_looked_for(aeon, applied):
    applied(ASKING)
    told = " ".join(aeon("log", "why", "nothing").err.split())
    assert "You have no run 'nothing'. The search was in: SQLite" in told
    assert "aeon config list" in told
