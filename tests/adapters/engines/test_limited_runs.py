"""Runs keep to the limits of services on whatever engine carries them out (platform 10)."""

import threading
from collections import Counter
from uuid import uuid4

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.catalog.model import ServiceChange
from aeon.platform.ledger import MutationRequest
from aeon.platform.workers.job_runner import make_job_runner
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.platform.workers.rate_limits.leases import ServiceLeaseStore, find_limit_waits
from aeon.platform.workers.rate_limits.limiter import RateLimiter
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import step

pytestmark = pytest.mark.slow

PARALLEL = {"mode": "parallel"}


class LimitedWorld(EngineWorld):
    """Its workers keep to limits. Each engine is entered while it is there, as a process is."""

    executor = ""

    def open(self):
        registry = WorkerRegistry(self.store, self.clock)
        registry.deregister(self.executor)
        self.executor = executor = str(uuid4())
        registry.register(executor, {}, [])
        limiting = RateLimiter(ServiceLeaseStore(self.store, registry, self.clock, executor), self.clock)
        workers = LocalWorkerPool(make_job_runner(self.tools), {}, None, limiting, otherwise=100)
        self.engine = self._new_engine(self.runs.repository, workers, self.results, self.clock, executor)

    def limit(self, **limits):
        change = ServiceChange.parsed({"limits": limits})
        self.catalog.services.change(self._service.id, change, MutationRequest(self.user))

    def standing(self):
        standing = "SELECT standing FROM service_places WHERE service_id = :id"
        rows = self.store.read(standing, {"id": self._service.id})
        return rows[0]["standing"] if rows else ""


class Slow:
    """A tool that lasts until it is let go, and says how many calls of it there were at once."""

    def __init__(self):
        self.lock, self.lets_go = threading.Lock(), threading.Event()
        self.now = self.most = 0
        self.jobs = Counter()

    def __call__(self, given, key):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.jobs[key] += 1
        self.lets_go.wait(20)
        with self.lock:
            self.now -= 1
        return {"got": given["id"]}


@pytest.fixture(params=["local", "sqlite"])
def limited(request, store, tmp_path):
    def local(book, workers, _results, clock, executor):
        return LocalEngine(book, workers, clock, executor)

    def sqlite(*parts):
        return SqlEngine(RunDatabase(f"sqlite:///{tmp_path}/runs.db"), *parts)

    world = LimitedWorld(store, tmp_path, local if request.param == "local" else sqlite)
    yield world
    world.close()


def fan(world, tool, count):
    return world.process("fan", [step(f"s{number}", tool, **PARALLEL) for number in range(count)])


def test_a_run_keeps_to_a_limit_and_waiting_is_no_attempt(limited):
    slow = Slow()
    limited.limit(concurrency=2)
    tool = limited.tool("slow", slow)
    run = limited.start_run(fan(limited, tool, 6))
    limited.wait_until(lambda: slow.now == 2)
    limited.wait_until(lambda: find_limit_waits(limited.store, [tool], limited.clock.now()))
    slow.lets_go.set()
    seen = limited.wait_for_end(run)
    assert (seen.run.phase, slow.most) == ("completed", 2)
    assert set(slow.jobs.values()) == {1}
    assert limited.standing() == "[[],[],[],0]"


def test_two_runs_keep_to_it_together(limited):
    slow = Slow()
    limited.limit(concurrency=1)
    process = fan(limited, limited.tool("slow", slow), 2)
    runs = [limited.start_run(process) for _ in range(3)]
    limited.wait_until(lambda: slow.now == 1)
    slow.lets_go.set()
    assert {limited.wait_for_end(run).run.phase for run in runs} == {"completed"}
    assert slow.most == 1


def test_a_run_that_waits_for_a_place_is_cancelled_at_once(limited):
    slow = Slow()
    limited.limit(rate={"calls": 1, "seconds": 3600})
    tool = limited.tool("slow", slow)
    first = limited.start_run(fan(limited, tool, 1))
    limited.wait_until(lambda: slow.now == 1)
    run = limited.start_run(limited.process("again", [step("a", tool)]))
    limited.wait_until(lambda: tool in find_limit_waits(limited.store, [tool], limited.clock.now()))
    limited.runs.cancel(limited.user, run.id)
    limited.engine.wake(run.id)
    assert limited.wait_for_end(run).run.phase == "cancelled"
    slow.lets_go.set()
    assert limited.wait_for_end(first).run.phase == "completed"
    assert sum(slow.jobs.values()) == 1


def test_what_was_under_way_is_begun_again_in_its_own_place(limited):
    """Platform 10: a process that ended held a place; the same job takes it, whoever carries it out."""
    slow = Slow()
    limited.limit(concurrency=1)
    run = limited.start_run(fan(limited, limited.tool("slow", slow), 2))
    limited.wait_until(lambda: slow.now == 1)
    limited.reopen(slow.lets_go.set)
    seen = limited.wait_for_end(run)
    assert seen.run.phase == "completed"
    assert limited.standing() == "[[],[],[],0]"
