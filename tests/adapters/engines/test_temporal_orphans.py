"""Runs that Temporal does not know are found among however many open ones, and go on (platform 10, 20; measured E1)."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.chaos_sizes import print_counts, size_of

from aeon.adapters.engines.retry import wait_until
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun
from aeon.platform.workers.maintenance import OrphanRecovery, PeriodicTask, PeriodicTasks
from aeon.platform.workers.registry import WorkerRegistry
from aeon.settings import EngineSettings
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(900)]

OPEN = size_of("AEON_OPEN_RUNS", in_ci=50)
"""1,000 by hand."""

STARTERS = 16
LONG = 280.0
"""Seconds."""


@pytest.fixture
def world(store, server, tmp_path):
    from aeon.adapters.engines.temporal import TemporalEngine

    def make(book, workers, results, _clock, _executor):
        slots = EngineSettings().slots
        return TemporalEngine(server.address, "default", book, workers, results, slots=slots, heartbeat=120.0)

    made = EngineWorld(store, tmp_path, make)
    yield made
    made.close()


async def terminate(engine, run):
    await engine._client.get_workflow_handle(run).terminate()


def accept(world, process):
    new = NewRun({"q": "q"}, executor=world.engine.executor)
    return world.runs.accept(process, new, MutationRequest(world.user))


def recovery_of(world):
    registry = WorkerRegistry(world.store, world.clock)
    return OrphanRecovery(world.runs.repository, registry, world.engine, world.clock, just_accepted=0.0)


def all_ask(world, runs):
    return all(world.runs.list_questions(world.user, run.id) for run in reversed(runs))


def test_open_runs_and_those_that_temporal_does_not_know_go_on_in_another_process(world):
    """Some processes died before they started a run, and somebody stopped runs on Temporal itself."""
    tool = world.tool("echo", echo)
    ask = step("ask", tool, interactionMode="manual", timeout=300)
    asks = world.process("asks", [step("a", tool), ask, step("z", tool, after=["ask"])])
    began = time.monotonic()
    with ThreadPoolExecutor(STARTERS) as starters:
        waiting = list(starters.map(lambda _: world.start_run(asks), range(OPEN)))
    assert wait_until(lambda: world.tools.calls["echo"] == OPEN and all_ask(world, waiting), LONG)
    opened = time.monotonic()
    stopped = waiting[:: OPEN // 4]
    for run in stopped:
        world.engine._connection.run(terminate(world.engine, run.id))
    never_started = [accept(world, asks) for _ in range(3)]
    world.engine.close()
    for run in waiting:
        world.runs.answer(world.user, run.id, "ask", "yes")

    reopened = time.monotonic()
    world.open()
    recovery, adopted = recovery_of(world), []
    lost = {run.id for run in (*stopped, *never_started)}

    def all_found():
        """As a worker does every few seconds. Temporal's list of running workflows is a moment behind."""
        adopted.extend(run.id for run in recovery.adopt())
        return lost <= set(adopted)

    assert wait_until(all_found, LONG)
    found = time.monotonic()
    assert len(adopted) < OPEN, (
        "not all; one that Temporal lists a moment late may be among them, and is not begun twice"
    )
    assert wait_until(lambda: all_ask(world, never_started), LONG)
    for run in never_started:
        world.runs.answer(world.user, run.id, "ask", "yes")
        world.engine.wake(run.id)
    runs = [*waiting, *never_started]
    for run in runs:
        assert world.engine.wait(run.id, LONG)
    ended = time.monotonic()
    assert {world.view_of(run).state.phase for run in runs} == {"completed"}
    assert (len(world.tools.jobs), set(world.tools.jobs.values())) == (2 * len(runs), {1}), "a step was made again"
    print_counts(
        f"{OPEN} open runs, all waiting after {opened - began:.1f} s; in the next process {len(lost)} that Temporal did "
        f"not know were found and started within {found - reopened:.2f} s, and all ended within {ended - reopened:.1f} s"
    )


def test_a_worker_that_meets_an_outage_says_so_and_goes_on(world, server):
    """It is one of the engine, as those of other engines are: what a worker does every few seconds is tried again."""
    process = world.process("one", [step("a", world.tool("echo", echo))])
    recovery, told = recovery_of(world), []
    tasks = PeriodicTasks([PeriodicTask(0.0, lambda: [run.id for run in recovery.adopt()])], world.clock, told.append)
    run = accept(world, process)
    server.kill()
    tasks.run_due()
    assert len(told) == 1
    assert told[0].startswith(f"Temporal at {server.address} refused")
    assert told[0].endswith("It is retried.")
    server.start()

    def has_ended():
        """Also if Temporal started the run and its answer to that was lost: then nothing is told of it."""
        tasks.run_due()
        return world.engine.wait(run.id, 0)

    assert wait_until(has_ended, LONG), told
    assert world.view_of(run).state.phase == "completed"
