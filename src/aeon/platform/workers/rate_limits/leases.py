"""Stores the limiter state of services for all processes, one transaction per change."""

import threading
from collections.abc import Callable, Collection
from datetime import datetime
from typing import NamedTuple

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.catalog.model import ServiceLimits
from aeon.platform.catalog.operations import OperationError
from aeon.platform.runs.model import Job
from aeon.platform.store import Row, Store, UnitOfWork
from aeon.platform.workers.rate_limits import queries
from aeon.platform.workers.rate_limits.state import (
    LimitDecision,
    LimiterState,
    LimitKind,
    ServiceLease,
    acquire,
    count_request,
    expire,
    leave_queue,
    pause_until,
    release,
    state_from_text,
    state_to_text,
    try_acquire,
)
from aeon.platform.workers.registry import WorkerRegistry

_LEASE_GRACE = 30_000
"""Milliseconds after a job's timeout, after which its lease expires in any case."""

_SHORTEST_WAIT, _LONGEST_WAIT = 0.01, 2.0
"""Seconds between two requests for the turn of a further request."""

_LIVENESS_INTERVAL = 1.0
"""Seconds between two checks of which executors are alive."""


class LimitedService(NamedTuple):
    """A service with limits, or one that requested a pause, with its limiter state."""

    service: str
    name: str
    limits: ServiceLimits
    state: LimiterState = LimiterState()


class _StoredState(NamedTuple):
    """A service's limiter state and its version, which counts the changes."""

    turn: int = 0
    state: LimiterState = LimiterState()


_Change = Callable[[LimiterState, int], tuple[LimiterState, LimitDecision]]


class ServiceLeaseStore:
    """Acquires leases for one process. Thread-safe. All methods raise StoreError."""

    def __init__(self, store: Store, registry: WorkerRegistry, clock: Clock, executor: str) -> None:
        self._store = store
        self._registry = registry
        self._clock = clock
        self._executor = executor
        self._stored_state: dict[str, _StoredState] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._live: tuple[float, Collection[str]] | None = None

    def find_service(self, tool: str) -> LimitedService | None:
        """Return the service of a tool with its limits; None if it has none and is not paused."""
        rows = self._store.read(queries.OF_TOOLS, {"tools": [tool]})
        return limited_service_from_row(rows[0], self._now()) if rows else None

    def acquire(self, of: LimitedService, job: Job) -> LimitDecision:
        """Acquire a lease for a job if one is free, until its release or the job's timeout.

        If none is free, this process joins the queue.
        """
        grace = job.timeout * 1000 + _LEASE_GRACE

        def change(before: LimiterState, now: int) -> tuple[LimiterState, LimitDecision]:
            decision = try_acquire(expire(before, of.limits, now), of.limits, self._executor, now)
            if decision.wait is not None:
                return decision.state, decision
            lease = ServiceLease(job.id, self._executor, now, now + grace)
            return acquire(decision.state, of.limits, lease), decision

        return self._update(of.service, change)

    def await_turn(self, tool: str, seconds: float) -> None:
        """Wait until the rate of a tool's service allows one more request of a running call, and count it.

        Blocks this thread, at most `seconds`. Raises OperationError if the rate does not allow it by then.
        """
        until = self._clock.monotonic() + seconds
        while (of := self.find_service(tool)) is not None:
            decision = self._count_request(of)
            if decision.wait is None:
                return
            wait = max(decision.wait / 1000, _SHORTEST_WAIT)
            if self._clock.monotonic() + wait > until:
                raise OperationError(
                    f"the limit of the service {of.name!r} allows no further request within {seconds:.0f} s",
                    is_transient=True,
                )
            self._clock.sleep(min(wait, _LONGEST_WAIT))

    def _count_request(self, of: LimitedService) -> LimitDecision:
        def change(before: LimiterState, now: int) -> tuple[LimiterState, LimitDecision]:
            decision = count_request(expire(before, of.limits, now), of.limits, now)
            return decision.state, decision

        return self._update(of.service, change)

    def poll(self, of: LimitedService) -> LimitDecision:
        """Check whether a lease is free and this process is first; it stays in the queue.

        Leases of dead processes do not count.
        """
        self._stored_state.pop(of.service, None)
        live = self._live_executors()

        def change(before: LimiterState, now: int) -> tuple[LimiterState, LimitDecision]:
            decision = try_acquire(expire(before, of.limits, now, live), of.limits, self._executor, now)
            return decision.state, decision

        return self._update(of.service, change)

    def release(self, of: LimitedService, job: str) -> None:
        """Release the lease of a job that has ended, if there is a concurrency limit."""
        if of.limits.concurrency is not None:
            self._update(of.service, lambda before, _now: (release(before, job), LimitDecision(before)))

    def pause(self, tool: str, seconds: float) -> None:
        """Pause the service of a tool for that many seconds."""
        for row in self._store.read(queries.OF_TOOLS, {"tools": [tool]}):
            self._update(
                row["service"],
                lambda before, now: (pause_until(before, now + round(seconds * 1000)), LimitDecision(before)),
            )

    def leave_queue(self, of: LimitedService) -> None:
        """Remove this process from the queue."""
        self._update(of.service, lambda before, _now: (leave_queue(before, self._executor), LimitDecision(before)))

    def _update(self, service: str, change: _Change) -> LimitDecision:
        """Change a service's state; serialized within the process, so that few writes conflict."""
        with self._locks.setdefault(service, threading.Lock()):
            current = self._stored_state.pop(service, None) or self._read(service)
            while True:
                after, decision = change(current.state, self._now())
                if after == current.state:
                    break
                is_changed, current = self._write(service, current.turn, after)
                if is_changed:
                    break
            self._stored_state[service] = current
            return decision

    def _write(self, service: str, turn: int, state: LimiterState) -> tuple[bool, _StoredState]:
        """Write a state unless another process was first; return whether it was, and the state."""
        params: JsonObject = {"service": service, "turn": turn, "standing": state_to_text(state)}

        def work(unit: UnitOfWork) -> tuple[bool, _StoredState]:
            is_changed = unit.write(queries.CHANGE if turn else queries.BEGIN, params) == 1
            return is_changed, _stored_state(unit.read(queries.STANDING, {"service": service}))

        return self._store.update(work)

    def _read(self, service: str) -> _StoredState:
        return _stored_state(self._store.read(queries.STANDING, {"service": service}))

    def _live_executors(self) -> Collection[str]:
        now = self._clock.monotonic()
        if self._live is None or now - self._live[0] >= _LIVENESS_INTERVAL:
            dead = {each.id for each in self._registry.list_dead_executors()}
            registered = {each.id for each in self._registry.list_executors()}
            self._live = (now, (registered - dead) | {self._executor})
        return self._live[1]

    def _now(self) -> int:
        return instant_to_milliseconds(self._clock.now())


