"""Limits of services, kept by all that ask them: in one process, in several, and when one is killed (platform 10)."""

import asyncio
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from uuid import uuid4

import pytest

from aeon.adapters.store.postgresql import migrate, open_postgresql
from aeon.base.clock import SystemClock
from aeon.platform.catalog.model import NewService, NewTool, ServiceChange
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.machine.events import AttemptFailure, StepCompleted, StepFailed
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.platform.workers.rate_limits.leases import ServiceLeaseStore, find_limit_waits
from aeon.platform.workers.rate_limits.limiter import RateLimiter
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

ENDPOINT = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}
SERVICE = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT}
TOOL = {
    "name": "get",
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/"},
    "inputSchema": {"type": "object"},
}


def job(id_, tool, timeout=60):
    return Job(
        id=id_,
        run_id="run",
        step="step",
        attempt=1,
        user="user",
        tool=tool,
        name="get",
        owner="user",
        worker="rest_api",
        effect="read",
        inputs={},
        timeout=timeout,
    )


class Calls:
    """Carries jobs out as told, and knows how many there were at once."""

    def __init__(self, lasts=0.0):
        self.lasts, self.lock = lasts, threading.Lock()
        self.now = self.most = 0
        self.begun = []
        self.go_on = threading.Event()

    def __call__(self, each, _confirm):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.begun.append((each.id, time.monotonic()))
        self.go_on.wait(self.lasts)
        with self.lock:
            self.now -= 1
        return JobResult(event=StepCompleted(step=each.step, attempt=each.attempt, output=each.id))


class TokenReport:
    """A store that counts what is asked of it."""

    def __init__(self, store):
        self._store = store
        self.asked = 0
        self.is_away = False

    def _ask(self, how, *args, **more):
        self.asked += 1
        if self.is_away:
            raise StoreUnavailableError("The store is away.")
        return getattr(self._store, how)(*args, **more)

    def read(self, *args, **more):
        return self._ask("read", *args, **more)

    def update(self, *args, **more):
        return self._ask("update", *args, **more)


class Limits:
    """A user's services and tools, and workers that keep to limits."""

    def __init__(self, world, calls, executor="here", **slots):
        self.store = TokenReport(world.store)
        self.world = world
        self.user = world.user("ann")
        clock = SystemClock()
        self.registry = WorkerRegistry(self.store, clock)
        self.registry.register(executor, {}, [])
        self.places = ServiceLeaseStore(self.store, self.registry, clock, executor)
        self.workers = LocalWorkerPool(calls, slots, None, RateLimiter(self.places, clock), otherwise=50)

    def tool(self, name="api", **limits):
        service = self.world.service(self.user, name=name, limits=limits)
        return self.world.tool(self.user, service, name=name).id

    async def carry_out(self, *jobs):
        return await asyncio.gather(*(self.workers.execute(each) for each in jobs))


def in_a_loop(test):
    @wraps(test)
    def run(*args, **given):
        asyncio.run(test(*args, **given))

    return run


def jobs(tool, count):
    return [job(f"{tool} {number}", tool) for number in range(count)]


async def until(is_so, seconds=20.0):
    async with asyncio.timeout(seconds):
        while not is_so():  # noqa: ASYNC110  # what is waited for happens in threads
            await asyncio.sleep(0.01)


@in_a_loop
async def test_no_more_jobs_at_once_than_the_service_takes(world):
    calls = Calls(0.1)
    limits = Limits(world, calls)
    done = await limits.carry_out(*jobs(limits.tool(concurrency=2), 8))
    assert calls.most == 2
    assert len({each.event.output for each in done}) == 8


@pytest.mark.slow
@in_a_loop
async def test_no_more_calls_in_any_window_than_the_service_takes(world):
    calls = Calls()
    limits = Limits(world, calls)
    tool = limits.tool(rate={"calls": 4, "seconds": 1})
    asked = time.monotonic()
    await limits.carry_out(*jobs(tool, 9))
    begun = sorted(at - asked for _, at in calls.begun)
    assert begun[3] < 1.0  # all at once, as far as that is allowed
    assert begun[4] >= 0.99
    assert begun[8] >= 1.99


