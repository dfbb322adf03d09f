"""Cases for every engine: the same Process gives the same events and the same output."""

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.events import AttemptStarted, RunCompleted, StepFailed
from aeon.platform.runs.model import Run
from aeon.platform.store import StoreUnavailableError
from aeon.testing.engines.world import TEST_TIMEOUT, EngineWorld, echo, failing, flaky, step, wait_for

Case = Callable[[EngineWorld], None]


def chain(world: EngineWorld) -> None:
    """Sequential steps run in order, each with the output of the one before (platform 6, 7)."""
    tool = world.tool("echo", echo)
    steps = [step("s0", tool)]
    steps += [step(f"s{n}", tool, after=[f"s{n - 1}"], inputs={"id": f"{{step.s{n - 1}.got}}"}) for n in range(1, 10)]
    run = world.start_run(world.process("chain", steps), {"deep": [1]})
    assert world.wait_for_end(run).state.output == {"got": {"deep": [1]}}
    middle = [f"step_{what} s{n}" for n in range(10) for what in ("started", "completed")]
    assert world.event_names(run) == ["run_started", *middle, "run_completed"]
    assert world.tools.calls["echo"] == 10
    assert set(world.tools.jobs) == {f"{run.id}:s{n}:1" for n in range(10)}


def fan(world: EngineWorld) -> None:
    """Parallel steps run concurrently; the step after them waits for all (platform 7)."""
    tool = world.tool("echo", echo)
    steps = [step("first", tool)]
    steps += [step(f"p{n}", tool, after=["first"], mode="parallel") for n in range(100)]
    steps += [step("last", tool, after=["p99"], inputs={"id": "{step.p99.got}"})]
    run = world.start_run(world.process("fan", steps), 7)
    assert world.wait_for_end(run).state.output == {"got": 7}
    kinds = world.event_names(run)
    assert kinds[:3] == ["run_started", "step_started first", "step_completed first"]
    assert kinds[3:103] == [f"step_started p{n}" for n in range(100)]
    assert sorted(kinds[103:203]) == sorted(f"step_completed p{n}" for n in range(100))
    assert kinds[203:] == ["step_started last", "step_completed last", "run_completed"]
    assert world.tools.jobs.total() == 102
    assert max(world.tools.jobs.values()) == 1


def beside_each_other(world: EngineWorld) -> None:
    """Parallel steps really run at the same time."""
    meeting = threading.Barrier(3, timeout=20)

    def meet(arguments: JsonObject, key: str) -> Json:
        meeting.wait()
        return echo(arguments, key)

    tool = world.tool("meet", meet)
    run = world.start_run(world.process("meet", [step(f"p{n}", tool, mode="parallel") for n in range(3)]))
    assert world.wait_for_end(run).state.phase == "completed"


def condition(world: EngineWorld) -> None:
    """A step with a false condition is skipped: its variable is null (platform 6)."""
    tool = world.tool("echo", echo)
    steps = [
        step("a", tool),
        step("b", tool, after=["a"], condition='step.a.got == "no"'),
        step("c", tool, after=["a"], condition='step.a.got == "q"'),
    ]
    run = world.start_run(world.process("if", steps, outputTemplate="{{#if step.b}}b{{else}}no b{{/if}}"))
    assert world.wait_for_end(run).state.output == "no b"
    assert "step_skipped b" in world.event_names(run)
    assert "step_completed c" in world.event_names(run)


def optional_failure(world: EngineWorld) -> None:
    """A step with an optional output may fail (platform 8)."""
    tool, bad = world.tool("echo", echo), world.tool("bad", failing)
    run = world.start_run(world.process("optional", [step("a", bad, required=False), step("b", tool)]))
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.event_names(run)[1:3] == ["step_started a", "step_failed a"]


def required_failure(world: EngineWorld) -> None:
    """A required step that fails ends the run with its cause; later steps do not run."""
    tool, bad = world.tool("echo", echo), world.tool("bad", failing)
    run = world.start_run(world.process("required", [step("a", bad), step("b", tool)]))
    view = world.wait_for_end(run)
    assert view.state.phase == "failed"
    assert view.run.failure is not None
    assert view.run.failure["step"] == "a"
    assert view.run.failure["attempts"] == 1
    assert "it cannot do q" in view.run.failure["message"]
    assert world.tools.calls["echo"] == 0


def transient_failure(world: EngineWorld) -> None:
    """A transient failure is retried, with another job id for each attempt (platform 10)."""
    tool = world.tool("flaky", flaky(1))
    run = world.start_run(world.process("flaky", [step("a", tool)]))
    assert world.wait_for_end(run).state.output == {"got": "q"}
    assert world.event_names(run)[1:5] == ["step_started a", "step_failed a", "step_started a", "step_completed a"]
    assert set(world.tools.jobs) == {f"{run.id}:a:1", f"{run.id}:a:2"}


