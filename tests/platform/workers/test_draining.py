"""A worker that drains finishes what it executes, and starts nothing else (platform 10)."""

import asyncio
import threading
from contextlib import suppress

from aeon.base.clock import SystemClock
from aeon.platform.runs.machine.events import StepCompleted
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.workers.heartbeat import WorkerHeartbeat
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.clock import FakeClock


def job(number):
    return Job(
        id=f"r:{number}:1",
        run_id="r",
        step=str(number),
        attempt=1,
        user="ann",
        tool="t",
        name="get",
        owner="ann",
        worker="llm_call",
        effect="idempotent",
        inputs={},
        timeout=30,
    )


class Jobs:
    """Executes jobs that end once they are let go."""

    def __init__(self):
        self.started, self.let_go = [], threading.Event()

    def __call__(self, job, _confirm):
        self.started.append(job.step)
        assert self.let_go.wait(10)
        return JobResult(event=StepCompleted(step=job.step, attempt=1, output=None))


async def started(jobs, count):
    while len(jobs.started) < count:  # noqa: ASYNC110  # other threads start them
        await asyncio.sleep(0.001)


async def stop(task):
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def test_a_pool_that_drains_finishes_its_job_and_starts_no_other():
    jobs = Jobs()

    async def drain():
        pool = LocalWorkerPool(jobs, {"llm_call": 1})
        executed = asyncio.create_task(pool.execute(job(1)))
        await started(jobs, 1)
        queued = asyncio.create_task(pool.execute(job(2)))
        await asyncio.sleep(0)
        draining = asyncio.create_task(pool.drain(30))
        await asyncio.sleep(0)
        late = asyncio.create_task(pool.execute(job(3)))
        jobs.let_go.set()
        left, result = await draining, await executed
        await asyncio.sleep(0)
        assert not queued.done()
        assert not late.done()
        await stop(queued)
        await stop(late)
        return left, result.event.step

    assert asyncio.run(drain()) == (0, "1")
    assert jobs.started == ["1"]


def test_a_job_that_outlasts_the_grace_is_counted():
    jobs = Jobs()

    async def drain():
        pool = LocalWorkerPool(jobs, {"llm_call": 1})
        executed = asyncio.create_task(pool.execute(job(1)))
        await started(jobs, 1)
        left = await pool.drain(0.01)
        jobs.let_go.set()
        await executed
        return left

    assert asyncio.run(drain()) == 1


def shown(registry):
    return {each.id: each.status for each in registry.list_workers() if each.executor_id == "drained"}


def test_workers_of_a_process_that_drains_are_shown_so(store):
    registry = WorkerRegistry(store, FakeClock())
    registry.register("drained", {"llm_call": 2}, [])
    assert not registry.is_draining("drained")
    assert set(shown(registry).values()) == {"idle"}
    registry.mark_draining("drained")
    assert registry.is_draining("drained")
    assert set(shown(registry).values()) == {"draining"}
    (process,) = [each for each in registry.list_executors() if each.id == "drained"]
    registry.mark_draining("drained")
    assert process in registry.list_executors(), "the first request counts"
    registry.deregister("drained")


def test_a_process_that_was_removed_while_it_drains_registers_as_draining(store):
    registry = WorkerRegistry(store, SystemClock())
    heartbeat = WorkerHeartbeat(registry, "removed", {"llm_call": 1}, SystemClock(), interval=0.02)
    heartbeat.start()
    heartbeat.drain()
    registry.deregister("removed")
    until = threading.Event()
    for _ in range(500):
        if registry.is_draining("removed"):
            break
        until.wait(0.01)
    assert registry.is_draining("removed")
    assert heartbeat.is_asked_to_drain()
    heartbeat.close()
