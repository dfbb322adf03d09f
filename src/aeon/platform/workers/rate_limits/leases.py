"""The places of services in the record: taken and given back by all processes, each change one transaction."""

import threading
from collections.abc import Callable, Collection
from datetime import datetime
from typing import NamedTuple

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.catalog.model import ServiceLimits
from aeon.platform.runs.model import Job
from aeon.platform.store import Row, Store, UnitOfWork
from aeon.platform.workers.rate_limits import queries
from aeon.platform.workers.rate_limits.state import (
    LimitDecision,
    LimiterState,
    LimitKind,
    ServiceLease,
    acquire,
    expire,
    leave_queue,
    pause_until,
    release,
    state_from_text,
    state_to_text,
    try_acquire,
)
from aeon.platform.workers.registry import WorkerRegistry

_GRACE = 30_000
"""Milliseconds beyond a job's time, after which its place is free whatever happened."""

_LOOKS_AROUND_EVERY = 1.0
"""Seconds between two looks at who is there."""


class LimitedService(NamedTuple):
    """A service with limits, or one that wants to be left alone for a while. `standing` is how it stood then."""

    service: str
    name: str
    limits: ServiceLimits
    state: LimiterState = LimiterState()


class _Known(NamedTuple):
    """A service's standing, as it was after so many changes."""

    turn: int = 0
    standing: LimiterState = LimiterState()


_Change = Callable[[LimiterState, int], tuple[LimiterState, LimitDecision]]


class ServiceLeaseStore:
    """Asks for places on behalf of one process. Threads may share it. All raise StoreError."""

    def __init__(self, store: Store, registry: WorkerRegistry, clock: Clock, executor: str) -> None:
        self._store = store
        self._registry = registry
        self._clock = clock
        self._executor = executor
        self._known: dict[str, _Known] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._there: tuple[float, Collection[str]] | None = None

    def find_service(self, tool: str) -> LimitedService | None:
        """The service of a tool, with its limits; None where it has none, and may be asked."""
        rows = self._store.read(queries.OF_TOOLS, {"tools": [tool]})
        return limited_service_from_row(rows[0], self._now()) if rows else None

    def acquire(self, of: LimitedService, job: Job) -> LimitDecision:
        """Take a place for a job, if there is one: it is the job's until it is given back, or its time is over.

        Where none is free, this process stands in the queue from then on.
        """
        grace = job.timeout * 1000 + _GRACE

        def change(before: LimiterState, now: int) -> tuple[LimiterState, LimitDecision]:
            told = try_acquire(expire(before, of.limits, now), of.limits, self._executor, now)
            if told.wait is not None:
                return told.state, told
            held = ServiceLease(job.id, self._executor, now, now + grace)
            return acquire(told.state, of.limits, held), told

        return self._changed(of.service, change)

    def poll(self, of: LimitedService) -> LimitDecision:
        """Whether a place is free by now, and nobody is before this process; it stays in the queue.

        What is held by processes that are gone counts no more.
        """
        self._known.pop(of.service, None)
        there = self._who_is_there()

        def change(before: LimiterState, now: int) -> tuple[LimiterState, LimitDecision]:
            told = try_acquire(expire(before, of.limits, now, there), of.limits, self._executor, now)
            return told.state, told

        return self._changed(of.service, change)

    def release(self, of: LimitedService, job: str) -> None:
        """A job has ended. Where nothing counts those at once, there is nothing to write."""
        if of.limits.concurrency is not None:
            self._changed(of.service, lambda before, _now: (release(before, job), LimitDecision(before)))

    def pause(self, tool: str, seconds: float) -> None:
        """The service of a tool wants to be left alone for so long."""
        for row in self._store.read(queries.OF_TOOLS, {"tools": [tool]}):
            self._changed(
                row["service"],
                lambda before, now: (pause_until(before, now + round(seconds * 1000)), LimitDecision(before)),
            )

    def leave_queue(self, of: LimitedService) -> None:
        """Nobody waits any more in this process."""
        self._changed(of.service, lambda before, _now: (leave_queue(before, self._executor), LimitDecision(before)))

    def _changed(self, service: str, change: _Change) -> LimitDecision:
        """Change a service's standing, by what it is then; in one process one after another, so that few are late."""
        with self._locks.setdefault(service, threading.Lock()):
            known = self._known.pop(service, None) or self._read(service)
            while True:
                after, told = change(known.standing, self._now())
                if after == known.standing:
                    break
                is_changed, known = self._written(service, known.turn, after)
                if is_changed:
                    break
            self._known[service] = known
            return told

    def _written(self, service: str, turn: int, standing: LimiterState) -> tuple[bool, _Known]:
        """Whether a service's standing was changed, which it is not if another process was quicker; what it is now."""
        asked: JsonObject = {"service": service, "turn": turn, "standing": state_to_text(standing)}

        def work(unit: UnitOfWork) -> tuple[bool, _Known]:
            is_changed = unit.write(queries.CHANGE if turn else queries.BEGIN, asked) == 1
            return is_changed, _known(unit.read(queries.STANDING, {"service": service}))

        return self._store.update(work)

    def _read(self, service: str) -> _Known:
        return _known(self._store.read(queries.STANDING, {"service": service}))

    def _who_is_there(self) -> Collection[str]:
        now = self._clock.monotonic()
        if self._there is None or now - self._there[0] >= _LOOKS_AROUND_EVERY:
            gone = {each.id for each in self._registry.list_dead_executors()}
            entered = {each.id for each in self._registry.list_executors()}
            self._there = (now, (entered - gone) | {self._executor})
        return self._there[1]

    def _now(self) -> int:
        return instant_to_milliseconds(self._clock.now())


