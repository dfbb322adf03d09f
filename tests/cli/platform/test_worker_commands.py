"""`aeon serve worker`: there for runs whose process is gone; and who is there (platform 10)."""

import re
import signal
from pathlib import Path

import pytest

from .conftest import until

pytestmark = pytest.mark.server

SLOW = """
kind: Process
name: errand
initialContext: [who]
steps:
  - {id: first, tool: item, inputs: {id: first}, output: first}
  - {id: slow, tool: item, inputs: {id: slow}, output: slow}
  - {id: last, tool: item, inputs: {id: last}, output: last}
outputTemplate: "{{who}} has {{step.last.body.path}}"
"""


@pytest.mark.slow
def test_a_worker_takes_over_what_a_killed_process_left(aeon, applied, background, shop):
    """Platform 10: the steps that were done are not done again, and the run comes to its end."""
    applied(SLOW)
    running = background("process", "run", "errand", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 1)
    assert running.ends(signal.SIGKILL) == -signal.SIGKILL
    (run,) = re.findall("run ([0-9a-f-]+) of errand", running.err)
    worker = background("serve", "worker")
    worker.says(f"run {run} of errand is adopted")
    shop.lets_go.set()
    worker.says(f"run {run} of errand is completed")
    assert shop.calls == {"/first": 1, "/slow": 2, "/last": 1}
    assert aeon("log", "show", run, "--json").json["output"] == "me has /last"
    assert worker.ends(signal.SIGTERM) == 0
    assert "0 active run(s) here" in worker.err
    assert aeon("serve", "worker", "list", "--json").json == []


@pytest.mark.slow
def test_what_a_worker_leaves_goes_on_with_the_next_one(applied, background, shop):
    applied(SLOW)
    running = background("process", "run", "errand", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 1)
    running.ends(signal.SIGKILL)
    first = background("serve", "worker")
    first.says("is adopted")
    until(lambda: shop.calls["/slow"] == 2)
    code = first.ends(signal.SIGINT)
    assert code == 130, first.report
    assert "1 active run(s) here continue with the next worker" in first.err
    shop.lets_go.set()
    background("serve", "worker").says("of errand is completed")
    assert shop.calls == {"/first": 1, "/slow": 3, "/last": 1}


def test_a_worker_checks_health_on_schedule(applied, background):
    """Platform 5."""
    applied(SLOW)
    background("serve", "worker").says("tool item of me is healthy")


METRIC = ("VALUE", "OF", "METRIC", "SCOPE", "AGGREGATION")


def test_workers_are_listed(aeon, background):
    worker = background("serve", "worker", "--concurrency", "1")
    worker.says("serves runs")
    listed = aeon("serve", "worker", "list")
    assert listed.cells("TYPE", "STATE", "JOBS", "FAILED") == [
        (kind, "idle", "0", "0") for kind in ("graph_query", "llm_call", "mcp_server", "rest_api")
    ]
    (found, *_others) = aeon("serve", "worker", "list", "--json").json
    assert found["executorId"] in worker.err


@pytest.mark.parametrize(
    ("types", "said"),
    [
        (["robot"], "There is no worker type robot"),
        (["llm_call"], "Runs in memory give no jobs to other processes"),
        (["process"], "engine.graph_query, engine.rest_api, engine.llm_call, engine.mcp_server: 0 leaves these jobs"),
        (["llm_call", "process"], "A worker of the type process cannot serve other types"),
        (["human", "process"], "A worker of the type process cannot serve other types"),
        (["human"], "aeon log answer RUN STEP ANSWER"),
    ],
)
def test_typed_workers_are_refused_plainly(aeon, types, said):
    Path("aeon.toml").write_text('[engine]\naddress = "memory"\n', encoding="utf-8")
    refused = aeon("serve", "worker", *(word for kind in types for word in ("--type", kind)))
    assert (refused.code, said in " ".join(refused.err.split())) == (2, True), refused.err


def test_old_runs_are_removed_and_stay_measured(aeon, applied):
    applied(SLOW.replace("id: slow}", "id: quick}"))
    run = aeon("process", "run", "errand", "--input", "who=me", "--json").json["id"]
    assert aeon("log", "delete", "--yes").out == "removed 0 run(s) and 0 large result(s)\n"
    assert aeon("log", "delete", "--yes", "--days", "0", "--json").json == {"runs": 1, "results": 0, "cached": 0}
    assert aeon("log", "show", run).code == 2
    assert aeon("log", "list").out == ""
    assert aeon("store", "metric", "show", "process.runs").cells(*METRIC) == [
        ("1", "errand", "process.runs", "process", "sum")
    ]
    assert aeon("store", "metric", "show", "tool.calls").cells(*METRIC) == [("3", "item", "tool.calls", "tool", "sum")]
    aeon("tool", "call", "item", "--input", '{"id": "lost"}')
    assert aeon("store", "metric", "show", "tool.errors").cells(*METRIC) == [
        ("1", "item", "tool.errors", "tool", "sum")
    ]
