"""Cases of the language of Processes: loops, waits, questions, and what follows a failure (platform 41)."""

import threading
import time
from collections.abc import Callable

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.model import Run
from aeon.testing.engines.world import EngineWorld, ToolBehaviour, echo, failing, flaky, step, wait_for

Case = Callable[[EngineWorld], None]

LIST = "{q}"

_RACES = 12
"""Questions that are answered one after the other, around the instant at which they escalate."""


def loop(items: Json = LIST, *, concurrency: int = 4, **fields: Json) -> JsonObject:
    """Return a loop whose inputs name the item `item`."""
    return {"items": items, "as": "item", "concurrency": concurrency, **fields}


def failing_for(*wanted: Json) -> ToolBehaviour:
    """Fail finally for these inputs, else behave as `echo`."""

    def behave(arguments: JsonObject, key: str) -> Json:
        return failing(arguments, key) if arguments.get("id") in wanted else echo(arguments, key)

    return behave


def loop_keeps_the_order(world: EngineWorld) -> None:
    """The results of a loop are in the order of its list; `concurrency` items are worked on at once, and no more."""
    running, most, lock = [0], [0], threading.Lock()
    both = threading.Barrier(3, timeout=20)

    def count(arguments: JsonObject, key: str) -> Json:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        both.wait()
        with lock:
            running[0] -= 1
        return echo(arguments, key)

    looping = step("each", world.tool("count", count), forEach=loop(concurrency=3), inputs={"id": "{item.n}"})
    run = world.start_run(world.process("order", [looping]), [{"n": n} for n in range(12)])
    assert world.wait_for_end(run).state.output == [{"got": n} for n in range(12)]
    assert most[0] == 3
    assert set(world.tools.jobs) == {f"{run.id}:each:1:each[{n}]:1" for n in range(12)}


def loop_without_items(world: EngineWorld) -> None:
    """A loop over an empty list calls nothing and gives an empty list, also where its output is required."""
    run = world.start_run(world.process("none", [step("each", world.tool("echo", echo), forEach=loop())]), [])
    assert world.wait_for_end(run).state.output == []
    assert world.tools.calls["echo"] == 0


def loop_over_no_list(world: EngineWorld) -> None:
    """What is not a list is refused when the run reaches it, with what to do."""
    run = world.start_run(world.process("text", [step("each", world.tool("echo", echo), forEach=loop())]), "abc")
    view = world.wait_for_end(run)
    assert view.state.phase == "failed"
    assert "The loop needs a list, and {q} is a text." in str(view.run.failure)
    assert world.tools.calls["echo"] == 0


def loop_over_too_many(world: EngineWorld) -> None:
    """A loop has at most 10,000 items."""
    run = world.start_run(world.process("many", [step("each", world.tool("echo", echo), forEach=loop())]), [1] * 10_001)
    assert "its list has 10,001 items" in str(world.wait_for_end(run).run.failure)
    assert world.tools.calls["echo"] == 0


def loop_ends_with_its_first_failure(world: EngineWorld) -> None:
    """Without a variable for failures, the first item that fails ends the loop and the run."""
    looping = step("each", world.tool("bad", failing_for(2)), forEach=loop(concurrency=1), inputs={"id": "{item}"})
    run = world.start_run(world.process("fails", [looping]), [1, 2, 3])
    view = world.wait_for_end(run)
    assert view.state.phase == "failed"
    assert "each[1]" in str(view.run.failure)
    assert world.tools.calls["bad"] == 2


def loop_collects_failures(world: EngineWorld) -> None:
    """With one, the others go on; a failed item has no result, and the variable says what failed."""
    looping = step(
        "each", world.tool("bad", failing_for(2, 4)), forEach=loop(failures="failed"), inputs={"id": "{item}"}
    )
    run = world.start_run(
        world.process(
            "collects", [looping], outputTemplate="{{json step.each}}{{#each step.failed}} {{index}}={{item}}{{/each}}"
        ),
        [1, 2, 3, 4],
    )
    assert world.wait_for_end(run).state.output == '[{"got":1},null,{"got":3},null] 1=2 3=4'