def _known(rows: list[Row]) -> _Known:
    return _Known(rows[0]["turn"], state_from_text(rows[0]["standing"])) if rows else _Known()


def limited_service_from_row(row: Row, now: int) -> LimitedService | None:
    """The service of a row, with its limits; None where it has none, and may be asked."""
    limits = ServiceLimits.model_validate(parse_strict(row["limits"]))
    standing = state_from_text(row["standing"] or "")
    is_free = limits.is_unlimited and standing.paused_until <= now
    return None if is_free else LimitedService(row["service"], row["name"], limits, standing)


def instant_to_milliseconds(instant: str) -> int:
    """An instant as a standing counts it."""
    return round(datetime.fromisoformat(instant).timestamp() * 1000)


_NOBODY = ""
"""An executor that is none, to ask as one who has just come."""


class LimitWait(NamedTuple):
    """That calls of a service have to wait. `seconds` until the next may begin, where that is known.

    `holders` are the jobs that have a place, and do not wait.
    """

    service: str
    limit: LimitKind
    seconds: float | None
    message: str
    holders: frozenset[str] = frozenset()


def find_limit_waits(store: Store, tools: Collection[str], now: str) -> dict[str, LimitWait]:
    """Which of these tools, by their ids, have to wait for a place on their service now, and why. Raises StoreError."""
    at = instant_to_milliseconds(now)
    rows = store.read(queries.OF_TOOLS, {"tools": list[Json](tools)})
    found = {row["tool"]: limited_service_from_row(row, at) for row in rows}
    told = {tool: _waits(limited, at) for tool, limited in found.items() if limited is not None}
    return {tool: waits for tool, waits in told.items() if waits is not None}


def _waits(of: LimitedService, now: int) -> LimitWait | None:
    told = try_acquire(expire(of.state, of.limits, now), of.limits, _NOBODY, now)
    if told.wait is None or told.limit is None:
        return None
    seconds = None if told.limit == "concurrency" else told.wait / 1000
    holders = frozenset(each.job for each in told.state.leases)
    return LimitWait(of.name, told.limit, seconds, _in_words(of, told.limit, seconds), holders)


def _in_words(of: LimitedService, limit: LimitKind, seconds: float | None) -> str:
    service, rate = f"Waits for a place: the service {of.name!r}", of.limits.rate
    if limit == "closed":
        return f"{service} asked to be left alone (Retry-After); next in about {seconds:.0f} s."
    if limit == "rate" and rate is not None:
        calls = f"{rate.calls} call(s) in {rate.seconds:g} s"
        return f"{service} takes {calls} (limit); next in about {seconds:.0f} s."
    return f"{service} takes {of.limits.concurrency} call(s) at once (limit), all taken."
