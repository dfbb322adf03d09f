"""An answer to a question that nobody asks any more is refused, with why and with what to do (platform 9)."""

from datetime import UTC, datetime

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.events import AnswerGiven, StepTimedOut
from aeon.platform.runs.model import RunSignal
from aeon.platform.workers.open_jobs import list_open_jobs
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.engines.world import EngineWorld, echo, step
from aeon.testing.records import new_record


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    record = new_record(tmp_path_factory.mktemp("record"))
    yield record
    record.close()


@pytest.fixture
def world(store, tmp_path):
    made = EngineWorld(
        store, tmp_path, lambda book, workers, _results, clock, executor: LocalEngine(book, workers, clock, executor)
    )
    yield made
    made.close()


def asking(world, **more):
    """A run that asks, and that no process executes any more."""
    (run,) = all_asking(world, 1, **more)
    return run


def all_asking(world, count, **more):
    ask = step("ask", world.tool("echo", echo), interactionMode="manual", timeout=60)
    process = world.process("asks", [ask])
    runs = [world.start_run(process, **more) for _ in range(count)]
    for run in runs:
        world.wait_until(lambda run=run: bool(world.runs.list_questions(world.user, run.id)))
    world.engine.close()
    return runs


def asking_below(world):
    """A run whose called run asks, and that no process executes any more."""
    ask = step("ask", world.tool("echo", echo), interactionMode="manual", timeout=60)
    inner = world.process("inner", [ask])
    run = world.start_run(world.process("outer", [step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.engine.close()
    return run


def refused(world, run, kind=RuleError, step="ask"):
    with pytest.raises(kind) as raised:
        world.runs.answer(world.user, run.id, step, "late")
    assert run.id in f"{raised.value.message} {raised.value.next.params}"
    return raised.value


def timeout_of(world, run):
    return RunSignal(
        id=f"{run.id}:ask:1", run_id=run.id, at=world.clock.now(), event=StepTimedOut(step="ask", attempt=1)
    )


def test_a_question_whose_time_is_over_takes_no_answer_although_nothing_recorded_that(world):
    run = asking(world)
    world.clock.jump(59)
    assert [each.step for each in world.runs.list_questions(world.user, run.id)] == ["ask"]
    world.clock.jump(1)
    assert world.runs.list_questions(world.user, run.id) == []
    error = refused(world, run)
    assert "has timed out: nobody answered within 60 s" in error.message
    assert (error.rule, error.next.code) == ("question_open", "runs.resume")
    assert world.runs.repository.list_signals([run.id]) == []


def test_a_timeout_and_an_answer_are_stored_once_whichever_is_first(world):
    """The engine stores its timeout where an answer would be: what was accepted counts, and nothing else is."""
    late, early = all_asking(world, 2)
    assert world.runs.repository.close_question(timeout_of(world, late)) == timeout_of(world, late).event
    assert "has timed out" in refused(world, late).message
    world.runs.answer(world.user, early.id, "ask", "yes")
    counts = world.runs.repository.close_question(timeout_of(world, early))
    assert counts == AnswerGiven(step="ask", by=world.user, answer="yes")
    error = refused(world, early, ConflictError)
    assert ("the first answer counts" in error.message, error.next.code) == (True, "runs.view")


def test_a_timeout_that_overtakes_an_answer_refuses_it(world, monkeypatch):
    """Between the check of the question and the write of its answer."""
    run, send = asking(world), world.runs.repository.add_signal

    def overtaken(signal):
        monkeypatch.setattr(world.runs.repository, "add_signal", send)
        world.runs.repository.close_question(timeout_of(world, run))
        send(signal)

    monkeypatch.setattr(world.runs.repository, "add_signal", overtaken)
    assert "has timed out" in refused(world, run).message


@pytest.mark.parametrize("asks", [asking, asking_below])
def test_a_run_that_is_to_be_cancelled_takes_no_answer(world, asks):
    run = asks(world)
    world.runs.cancel(world.user, run.id)
    assert world.runs.list_questions(world.user, run.id) == []
    error = refused(world, run)
    assert "takes no answer. It is being stopped." in error.message
    assert (error.rule, error.next.code) == ("run_open", "runs.resume")


def test_a_run_whose_deadline_has_passed_takes_no_answer(world):
    run = asking(world, within=30)
    world.clock.jump(31)
    assert world.runs.list_questions(world.user, run.id) == []
    assert "Its deadline has passed" in refused(world, run).message


def test_a_run_that_has_ended_takes_no_answer(world):
    ask = step("ask", world.tool("echo", echo), interactionMode="manual")
    process = world.process("asks", [ask])
    done, dropped = world.start_run(process), world.start_run(process)
    for run in (done, dropped):
        world.wait_until(lambda run=run: bool(world.runs.list_questions(world.user, run.id)))
    world.runs.answer(world.user, done.id, "ask", "yes")
    world.runs.cancel(world.user, dropped.id)
    for run in (done, dropped):
        world.engine.wake(run.id)
        world.wait_for_end(run)
    told = {each.id: refused(world, each) for each in (done, dropped)}
    assert "It has ended: it is completed" in told[done.id].message
    assert "It has ended: it is cancelled" in told[dropped.id].message
    assert [told[each.id].next.code for each in (done, dropped)] == ["runs.view", "runs.ask_again"]


def test_a_question_that_timed_out_while_its_run_goes_on_says_so(world):
    """Its step was optional, and another one asks now."""
    tool = world.tool("echo", echo)
    first = step("ask", tool, interactionMode="manual", timeout=1, required=False)
    run = world.start_run(world.process("asks", [first, step("again", tool, interactionMode="manual")]))
    world.wait_until(lambda: [each.step for each in world.runs.list_questions(world.user, run.id)] == ["again"])
    assert "has timed out: nobody answered within 1 s" in refused(world, run).message
    assert "those that do: again" in refused(world, run, NotFoundError, "nothing").message
    world.runs.answer(world.user, run.id, "again", "yes")
    world.engine.wake(run.id)
    assert world.wait_for_end(run).state.output == "yes"


def test_a_question_of_a_called_run_that_has_ended_says_so_where_its_caller_goes_on(world):
    tool = world.tool("echo", echo)
    inner = world.process("inner", [step("ask", tool, interactionMode="manual", timeout=1)])
    calls = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120, required=False)
    run = world.start_run(world.process("outer", [calls, step("again", tool, interactionMode="manual")]))
    world.wait_until(lambda: [each.step for each in world.runs.list_questions(world.user, run.id)] == ["again"])
    assert "has timed out: nobody answered within 1 s" in refused(world, run).message


def test_a_question_that_is_closed_is_in_no_queue_and_its_run_needs_an_executor(world, store):
    """What lists jobs and what serves questions does not offer it to anybody."""
    registry, run = WorkerRegistry(store, world.clock), asking(world)
    assert [each.type for each in list_open_jobs(world.runs, registry, world.user)] == ["human"]
    world.clock.jump(60)
    assert [each.type for each in list_open_jobs(world.runs, registry, world.user)] == ["process"]
    world.clock.jump(-60)
    world.runs.answer(world.user, run.id, "ask", "yes")
    assert [each.type for each in list_open_jobs(world.runs, registry, world.user)] == ["process"]


def test_a_clock_that_was_set_back_closes_no_question(world):
    run = asking(world)
    world.clock.jump(-3600)
    assert datetime.fromisoformat(world.clock.now()) < datetime.now(UTC)
    assert world.runs.answer(world.user, run.id, "ask", "yes").step == "ask"


def test_a_run_that_has_not_started_has_asked_nothing(world):
    ask = step("ask", world.tool("echo", echo), interactionMode="manual")
    run = world.runs.accept(world.process("asks", [ask]), NewRun({"q": 1}), MutationRequest(world.user))
    assert "waits for an answer; those that do: none" in refused(world, run, NotFoundError).message