def loop_is_counted(world: EngineWorld) -> None:
    """How many items are completed is reported while the loop runs, and when it has ended."""
    goes_on, count = threading.Event(), threading.Semaphore(0)

    def behave(arguments: JsonObject, key: str) -> Json:
        if arguments.get("id") == 3:
            count.release()
            goes_on.wait(20)
            return failing(arguments, key)
        return {"event": {"event": "step_completed"}, "large": "x" * 300_000}

    looping = step(
        "each", world.tool("gate", behave), forEach=loop(concurrency=1, failures="failed"), inputs={"id": "{item}"}
    )
    run = world.start_run(world.process("counted", [looping]), [1, 2, 3, 4])
    count.acquire(timeout=20)
    expected = (f"{run.id}:each:1", 2, 4)
    world.wait_until(lambda: world.runs.count_items(world.view_of(run)).get("each") == expected)
    goes_on.set()
    world.wait_for_end(run)
    assert world.runs.count_items(world.view_of(run)) == {"each": (f"{run.id}:each:1", 3, 4)}


def loop_retries_an_item(world: EngineWorld) -> None:
    """Each item has its own attempts."""
    looping = step(
        "each",
        world.tool("flaky", flaky(1)),
        forEach=loop(concurrency=1),
        inputs={"id": "{item}"},
        retry={"delay": 0.05},
    )
    run = world.start_run(world.process("again", [looping]), [1, 2])
    assert world.wait_for_end(run).state.output == [{"got": 1}, {"got": 2}]
    jobs = {job.removeprefix(f"{run.id}:each:1:") for job in world.tools.jobs}
    assert jobs == {"each[0]:1", "each[0]:2", "each[1]:1"}


def loop_of_loops(world: EngineWorld) -> None:
    """A loop may call a Process that has a loop; an item's inputs also read what came before."""
    tool = world.tool("echo", echo)
    inner = world.process("inner", [step("i", tool, forEach=loop(), inputs={"id": "{= item * 10}"})])
    outer = [
        step("first", tool, inputs={"id": 7}),
        step("o", "", after=["first"], process=inner.id, forEach=loop(), inputs={"q": ["{item}", "{step.first.got}"]}),
    ]
    run = world.start_run(world.process("outer", outer), [1, 2])
    expected = [[{"got": 10}, {"got": 70}], [{"got": 20}, {"got": 70}]]
    assert world.wait_for_end(run).state.output == expected


def loop_of_questions(world: EngineWorld) -> None:
    """A person is asked about each item; the answers come in any order."""
    asking = step(
        "ask",
        world.tool("echo", echo),
        forEach=loop(concurrency=2),
        interactionMode="manual",
        inputs={"id": "{item}"},
        timeout=60,
    )
    run = world.start_run(world.process("asks", [asking]), ["a", "b"])
    world.wait_until(lambda: len(world.runs.list_questions(world.user, run.id)) == 2)
    assert {each.step: each.inputs for each in world.runs.list_questions(world.user, run.id)} == {
        "ask[0]": {"id": "a"},
        "ask[1]": {"id": "b"},
    }
    for name in ("ask[1]", "ask[0]"):
        question = world.runs.answer(world.user, run.id, name, f"about {name}")
        world.engine.wake(question.run)
    assert world.wait_for_end(run).state.output == ["about ask[0]", "about ask[1]"]


def retried_run_repeats_no_item(world: EngineWorld) -> None:
    """A retried run calls only for the items that were not completed."""
    broken = [True]

    def mended(arguments: JsonObject, key: str) -> Json:
        if broken[0] and arguments.get("id") == 3:
            raise OperationError("it is broken")
        return echo(arguments, key)

    looping = step("each", world.tool("mended", mended), forEach=loop(concurrency=1), inputs={"id": "{item}"})
    run = world.start_run(world.process("retried", [looping]), [1, 2, 3, 4])
    assert world.wait_for_end(run).state.phase == "failed"
    broken[0] = False
    again = world.runs.retry(run.id, MutationRequest(world.user))
    world.engine.start(again.id)
    assert world.wait_for_end(again).state.output == [{"got": n} for n in (1, 2, 3, 4)]
    assert world.tools.calls["mended"] == 5


