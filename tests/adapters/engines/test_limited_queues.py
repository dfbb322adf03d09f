"""A service that is full keeps no typed worker from asking another one, on whatever engine (platform 10)."""

from uuid import uuid4

import pytest

from aeon.adapters.engines.sql import RunDatabase, SqlWorker
from aeon.adapters.engines.sql.job_queue import JobQueue
from aeon.platform.catalog.model import NewService
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.model import Job
from aeon.platform.workers.job_runner import make_job_runner
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.platform.workers.rate_limits.leases import ServiceLeaseStore
from aeon.platform.workers.rate_limits.limiter import RateLimiter
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.engines.world import echo, step
from aeon.testing.temporal_server import TemporalServer, missing_for_temporal

from .test_limited_runs import LimitedWorld, Slow, fan

pytestmark = [pytest.mark.slow, pytest.mark.server]

SLOTS = {"rest_api": 2}
OTHER = {
    "name": "other",
    "type": "rest_api",
    "protocol": "http",
    "connectionSchema": {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}},
}


class TwoServices(LimitedWorld):
    """Two workers, and two services, of which the first takes one call at once."""

    def open(self):
        registry = WorkerRegistry(self.store, self.clock)
        self.executor = executor = str(uuid4())
        registry.register(executor, SLOTS, [])
        limiting = RateLimiter(ServiceLeaseStore(self.store, registry, self.clock, executor), self.clock)
        workers = LocalWorkerPool(make_job_runner(self.tools), SLOTS, None, limiting)
        self.engine = self._new_engine(self.runs.repository, workers, self.results, self.clock, executor)

    def furnished(self, slow):
        """A tool of the full service, and one of the other."""
        self.limit(concurrency=1)
        full = self.tool("full", slow)
        self._service = self.catalog.services.add(NewService.parsed(OTHER), MutationRequest(self.user))
        return full, self.tool("free", echo)


@pytest.fixture
def temporal(store, tmp_path):
    if missing := missing_for_temporal():
        pytest.skip(missing)
    from aeon.adapters.engines.temporal import TemporalEngine

    server = TemporalServer(tmp_path / "temporal", namespaces=("project",))
    server.start()
    world = TwoServices(
        store,
        tmp_path,
        lambda book, workers, results, _clock, _executor: TemporalEngine(
            server.address, "project", book, workers, results, slots=SLOTS
        ),
    )
    yield world
    world.close()
    server.kill()


def test_on_temporal(temporal):
    slow = Slow()
    full, free = temporal.furnished(slow)
    waiting = temporal.start_run(fan(temporal, full, 8))
    temporal.wait_until(lambda: slow.now == 1)
    passing = temporal.start_run(temporal.process("passing", [step("a", free)]))
    assert temporal.wait_for_end(passing).run.phase == "completed"
    assert slow.now == 1
    slow.lets_go.set()
    assert temporal.wait_for_end(waiting).run.phase == "completed"
    assert (slow.most, set(slow.jobs.values())) == (1, {1})


@pytest.fixture
def sqlite(store, tmp_path):
    """A worker in SQL; who carries out runs puts jobs into its queue."""

    def worker(_book, workers, results, _clock, executor):
        return SqlWorker(
            RunDatabase(f"sqlite:///{tmp_path}/runs.db"),
            workers,
            results,
            executor=executor,
            slots=SLOTS,
            live_executors=lambda: {executor},
            is_wanted=lambda _run: True,
        )

    world = TwoServices(store, tmp_path, worker)
    yield world
    world.close()


def job(world, tool, number):
    return Job(
        id=f"{world.user}:s{number}:1",
        run_id=world.user,
        step=f"s{number}",
        attempt=1,
        user=world.user,
        tool=tool,
        name="tool",
        owner=world.user,
        worker="rest_api",
        effect="idempotent",
        inputs={"id": number},
        timeout=60,
    )


def test_in_sql(sqlite):
    slow, queue = Slow(), JobQueue(sqlite.engine._database, sqlite.results)
    full, free = sqlite.furnished(slow)
    for number in range(8):
        queue.exchange([job(sqlite, full, number)], [])
    sqlite.wait_until(lambda: slow.now == 1)
    queue.exchange([job(sqlite, free, 8)], [])
    sqlite.wait_until(lambda: sqlite.tools.calls["free"] == 1)
    assert slow.now == 1
    slow.lets_go.set()
    sqlite.wait_until(lambda: sqlite.tools.calls["full"] == 8)
    assert (slow.most, set(slow.jobs.values())) == (1, {1})
