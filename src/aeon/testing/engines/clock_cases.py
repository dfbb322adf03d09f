"""Cases for engines that use the given clock, while that clock is set."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from aeon.base.json import Json, JsonObject
from aeon.testing.engines.world import EngineWorld, echo, failing, flaky, step, wait_for

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


def wait_ends_at_its_instant(world: EngineWorld) -> None:
    """A step that waits until an instant goes on when the clock is set past it, and is held up if it is set back."""
    until = (datetime.fromisoformat(world.clock.now()) + timedelta(seconds=HOUR)).isoformat()
    steps: list[JsonObject] = [{"id": "w", "wait": "{q}", "output": {"variable": "w"}}]
    run = world.start_run(world.process("until", steps), until)
    world.wait_until(lambda: "step_started w" in world.event_names(run))
    world.clock.jump(-HOUR)
    assert not world.engine.wait(run.id, 0.5)
    world.clock.jump(DAY)
    assert world.wait_for_end(run).state.phase == "completed"


def question_escalates_once(world: EngineWorld) -> None:
    """If the clock is set by a day, a question does not skip the person who is asked next."""
    world.catalog.add_user(second := f"{world.user}-second")
    escalates: JsonObject = {"escalate": [{"assignee": second, "timeout": 60}]}
    tool = world.tool("echo", echo)
    ask = step("ask", tool, interactionMode="manual", timeout=2, question=escalates)
    run = world.start_run(world.process("escalates", [ask]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.clock.jump(DAY)
    world.wait_until(lambda: world.event_names(run).count("step_started ask") == 2)
    world.clock.jump(-DAY - HOUR)
    (question,) = world.runs.list_questions(world.user, run.id)
    assert question.asks == second
    world.engine.wake(world.runs.answer(second, run.id, "ask", "yes").run)
    assert world.wait_for_end(run).state.output == "yes"


def loop_and_its_undoing_go_on(world: EngineWorld) -> None:
    """Items, and what undoes a completed step, are executed once each while the clock is set to and fro."""
    calls = {"n": 0}

    def jumping(arguments: JsonObject, key: str) -> Json:
        calls["n"] += 1
        world.clock.jump(DAY if calls["n"] % 2 else -DAY - HOUR)
        return echo(arguments, key)

    item, fails = world.tool("item", jumping), world.tool("fails", failing)
    undo = {"tool": world.tool("undo", jumping), "inputs": {"id": "x"}}
    each = step("each", item, inputs={"id": "{item}"}, forEach={"items": "{q}", "concurrency": 3}, compensate=undo)
    steps = [each, step("last", fails, after=["each"])]
    run = world.start_run(world.process("jumps", steps), [1, 2, 3, 4, 5, 6])
    view = world.wait_for_end(run)
    assert (view.state.phase, world.tools.calls["item"], world.tools.calls["undo"]) == ("failed", 6, 6)
    assert max(world.tools.jobs.values()) == 1


def question_is_not_put_for_ever(world: EngineWorld) -> None:
    """A question that was asked before the clock was set back times out, also after a restart."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("ask", tool, interactionMode="manual", timeout=2)]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.clock.jump(-HOUR)
    world.reopen()
    assert world.wait_for_end(run).state.phase == "failed"
    assert world.event_names(run)[-2:] == ["timed_out ask", "run_failed"]


CLOCK_CASES: tuple[Case, ...] = (
    deadline_comes_early,
    deadline_comes_late,
    timeouts_stay,
    wait_ends_at_its_instant,
    question_escalates_once,
    loop_and_its_undoing_go_on,
)
CLOCK_RECOVERY_CASES: tuple[Case, ...] = (question_is_not_put_for_ever,)
"""For engines that store their work."""