def compensation(world: EngineWorld) -> None:
    """What was completed is undone when a required step fails, the last one first; the run says so."""
    undone: list[Json] = []

    def undo(arguments: JsonObject, _key: str) -> Json:
        undone.append(arguments.get("id"))
        return "undone"

    tool, bad, back = world.tool("echo", echo), world.tool("bad", failing_for("c")), world.tool("undo", undo)
    steps = [
        step("a", tool, inputs={"id": "a"}, compensate={"tool": back, "inputs": {"id": "{result.got}"}}),
        step(
            "b",
            world.tool("some", failing_for(3)),
            after=["a"],
            required=False,
            forEach=loop(concurrency=1),
            inputs={"id": "{item}"},
            compensate={"tool": back, "inputs": {"id": "{result.got} of {item}"}},
        ),
        step("c", bad, after=["a"], inputs={"id": "c"}, compensate={"tool": back, "inputs": {"id": "never"}}),
    ]
    run = world.start_run(world.process("saga", steps), [1, 2, 3, 4])
    view = world.wait_for_end(run)
    assert view.state.phase == "failed"
    assert undone == ["2 of 2", "1 of 1", "a"]
    assert view.run.failure is not None
    assert (view.run.failure["step"], view.run.failure["compensation"]) == ("c", "complete")
    assert "step_skipped undo_c" in world.event_names(run)


def incomplete_compensation(world: EngineWorld) -> None:
    """A compensation that fails hides neither the others nor the first failure, and is reported."""
    tool, bad = world.tool("echo", echo), world.tool("bad", failing)
    steps = [
        step("a", tool, compensate={"tool": tool, "inputs": {"id": "{result.got}"}}),
        step("b", tool, after=["a"], compensate={"tool": bad, "inputs": {"id": "undo"}}),
        step("c", bad, after=["b"]),
    ]
    run = world.start_run(world.process("half", steps))
    failure = world.wait_for_end(run).run.failure
    assert failure is not None
    assert (failure["step"], failure["compensation"]) == ("c", "incomplete")
    assert "step_completed undo_a" in world.event_names(run)


def failure_handlers(world: EngineWorld) -> None:
    """Steps of onFailure see the failure, those of finally run in any case; the run still failed."""
    tool, bad = world.tool("echo", echo), world.tool("bad", failing)
    handlers: list[Json] = [step("tell", tool, inputs={"id": "{failure.step}: {failure.code}"})]
    last: list[Json] = [step("clean", tool, inputs={"id": "{= failure == null ? 'good' : 'bad'}"})]
    process = world.process("handled", [step("a", bad)], onFailure=handlers, **{"finally": last})
    run = world.start_run(process)
    view = world.wait_for_end(run)
    assert view.state.phase == "failed"
    assert view.run.failure is not None
    assert view.run.failure["step"] == "a"
    values = {each.id: state.value for each, state in zip(view.plan.steps, view.state.steps, strict=True)}
    assert values == {"a": None, "tell": {"got": f"a: {view.run.failure['code']}"}, "clean": {"got": "bad"}}


def final_steps_of_a_completed_run(world: EngineWorld) -> None:
    """Steps of finally run after the last step, too; its result stays the run's."""
    tool = world.tool("echo", echo)
    last: list[Json] = [step("clean", tool, inputs={"id": "{= failure == null ? 'good' : 'bad'}"})]
    handlers: list[Json] = [step("tell", tool)]
    process = world.process("final", [step("a", tool)], onFailure=handlers, **{"finally": last})
    run = world.start_run(process)
    view = world.wait_for_end(run)
    assert (view.state.phase, view.state.output) == ("completed", {"got": "q"})
    assert world.event_names(run)[-3:] == ["step_started clean", "step_completed clean", "run_completed"]
    assert world.tools.calls["echo"] == 2


