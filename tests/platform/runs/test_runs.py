"""Runs as their owner sees them: accepted once, seen by nobody else, traced whole (platform 2, 4, 8-10, 20)."""

import shutil
from uuid import uuid4

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.platform.catalog.model import ToolChange
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.run_inputs import MAX_INPUT_CHARS
from aeon.platform.runs.trace import trace_attempts
from aeon.platform.workers.maintenance import OrphanRecovery
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WorkerRegistry
from aeon.testing.engines.world import EngineWorld, echo, flaky, step
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


def test_the_same_key_is_the_same_run_and_another_body_is_refused(world):
    """Platform 20"""
    process = world.process("p", [step("a", world.tool("echo", echo))])
    first = world.runs.accept(process, NewRun({"q": 1}), MutationRequest(world.user, "key"))
    again = world.runs.accept(process, NewRun({"q": 1}), MutationRequest(world.user, "key"))
    assert again.id == first.id
    assert len(world.runs.list_runs(world.user)) == 1
    with pytest.raises(ConflictError):
        world.runs.accept(process, NewRun({"q": 2}), MutationRequest(world.user, "key"))


def test_a_run_has_no_more_inputs_than_a_mebibyte(world):
    """Measured A3"""
    process = world.process("p", [step("a", world.tool("echo", echo))])
    most = MAX_INPUT_CHARS - len('{"q":""}')
    assert (
        world.runs.accept(process, NewRun({"q": "x" * most}), MutationRequest(world.user)).inputs["q"].startswith("x")
    )
    with pytest.raises(RuleError, match="larger than 1024 KiB") as raised:
        world.runs.accept(process, NewRun({"q": "x" * (most + 1)}), MutationRequest(world.user))
    assert (raised.value.rule, raised.value.field) == ("input_size", "$.inputs")
    assert len(world.runs.list_runs(world.user)) == 1


def test_a_list_of_runs_does_not_read_their_inputs(world, tmp_path):
    """Measured A3: not even where they are gone, which only who looks at the run needs to be told."""
    process = world.process("p", [step("a", world.tool("echo", echo))])
    run = world.runs.accept(process, NewRun({"q": "x" * 600_000}), MutationRequest(world.user))
    assert world.runs.view(world.user, run.id).run.inputs == {"q": "x" * 600_000}
    shutil.rmtree(tmp_path / "results")
    assert [each.id for each in world.runs.list_runs(world.user)] == [run.id]
    with pytest.raises(LostResultError):
        world.runs.view(world.user, run.id)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [({}, "it lacks q"), ({"q": 1, "x": 2}, "it has no input x"), ({"x": 2}, "it lacks q; it has no input x")],
)
def test_inputs_that_do_not_fit_are_refused_all_at_once(world, inputs, said):
    process = world.process("p", [step("a", world.tool("echo", echo))])
    with pytest.raises(RuleError, match=said):
        world.runs.accept(process, NewRun(inputs), MutationRequest(world.user))
    assert world.runs.list_runs(world.user) == []


def test_a_disabled_process_is_not_run(world):
    process = world.process("p", [step("a", world.tool("echo", echo))])
    changed = world.processes.change(process.id, ProcessChange(enabled=False), MutationRequest(world.user))
    with pytest.raises(RuleError, match="is disabled"):
        world.runs.accept(changed, NewRun({"q": 1}), MutationRequest(world.user))


def test_a_run_is_its_owners_alone(world):
    """Platform 2: what is not yours to see is not there."""
    run = world.start_run(world.process("p", [step("a", world.tool("echo", echo))]))
    world.wait_for_end(run)
    world.catalog.add_user("somebody")
    for deed in (world.runs.view, world.runs.list_entries, world.runs.list_questions, world.runs.cancel):
        with pytest.raises(NotFoundError):
            deed("somebody", run.id)
    assert world.runs.list_runs("somebody") == []


@pytest.mark.slow
def test_the_trace_holds_every_attempts_bound_inputs_and_outcome(world):
    """Platform 10: what each was given and came to, worked out from the entries alone."""
    busy = world.tool("flaky", flaky(1))
    steps = [step("a", busy), step("b", busy, after=["a"], inputs={"id": "{step.a.got}!"}, condition="true")]
    steps += [step("c", busy, after=["b"], condition="false", required=False)]
    run = world.start_run(world.process("p", steps), "x")
    seen = world.wait_for_end(run)
    found = trace_attempts(seen.plan, world.runs.list_entries(world.user, run.id))
    assert [(each.step, each.attempt, each.outcome, each.inputs) for each in found] == [
        ("a", 1, "failed", {"id": "x"}),
        ("a", 2, "completed", {"id": "x"}),
        ("b", 1, "completed", {"id": "x!"}),
        ("c", 0, "skipped", {}),
    ]
    assert found[2].output == {"got": "x!"}