@in_a_loop
async def test_waiting_is_in_the_order_of_coming(world):
    calls = Calls(0.005)
    limits = Limits(world, calls)
    tool = limits.tool(concurrency=1)
    await limits.carry_out(job("first", tool))  # from now on its service is known
    tasks = []
    for each in jobs(tool, 6):
        tasks.append(asyncio.create_task(limits.workers.execute(each)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert [id_ for id_, _ in calls.begun[1:]] == [each.id for each in jobs(tool, 6)]


@in_a_loop
async def test_whoever_waits_for_a_limit_holds_no_worker(world):
    """Platform 10: a service that is full keeps nobody from asking another one."""
    calls = Calls(20)
    limits = Limits(world, calls, rest_api=2)
    full, other = limits.tool("full", concurrency=1), limits.tool("other")
    waiting = [asyncio.create_task(limits.workers.execute(each)) for each in jobs(full, 5)]
    await until(lambda: calls.now == 1)
    passing = asyncio.create_task(limits.workers.execute(job("passing", other)))
    await until(lambda: calls.now == 2)
    assert [id_ for id_, _ in calls.begun][-1] == "passing"
    calls.go_on.set()
    await asyncio.gather(passing, *waiting)


@pytest.mark.slow
@in_a_loop
async def test_a_jobs_time_runs_only_once_it_has_its_place(world):
    """Waiting is no attempt, and takes none of the job's time."""
    calls = Calls(0.8)
    limits = Limits(world, calls)
    tool = limits.tool(concurrency=1)
    done = await limits.carry_out(*(job(f"{tool} {number}", tool, timeout=1) for number in range(3)))
    assert [each.event.event for each in done] == ["step_completed"] * 3


@in_a_loop
async def test_whoever_is_stopped_while_it_waits_leaves_nothing_behind(world):
    calls = Calls(20)
    limits = Limits(world, calls)
    tool = limits.tool(concurrency=1)
    first, second, third = (asyncio.create_task(limits.workers.execute(each)) for each in jobs(tool, 3))
    await until(lambda: calls.now == 1)
    await until(lambda: find_limit_waits(world.store, [tool], SystemClock().now()))
    for task in (second, third):
        task.cancel()
    await asyncio.gather(second, third, return_exceptions=True)
    calls.go_on.set()
    await first
    assert world.store.read(
        "SELECT standing FROM service_places WHERE service_id = :id",
        {"id": limits.places.find_service(tool).service},
    ) == [{"standing": "[[],[],[],0]"}]
    assert len(calls.begun) == 1


@in_a_loop
async def test_without_limits_nothing_is_asked(world):
    calls = Calls()
    limits = Limits(world, calls)
    tool = limits.tool()
    await limits.carry_out(job("first", tool))
    before = limits.store.asked
    await limits.carry_out(*jobs(tool, 20))
    assert limits.store.asked == before


@in_a_loop
async def test_a_limited_call_takes_two_transactions(world):
    calls = Calls()
    limits = Limits(world, calls)
    tool = limits.tool(concurrency=5)
    await limits.carry_out(job("first", tool))
    before = limits.store.asked
    await limits.carry_out(job("second", tool))
    assert limits.store.asked == before + 2


@in_a_loop
async def test_limits_that_are_changed_hold_from_then_on(world, monkeypatch):
    monkeypatch.setattr("aeon.platform.workers.rate_limits.limiter._CACHE_SECONDS", 0.0)
    calls = Calls(20)
    limits = Limits(world, calls)
    tool = limits.tool(concurrency=1)
    tasks = [asyncio.create_task(limits.workers.execute(each)) for each in jobs(tool, 4)]
    await until(lambda: calls.now == 1)
    service = limits.places.find_service(tool).service
    change = ServiceChange.parsed({"limits": {"concurrency": 2}})
    world.catalog.services.change(service, change, MutationRequest(limits.user))
    await until(lambda: calls.now == 2)
    assert calls.most == 2
    world.catalog.services.change(service, ServiceChange.parsed({"limits": {}}), MutationRequest(limits.user))
    await until(lambda: calls.now == 4)
    calls.go_on.set()
    await asyncio.gather(*tasks)


@in_a_loop
async def test_no_place_is_kept_for_a_process_that_has_no_worker_for_it(world, monkeypatch):
    """It has waited for longer than the others; its only worker is busy with another service by now."""
    monkeypatch.setattr("aeon.platform.workers.rate_limits.state.FAIR_AFTER", 0)
    here, there = Calls(20), Calls(20)
    limits, other = Limits(world, here, rest_api=1), Limits(world, there, "there")
    tool, free = limits.tool(concurrency=1), limits.tool("free")
    held = asyncio.create_task(other.workers.execute(job("held", tool)))
    await until(lambda: there.now == 1)
    waiting = asyncio.create_task(limits.workers.execute(job("waiting", tool)))
    await until(lambda: [each.executor for each in limits.places.find_service(tool).state.waiters] == ["here"])
    (told,) = find_limit_waits(world.store, [tool], SystemClock().now()).values()
    assert told.holders == {"held"}
    busy = asyncio.create_task(limits.workers.execute(job("busy", free)))
    await until(lambda: here.now == 1)
    later = asyncio.create_task(other.workers.execute(job("later", tool)))
    there.go_on.set()
    async with asyncio.timeout(3):
        await asyncio.gather(held, later)
    here.go_on.set()
    await asyncio.gather(busy, waiting)


@in_a_loop
async def test_while_the_store_is_away_jobs_wait(world):
    calls = Calls()
    limits = Limits(world, calls)
    tool = limits.tool(concurrency=1)
    limits.store.is_away = True
    task = asyncio.create_task(limits.workers.execute(job("one", tool)))
    await until(lambda: limits.store.asked)
    assert not task.done()
    limits.store.is_away = False
    assert (await task).event.output == "one"


@in_a_loop
async def test_why_a_job_waits_is_told(world):
    calls = Calls(20)
    limits = Limits(world, calls)
    full, slow, idle = (
        limits.tool("full", concurrency=2),
        limits.tool("slow", rate={"calls": 1, "seconds": 60}),
        limits.tool("idle", concurrency=1),
    )
    free = limits.tool("free")
    tasks = [asyncio.create_task(limits.workers.execute(each)) for each in [*jobs(full, 3), *jobs(slow, 2)]]
    await until(lambda: calls.now == 3)
    told = find_limit_waits(world.store, [full, slow, idle, free, "unknown"], SystemClock().now())
    assert set(told) == {full, slow}
    assert told[full].message == "Waits for a place: the service 'full' takes 2 call(s) at once (limit), all taken."
    assert told[full].seconds is None
    assert told[slow].limit == "rate"
    assert 55 < told[slow].seconds <= 60
    assert "'slow' takes 1 call(s) in 60 s (limit); next in about " in told[slow].message
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    calls.go_on.set()
    assert find_limit_waits(world.store, [free], SystemClock().now()) == {}


@in_a_loop
async def test_what_is_known_waits_for_no_place(world):
    """A kept result of a pure tool asks nothing of its service."""
    calls = Calls(20)
    limits = Limits(world, calls)
    tool = limits.tool(concurrency=1)
    full = asyncio.create_task(limits.workers.execute(job("full", tool)))
    await until(lambda: calls.now == 1)
    kept = JobResult(event=StepCompleted(step="step", attempt=1, output="kept"))
    asked = []
    knows = lambda each: asked.append(each.id) or kept  # noqa: E731  # of any job, if it is asked
    workers = LocalWorkerPool(calls, {}, None, RateLimiter(limits.places, SystemClock()), known=knows)
    assert await workers.execute(job("known", tool).model_copy(update={"effect": "pure"})) == kept
    assert len(calls.begun) == 1
    calls.go_on.set()
    await full
    assert await workers.execute(job("read", tool)) != kept
    assert asked == ["known"]


class Refusing:
    """Says once that it wants to be left alone for so long."""

    def __init__(self, seconds):
        self.seconds, self.begun = seconds, []

    def __call__(self, each, _confirm):
        self.begun.append(time.monotonic())
        if len(self.begun) > 1:
            return JobResult(event=StepCompleted(step=each.step, attempt=each.attempt, output=1))
        error = AttemptFailure(code="OperationError", message="it answered 429", transient=True)
        event = StepFailed(step=each.step, attempt=each.attempt, error=error)
        return JobResult(event=event, about={"retryAfter": self.seconds})


@pytest.mark.slow
@in_a_loop
async def test_a_service_that_asks_for_it_is_left_alone_by_all_though_it_has_no_limits(world):
    """RFC 9110, section 10.2.3: its Retry-After is waited for, without a worker, and is told of."""
    calls = Refusing(1.0)
    limits = Limits(world, calls)
    tool = limits.tool()
    beside = limits.world.tool(
        limits.user, limits.world.catalog.services.find_own(limits.user, "api"), name="beside"
    ).id
    await limits.carry_out(job("refused", tool))
    (told,) = find_limit_waits(world.store, [tool], SystemClock().now()).values()
    assert told.message == "Waits for a place: the service 'api' asked for a pause (Retry-After); next in about 1 s."
    await limits.carry_out(job("again", tool), job("another", beside))
    first, *later = calls.begun
    assert min(later) - first >= 0.95
    assert find_limit_waits(world.store, [tool], SystemClock().now()) == {}


# Several processes, and one that is killed


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
def shared(request, tmp_path_factory):
    """A record that processes share: where it is, and it opened here."""
    folder = tmp_path_factory.mktemp("limited")
    if request.param == "sqlite":
        with closing(new_record(folder)) as record:
            yield folder, record
        return
    if missing := missing_for_postgres():
        pytest.skip(missing)
    server = PostgresTestServer(folder)
    server.start()
    address = server.create_database()
    migrate(address)
    with closing(open_postgresql(address)) as record:
        yield address, record
    server.stop()


def limited_tool(store, **limits):
    catalog, user = Catalog(store, InMemoryVault()), f"user {uuid4()}"
    catalog.add_user(user)
    service = catalog.services.add(NewService.parsed({**SERVICE, "limits": limits}), MutationRequest(user))
    return catalog.tools.add(NewTool.parsed({**TOOL, "serviceId": service.id}), MutationRequest(user)).id


@contextmanager
def processes(shared, tool, count, calls, lasts):
    script = str(Path(__file__).with_name("limited_process.py"))
    started = [
        subprocess.Popen(
            [sys.executable, script, str(shared[0]), f"executor {number} {tool}", tool, str(calls), str(lasts)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def moments(process):
    """When calls began and ended, in seconds, once the process is over."""
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return [(word, int(at) / 1e9) for word, at in (line.split() for line in said.splitlines()) if word != "ready"]


@pytest.mark.slow
def test_processes_keep_to_a_limit_together(shared):
    """Platform 10: three processes, two places; each gets its share."""
    tool = limited_tool(shared[1], concurrency=2)
    with processes(shared, tool, 3, 8, 0.03) as started:
        found = sorted((at, word) for process in started for word, at in moments(process))
    now = most = 0
    for _, word in found:
        now += 1 if word == "begin" else -1
        most = max(most, now)
    assert most == 2
    assert len(found) == 3 * 8 * 2


@pytest.mark.slow
def test_processes_keep_to_a_rate_together(shared):
    tool = limited_tool(shared[1], rate={"calls": 5, "seconds": 1.0})
    with processes(shared, tool, 3, 4, 0.0) as started:
        begun = sorted(at for process in started for word, at in moments(process) if word == "begin")
    assert len(begun) == 12
    assert all(later - at > 0.9 for at, later in zip(begun, begun[5:], strict=False))


@pytest.mark.slow
def test_the_place_of_a_killed_process_is_free_again(shared, monkeypatch):
    """Platform 10: long before its time is over; it is seen that the process is gone."""
    monkeypatch.setattr("aeon.platform.workers.rate_limits.state.NEW_LEASE_GRACE", 300)
    tool = limited_tool(shared[1], concurrency=1)
    with processes(shared, tool, 1, 0, 0.0) as (victim,):
        while not victim.stdout.readline().startswith("begin"):
            continue
        registry = WorkerRegistry(shared[1], SystemClock())
        registry.register("here", {}, [])
        places = ServiceLeaseStore(shared[1], registry, SystemClock(), "here")
        limited = places.find_service(tool)
        assert places.acquire(limited, job("mine", tool)).wait > 80_000
        victim.kill()
        victim.wait()
        until_then = time.monotonic() + 20
        while places.poll(limited).wait is not None:
            assert time.monotonic() < until_then
            time.sleep(0.05)
        assert places.acquire(limited, job("mine", tool)).wait is None