def cancelled_run_unwinds(world: EngineWorld) -> None:
    """A cancelled run undoes what was completed and runs its final steps, but has no failure to handle."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    steps = [
        step("a", tool, compensate={"tool": tool, "inputs": {"id": "back"}}),
        step("b", gate, after=["a"], timeout=60),
    ]
    handlers: list[Json] = [step("tell", tool)]
    last: list[Json] = [step("clean", tool, inputs={"id": "{failure.code}"})]
    run = world.start_run(world.process("stops", steps, onFailure=handlers, **{"finally": last}))
    world.wait_until(lambda: "step_started b" in world.event_names(run))
    world.runs.cancel(world.user, run.id)
    world.engine.wake(run.id)
    world.wait_until(lambda: "unwinding_started" in world.event_names(run))
    goes_on.set()
    assert world.wait_for_end(run).state.phase == "cancelled"
    names = world.event_names(run)
    assert "step_completed undo_a" in names
    assert "step_completed clean" in names
    assert "step_started tell" not in names


def wait_step(world: EngineWorld) -> None:
    """A step that waits gives the instant at which it went on; an instant that has passed does not hold it up."""
    waits: list[JsonObject] = [
        {"id": "w", "wait": "PT1S", "output": {"variable": "w"}},
        {"id": "past", "wait": "2020-01-01T00:00:00Z", "output": {"variable": "past"}},
        {"id": "given", "wait": "{q}", "output": {"variable": "given"}},
    ]
    run = world.start_run(world.process("waits", waits), 0)
    view = world.wait_for_end(run)
    assert view.state.phase == "completed"
    entries = list(world.runs.list_entries(world.user, run.id))
    at = {f"{each.event.event} {getattr(each.event, 'step', '')}": each.at for each in entries}
    assert at["step_completed w"] > at["step_started w"]
    assert view.state.output == world.view_of(run).state.steps[2].value
    assert str(view.state.steps[0].value) >= at["step_started w"]


def retry_policy(world: EngineWorld) -> None:
    """A step may be tried less often, and on other failures than those that pass by themselves."""
    fails = world.tool("flaky", flaky(3))
    once = step("once", fails, required=False, retry={"attempts": 1})
    run = world.start_run(world.process("once", [once]))
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls["flaky"] == 1

    def soon_there(arguments: JsonObject, key: str) -> Json:
        if key.endswith(":1"):
            raise OperationError("there is no such thing yet")
        return echo(arguments, key)

    late = step("late", world.tool("late", soon_there), retry={"delay": 0.05, "on": ["OperationError", "operation"]})
    run = world.start_run(world.process("late", [late]))
    assert world.wait_for_end(run).state.output == {"got": "q"}
    assert world.tools.calls["late"] == 2


def typed_inputs(world: EngineWorld) -> None:
    """An input that is left out has its default; expressions compute with inputs, and keep their type."""
    inputs: JsonObject = {"n": {"type": "integer", "default": 20}}
    computed = step("a", world.tool("echo", echo), inputs={"id": "{= n / 2 + 1}"})
    run = world.start_run(world.process("typed", [computed], inputs=inputs))
    assert world.wait_for_end(run).state.output == {"got": 11}


def question_that_escalates(world: EngineWorld) -> None:
    """After its time the next person is asked; the answer of the first one comes too late."""
    world.catalog.add_user(second := f"{world.user}-second")
    asking = step(
        "ask",
        world.tool("echo", echo),
        interactionMode="manual",
        timeout=1,
        question={"escalate": [{"assignee": second, "timeout": 60}]},
    )
    run = world.start_run(world.process("escalates", [asking]))
    world.wait_until(lambda: world.event_names(run).count("step_started ask") == 2)
    (question,) = world.runs.list_questions(world.user, run.id)
    assert question.asks == second
    world.engine.wake(world.runs.answer(second, run.id, "ask", "yes").run)
    assert world.wait_for_end(run).state.output == "yes"


def question_answered_while_it_escalates(world: EngineWorld) -> None:
    """An answer that was accepted counts, however near it is to the instant at which somebody else is asked."""
    world.catalog.add_user(second := f"{world.user}-second")
    asking = step(
        "ask",
        world.tool("echo", echo),
        interactionMode="manual",
        timeout=1,
        question={"escalate": [{"assignee": second, "timeout": 60}]},
    )
    process = world.process("races", [asking])
    runs = [world.start_run(process) for _ in range(_RACES)]
    world.wait_until(lambda: all(world.runs.list_questions(world.user, run.id) for run in runs))
    asked = time.monotonic()
    accepted: list[str] = []
    for number, run in enumerate(runs):
        time.sleep(max(0.0, asked + 0.7 + 0.05 * number - time.monotonic()))
        accepted.append(_answered(world, run, second))
    assert [world.wait_for_end(run).state.output for run in runs] == accepted
    assert accepted[-1] == "second"


def _answered(world: EngineWorld, run: Run, second: str) -> str:
    """Answer as the first person, or as the second one if the first is not asked any more; return what was accepted."""
    try:
        question = world.runs.answer(world.user, run.id, "ask", "first")
    except AeonError:
        world.wait_until(lambda: [each.asks for each in world.runs.list_questions(world.user, run.id)] == [second])
        world.engine.wake(world.runs.answer(second, run.id, "ask", "second").run)
        return "second"
    world.engine.wake(question.run)
    return "first"


def question_with_an_answer_of_its_own(world: EngineWorld) -> None:
    """When the time of everybody is over, the answer counts that the step gives."""
    asking = step(
        "ask",
        world.tool("echo", echo),
        interactionMode="manual",
        timeout=1,
        question={"onTimeout": "answer", "answer": "no"},
    )
    run = world.start_run(world.process("silent", [asking]))
    assert world.wait_for_end(run).state.output == "no"


def paused_run(world: EngineWorld) -> None:
    """A paused run lets what runs end, starts nothing more, also in what it called, and goes on when it is resumed."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    looping = step("b", gate, after=["a"], forEach=loop(concurrency=1), inputs={"id": "{item}"}, timeout=60)
    steps = [step("a", tool), looping, step("c", tool, after=["b"])]
    run = world.start_run(world.process("pauses", steps), [1, 2])
    child = f"{run.id}:b:1"
    world.wait_until(lambda: world.tools.calls["gate"] == 1 and _has_entry(world, child, "step_started"))
    world.runs.pause(world.user, run.id)
    for each in (run.id, child):
        world.engine.wake(each)
    world.wait_until(lambda: _has_entry(world, child, "run_paused") and "run_paused" in world.event_names(run))
    goes_on.set()
    world.wait_until(lambda: _has_entry(world, child, "step_completed"))
    assert not world.engine.wait(run.id, 0.6)
    assert world.tools.calls == {"echo": 1, "gate": 1}
    assert world.view_of(run).state.phase == "paused"
    world.runs.unpause(world.user, run.id)
    for each in (run.id, child):
        world.engine.wake(each)
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls == {"echo": 2, "gate": 2}


