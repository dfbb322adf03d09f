"""Every run and every call that it made is among the values of metrics, once (platform 18)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.platform.catalog.operations import TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, ToolCallResult
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.service import Metrics
from aeon.platform.metrics.tool_calls import CallMeasurement, MeasuringToolCaller, call_values
from aeon.platform.runs.metrics import RunMetricsRecorder
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, failing, flaky, step

pytestmark = pytest.mark.slow


class Measured(EngineWorld):
    """An engine's world, with what measures it."""

    def __init__(self, store, folder):
        super().__init__(store, folder, lambda book, workers, _r, clock, who: LocalEngine(book, workers, clock, who))
        self.metrics = Metrics(store, self.catalog.ledger)
        self.measuring = RunMetricsRecorder(store, self.runs.repository, self.metrics.values)

    def value(self, name, entity):
        metric = self.metrics.definitions.find(name)
        (group,) = self.metrics.values.summarize(self.user, metric, entity=entity).groups
        return group.value

    def catch_up(self):
        while self.measuring.record_pending():
            pass


@pytest.fixture
def world(store, tmp_path):
    others = "UPDATE runs SET is_unmeasured = 0 WHERE is_unmeasured = 1"
    store.update(lambda unit: unit.write(others))
    made = Measured(store, tmp_path)
    yield made
    made.close()


def test_a_run_and_its_calls_are_recorded_failures_too(world):
    good, bad, late = world.tool("echo", echo), world.tool("bad", failing), world.tool("flaky", flaky(1))
    steps = [step("a", good), step("b", bad, required=False), step("c", late), step("d", good)]
    process = world.process("errand", steps)
    world.wait_for_end(world.start_run(process))
    world.catch_up()
    assert [world.value("tool.calls", tool) for tool in (good, bad, late)] == [2, 1, 2]
    assert [world.value("tool.errors", tool) for tool in (good, bad, late)] == [0, 1, 1]
    assert [world.value("process.runs", process.id), world.value("process.failures", process.id)] == [1, 0]
    assert world.value("process.duration_ms", process.id) >= 1000
    service = world.catalog.tools.get(world.user, good).service_id
    assert world.value("service.errors", service) == 2


def test_a_failed_run_is_recorded(world):
    process = world.process("errand", [step("a", world.tool("bad", failing))])
    world.wait_for_end(world.start_run(process))
    world.catch_up()
    assert world.value("process.failures", process.id) == 1


def test_a_run_is_recorded_once_whoever_does_it_and_whenever(world, store):
    """What records it may be killed before or after: the run itself says whether it is to be done."""
    tool = world.tool("echo", echo)
    process = world.process("errand", [step("a", tool)])
    world.wait_for_end(world.start_run(process))
    others = [RunMetricsRecorder(store, world.runs.repository, world.metrics.values) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda each: each.record_pending(), others))
    world.catch_up()
    assert (world.value("tool.calls", tool), world.value("process.runs", process.id)) == (1, 1)


def test_what_a_retried_run_keeps_is_not_counted_again(world):
    good, bad = world.tool("echo", echo), world.tool("bad", failing)
    process = world.process("errand", [step("a", good), step("b", bad)])
    run = world.start_run(process)
    world.wait_for_end(run)
    again = world.runs.retry(run.id, MutationRequest(world.user))
    world.engine.start(again.id)
    world.wait_for_end(again)
    world.catch_up()
    assert (world.value("tool.calls", good), world.value("tool.calls", bad)) == (1, 2)
    assert world.value("process.failures", process.id) == 2


def test_what_was_deleted_meanwhile_is_left_out(world):
    tool = world.tool("echo", echo)
    process = world.process("errand", [step("a", tool)])
    world.wait_for_end(world.start_run(process))
    world.processes.remove(process.id, MutationRequest(world.user))
    world.catch_up()
    assert world.value("tool.calls", tool) == 1


def test_calls_outside_of_runs_are_recorded_failures_too(world):
    tool = world.tool("echo", lambda given, key: failing(given, key) if given["id"] == "bad" else echo(given, key))
    caller = MeasuringToolCaller(world.tools, world.catalog.tools, world.metrics.values)
    assert caller.call(world.user, tool, {"id": "good"}) == ToolCallResult({"got": "good"}, [], 0)
    with pytest.raises(OperationError):
        caller.call(world.user, tool, {"id": "bad"})
    assert (world.value("tool.calls", tool), world.value("tool.errors", tool)) == (2, 1)


def test_an_answer_is_not_lost_where_its_call_cannot_be_recorded(world):
    class Nothing:
        def call(self, _user, _tool_id, _given, _key=None):
            return ToolCallResult("paid for", [], 1, TokenUsage(1, 2, "m"))

    called = MeasuringToolCaller(Nothing(), world.catalog.tools, world.metrics.values).call(world.user, "gone", {})
    assert called.output == "paid for"
    assert "not recorded" in called.warnings[0]


def test_values_of_calls_are_added_up_and_durations_stay_their_own():
    calls = [
        CallMeasurement("t", "s", None, 5, 10, 3),
        CallMeasurement("t", "s", "timed_out"),
        CallMeasurement("t", "s", "input_valid"),
        CallMeasurement("u"),
    ]
    values = [(each.metric, each.entity, each.value, each.dimensions.get("code")) for each in call_values(calls, "me")]
    assert sorted(values, key=str) == [
        ("service.errors", "s", 1, None),
        ("tool.calls", "t", 3, None),
        ("tool.calls", "u", 1, None),
        ("tool.duration_ms", "t", 5, None),
        ("tool.errors", "t", 1, "input_valid"),
        ("tool.errors", "t", 1, "timed_out"),
        ("tool.tokens_completion", "t", 3, None),
        ("tool.tokens_prompt", "t", 10, None),
    ]
    many = call_values([CallMeasurement("t", milliseconds=1)] * 20_000, "me")
    assert 4000 < len(many) <= 5001
