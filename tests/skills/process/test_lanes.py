"""Scripts that wait for a place in their lane, where they are started: in order, told when they begin, stopped before."""

import os
import select
import signal

import pytest
from tests.skills.process.conftest import DONE, LOG

from aeon.base.errors import SandboxError
from aeon.observability.events import NodeEnded, NodeEventEmitted, NodeStarted
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.invocation import Cancellation, ConcurrencyGroup, ScriptExitReason, StartSlot
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import ExecutionState, PlanJson
from aeon.skills.poll_loop import PollLoop, poll_until_done
from aeon.skills.sandbox import SandboxRunner


class Order:
    """Scripts in lanes, and in which order they were said to begin."""

    def __init__(self, runner, scripts):
        self.begun = []
        self.ran = scripts.folder / "ran"
        self._runner = runner
        self._scripts = scripts

    def start(self, name, lane, body="", seconds=60.0, cancellation=None, on_event=None, **options):
        text = f"#!/bin/sh\necho '{name} in' >> ran; {body}\necho '{name} out' >> ran; echo '{DONE}'\n"
        invocation = self._scripts.invocation(self._scripts.write(text, f"{name}.sh"), **options)
        turn = StartSlot(lane, lambda: self.begun.append(name), seconds)
        return self._runner.start(invocation, cancellation, on_event, turn)

    def lines(self):
        return self.ran.read_text().splitlines()


class Gate:
    """Keeps a script running until it is opened."""

    def __init__(self, scripts):
        self._path = scripts.folder / "gate"
        os.mkfifo(self._path)
        self.body = f"echo '{LOG}'; read line < {self._path}"

    def open(self):
        self._path.write_text("go\n")


@pytest.fixture
def order(runner, scripts):
    return Order(runner, scripts)


@pytest.fixture
def gate(scripts):
    return Gate(scripts)


def until_it_speaks(pending, heard):
    while not heard:
        select.poll().poll(5)
        assert pending.poll() is None


def waits(pending):
    return (yield pending)


def test_no_more_than_there_are_places_run_at_once_and_all_in_order(order):
    lane, crew = ConcurrencyGroup(2), PollLoop()
    names = [f"s{number}" for number in range(7)]
    for name in names:
        crew.start(waits(order.start(name, lane)))
    outcomes = [crew.next_result() for _ in names]
    assert {(outcome.exit_reason, outcome.exit_code, outcome.violation) for outcome in outcomes} == {
        (ScriptExitReason.EXITED, 0, None)
    }
    assert order.begun == names
    within = [1 if line.endswith("in") else -1 for line in order.lines()]
    assert max(sum(within[: end + 1]) for end in range(len(within))) <= 2
    assert lane.active == 0


def test_what_waits_is_not_said_to_have_begun(order, gate):
    lane, heard = ConcurrencyGroup(1), []
    first = order.start("first", lane, gate.body, on_event=heard.append)
    second = order.start("second", lane)
    until_it_speaks(first, heard)
    assert second.poll() is None
    assert (order.begun, order.lines()) == (["first"], ["first in"])
    gate.open()
    assert poll_until_done(second).exit_code == 0
    assert poll_until_done(first).exit_code == 0
    assert order.begun == ["first", "second"]


def test_its_time_runs_from_its_start(order, gate):
    """Skills 4: a timeout is a script's own, however long others kept it waiting."""
    lane = ConcurrencyGroup(1)
    first = order.start("first", lane, gate.body)
    second = order.start("second", lane, "sleep 0.1", timeout=0.3)
    select.poll().poll(400)
    assert second.poll() is None
    gate.open()
    outcome = poll_until_done(second)
    assert (outcome.exit_reason, outcome.exit_code) == (ScriptExitReason.EXITED, 0)
    assert 100 <= outcome.milliseconds < 400
    poll_until_done(first)


def test_what_has_no_time_left_while_it_waits_never_begins(order, gate):
    lane = ConcurrencyGroup(1)
    first = order.start("first", lane, gate.body)
    outcome = poll_until_done(order.start("second", lane, seconds=0.05))
    assert (outcome.exit_reason, outcome.exit_code, outcome.milliseconds) == (ScriptExitReason.TIMED_OUT, None, 0)
    third = order.start("third", lane)
    gate.open()
    assert [poll_until_done(first).exit_code, poll_until_done(third).exit_code] == [0, 0]
    assert order.begun == ["first", "third"]
    assert not any(line.startswith("second") for line in order.lines())