def done_once(world: EngineWorld) -> None:
    """A job with the effect `once` is not retried if it may have been executed (platform 10)."""
    tool = world.tool("flaky", flaky(1), effect="once")
    run = world.start_run(world.process("once", [step("a", tool)]))
    assert world.wait_for_end(run).state.phase == "failed"
    assert world.tools.calls["flaky"] == 1


def time_out(world: EngineWorld) -> None:
    """A step that times out is abandoned, and its late result is dropped (platform 7, 8)."""
    goes_on = threading.Event()

    def hang(arguments: JsonObject, key: str) -> Json:
        goes_on.wait(20)
        return echo(arguments, key)

    run = world.start_run(world.process("hangs", [step("a", world.tool("hang", hang), timeout=1)]))
    view = world.wait_for_end(run)
    goes_on.set()
    assert view.state.phase == "failed"
    assert world.event_names(run)[-3:] == ["step_started a", "timed_out a", "run_failed"]


def called_process(world: EngineWorld) -> None:
    """A step may call another Process; that run's output is the step's result (platform 7)."""
    tool = world.tool("echo", echo)
    inner = world.process("inner", [step("i", tool)], outputTemplate="inner {{step.i.got}}")
    call = step("c", "", after=["a"], process=inner.id, inputs={"q": "{step.a.got}"})
    run = world.start_run(world.process("outer", [step("a", tool), call]), "x")
    assert world.wait_for_end(run).state.output == "inner x"
    child = world.runs.view(world.user, f"{run.id}:c:1").run
    assert (child.parent_id, child.root_id, child.trigger, child.phase) == (run.id, run.id, "process", "completed")


def failure_below(world: EngineWorld) -> None:
    """A failure in a child run fails the step that called it, with the same message."""
    inner = world.process("inner", [step("i", world.tool("bad", failing))])
    run = world.start_run(world.process("outer", [step("c", "", process=inner.id, inputs={"q": "{q}"})]))
    view = world.wait_for_end(run)
    assert view.run.failure is not None
    assert "it cannot do q" in view.run.failure["message"]


