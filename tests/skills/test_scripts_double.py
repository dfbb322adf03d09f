"""The shipped double of a script runner."""

import threading

import pytest

import aeon.testing.scripts
from aeon.base.json import canonical_json
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.invocation import Cancellation, Invocation, ScriptExitReason
from aeon.skills.plan_json import PlanJson, ToolInvocation
from aeon.skills.poll_loop import PollLoop, ReadyResult, poll_until_done
from aeon.testing.clock import FakeClock
from aeon.testing.scripts import (
    GatedResult,
    ScriptedRunner,
    ShuffledLoop,
    acyclic_dependencies,
    catalog,
    done,
    fails,
    log,
    node,
    overruns,
    patches,
    plan_of,
    prepare_invocation,
    says,
    script,
    skill,
    takes,
    waits_for_cancel,
)

SKILL = skill("s", script("go"))


def invocation(given=None):
    return prepare_invocation(SKILL, SKILL.scripts[0], given or {}, "r")


def test_the_example_of_its_page_runs():
    lines = aeon.testing.scripts.__doc__.split("\n\n")[1].splitlines()
    names = {**vars(aeon.testing.scripts), "PlanExecutor": PlanExecutor}
    exec("\n".join(lines), names)  # noqa: S102  # our own page
    assert names["result"].success


def test_it_does_what_it_is_told_and_keeps_the_calls():
    runner, heard = ScriptedRunner({"s/go": says(log("hi"), done(), exit_code=3, stderr="oh")}), []
    outcome = poll_until_done(runner.start(invocation({"a": 1}), on_event=heard.append))
    assert (outcome.exit_code, outcome.stderr, list(outcome.events)) == (3, "oh", heard)
    assert (runner.calls[0].name, runner.calls[0].input, runner.calls[0].attempt) == ("s/go", {"a": 1}, 1)


def test_attempts_are_counted_for_each_input():
    runner = ScriptedRunner({"s/go": fails(1, patches({}))})
    assert [poll_until_done(runner.start(invocation({"n": n}))).exit_code for n in (1, 2, 1, 2)] == [1, 1, 0, 0]


def test_a_command_that_is_no_envelope_is_known_by_its_first_word():
    plain = Invocation(("tool",), b"text", SKILL.data_home, {})
    assert poll_until_done(ScriptedRunner({"tool": says(done())}).start(plain)).exit_code == 0
    assert poll_until_done(ScriptedRunner({}).start(plain)).exit_reason is ScriptExitReason.NOT_STARTED


def test_time_passes_on_the_clock_alone():
    clock = FakeClock()
    assert (
        poll_until_done(ScriptedRunner({"s/go": overruns(clock)}).start(invocation())).exit_reason
        is ScriptExitReason.TIMED_OUT
    )
    for seconds, ending in ((31, ScriptExitReason.TIMED_OUT), (29, ScriptExitReason.EXITED)):
        runner = ScriptedRunner({"s/go": takes(seconds, clock, says(done()))})
        assert poll_until_done(runner.start(invocation())).exit_reason is ending
    assert clock.slept == [30, 30, 29]


def test_it_waits_until_it_is_cancelled():
    started = threading.Event()
    runner = ScriptedRunner({"s/go": waits_for_cancel(started)})
    with Cancellation() as cancellation:
        canceller = threading.Thread(target=lambda: (started.wait(30), cancellation.cancel()))
        canceller.start()
        assert poll_until_done(runner.start(invocation(), cancellation)).exit_reason is ScriptExitReason.CANCELLED
        canceller.join()
    with pytest.raises(AssertionError, match="nothing can end"):
        poll_until_done(runner.start(invocation()))


@pytest.mark.parametrize("loop", [PollLoop(), ShuffledLoop(0)])
def test_a_loop_gives_what_steps_return_and_raises_what_they_raise(loop):
    def counts(gate):
        first = yield ReadyResult(1)
        second = yield GatedResult(gate, lambda: 2)
        return [first, second]

    def breaks():
        yield ReadyResult(1)
        raise ZeroDivisionError

    with Cancellation() as gate:
        gate.cancel()
        loop.start(counts(gate))
        assert loop.next_result() == [1, 2]
    loop.start(breaks())
    with pytest.raises(ZeroDivisionError):
        loop.next_result()
    loop.close()


def test_small_plans_and_catalogs():
    assert catalog(SKILL).find_script("s/go") == (SKILL, SKILL.scripts[0])
    plan = plan_of(node("x", "s/go", {"a": 1}, "y", required=False), parallel=False)
    assert plan == PlanJson(
        request_id="plan-1",
        tools=[ToolInvocation(tool_id="x", tool_path="s/go", input={"a": 1}, dependencies=["y"], required=False)],
        parallel=False,
    )
    assert canonical_json(acyclic_dependencies(3)) == canonical_json(acyclic_dependencies(3))
