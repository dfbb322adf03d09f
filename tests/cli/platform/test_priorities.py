"""`--priority` and `--weight`: where they are given and kept, and the order in which runs are adopted (platform 10)."""

import json
import signal
from pathlib import Path

import pytest

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow]

VISIT = """
kind: Process
name: visit
initialContext: [id]
steps:
  - {id: go, tool: item, inputs: {id: "{id}"}, output: gone}
"""


def test_runs_are_adopted_by_priority_and_have_it(aeon, applied, background, shop):
    """Accepted first, the low one is adopted last."""
    applied(VISIT)
    runs = {}
    for priority in ("low", "normal", "high"):
        begun = aeon("process", "run", "visit", "--input", f"id={priority}", "--priority", priority, "-d")
        runs[priority] = begun.out.strip()
    for priority, run in runs.items():
        assert json.loads(aeon("log", "show", run, "--json").out)["priority"] == priority
    worker = background("serve", "worker")
    until(lambda: len(shop.calls) == 3, lambda: worker.err)
    places = {priority: worker.err.index(f"run {run} of visit is adopted") for priority, run in runs.items()}
    assert sorted(places, key=places.get) == ["high", "normal", "low"]
    assert worker.ends(signal.SIGTERM) == 0


def test_schedules_and_webhooks_give_their_runs_a_priority(aeon, applied):
    applied(VISIT)
    given = ("--priority", "low", "--json")
    timed = aeon("process", "schedule", "create", "daily", "visit", "--cron", "0 8 * * *", "--input", "id=a", *given)
    assert timed.json["priority"] == "low"
    hooked = aeon("process", "webhook", "create", "push", "visit", *given)
    assert hooked.json["priority"] == "low"


def test_the_weight_of_a_user_is_set_by_an_operator_and_shown(aeon):
    assert aeon("serve", "user", "create", "ann").code == 0
    assert aeon("serve", "user", "set", "ann", "--weight", "3").code == 0
    assert aeon("serve", "user", "show", "ann", "--json").json["weight"] == 3
    assert aeon("serve", "user", "set", "ann", "--weight", "0").code == 2
    assert aeon("serve", "user", "show", "ann", "--json").json["weight"] == 3


@pytest.mark.parametrize("engine", ["SQLite", "Temporal"])
def test_queued_jobs_are_taken_by_priority(aeon, applied, background, shop, engine_at, engine):
    """Queued in the other order, before there is a worker for them."""
    Path("aeon.toml").write_text(f"[engine]\n{engine_at(engine)}rest_api = 0\n", encoding="utf-8")
    applied(VISIT)
    runs = background("serve", "worker")
    runs.says("serves runs")
    for priority in ("low", "normal", "high"):
        begun = aeon("process", "run", "visit", "--input", f"id={priority}", "--priority", priority, "-d")
        run = begun.out.strip()
        until(lambda run=run: "Waits for a worker" in aeon("log", "why", run).out, lambda: runs.err)
    background("serve", "worker", "--type", "rest_api", "--concurrency", "1")
    until(lambda: len(shop.calls) == 3, lambda: runs.err)
    assert list(shop.calls) == ["/high", "/normal", "/low"]