def manual(world: EngineWorld) -> None:
    """A manual step waits for its answer; a second answer and a stranger's are refused."""
    tool = world.tool("echo", echo)
    ask = step("ask", tool, interactionMode="manual", inputs={"id": "{q}?"})
    run = world.start_run(world.process("ask", [ask, step("then", tool, after=["ask"], inputs={"id": "{step.ask}"})]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    (question,) = world.runs.list_questions(world.user, run.id)
    assert question.inputs == {"id": "q?"}
    assert question.asks == world.user
    world.catalog.add_user("stranger")
    with pytest.raises(NotFoundError):
        world.runs.answer("stranger", run.id, "ask", "mine")
    world.runs.answer(world.user, run.id, "ask", {"yes": True})
    with pytest.raises((ConflictError, NotFoundError)):
        world.runs.answer(world.user, run.id, "ask", "no")
    world.engine.wake(run.id)
    assert world.wait_for_end(run).state.output == {"got": {"yes": True}}
    assert world.tools.calls["echo"] == 1


def nobody_answers(world: EngineWorld) -> None:
    """The timeout of a step applies to people, too (platform 9)."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("ask", tool, interactionMode="manual", timeout=1)]))
    assert world.wait_for_end(run).state.phase == "failed"
    with pytest.raises(RuleError, match="has ended: it is failed"):
        world.runs.answer(world.user, run.id, "ask", "late")


def cancelled(world: EngineWorld) -> None:
    """A cancelled run stops at once with its child runs, and starts nothing more."""
    goes_on = threading.Event()

    def hang(arguments: JsonObject, key: str) -> Json:
        goes_on.wait(20)
        return echo(arguments, key)

    inner = world.process(
        "inner", [step("i", world.tool("hang", hang), timeout=60), step("j", world.tool("echo", echo))]
    )
    run = world.start_run(world.process("outer", [step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)]))
    world.wait_until(lambda: world.tools.calls["hang"] == 1)
    world.runs.cancel(world.user, run.id)
    world.engine.wake(run.id)
    assert world.wait_for_end(run).state.phase == "cancelled"
    child = f"{run.id}:c:1"
    world.wait_until(lambda: world.runs.view(world.user, child).run.phase == "cancelled")
    goes_on.set()
    assert world.event_names(run)[-3:] == ["step_stopping c", "step_stopped c", "run_cancelled"]
    assert world.tools.calls["echo"] == 0


def cancelled_at_any_moment(world: EngineWorld) -> None:
    """A run that is cancelled at any moment ends with its child runs, and starts nothing more."""
    pause = threading.Event()

    def take_a_while(arguments: JsonObject, key: str) -> Json:
        pause.wait(0.02)
        return echo(arguments, key)

    tool = world.tool("slow", take_a_while)
    inner = world.process("inner", [step("i", tool), step("j", tool)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
    steps = [step("a", tool), *(step(f"p{n}", tool, mode="parallel") for n in range(3)), call, step("z", tool)]
    process = world.process("outer", steps)
    started: set[str] = set()
    for moment in range(9):
        run = world.start_run(process)
        pause.wait(0.02 * moment)
        with suppress(RuleError):  # the run has ended already
            world.runs.cancel(world.user, run.id)
        world.engine.wake(run.id)
        assert world.wait_for_end(run).state.phase in ("cancelled", "completed")
        world.wait_until(lambda: not world.runs.repository.list_open_ids(world.user))
        entries = list(world.runs.list_entries(world.user, run.id))
        assert [each.n for each in entries] == list(range(1, len(entries) + 1))
        started |= {each.event.job for each in entries if isinstance(each.event, AttemptStarted)}
    assert {job for job in world.tools.jobs if ":c:" not in job} <= started


def cancelled_while_it_calls(world: EngineWorld) -> None:
    """A child run that is about to start is cancelled, too, and is not left behind."""
    tool = world.tool("echo", echo)
    inner = world.process("inner", [step("i", tool)])
    run = world.start_run(world.process("outer", [step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)]))
    child = f"{run.id}:c:1"
    with world.store.blocking_reads(child) as reached:
        assert reached.wait(TEST_TIMEOUT)
        world.runs.cancel(world.user, run.id)
        world.engine.wake(run.id)
        world.wait_until(lambda: "step_stopping c" in world.event_names(run))
    assert world.wait_for_end(run).state.phase == "cancelled"
    assert world.runs.view(world.user, child).run.phase in ("cancelled", "completed")


def deadline(world: EngineWorld) -> None:
    """A run fails at its deadline, even if steps are running."""
    goes_on = threading.Event()

    def hang(arguments: JsonObject, key: str) -> Json:
        goes_on.wait(20)
        return echo(arguments, key)

    process = world.process("late", [step("a", world.tool("hang", hang), timeout=60)])
    run = world.start_run(process, within=1.0)
    view = world.wait_for_end(run)
    goes_on.set()
    assert view.run.failure is not None
    assert view.run.failure["code"] == "deadline"


def started_twice(world: EngineWorld) -> None:
    """A run that is started again is executed only once."""
    tool = world.tool("echo", echo)
    process = world.process("twice", [step(f"s{n}", tool) for n in range(5)])
    run = world.start_run(process)
    for _ in range(5):
        world.engine.start(run.id)
    world.wait_for_end(run)
    world.engine.start(run.id)
    assert world.tools.jobs.total() == 5


def large_results(world: EngineWorld) -> None:
    """A result of over 256 KB is stored once, by reference, and read back complete."""
    big = "x" * 3_000_000
    tool, length = world.tool("big", lambda _given, _key: big), world.tool("length", _length)
    last = step("b", length, after=["a"], inputs={"id": "{step.a}"})
    run = world.start_run(world.process("big", [step("a", tool), last]))
    assert world.wait_for_end(run).state.output == 3_000_000
    assert world.view_of(run).state.steps[0].value == big


def rubbish(world: EngineWorld) -> None:
    """An unexpected error or a too large output of a tool fails only its step."""
    huge = world.tool("huge", lambda _given, _key: "x" * 17_000_000)
    broken = world.tool("broken", _raise_key_error)
    tool = world.tool("echo", echo)
    steps = [step("a", huge, required=False), step("b", broken, required=False), step("c", tool)]
    run = world.start_run(world.process("rubbish", steps))
    assert world.wait_for_end(run).state.phase == "completed"
    failed = [each.event for each in world.runs.list_entries(world.user, run.id) if isinstance(each.event, StepFailed)]
    assert [each.error.code for each in failed] == ["output", "defect"]


def edited_meanwhile(world: EngineWorld) -> None:
    """A run uses the definitions of its Process and its callees as of its start."""
    goes_on = threading.Event()

    def wait(arguments: JsonObject, key: str) -> Json:
        goes_on.wait(20)
        return echo(arguments, key)

    tool = world.tool("wait", wait)
    inner = world.process("inner", [step("i", tool)], outputTemplate="before")
    call = step("c", "", after=["a"], process=inner.id, inputs={"q": "{q}"})
    outer = world.process("outer", [step("a", tool), call], outputTemplate="{{step.c}}!")
    run = world.start_run(outer)
    world.wait_until(lambda: world.tools.calls["wait"] == 1)
    for each in (inner, outer):
        change = ProcessChange.parsed({"outputTemplate": "after"})
        world.processes.change(each.id, change, MutationRequest(world.user))
    goes_on.set()
    assert world.wait_for_end(run).state.output == "before!"


def retried(world: EngineWorld) -> None:
    """A retry of a failed run continues it, and keeps what was completed."""
    tool, bad = world.tool("echo", echo), world.tool("flaky", _fails_once())
    process = world.process("again", [step("a", tool), step("b", bad, after=["a"], inputs={"id": "{step.a.got}"})])
    run = world.start_run(process)
    assert world.wait_for_end(run).state.phase == "failed"
    retry = world.runs.retry(run.id, MutationRequest(world.user))
    world.engine.start(retry.id)
    assert world.wait_for_end(retry).state.output == {"got": "q"}
    assert (retry.trigger, retry.retry_of) == ("retry", run.id)
    assert world.tools.calls == {"echo": 1, "flaky": 2}


def entries_from_any_number(world: EngineWorld) -> None:
    """Entries are numbered from 1 without gaps, and can be read from any number on."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("numbers", [step(f"s{n}", tool) for n in range(20)]))
    world.wait_for_end(run)
    whole = list(world.runs.list_entries(world.user, run.id))
    assert [each.n for each in whole] == list(range(1, 43))
    assert list(world.runs.list_entries(world.user, run.id, after=17)) == whole[17:]
    assert isinstance(whole[-1].event, RunCompleted)


def store_full(world: EngineWorld) -> None:
    """While the record is full a run waits, loses nothing, and continues later."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    inner = world.process("inner", [step("i", tool)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
    last = step("z", world.tool("once", echo, effect="once"))
    run = world.start_run(world.process("full", [step("g", gate), step("a", tool), call, last]))
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    with world.store.failing("full"):
        goes_on.set()
        world.wait_until(lambda: world.store.refused_count > 2)  # the write is retried
    assert world.wait_for_end(run).state.phase == "completed"
    _assert_each_once(world, run)


def store_away(world: EngineWorld) -> None:
    """The same while the record does not answer, and a child run is running."""
    goes_on = threading.Event()
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    inner = world.process("inner", [step("g", gate), step("i", tool)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
    run = world.start_run(world.process("away", [call, step("z", tool)]))
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    with world.store.failing("away"):
        goes_on.set()
        world.wait_until(lambda: world.store.refused_count > 4)  # the read is retried
    assert world.wait_for_end(run).state.phase == "completed"
    _assert_each_once(world, run)


def store_away_from_a_job(world: EngineWorld) -> None:
    """While the record cannot confirm that a tool may be called, no attempt starts."""
    failures_left = [2]

    def asks_first(arguments: JsonObject, key: str) -> Json:
        if failures_left[0]:
            failures_left[0] -= 1
            raise StoreUnavailableError("The store's server does not answer.")
        return echo(arguments, key)

    run = world.start_run(world.process("asks", [step("a", world.tool("asks", asks_first, effect="once"))]))
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.event_names(run) == ["run_started", "step_started a", "step_completed a", "run_completed"]


def begun_while_full(world: EngineWorld) -> None:
    """A run that is started while the record is full starts once there is space."""
    tool = world.tool("echo", echo)
    process = world.process("later", [step("a", tool)])
    run = world.runs.accept(process, NewRun({"q": "q"}), MutationRequest(world.user))
    with world.store.failing("full"):
        world.engine.start(run.id)
        world.wait_until(lambda: world.store.refused_count > 1)
    assert world.wait_for_end(run).state.phase == "completed"
    _assert_each_once(world, run)


def _assert_each_once(world: EngineWorld, run: Run) -> None:
    """Assert that every job was executed once, and no event was recorded twice."""
    assert max(world.tools.jobs.values()) == 1
    kinds = world.event_names(run)
    assert len(kinds) == len(set(kinds))


def _raise_key_error(_given: JsonObject, _key: str) -> Json:
    raise KeyError("nothing")


def _length(arguments: JsonObject, _key: str) -> Json:
    return len(str(arguments["id"]))


def _fails_once() -> Callable[[JsonObject, str], Json]:
    failures_left = [1]

    def behave(arguments: JsonObject, key: str) -> Json:
        if failures_left[0]:
            failures_left[0] -= 1
            return failing(arguments, key)
        return echo(arguments, key)

    return behave


CASES: tuple[Case, ...] = (
    chain,
    fan,
    beside_each_other,
    condition,
    optional_failure,
    required_failure,
    transient_failure,
    done_once,
    time_out,
    called_process,
    failure_below,
    manual,
    nobody_answers,
    cancelled,
    cancelled_at_any_moment,
    cancelled_while_it_calls,
    deadline,
    started_twice,
    large_results,
    rubbish,
    edited_meanwhile,
    retried,
    entries_from_any_number,
    store_full,
    store_away,
    store_away_from_a_job,
    begun_while_full,
)