def _stored_state(rows: list[Row]) -> _StoredState:
    return _StoredState(rows[0]["turn"], state_from_text(rows[0]["standing"])) if rows else _StoredState()


def limited_service_from_row(row: Row, now: int) -> LimitedService | None:
    """Return the service of a row with its limits; None if it has none and is not paused."""
    limits = ServiceLimits.model_validate(parse_strict(row["limits"]))
    state = state_from_text(row["standing"] or "")
    is_free = limits.is_unlimited and state.paused_until <= now
    return None if is_free else LimitedService(row["service"], row["name"], limits, state)


def instant_to_milliseconds(instant: str) -> int:
    """Convert an instant to milliseconds since 1970, as limiter states use them."""
    return round(datetime.fromisoformat(instant).timestamp() * 1000)


_NEWCOMER = ""
"""An id that no executor has: asks like a process that has just come."""


class LimitWait(NamedTuple):
    """Calls of a service have to wait. `seconds` is the time until the next may start, if known.

    `holders` are the jobs that hold a lease, and do not wait.
    """

    service: str
    limit: LimitKind
    seconds: float | None
    message: str
    holders: frozenset[str] = frozenset()


def find_limit_waits(store: Store, tools: Collection[str], now: str) -> dict[str, LimitWait]:
    """Return which of these tools, by id, wait for a limit now, and why. Raises StoreError."""
    at = instant_to_milliseconds(now)
    rows = store.read(queries.OF_TOOLS, {"tools": list[Json](tools)})
    services = {row["tool"]: limited_service_from_row(row, at) for row in rows}
    all_waits = {tool: _limit_wait(limited, at) for tool, limited in services.items() if limited is not None}
    return {tool: waits for tool, waits in all_waits.items() if waits is not None}


def _limit_wait(of: LimitedService, now: int) -> LimitWait | None:
    decision = try_acquire(expire(of.state, of.limits, now), of.limits, _NEWCOMER, now)
    if decision.wait is None or decision.limit is None:
        return None
    seconds = None if decision.limit == "concurrency" else decision.wait / 1000
    holders = frozenset(each.job for each in decision.state.leases)
    return LimitWait(of.name, decision.limit, seconds, _describe(of, decision.limit, seconds), holders)


def _describe(of: LimitedService, limit: LimitKind, seconds: float | None) -> str:
    service, rate = f"Waits for a place: the service {of.name!r}", of.limits.rate
    if limit == "closed":
        return f"{service} asked for a pause (Retry-After); next in about {seconds:.0f} s."
    if limit == "rate" and rate is not None:
        calls = f"{rate.calls} call(s) in {rate.seconds:g} s"
        return f"{service} takes {calls} (limit); next in about {seconds:.0f} s."
    return f"{service} takes {of.limits.concurrency} call(s) at once (limit), all taken."
