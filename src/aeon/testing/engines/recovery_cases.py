"""What an engine that keeps its work must do besides: go on where it stood when it is closed, and opened anew."""

import threading
from collections.abc import Callable

from aeon.base.json import Json, JsonObject
from aeon.testing.engines.world import EngineWorld, echo, step, wait_for

Case = Callable[[EngineWorld], None]


def goes_on(world: EngineWorld) -> None:
    """What was completed is not done again; what was under way is done once more, under the same id (platform 10)."""
    is_first, reached, lets_go = [True], threading.Event(), threading.Event()

    def stop_here(given: JsonObject, key: str) -> Json:
        if is_first[0]:
            is_first[0] = False
            reached.set()
            lets_go.wait(20)
        return echo(given, key)

    tool, slow = world.tool("echo", echo), world.tool("slow", stop_here)
    steps = [*(step(f"p{n}", tool, mode="parallel") for n in range(10)), step("mid", slow), step("last", tool)]
    run = world.start_run(world.process("goes_on", steps))
    assert reached.wait(20)
    world.reopen()
    lets_go.set()
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls == {"echo": 11, "slow": 2}
    assert world.tools.jobs[f"{run.id}:mid:1"] == 2
    kinds = world.event_names(run)
    assert len(kinds) == len(set(kinds)) == 26


def once_is_not_repeated(world: EngineWorld) -> None:
    """What must not be done twice, and was under way, is not done again: the run fails and says so (platform 10)."""
    reached, lets_go = threading.Event(), threading.Event()

    def stop_here(given: JsonObject, key: str) -> Json:
        reached.set()
        lets_go.wait(20)
        return echo(given, key)

    run = world.start_run(world.process("once", [step("a", world.tool("slow", stop_here, effect="once"))]))
    assert reached.wait(20)
    world.reopen()
    lets_go.set()
    seen = world.wait_for_end(run)
    assert seen.run.failure is not None
    assert seen.run.failure["code"] == "interrupted"
    assert world.tools.calls == {"slow": 1}


def question_survives(world: EngineWorld) -> None:
    """A pause survives a restart, and so does an answer that is given while nothing runs (platform 9)."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("a", tool), step("ask", tool, interactionMode="manual")]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.reopen()
    assert [each.step for each in world.runs.list_questions(world.user, run.id)] == ["ask"]
    world.runs.answer(world.user, run.id, "ask", "yes")
    world.reopen()
    assert world.wait_for_end(run).state.output == "yes"
    assert world.tools.calls == {"echo": 1}


def called_process_survives(world: EngineWorld) -> None:
    """Runs that were called go on, too, and once."""
    reached, lets_go = threading.Event(), threading.Event()

    def stop_here(given: JsonObject, key: str) -> Json:
        reached.set()
        lets_go.wait(20)
        return echo(given, key)

    tool, slow = world.tool("echo", echo), world.tool("slow", stop_here)
    inner = world.process("inner", [step("i", tool), step("j", slow)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
    run = world.start_run(world.process("outer", [step("a", tool), call, step("z", tool)]))
    assert reached.wait(20)
    lets_go.set()
    world.reopen()
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls["echo"] == 3


def cancelled_while_closed(world: EngineWorld) -> None:
    """What was wanted while nothing ran is done when something does."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("ask", tool, interactionMode="manual"), step("b", tool)]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.reopen(while_closed=lambda: world.runs.cancel(world.user, run.id))
    assert world.wait_for_end(run).state.phase == "cancelled"


def stops_what_it_called(world: EngineWorld) -> None:
    """What was told to stop when everything stopped is stopped with all that it called, not left to itself."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    inner = world.process("inner", [step("g", gate, timeout=60), step("i", tool)])
    run = world.start_run(world.process("outer", [step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)]))
    called = f"{run.id}:c:1"
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    with world.store.failing("full", called):
        world.runs.cancel(world.user, run.id)
        world.engine.wake(run.id)
        world.wait_until(lambda: world.event_names(run)[-1:] == ["step_stopping c"] and world.store.refused_count > 0)
        world.engine.close()
    world.reopen()
    assert world.wait_for_end(run).state.phase == "cancelled"
    assert world.runs.view(world.user, called).run.phase == "cancelled"
    goes_on.set()
    assert world.tools.calls["echo"] == 0


RECOVERY_CASES: tuple[Case, ...] = (
    goes_on,
    once_is_not_repeated,
    question_survives,
    called_process_survives,
    cancelled_while_closed,
    stops_what_it_called,
)
