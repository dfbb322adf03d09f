"""Several processes on one store, in any order: none goes by what another has changed meanwhile (platform 10)."""

from collections import deque
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.platform.catalog.model import CallRate, ServiceLimits
from aeon.platform.catalog.operations import OperationError
from aeon.platform.runs.model import Job
from aeon.platform.workers.rate_limits.leases import LimitedService, ServiceLeaseStore
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.clock import FakeClock


def job(id_):
    return Job(
        id=id_,
        run_id="run",
        step="step",
        attempt=1,
        user="user",
        tool="tool",
        name="tool",
        owner="user",
        worker="rest_api",
        effect="read",
        inputs={},
        timeout=300,
    )


moves = st.lists(
    st.tuples(st.sampled_from(["take", "take", "take", "look", "end", "leave"]), st.integers(0, 2)), max_size=60
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(concurrency=st.integers(1, 3), calls=st.integers(1, 12), moves=moves)
def test_processes_never_have_more_together_than_one_may(world, concurrency, calls, moves):
    """Each goes by what it saw last, which may be old: the store turns that down, and it decides anew."""
    clock, store = FakeClock(tick=0.05), world.store
    service = world.service(world.user("ann"), name=str(uuid4())).id
    of = LimitedService(service, "api", ServiceLimits(concurrency=concurrency, rate=CallRate(calls=calls, seconds=1)))
    processes = [ServiceLeaseStore(store, WorkerRegistry(store, clock), clock, f"x{number}") for number in range(3)]
    under_way, begun = deque(), deque()
    for number, (move, who) in enumerate(moves):
        places = processes[who]
        if move == "take" and places.acquire(of, job(f"job {number}")).wait is None:
            under_way.append((places, f"job {number}"))
            begun.append(clock.monotonic())
        elif move == "look":
            places.poll(of)
        elif move == "leave":
            places.leave_queue(of)
        elif move == "end" and under_way:
            holder, ended = under_way.popleft()
            holder.release(of, ended)
        assert len(under_way) <= concurrency
        assert all(later - at > 0.95 for at, later in zip(begun, list(begun)[calls:], strict=False))
    for holder, held in under_way:
        holder.release(of, held)
    for places in processes:
        places.leave_queue(of)
    rows = store.read("SELECT standing FROM service_places WHERE service_id = :id", {"id": of.service})
    assert all(row["standing"].startswith("[[],[") and row["standing"].endswith(",[],0]") for row in rows)


def test_a_further_request_waits_for_its_turn_within_its_time(world):
    ann, clock = world.user("ann"), FakeClock(tick=0.01)
    limits = {"concurrency": 1, "rate": {"calls": 2, "seconds": 10}}
    service = world.service(ann, name="api", limits=limits)
    tool = world.tool(ann, service).id
    places = ServiceLeaseStore(world.store, WorkerRegistry(world.store, clock), clock, "x")
    assert places.acquire(LimitedService(service.id, "api", service.limits), job("one")).wait is None
    began = clock.monotonic()
    places.await_turn(tool, 30)
    assert clock.monotonic() - began < 1
    places.await_turn(tool, 30)
    assert 9 < clock.monotonic() - began < 12
    places.await_turn(tool, 3)
    with pytest.raises(OperationError, match="allows no further request within 3 s") as late:
        places.await_turn(tool, 3)
    assert late.value.is_transient
    places.await_turn(world.tool(ann, world.service(ann, name="free"), name="free").id, 0)
