"""Alerts start one run for each crossing, whoever evaluates them and whoever is killed (platform 48)."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from aeon.adapters.engines.sql.database import RunDatabase
from aeon.adapters.engines.sql.engine import SqlEngine
from aeon.platform.alerts.evaluator import AlertEvaluator
from aeon.platform.alerts.model import AlertChange, NewAlert
from aeon.platform.alerts.repository import MAX_ALERTS, AlertRepository
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import NewMetric, NewMetricValue
from aeon.platform.metrics.service import Metrics
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step


class KilledError(Exception):
    """What stands for the end of the process at that point."""


class Killed(AlertRepository):
    """Ends before it is written down that a run was started, as a process does that is killed."""

    def mark_started(self, alert, refusal, now):
        raise KilledError


class KilledEarlier(AlertRepository):
    """Ends when it is written down that a run is to be started, and before it is."""

    def list_starting(self):
        raise KilledError


class Alerted:
    """A world with a watched Process, and a Process that tells somebody."""

    def __init__(self, world, store):
        self.world, self._store = world, store
        self.metrics = Metrics(store, world.catalog.ledger)
        echoing = world.tool("echo", echo)
        self.watched = world.process("errand", [step("a", echoing)])
        inputs = ["q", "value", "threshold", "window", "alert"]
        self.tell = world.process("tell", [step("a", echoing)], initialContext=inputs)
        self.request = MutationRequest(world.user)
        self.seconds = 0.0

    def alerts(self, kind=AlertRepository):
        return kind(self._store, self.world.catalog, self.world.processes, self.metrics)

    def add(self, **fields):
        new = {"name": "errands fail", "process": self.tell.id, "metric": "process.failures", "comparison": ">"}
        new |= {"threshold": 2, "entity": self.watched.id, "inputs": {"q": "tea"}, "intervalSeconds": 10}
        return self.alerts().add(NewAlert.parsed({**new, **fields}), self.request)

    def get(self, name="errands fail"):
        return self.alerts().find(self.world.user, name)

    def fail(self, times, process=None):
        dimensions = {"userId": self.world.user, "code": "OperationError"}
        value = NewMetricValue("process.failures", (process or self.watched).id, times, dimensions)
        self.metrics.values.record([value])

    def now(self, seconds):
        return (datetime.fromisoformat(self.world.clock.now()) + timedelta(seconds=seconds)).isoformat()

    def evaluate(self, seconds=0.0, kind=AlertRepository):
        """Evaluate, as a worker does so many seconds from now."""
        world = self.world
        evaluator = AlertEvaluator(self.alerts(kind), world.processes, world.runs, world.engine)
        return evaluator.evaluate_due(self.now(seconds))

    def ended(self):
        world = self.world
        world.wait_until(lambda: all(run.phase in ENDED_PHASES for run in world.runs.list_runs(world.user)))
        return world.runs.list_runs(world.user)


@pytest.fixture
def alerted(store, tmp_path):
    store.update(lambda unit: unit.write("UPDATE alerts SET due_micros = NULL, is_starting = 0"))
    world = EngineWorld(store, tmp_path, lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{tmp_path}/runs.db"), *parts))
    yield Alerted(world, store)
    world.close()


def test_a_crossing_starts_one_run_with_the_value_and_the_next_one_another(alerted):
    alerted.add()
    assert alerted.evaluate() == []
    assert (alerted.get().state, alerted.get().last_value) == ("ok", 0)
    alerted.fail(3)
    (started,) = alerted.evaluate(20)
    assert alerted.evaluate(40) == []
    (run,) = alerted.ended()
    assert (run.id, run.trigger, run.tags) == (started.run, "schedule", {"alert": "errands fail"})
    inputs = alerted.world.runs.view(run.owner_id, run.id).run.inputs
    assert inputs == {"q": "tea", "value": 3, "threshold": 2, "window": 300, "alert": "errands fail"}
    firing = alerted.get()
    assert (firing.state, firing.run, firing.starts, firing.problem) == ("firing", run.id, 1, None)
    assert alerted.evaluate(400) == []
    assert (alerted.get().state, alerted.get().started_at, alerted.get().run) == ("ok", None, run.id)
    alerted.world.clock.jump(500)
    alerted.fail(9)
    (again,) = alerted.evaluate(20)
    assert {each.id for each in alerted.ended()} == {started.run, again.run}


def test_values_of_other_processes_and_of_other_users_count_for_nothing(alerted):
    alerted.add()
    alerted.fail(9, alerted.tell)
    other = NewMetricValue("process.failures", alerted.tell.id, 9, {"userId": "somebody"})
    alerted.metrics.values.record([other])
    assert alerted.evaluate() == []
    assert alerted.get().last_value == 0


def test_many_workers_at_once_start_one_run(alerted):
    alerted.add()
    alerted.fail(3)
    together = threading.Barrier(4, timeout=20)

    def work(_number):
        together.wait()
        return alerted.evaluate()

    with ThreadPoolExecutor(4) as pool:
        started = [each for found in pool.map(work, range(4)) for each in found]
    assert [(each.process, each.refusal) for each in started] == [("tell", None)]
    assert [run.id for run in alerted.ended()] == [started[0].run]
    assert alerted.world.tools.calls["echo"] == 1


@pytest.mark.parametrize("kind", [Killed, KilledEarlier])
def test_a_worker_that_is_killed_before_or_after_the_start_loses_and_repeats_nothing(alerted, kind):
    alerted.add()
    alerted.fail(3)
    with pytest.raises(KilledError):
        alerted.evaluate(kind=kind)
    (started,) = alerted.evaluate(1)
    assert alerted.evaluate(30) == []
    assert [run.id for run in alerted.ended()] == [started.run]
    assert alerted.world.tools.calls["echo"] == 1


def test_what_cannot_start_says_why_and_is_tried_again_while_it_fires(alerted):
    alerted.add()
    alerted.fail(3)
    world, request = alerted.world, alerted.request
    world.processes.change(alerted.tell.id, ProcessChange(enabled=False), request)
    (refused,) = alerted.evaluate()
    assert "is disabled" in refused.refusal
    assert (alerted.get().state, alerted.get().run) == ("firing", None)
    assert "is disabled" in alerted.get().problem
    world.processes.change(alerted.tell.id, ProcessChange(enabled=True), request)
    (started,) = alerted.evaluate(20)
    assert started.refusal is None
    assert (alerted.get().run, alerted.get().problem) == (started.run, None)


def test_another_users_process_that_was_changed_is_not_started_until_it_is_trusted(alerted):
    world, ann = alerted.world, f"ann of {alerted.world.user}"
    world.catalog.add_user(ann)
    alerted.add(name="own")
    shared = world.processes.change(alerted.tell.id, ProcessChange(shared=True), alerted.request)
    new = {"name": "hers", "process": shared.id, "metric": "process.open_runs", "comparison": ">=", "threshold": 0}
    alert = alerted.alerts().add(NewAlert.parsed({**new, "inputs": {"q": "x"}}), MutationRequest(ann))
    assert alert.trusted_digest == shared.digest
    changed = ProcessChange(steps=[step("b", world.tool("other", echo))])
    world.processes.change(shared.id, changed, alerted.request)
    (refused,) = alerted.evaluate()
    assert "has changed it" in refused.refusal
    with pytest.raises(RuleError, match="not that of the current version"):
        alerted.alerts().change(alert.id, AlertChange(trusted_digest="other"), MutationRequest(ann))
    digest = world.processes.get(ann, shared.id).digest
    alerted.alerts().change(alert.id, AlertChange(trusted_digest=digest), MutationRequest(ann))
    (started,) = alerted.evaluate(20)
    assert started.refusal is None
    world.processes.change(shared.id, ProcessChange(shared=False), alerted.request)
    with pytest.raises(NotFoundError):
        alerted.alerts().change(alert.id, AlertChange(trusted_digest=digest), MutationRequest(ann))


def test_a_metric_that_is_gone_is_the_problem_and_changes_no_state(alerted):
    new = {"name": "orders.lost", "scope": "process", "aggregation": "sum", "dataType": "integer"}
    metric = alerted.metrics.definitions.add(NewMetric.parsed(new), alerted.request, is_admin=True)
    alerted.add(metric="orders.lost")
    value = NewMetricValue(metric.id, alerted.watched.id, 3, {"userId": alerted.world.user})
    alerted.metrics.values.record([value])
    assert len(alerted.evaluate()) == 1
    alerted.metrics.definitions.remove(metric.id, alerted.request, is_admin=True, cascade=True)
    assert alerted.evaluate(20) == []
    assert (alerted.get().state, alerted.get().last_value) == ("firing", None)
    assert "no metric" in alerted.get().problem


def test_the_number_and_age_of_open_runs_and_the_rate_of_failures_are_watched_too(alerted):
    world, goes_on = alerted.world, threading.Event()
    waiting = world.process("waits", [step("a", world.tool("wait", lambda *_: goes_on.wait(20)))])
    reader, names = alerted.alerts().reader, ("open_runs", "oldest_open_seconds", "failure_rate")
    of_one = [alerted.add(name=each, metric=f"process.{each}", entity=waiting.id) for each in names]
    of_all = alerted.add(name="all", metric="process.open_runs", entity=None)
    assert [reader.read(each, alerted.now(0)) for each in (*of_one, of_all)] == [0, 0, None, 0]
    run = world.start_run(waiting)
    assert [reader.read(each, alerted.now(90)) for each in (*of_one, of_all)][::3] == [1, 1]
    assert reader.read(of_one[1], alerted.now(90)) == pytest.approx(90, abs=30)
    goes_on.set()
    world.wait_for_end(run)
    alerted.metrics.values.record([NewMetricValue("process.runs", waiting.id, 4, {"userId": world.user})])
    alerted.fail(1, waiting)
    assert [reader.read(each, alerted.now(1)) for each in (*of_one, of_all)] == [0, 0, 0.25, 0]


def test_what_cannot_be_watched_or_started_is_refused_when_the_alert_is_made(alerted):
    for fields, said in (
        ({"metric": "process.nothing"}, "no metric"),
        ({"entity": "nothing"}, "no process"),
        ({"metric": "process.open_runs", "entity": "nothing"}, "nothing"),
        ({"metric": "process.open_runs", "aggregation": "max"}, "no aggregation"),
        ({"inputs": {}}, "it lacks q"),
        ({"inputs": {"q": 1, "other": 1}}, "no input other"),
        ({"threshold": float("nan")}, "threshold"),
        ({"threshold": float("inf")}, "threshold"),
        ({"windowSeconds": 1, "intervalSeconds": 1}, "windowSeconds.*intervalSeconds"),
    ):
        with pytest.raises((RuleError, NotFoundError), match=said):
            alerted.add(**fields)


def test_sums_beyond_all_numbers_are_a_problem_and_fire_nothing(alerted):
    metric = alerted.add(metric="process.duration_ms", aggregation="sum", comparison=">=", threshold=-1)
    values = [NewMetricValue("process.duration_ms", alerted.watched.id, 1.7e308, {"userId": alerted.world.user})] * 2
    alerted.metrics.values.record(values)
    assert alerted.evaluate() == []
    assert "not a finite number" in alerted.get().problem
    assert alerted.get().id == metric.id


def test_a_user_has_a_limited_number_of_alerts(alerted):
    for number in range(MAX_ALERTS):
        alerted.add(name=f"a{number}")
    with pytest.raises(RuleError, match="100 alerts"):
        alerted.add(name="one more")


def test_a_new_condition_begins_anew_and_a_disabled_alert_is_not_evaluated(alerted):
    alert = alerted.add()
    alerted.fail(3)
    alerted.evaluate()
    changed = alerted.alerts().change(alert.id, AlertChange(threshold=5.0), alerted.request)
    assert (changed.state, changed.starts) == ("ok", 1)
    assert alerted.evaluate(20) == []
    alerted.alerts().change(alert.id, AlertChange(threshold=1.0, enabled=False), alerted.request)
    assert alerted.evaluate(40) == []
    alerted.alerts().change(alert.id, AlertChange(enabled=True), alerted.request)
    assert len(alerted.evaluate(60)) == 1
    assert len(alerted.ended()) == 2


def test_a_clock_that_was_set_back_does_not_keep_an_alert_from_being_evaluated(alerted):
    alerted.add()
    alerted.evaluate(3 * 86_400)
    alerted.fail(3)
    assert len(alerted.evaluate(5)) == 1
