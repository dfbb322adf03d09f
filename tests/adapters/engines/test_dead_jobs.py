"""A job whose last attempt failed is put aside with the entry that says so, once (platform 10)."""

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.base.errors import AeonError
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, failing, flaky, step

pytestmark = pytest.mark.slow

ENGINES = {
    "local": lambda _folder: lambda book, workers, _results, clock, who: LocalEngine(book, workers, clock, who),
    "sqlite": lambda folder: lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{folder}/runs.db"), *parts),
}


@pytest.fixture(params=ENGINES)
def world(request, store, tmp_path):
    made = EngineWorld(store, tmp_path, ENGINES[request.param](tmp_path))
    yield made
    made.close()


def dead(world):
    return world.runs.repository.list_dead_jobs(world.user)


def test_what_failed_for_good_is_there_with_its_reason(world):
    bad, good = world.tool("bad", failing), world.tool("echo", echo)
    run = world.start_run(world.process("errand", [step("a", good), step("b", bad, after=["a"])]))
    world.wait_for_end(run)
    (job,) = dead(world)
    assert (job.id, job.run_id, job.owner_id, job.step, job.tool) == (f"{run.id}:b:1", run.id, world.user, "b", "bad")
    assert (job.attempts, job.retried_by, "it cannot do q" in job.message) == (1, None, True)
    world.catalog.add_user("somebody")
    with pytest.raises(NotFoundError, match="List your dead jobs"):
        world.runs.repository.get_dead_job("somebody", job.id)


def test_what_was_tried_again_with_success_is_not_dead(world):
    world.wait_for_end(world.start_run(world.process("errand", [step("a", world.tool("flaky", flaky(1)))])))
    assert dead(world) == []


def test_what_the_process_can_do_without_is_dead_too(world):
    """As are a result that is empty where one is needed, and an attempt that did not end in its time."""
    empty = world.tool("empty", lambda _given, _key: {})
    steps = [step("a", world.tool("bad", failing), required=False), step("b", empty)]
    seen = world.wait_for_end(world.start_run(world.process("errand", steps)))
    assert seen.state.phase == "failed"
    assert {(job.step, job.code) for job in dead(world)} == {("a", "OperationError"), ("b", "empty")}


def test_a_step_that_cannot_even_be_started_is_dead_without_an_attempt(world):
    good = world.tool("echo", echo)
    steps = [step("a", good), step("b", good, after=["a"], condition="step.a.nothing == 1")]
    run = world.start_run(world.process("errand", steps))
    world.wait_for_end(run)
    (job,) = dead(world)
    assert (job.id, job.attempts) == (f"{run.id}:b:0", 0)


def test_what_failed_below_is_told_once_and_retried_from_above(world):
    bad = world.tool("bad", _fails_once())
    inner = world.process("inner", [step("i", bad)])
    outer = world.process("outer", [step("c", "", process=inner.id, inputs={"q": "{q}"})])
    run = world.start_run(outer)
    world.wait_for_end(run)
    (job,) = dead(world)
    assert (job.run_id, job.root_id, job.step) == (f"{run.id}:c:1", run.id, "i")
    again = world.runs.retry(job.root_id, MutationRequest(world.user))
    world.engine.start(again.id)
    assert world.wait_for_end(again).state.phase == "completed"
    assert [each.retried_by for each in dead(world)] == [again.id]


def test_the_last_of_several_attempts_is_the_dead_one(world):
    """Four attempts would take 21 s: here the run's own end makes the first one the last."""
    busy = world.tool("busy", _busy)
    bad = world.tool("bad", failing)
    steps = [step("a", busy, mode="parallel"), step("b", bad, mode="parallel")]
    run = world.start_run(world.process("errand", steps))
    world.wait_for_end(run)
    told = {job.step: job for job in dead(world)}
    assert told["b"].attempts == 1
    assert all(job.id == f"{run.id}:{job.step}:{job.attempts}" for job in told.values())


def _busy(_given, _key):
    raise OperationError("it is busy", is_transient=True)


def _fails_once():
    left = [1]

    def behave(given, key):
        if left[0]:
            left[0] -= 1
            raise AeonError("not yet")
        return echo(given, key)

    return behave
