"""Cases for engines that use the given clock, while that clock is set."""

import threading
from collections.abc import Callable

from aeon.testing.engines.world import EngineWorld, echo, flaky, step, wait_for

Case = Callable[[EngineWorld], None]

HOUR, DAY = 3600.0, 86400.0


def deadline_comes_early(world: EngineWorld) -> None:
    """A deadline is an instant: if the clock is set past it, the run fails."""
    goes_on = threading.Event()
    hang = world.tool("hang", wait_for(goes_on))
    run = world.start_run(world.process("late", [step("a", hang, timeout=60)]), within=HOUR)
    world.wait_until(lambda: world.tools.calls["hang"] == 1)
    world.clock.jump(DAY)
    view = world.wait_for_end(run)
    goes_on.set()
    assert view.run.failure is not None
    assert view.run.failure["code"] == "deadline"


def deadline_comes_late(world: EngineWorld) -> None:
    """If the clock is set back, the deadline is later."""
    goes_on = threading.Event()
    gate = world.tool("gate", wait_for(goes_on))
    run = world.start_run(world.process("early", [step("a", gate, timeout=60)]), within=1.0)
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    world.clock.jump(-HOUR)
    goes_on.wait(1.5)
    goes_on.set()
    assert world.wait_for_end(run).state.phase == "completed"


def timeouts_stay(world: EngineWorld) -> None:
    """Timeouts are unaffected by the clock, and all entries stay in order."""
    goes_on = threading.Event()
    tool, gate, busy = world.tool("echo", echo), world.tool("gate", wait_for(goes_on)), world.tool("busy", flaky(1))
    ask = step("ask", tool, interactionMode="manual", timeout=2, required=False)
    steps = [step("g", gate, timeout=60), step("b", busy), step("a", tool), ask, step("z", tool)]
    run = world.start_run(world.process("jumps", steps))
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    world.clock.jump(DAY)
    goes_on.set()
    world.wait_until(lambda: world.tools.calls["busy"] == 1)
    world.clock.jump(-DAY - HOUR)
    assert world.wait_for_end(run).state.phase == "completed"
    entries = list(world.runs.list_entries(world.user, run.id))
    assert [each.n for each in entries] == list(range(1, len(entries) + 1))
    kinds = world.event_names(run)
    assert kinds.index("step_completed a") < kinds.index("timed_out ask") < kinds.index("step_completed z")


def question_is_not_put_for_ever(world: EngineWorld) -> None:
    """A question that was asked before the clock was set back times out, also after a restart."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("ask", tool, interactionMode="manual", timeout=2)]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.clock.jump(-HOUR)
    world.reopen()
    assert world.wait_for_end(run).state.phase == "failed"
    assert world.event_names(run)[-2:] == ["timed_out ask", "run_failed"]


CLOCK_CASES: tuple[Case, ...] = (deadline_comes_early, deadline_comes_late, timeouts_stay)
CLOCK_RECOVERY_CASES: tuple[Case, ...] = (question_is_not_put_for_ever,)
"""For engines that store their work."""
