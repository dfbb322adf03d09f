"""Limits of services as commands show them, and what pure tools came to, used again and forgotten (platform 10)."""

import time

import pytest

pytestmark = pytest.mark.server

DOCUMENTS = """
kind: Service
name: tight
type: rest_api
protocol: http
connectionSchema: {{type: object, required: [endpoint]}}
limits: {{concurrency: 1, rate: {{calls: 2, seconds: 1.5}}}}
---
kind: Tool
name: shelf
service: tight
effect: {effect}
connectionParams: {{endpoint: "http://127.0.0.1:{port}"}}
operation: {{type: rest_request, path: "/{{id}}", allowPrivate: true}}
inputSchema: {{type: object, required: [id], properties: {{id: {{type: string}}}}}}
---
kind: Process
name: errand
initialContext: [who]
steps:
  - {{id: one, tool: shelf, inputs: {{id: a}}, output: one, execution: {{mode: parallel}}}}
  - {{id: two, tool: shelf, inputs: {{id: b}}, output: two, execution: {{mode: parallel}}}}
  - {{id: three, tool: shelf, inputs: {{id: c}}, output: three, execution: {{mode: parallel}}}}
"""


def test_limits_are_shown_and_runs_keep_to_them(aeon, applied, shop):
    applied(DOCUMENTS.format(port=shop.port, effect="read"))
    shown = aeon("tool", "service", "show", "tight").json
    assert shown["limits"] == {"concurrency": 1, "rate": {"calls": 2, "seconds": 1.5}}
    assert ("tight", "rest_api", "http", "unchecked", "at most 1 at once and 2 in 1.5 s") in aeon(
        "tool", "service", "list"
    ).cells("NAME", "TYPE", "PROTOCOL", "STATE", "LIMITS")
    began = time.monotonic()
    assert aeon("process", "run", "errand", "--input", "who=me").code == 0
    assert time.monotonic() - began > 1.4
    assert sum(shop.calls.values()) == 3


def test_what_pure_tools_came_to_is_used_again_until_it_is_forgotten(aeon, applied, shop):
    """It takes no place on its service either: the second run waits for nothing."""
    applied(DOCUMENTS.format(port=shop.port, effect="pure"))
    first, again = (aeon("process", "run", "errand", "--input", "who=me", "--json").json for _ in range(2))
    assert again["output"] == first["output"]
    assert sum(shop.calls.values()) == 3
    shown = aeon("log", "show", again["id"], "--json").json
    assert [each["about"].get("cached") for each in shown["steps"]] == [True] * 3
    assert {each["tokens"] for each in shown["steps"]} == {0}
    assert "one completed, from the cache: " in aeon("log", "show", again["id"]).out
    assert aeon("tool", "call", "shelf", "--input", '{"id": "a"}').code == 0
    assert sum(shop.calls.values()) == 4  # that one is always made
    assert aeon("tool", "cache", "clear", "shelf").out == "removed 3 cached result(s)\n"
    assert aeon("tool", "cache", "clear").out == "removed 0 cached result(s)\n"
    aeon("process", "run", "errand", "--input", "who=me")
    assert sum(shop.calls.values()) == 7
    assert aeon("log", "delete", "--yes", "--days", "0").out.endswith(", and 3 cached result(s) of tools\n")
    assert aeon("tool", "cache", "clear", "unknown").code == 2