def paused_process(world: EngineWorld) -> None:
    """The runs of a paused Process wait, also new ones and called ones; what was paused by itself stays so."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    called = world.process("called", [step("x", gate, timeout=60), step("y", tool, after=["x"])])
    calling = {"id": "a", "process": called.id, "inputs": {"q": "{q}"}, "output": {"variable": "a"}}
    process = world.process("caller", [calling, step("b", tool, after=["a"])])
    run = world.start_run(process)
    child = f"{run.id}:a:1"
    world.wait_until(lambda: world.tools.calls["gate"] == 1 and _has_entry(world, child, "step_started"))
    paused = world.switch(process, paused=True)
    assert set(paused) == {run.id, child}
    assert world.switch(process, paused=True) == []
    later, own = world.start_run(process), world.start_run(process)
    for each in (run.id, child, later.id, own.id):
        world.wait_until(lambda each=each: _has_entry(world, each, "run_paused"))
    world.runs.pause(world.user, own.id)
    world.engine.wake(own.id)
    world.wait_until(lambda: world.event_names(own).count("run_paused") == 2)
    goes_on.set()
    world.wait_until(lambda: _has_entry(world, child, "step_completed"))
    assert not world.engine.wait(run.id, 0.6)
    assert world.tools.calls == {"gate": 1}
    assert set(world.switch(process, paused=False)) == {run.id, child, later.id, own.id}
    for each in (run, later):
        assert world.wait_for_end(each).state.phase == "completed"
    assert world.view_of(own).state.phase == "paused"
    world.runs.unpause(world.user, own.id)
    world.engine.wake(own.id)
    assert world.wait_for_end(own).state.phase == "completed"


def moved_run(world: EngineWorld) -> None:
    """A run that waits for a person goes on as a run of a new version: nothing done is repeated or undone."""
    tool, undo = world.tool("echo", echo), world.tool("undo", echo)
    undoing: JsonObject = {"tool": undo, "inputs": {}}
    first = step("a", tool, compensate=undoing)
    asking = step("ask", tool, after=["a"], interactionMode="manual")
    process = world.process("versions", [first, asking], **{"finally": [step("note", tool)]})
    run = world.start_run(process)
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    added = step("c", world.tool("new", echo), after=["ask"])
    change = ProcessChange.parsed({"steps": [first, asking, added]})
    world.processes.change(process.id, change, MutationRequest(world.user))
    view = world.view_of(run)
    assert world.runs.moves.problems(view.planned, view.state) == []
    world.runs.moves.request(view.planned, view.state, world.user)
    world.engine.wake(run.id)
    assert not world.engine.wait(run.id, 1.0), "it is not paused: it was not checked for this"
    world.runs.pause(world.user, run.id)
    world.engine.wake(run.id)
    world.wait_until(lambda: world.runs.repository.get_phase(run.id) == "paused")
    view = world.view_of(run)
    world.runs.moves.request(view.planned, view.state, world.user)
    world.engine.wake(run.id)
    ended = world.wait_for_end(run)
    assert (ended.state.phase, ended.run.failure and ended.run.failure["code"]) == ("cancelled", "moved")
    assert world.tools.calls == {"echo": 1}, "nothing is undone, and no final step runs"
    request = MutationRequest(world.user)
    moved, problems = world.runs.moves.finish(ended.planned, ended.state, request)
    again, _ = world.runs.moves.finish(ended.planned, ended.state, request)
    assert (problems, again.id, moved.id) == ([], moved.id, ended.state.moved_to)
    world.engine.start(moved.id)
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, moved.id)))
    world.runs.answer(world.user, moved.id, "ask", "yes")
    world.engine.wake(moved.id)
    assert world.wait_for_end(moved).state.phase == "completed"
    assert world.tools.calls == {"echo": 2, "new": 1}, "the first step counts; the final one has run"


def _has_entry(world: EngineWorld, run: str, event: str) -> bool:
    try:
        return any(each.event.event == event for each in world.runs.list_entries(world.user, run))
    except NotFoundError:  # it is not accepted yet
        return False


def loop_goes_on_after_a_stop(world: EngineWorld) -> None:
    """A loop whose process is lost goes on elsewhere: no completed item is worked on again."""
    goes_on = threading.Event()
    done: list[Json] = []

    def work(arguments: JsonObject, key: str) -> Json:
        if len(done) >= 10 and not goes_on.is_set():
            goes_on.wait(30)
        done.append(arguments.get("id"))
        return echo(arguments, key)

    looping = step("each", world.tool("work", work), forEach=loop(concurrency=2), inputs={"id": "{item}"})
    run = world.start_run(world.process("survives", [looping]), list(range(20)))
    child = f"{run.id}:each:1"
    world.wait_until(lambda: _completed_items(world, run, child) >= 8)
    before = world.tools.jobs.copy()
    completed = {
        entry.event.step
        for entry in world.runs.list_entries(world.user, child)
        if entry.event.event == "step_completed" and hasattr(entry.event, "step")
    }
    world.reopen(goes_on.set)
    assert world.wait_for_end(run).state.output == [{"got": n} for n in range(20)]
    for name in completed:
        assert world.tools.jobs[f"{child}:{name}:1"] == before[f"{child}:{name}:1"] == 1


def unwinding_goes_on_after_a_stop(world: EngineWorld) -> None:
    """A run that undoes its work goes on with it in another process: nothing is undone twice."""
    goes_on = threading.Event()
    tool, bad = world.tool("echo", echo), world.tool("bad", failing)
    gate = world.tool("gate", wait_for(goes_on))
    steps = [
        step("a", tool, compensate={"tool": tool, "inputs": {"id": "a"}}),
        step("b", tool, after=["a"], compensate={"tool": gate, "inputs": {"id": "b"}}),
        step("c", tool, after=["b"], compensate={"tool": tool, "inputs": {"id": "c"}}),
        step("d", bad, after=["c"]),
    ]
    run = world.start_run(world.process("unwinds", steps))
    world.wait_until(lambda: "step_started undo_b" in world.event_names(run))
    world.reopen(goes_on.set)
    view = world.wait_for_end(run)
    assert view.run.failure is not None
    assert view.run.failure["compensation"] == "complete"
    assert world.tools.jobs[f"{run.id}:undo_c:1"] == 1
    assert world.tools.jobs[f"{run.id}:undo_a:1"] == 1


def paused_run_goes_on_elsewhere(world: EngineWorld) -> None:
    """A run that was paused and let go on is not paused again by a restart; one that is paused stays so."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    steps = [step("a", gate, timeout=60), step("b", gate, after=["a"], timeout=60), step("c", tool, after=["b"])]
    run = world.start_run(world.process("moves", steps))
    world.wait_until(lambda: "step_started a" in world.event_names(run))
    for change in (world.runs.pause, world.runs.unpause):
        change(world.user, run.id)
        world.engine.wake(run.id)
        name = "run_paused" if change == world.runs.pause else "run_unpaused"
        world.wait_until(lambda name=name: name in world.event_names(run))
    world.reopen(goes_on.set)
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.event_names(run).count("run_paused") == 1


