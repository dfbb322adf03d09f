"""Processes and the server killed in the middle: nothing is lost, and nothing that completed runs twice (platform 10)."""

import select
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from aeon.platform.workers.pool import LocalWorkerPool

from .temporal_world import Hands, World, calls, fan, step

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "world").furnish()
    yield world
    world.close()


@pytest.fixture
def engine(world, server):
    """Carries runs out in the test's process, and no jobs."""
    from aeon.adapters.engines.temporal import TemporalEngine

    given = (world.runs.repository, world.workers, world.results)
    world.engine = TemporalEngine(server.address, "default", *given, slots={}, heartbeat=4.0)
    return world.engine


@contextmanager
def another(server, world, kind):
    """Another process, there until it is killed, or the test ends."""
    script = Path(__file__).with_name("temporal_process.py")
    process = subprocess.Popen(
        [sys.executable, str(script), server.address, str(world.folder), kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def begun(world):
    found = calls(world.hands.file)
    return {job: found.count(job) for job in found}


def three(world, tool):
    """A chain whose second step waits to be let go."""
    slow = step("slow", tool=tool, inputs={"waits": True}, timeout=120)
    return world.process("three", step("a", tool=world.tool), slow, step("z", tool=world.tool))


def test_a_killed_workers_job_is_carried_out_elsewhere_under_the_same_key(world, server, engine):
    """Platform 10: and what completed before never runs again."""
    with another(server, world, "hanging") as first:
        run = world.start(three(world, world.tool))
        world.until_begun(run, "slow")
        first.kill()
        with another(server, world, "worker"):
            assert world.wait_for_end(run).phase == "completed"
    assert begun(world) == {f"{run}:a:1": 1, f"{run}:slow:1": 2, f"{run}:z:1": 1}


def test_workers_that_were_lost_do_not_count_against_a_job(world, server, engine):
    """Rolling restarts during one long call: it may be repeated, so it is (E6)."""
    run = world.start(three(world, world.tool))
    for times in range(1, 6):
        with another(server, world, "hanging"):
            world.wait_until(lambda times=times: begun(world).get(f"{run}:slow:1") == times)
    with another(server, world, "worker"):
        assert world.wait_for_end(run).phase == "completed"
    assert begun(world)[f"{run}:slow:1"] == 6


def test_an_outage_does_not_count_against_a_step_that_calls_a_process(world, server, engine):
    """E6: nobody carried runs out for longer than the step has; the run that it called completes, and so does it."""
    from aeon.adapters.engines.temporal import TemporalEngine, TemporalWorker

    inner = world.process("inner", step("slow", tool=world.tool, inputs={"waits": True}, timeout=60))
    call = {"id": "c", "process": inner.id, "inputs": {"q": "{q}"}, "output": {"variable": "c"}}
    run = world.start(world.process("outer", {**call, "execution": {"timeout": 3}}))
    with closing(TemporalWorker(server.address, "default", world.workers, world.results, slots={"rest_api": 4})):
        world.until_begun(f"{run}:c:1", "slow")
        engine.close()
        world.hands.go.set()
        select.select([], [], [], 7.0)
        given = (world.runs.repository, world.workers, world.results)
        world.engine = TemporalEngine(server.address, "default", *given, slots={}, heartbeat=4.0)
        assert world.wait_for_end(run).phase == "completed"


def test_a_worker_that_was_stopped_begins_nothing_that_others_completed(world, server, engine):
    """Rule 43: Temporal gives a silent worker's jobs to others; when it goes on, it asks before it has an effect."""
    run = world.accept(fan(world, width=400))
    with another(server, world, "napping") as first, another(server, world, "napping") as second:
        engine.start(run)
        for stopped in (first, second, first):
            select.select([], [], [], 0.7)
            stopped.send_signal(signal.SIGSTOP)
            select.select([], [], [], 6.0)
            stopped.send_signal(signal.SIGCONT)
        assert world.wait_for_end(run).phase == "completed"
        select.select([], [], [], 1.0)
    done = {
        entry.event.step: datetime.fromisoformat(entry.at).timestamp()
        for entry in world.entries(run)
        if entry.event.event == "step_completed"
    }
    times = [line.split() for line in world.hands.file.with_name("times").read_text().splitlines()]
    assert len({job for _, job in times}) == len(done) == 402
    assert [job for at, job in times if float(at) > done[job.split(":")[1]]] == []


def test_a_worker_that_is_closed_leaves_its_job_to_another_at_once(world, server, engine):
    """Platform 10: nobody waits for its heartbeats first."""
    from aeon.adapters.engines.temporal import TemporalWorker

    workers = LocalWorkerPool(Hands(world.hands.file, hangs=True), {}, otherwise=4)
    first = TemporalWorker(server.address, "default", workers, world.results, slots={"rest_api": 4})
    run = world.start(three(world, world.tool))
    world.until_begun(run, "slow")
    with another(server, world, "worker"):
        first.close()
        first.close()
        assert world.wait_for_end(run).phase == "completed"
    assert begun(world) == {f"{run}:a:1": 1, f"{run}:slow:1": 2, f"{run}:z:1": 1}


def test_a_job_that_must_not_be_done_twice_is_not(world, server, engine):
    """Platform 10: nobody knows whether it was done, so the run says so."""
    with another(server, world, "hanging") as first:
        run = world.start(three(world, world.once))
        world.until_begun(run, "slow")
        first.kill()
        with another(server, world, "worker"):
            state = world.wait_for_end(run)
    assert (state.phase, state.error.code, state.error.step) == ("failed", "interrupted", "slow")
    assert begun(world) == {f"{run}:a:1": 1, f"{run}:slow:1": 1}


def test_everything_killed_at_once_goes_on_where_it_was(world, server):
    """Platform 10: server, engine and worker; at most what was under way is begun again."""
    process = fan(world, width=60)
    run = world.accept(process)
    with another(server, world, "all") as first:
        world.wait_until(lambda: len(calls(world.hands.file)) >= 25)
        first.kill()
        server.kill()
    completed = [entry.event.step for entry in world.entries(run) if entry.event.event == "step_completed"]
    server.start()
    with another(server, world, "all"):
        world.wait_until(lambda: world.runs.view("me", run).state.phase == "completed")
    counts = begun(world)
    assert len(counts) == 62
    assert completed
    assert all(counts[f"{run}:{name}:1"] == 1 for name in completed)
    assert sum(counts.values()) - len(counts) <= 4


def test_a_server_that_was_away_finds_its_runs_again(world, server, engine):
    """Platform 9: a pause survives a restart; what is said meanwhile is written down, and told afterwards."""
    from aeon.adapters.engines.temporal import TemporalError

    process = world.process("asks", step("ask", tool=world.tool, interactionMode="manual"))
    run = world.start(process)
    world.wait_until(lambda: world.runs.list_questions("me", run))
    server.kill()
    with pytest.raises(TemporalError):
        world.answer(run, "ask", "yes")
    server.start()
    engine.wake(run)
    assert world.wait_for_end(run).output == "yes"