def test_the_time_that_is_left_ends_what_has_begun_too(order):
    outcome = poll_until_done(order.start("only", ConcurrencyGroup(1), "sleep 60", seconds=0.2, timeout=60.0))
    assert outcome.exit_reason is ScriptExitReason.TIMED_OUT
    assert order.begun == ["only"]


def test_what_is_cancelled_while_it_waits_never_begins(order, gate):
    """Skills 4: cancelled at once, and what stands behind it in the lane is not held up."""
    lane = ConcurrencyGroup(1)
    first = order.start("first", lane, gate.body)
    with Cancellation() as cancellation:
        second = order.start("second", lane, cancellation=cancellation)
        third = order.start("third", lane)
        cancellation.cancel()
        outcome = poll_until_done(second)
    assert (outcome.exit_reason, outcome.exit_code, list(outcome.events)) == (ScriptExitReason.CANCELLED, None, [])
    gate.open()
    assert [poll_until_done(first).exit_code, poll_until_done(third).exit_code] == [0, 0]
    assert order.begun == ["first", "third"]


@pytest.mark.parametrize("is_cancelled", [True, False], ids=["cancelled", "late"])
def test_what_waits_does_not_begin_because_a_cancelled_or_late_one_made_room(order, gate, is_cancelled):
    """Whoever attends to which of them first."""
    lane, heard = ConcurrencyGroup(1), []
    with Cancellation() as cancellation:
        seconds = 60.0 if is_cancelled else 0.3
        first = order.start("first", lane, gate.body, seconds, cancellation, heard.append)
        behind = [order.start(name, lane, "", seconds, cancellation) for name in ("second", "third")]
        if is_cancelled:
            until_it_speaks(first, heard)
            cancellation.cancel()
        assert poll_until_done(first).exit_reason is (
            ScriptExitReason.CANCELLED if is_cancelled else ScriptExitReason.TIMED_OUT
        )
        assert {poll_until_done(each).exit_code for each in behind} == {None}
    assert order.begun == ["first"]
    assert not any(line.startswith(("second", "third")) for line in order.lines())


def test_one_whose_own_time_is_over_makes_room(order, gate):
    lane = ConcurrencyGroup(1)
    first = order.start("first", lane, gate.body, timeout=0.2)
    second = order.start("second", lane)
    assert poll_until_done(first).exit_reason is ScriptExitReason.TIMED_OUT
    assert poll_until_done(second).exit_code == 0


def test_what_cannot_be_started_when_its_turn_comes_is_said(order, runner, scripts, gate):
    lane = ConcurrencyGroup(1)
    first = order.start("first", lane, gate.body)
    missing = scripts.invocation(scripts.folder / "nothing")
    second = runner.start(missing, None, None, StartSlot(lane, lambda: order.begun.append("second"), 60.0))
    third = order.start("third", lane)
    gate.open()
    assert poll_until_done(first).exit_code == 0
    outcome = poll_until_done(second)
    assert outcome.exit_reason is ScriptExitReason.NOT_STARTED
    assert "the file does not exist" in outcome.problem
    assert poll_until_done(third).exit_code == 0


def test_lanes_do_not_hold_each_other_up(order, runner, scripts, gate):
    full = ConcurrencyGroup(1)
    first = order.start("first", full, gate.body)
    behind = order.start("behind", full)
    assert poll_until_done(order.start("elsewhere", ConcurrencyGroup(1))).exit_code == 0
    assert runner.run(scripts.sh(f"echo '{DONE}'")).exit_code == 0
    assert order.begun == ["first", "elsewhere"]
    gate.open()
    assert [poll_until_done(first).exit_code, poll_until_done(behind).exit_code] == [0, 0]


def test_a_listener_that_fails_at_the_start_ends_the_script(order, runner, scripts, gate):
    class Stop(Exception):  # noqa: N818  # what a test raises
        pass

    def stop():
        raise Stop

    lane = ConcurrencyGroup(1)
    first = order.start("first", lane, gate.body)
    second = runner.start(scripts.sh(f"exec {scripts.stubborn()}"), None, None, StartSlot(lane, stop, 60.0))
    gate.open()
    with pytest.raises(Stop):
        poll_until_done(second)
    assert scripts.survivors() == []
    poll_until_done(first)
    assert lane.active == 0