def wait_is_over_after_a_stop(world: EngineWorld) -> None:
    """A wait counts from its beginning, also while no process is there."""
    waits: list[JsonObject] = [{"id": "w", "wait": 2, "output": {"variable": "w"}}]
    run = world.start_run(world.process("sleeps", waits))
    world.wait_until(lambda: "step_started w" in world.event_names(run))
    world.reopen(lambda: world.clock.jump(3600) if hasattr(world.clock, "jump") else None)
    assert world.wait_for_end(run).state.phase == "completed"


def _completed_items(world: EngineWorld, run: Run, child: str) -> int:
    if "step_started each" not in world.event_names(run) or not _has_entry(world, child, "run_started"):
        return 0
    return sum(each.event.event == "step_completed" for each in world.runs.list_entries(world.user, child))


LANGUAGE_CASES: list[Case] = [
    loop_keeps_the_order,
    loop_without_items,
    loop_over_no_list,
    loop_over_too_many,
    loop_ends_with_its_first_failure,
    loop_collects_failures,
    loop_is_counted,
    loop_retries_an_item,
    loop_of_loops,
    loop_of_questions,
    retried_run_repeats_no_item,
    compensation,
    incomplete_compensation,
    failure_handlers,
    final_steps_of_a_completed_run,
    cancelled_run_unwinds,
    wait_step,
    retry_policy,
    typed_inputs,
    question_that_escalates,
    question_answered_while_it_escalates,
    question_with_an_answer_of_its_own,
    paused_run,
    paused_process,
    moved_run,
]

LANGUAGE_RECOVERY_CASES: list[Case] = [
    loop_goes_on_after_a_stop,
    unwinding_goes_on_after_a_stop,
    wait_is_over_after_a_stop,
    paused_run_goes_on_elsewhere,
]
