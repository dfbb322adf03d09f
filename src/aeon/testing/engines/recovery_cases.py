"""Cases for engines that store their work, and continue it after a restart."""

import threading
import time
from collections.abc import Callable

import pytest

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.testing.engines.world import EngineWorld, echo, step, wait_for

Case = Callable[[EngineWorld], None]


def goes_on(world: EngineWorld) -> None:
    """A completed step is not repeated; a running one runs once more (platform 10).

    The repeated job has the same id.
    """
    is_first, reached, lets_go = [True], threading.Event(), threading.Event()

    def stop_here(arguments: JsonObject, key: str) -> Json:
        if is_first[0]:
            is_first[0] = False
            reached.set()
            lets_go.wait(20)
        return echo(arguments, key)

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
    """A running job with the effect `once` is not repeated: the run fails (platform 10)."""
    reached, lets_go = threading.Event(), threading.Event()

    def stop_here(arguments: JsonObject, key: str) -> Json:
        reached.set()
        lets_go.wait(20)
        return echo(arguments, key)

    run = world.start_run(world.process("once", [step("a", world.tool("slow", stop_here, effect="once"))]))
    assert reached.wait(20)
    world.reopen()
    lets_go.set()
    view = world.wait_for_end(run)
    assert view.run.failure is not None
    assert view.run.failure["code"] == "interrupted"
    assert world.tools.calls == {"slow": 1}


def question_survives(world: EngineWorld) -> None:
    """A question survives a restart, and so does an answer while nothing runs (platform 9)."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("a", tool), step("ask", tool, interactionMode="manual")]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.reopen()
    assert [each.step for each in world.runs.list_questions(world.user, run.id)] == ["ask"]
    world.runs.answer(world.user, run.id, "ask", "yes")
    world.reopen()
    assert world.wait_for_end(run).state.output == "yes"
    assert world.tools.calls == {"echo": 1}


def answer_that_comes_too_late(world: EngineWorld) -> None:
    """A question whose time is over takes no answer, also before an engine records the timeout (platform 9)."""
    tool = world.tool("echo", echo)
    ask = step("ask", tool, interactionMode="manual", timeout=2, required=False)
    run = world.start_run(world.process("ask", [ask, step("z", tool, after=["ask"])]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))

    def answer_late() -> None:
        world.wait_until(lambda: not world.runs.list_questions(world.user, run.id))
        with pytest.raises(RuleError, match="has timed out: nobody answered within 2 s"):
            world.runs.answer(world.user, run.id, "ask", "late")

    world.reopen(while_closed=answer_late)
    assert world.wait_for_end(run).state.phase == "completed"
    assert "answer_given ask" not in world.event_names(run)
    assert "timed_out ask" in world.event_names(run)


def answer_that_waits_for_its_run(world: EngineWorld) -> None:
    """An answer that was accepted in time counts, also if the run is resumed only after the timeout (platform 9)."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("ask", tool, interactionMode="manual", timeout=3)]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    timed_out_at = time.monotonic() + 3.5

    def answer_in_time() -> None:
        world.runs.answer(world.user, run.id, "ask", "yes")
        world.wait_until(lambda: time.monotonic() > timed_out_at)

    world.reopen(while_closed=answer_in_time)
    assert world.wait_for_end(run).state.output == "yes"


def called_process_survives(world: EngineWorld) -> None:
    """Child runs continue, too, and are executed once."""
    reached, lets_go = threading.Event(), threading.Event()

    def stop_here(arguments: JsonObject, key: str) -> Json:
        reached.set()
        lets_go.wait(20)
        return echo(arguments, key)

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
    """A cancel request that is sent while nothing runs is handled after the start."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("ask", tool, interactionMode="manual"), step("b", tool)]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.reopen(while_closed=lambda: world.runs.cancel(world.user, run.id))
    assert world.wait_for_end(run).state.phase == "cancelled"


def stops_what_it_called(world: EngineWorld) -> None:
    """A step that was stopping when everything stopped is stopped with its child run."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    inner = world.process("inner", [step("g", gate, timeout=60), step("i", tool)])
    run = world.start_run(world.process("outer", [step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)]))
    child = f"{run.id}:c:1"
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    with world.store.failing("full", child):
        world.runs.cancel(world.user, run.id)
        world.engine.wake(run.id)
        world.wait_until(lambda: world.event_names(run)[-1:] == ["step_stopping c"] and world.store.refused_count > 0)
        world.engine.close()
    world.reopen()
    assert world.wait_for_end(run).state.phase == "cancelled"
    assert world.runs.view(world.user, child).run.phase == "cancelled"
    goes_on.set()
    assert world.tools.calls["echo"] == 0


RECOVERY_CASES: tuple[Case, ...] = (
    goes_on,
    once_is_not_repeated,
    question_survives,
    answer_that_comes_too_late,
    answer_that_waits_for_its_run,
    called_process_survives,
    cancelled_while_closed,
    stops_what_it_called,
)