def test_what_waits_at_a_reaper_that_dies_is_begun_by_another(scripts, gate):
    """It had not begun, so nothing is lost or done twice; that it begins is told once."""
    with SandboxRunner("plain") as runner:
        order, lane, heard = Order(runner, scripts), ConcurrencyGroup(1), []
        first = order.start("first", lane, gate.body, on_event=heard.append)
        second = order.start("second", lane)
        until_it_speaks(first, heard)
        os.kill(runner._cold._reaper.pid, signal.SIGKILL)
        assert poll_until_done(first).exit_code == -signal.SIGKILL
        assert poll_until_done(second).exit_code == 0
        assert order.begun == ["first", "second"]
        assert order.lines() == ["first in", "second in", "second out"]


def test_closing_the_runner_begins_nothing_that_waits(scripts, gate):
    runner = SandboxRunner("plain")
    order, lane, heard = Order(runner, scripts), ConcurrencyGroup(1), []
    first = order.start("first", lane, gate.body, on_event=heard.append)
    second = order.start("second", lane)
    until_it_speaks(first, heard)
    runner.close()
    assert poll_until_done(first).exit_code == -signal.SIGKILL
    with pytest.raises(SandboxError, match="closed"):
        poll_until_done(second)
    assert order.lines() == ["first in"]


# Whole plans, whose nodes are handed over before there is a place for them


def executor(runner, scripts, body, observer, **options):
    """For plans of nodes of one script, which is given its node's number."""
    path = scripts.write(f"#!/bin/sh\necho \"$1 in\" >> ran\n{body}\necho '{DONE}'\n", "node.sh")
    found = SkillScript("node", path, "s/node", is_executable=True, protocol="ndjson")
    skills = SkillCatalog((Skill("s", "s", path.parent, path, path.parent, scripts=(found,)),))

    def prepare(_skill, _script, given, _request_id):
        return scripts.invocation(path, given["number"])

    return PlanExecutor(skills, runner, prepare=prepare, observer=observer, **options)


def plan(count, **fields):
    tools = [{"toolId": f"n{at}", "toolPath": "s/node", "input": {"number": at}} for at in range(count)]
    return PlanJson.model_validate({"tools": tools, **fields})


def started(told):
    return [event.tool_id for event in told if isinstance(event, NodeStarted)]


def test_a_cancelled_plan_skips_what_was_handed_over_and_had_not_begun(runner, scripts):
    """Skills 4: what never began is no failure of its script's."""
    told = []
    with Cancellation() as cancellation:

        def observe(event):
            told.append(event)
            if isinstance(event, NodeEventEmitted):
                cancellation.cancel()

        made = executor(runner, scripts, f"echo '{LOG}'; exec sleep 60", observe, parallel=1)
        result = made.execute(plan(5), cancellation=cancellation)
    states = [node.state for node in result.execution_trace]
    assert states == [ExecutionState.FAILED, *[ExecutionState.SKIPPED] * 4]
    assert {node.error.type for node in result.execution_trace} == {"cancelled"}
    assert started(told) == ["n0"]
    assert (scripts.folder / "ran").read_text() == "0 in\n"


def test_a_plan_whose_time_is_over_skips_it_too(runner, scripts):
    told = []
    made = executor(runner, scripts, "exec sleep 60", told.append, parallel=1, plan_timeout=0.3)
    result = made.execute(plan(4))
    states = [node.state for node in result.execution_trace]
    assert states == [ExecutionState.TIMEOUT, *[ExecutionState.SKIPPED] * 3]
    assert {node.error.type for node in result.execution_trace} == {"plan_timeout"}
    assert started(told) == ["n0"]


def test_a_plan_that_is_not_parallel_runs_its_nodes_one_after_another(runner, scripts):
    told = []
    result = executor(runner, scripts, 'echo "$1 out" >> ran', told.append).execute(plan(6, parallel=False))
    assert result.success
    lines = [f"{number} {what}" for number in range(6) for what in ("in", "out")]
    assert (scripts.folder / "ran").read_text().splitlines() == lines
    assert started(told) == [f"n{number}" for number in range(6)]


def test_every_node_is_said_to_begin_once_before_it_ends(runner, scripts):
    """A retried one once for each attempt."""
    told = []
    body = '[ "$1" != 3 ] || [ -e failed ] || { touch failed; exit 1; }'
    result = executor(runner, scripts, body, told.append, parallel=2).execute(plan(9))
    assert result.success
    said = [event for event in told if isinstance(event, NodeStarted | NodeEnded)]
    for number in range(9):
        mine = [type(event) for event in said if event.tool_id == f"n{number}"]
        assert mine == [NodeStarted] * (2 if number == 3 else 1) + [NodeEnded]