def test_a_tool_that_is_shared_no_more_fails_its_step_and_says_whose_it_is(world):
    """Platform 4: access is checked again before every step."""
    tool = world.tool("echo", echo)
    process = world.process("p", [step("a", tool)])
    world.processes.change(process.id, ProcessChange(shared=True), MutationRequest(world.user))
    world.catalog.tools.change(tool, ToolChange(enabled=False), MutationRequest(world.user))
    with pytest.raises(RuleError, match="disabled"):
        world.catalog.tools.resolve(world.user, tool)


@pytest.mark.parametrize("said", ["broken\0pipe", "half\ud800pair"])
def test_a_tool_that_fails_with_what_no_text_may_hold_fails_its_run(world, said):
    """Platform 10: it is dead for good, and the run does not wait for a store that will never keep the message."""

    def fail(_given, _key):
        raise OperationError(said)

    run = world.start_run(world.process("p", [step("a", world.tool("bad", fail))]))
    assert world.wait_for_end(run).state.phase == "failed"
    assert [job.step for job in world.runs.repository.list_dead_jobs(world.user)] == ["a"]


def test_what_nobody_carries_out_is_found_by_executor_and_family(world):
    process = world.process("p", [step("a", world.tool("echo", echo))])
    mine, theirs, nobodys = (
        world.runs.accept(process, NewRun({"q": 1}, executor=executor), MutationRequest(world.user))
        for executor in ("me", "them", "")
    )
    book = world.runs.repository
    assert {run.id for run in book.list_orphaned([]) if run.owner_id == world.user} == {mine.id, theirs.id, nobodys.id}
    assert {run.id for run in book.list_orphaned(["me"]) if run.owner_id == world.user} == {theirs.id, nobodys.id}
    assert [run.id for run in book.list_orphaned(["me"], theirs.id)] == [theirs.id]
    assert book.list_orphaned(["me"], mine.id) == []
    for run in (mine, theirs, nobodys):
        assert book.reassign(run.id, run.executor, world.engine.executor)
        world.engine.start(run.id)
        world.wait_for_end(run)
    assert [run for run in book.list_orphaned([]) if run.owner_id == world.user] == []


def test_what_is_over_is_neither_cancelled_nor_retried(world):
    run = world.start_run(world.process("p", [step("a", world.tool("echo", echo))]))
    world.wait_for_end(run)
    with pytest.raises(RuleError, match="has ended"):
        world.runs.cancel(world.user, run.id)
    with pytest.raises(RuleError, match="only one that failed"):
        world.runs.retry(run.id, MutationRequest(world.user))


def test_a_run_that_was_left_behind_is_taken_over_whatever_else_is_open(world):
    """Measured E1: those that others carry out were read first, and a thousand of them hid it."""
    process = world.process("left behind", [step("a", world.tool("echo", echo))])
    registry = WorkerRegistry(world.store, world.clock)
    there = str(uuid4())
    registry.register(there, {}, [])
    new = NewRun({"q": "q"}, executor=there)
    held = {world.runs.accept(process, new, MutationRequest(world.user)).id for _ in range(1005)}
    left = world.runs.accept(process, NewRun({"q": "q"}, executor="gone"), MutationRequest(world.user))
    caretaker = OrphanRecovery(world.runs.repository, registry, world.engine, world.clock)
    adopted = {run.id for run in caretaker.adopt()}  # also what other tests left in this record
    assert left.id in adopted
    assert not adopted & held
    assert world.wait_for_end(left).state.phase == "completed"
    registry.deregister(there)


def test_a_run_of_temporal_is_not_taken_over_by_another_engine(world):
    """Its workers are elsewhere: whoever lacks their setting must not make their calls again."""
    process = world.process("elsewhere", [step("a", world.tool("echo", echo))])
    there = world.runs.accept(
        process, NewRun({"q": "q"}, executor=SELF_RECOVERING_EXECUTOR), MutationRequest(world.user)
    )
    caretaker = OrphanRecovery(
        world.runs.repository, WorkerRegistry(world.store, world.clock), world.engine, world.clock
    )
    assert there.id not in {run.id for run in (*caretaker.adopt(), *caretaker.adopt(there.id))}
    assert world.runs.view(world.user, there.id).run.executor == SELF_RECOVERING_EXECUTOR
