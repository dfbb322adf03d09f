"""Who is not heard of for 90 s is offline, and his jobs another's (platform 10)."""

from uuid import uuid4

from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.clock import FakeClock


def test_a_worker_is_offline_after_90_seconds_without_a_heartbeat(store):
    clock = FakeClock(tick=0)
    registry = WorkerRegistry(store, clock)
    executor = str(uuid4())

    def statuses():
        return [each.status for each in registry.list_workers() if each.executor_id == executor]

    (worker,) = registry.register(executor, {"rest_api": 1}, ["process"])
    registry.heartbeat(executor, [worker.model_copy(update={"status": "busy", "current_job_id": "j"})])
    clock.sleep(90)
    assert statuses() == ["busy"]
    clock.sleep(1)
    assert statuses() == ["offline"]
    (seen,) = [each for each in registry.list_workers() if each.executor_id == executor]
    assert seen.current_job_id is None
    assert executor in {each.id for each in registry.list_dead_executors()}
    registry.heartbeat(executor, [])
    assert executor not in {each.id for each in registry.list_dead_executors()}
    registry.deregister(executor)
    assert statuses() == []
