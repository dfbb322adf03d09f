"""The limiter state of a service, and whether a call may start. Pure.

All instants and durations are whole milliseconds; instants count from 1970. A rate is enforced by the calls of the
last window, so that all of them may come at once and still no window has more. A token bucket that lets N calls
through at once lets nearly twice as many into some window.
"""

import math
from collections.abc import Collection
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, canonical_json, parse_strict
from aeon.platform.catalog.model import CallRate, ServiceLimits

LimitKind: TypeAlias = Literal["concurrency", "rate", "closed"]

FAIR_AFTER: Final = 500
"""Age at which a waiter can no longer be overtaken. Younger ones can, so that no slot stays idle."""

MAX_PAUSE: Final = 300_000
"""Maximum duration of a pause that a service can request."""

WAITER_TTL: Final = 10_000
"""A waiter must renew within that time, or it expires."""

NEW_LEASE_GRACE: Final = 10_000
"""A lease that is newer than that may belong to a process that is still registering."""

_MAX_WINDOWS: Final = 32
"""Number of windows to store; beyond it, calls within a 32nd of the window are merged."""


class ServiceLease(NamedTuple):
    """A running call. The lease ends at `expires_at` at the latest."""

    job: str
    executor: str
    acquired_at: int
    expires_at: int


class CallWindow(NamedTuple):
    """Calls that started between two instants."""

    first: int
    last: int
    calls: int


class QueueWaiter(NamedTuple):
    """A process with at least one waiting job."""

    executor: str
    queued_at: int
    expires_at: int


class LimiterState(NamedTuple):
    """The state of one service. Waiters are in order of arrival.

    Until `paused_until` the service wants no calls, as it requested itself; 0 without such a request.
    """

    leases: tuple[ServiceLease, ...] = ()
    windows: tuple[CallWindow, ...] = ()
    waiters: tuple[QueueWaiter, ...] = ()
    paused_until: int = 0


class LimitDecision(NamedTuple):
    """The answer to a request for a lease: `wait` is None if it may start, else the time to wait.

    `limit` is the limit that was reached; None if only earlier waiters come first.
    """

    state: LimiterState
    wait: int | None = None
    limit: LimitKind | None = None


def state_to_text(state: LimiterState) -> str:
    """Serialize a state."""
    return canonical_json(list[Json](state))


def state_from_text(text: str) -> LimiterState:
    """Parse a state; an empty text is the state of a service that was never called."""
    if not text:
        return LimiterState()
    leases, windows, waiters, paused = cast(
        "tuple[list[list[Json]], list[list[Json]], list[list[Json]], int]", parse_strict(text)
    )
    return LimiterState(
        tuple(ServiceLease(*each) for each in leases),
        tuple(CallWindow(*each) for each in windows),
        tuple(QueueWaiter(*each) for each in waiters),
        paused,
    )


def expire(state: LimiterState, limits: ServiceLimits, now: int, live: Collection[str] | None = None) -> LimiterState:
    """Drop what has expired. `live` are the live executors; None if they are unknown.

    Instants in the future, because a clock was set back, are moved to now, so that nobody waits longer than the limit
    allows once that is noticed.
    """
    leases = (
        each._replace(acquired_at=now, expires_at=now + each.expires_at - each.acquired_at)
        if each.acquired_at > now
        else each
        for each in state.leases
    )
    waiters = (
        each._replace(queued_at=min(each.queued_at, now), expires_at=min(each.expires_at, now + WAITER_TTL))
        for each in state.waiters
    )
    return LimiterState(
        tuple(each for each in leases if each.expires_at > now and _is_live(each, now, live)),
        _recent_calls(state.windows, limits.rate, now),
        tuple(each for each in waiters if each.expires_at > now and (live is None or each.executor in live)),
        min(state.paused_until, now + MAX_PAUSE) if state.paused_until > now else 0,
    )


def try_acquire(state: LimiterState, limits: ServiceLimits, executor: str, now: int) -> LimitDecision:
    """Decide whether a process may start a call now; if not, it joins the queue."""
    free = _free_calls(state, limits)
    position = next((n for n, each in enumerate(state.waiters) if each.executor == executor), len(state.waiters))
    earlier = [each for each in state.waiters[:position] if now - each.queued_at >= FAIR_AFTER]
    if all(places > len(earlier) for places in free.values()):
        return LimitDecision(state)
    reached: list[LimitKind] = [which for which, places in free.items() if places <= 0]
    waits = [_wait_for(state, limits, which, now) for which in reached]
    wait = max(waits, default=0)
    return LimitDecision(
        _with_waiter(state, position, executor, now), wait, reached[waits.index(wait)] if reached else None
    )


def acquire(state: LimiterState, limits: ServiceLimits, lease: ServiceLease) -> LimiterState:
    """Add the lease of a new call, and drop a lease of an earlier attempt at the same job."""
    others = tuple(each for each in state.leases if each.job != lease.job)
    waiters = tuple(each for each in state.waiters if each.executor != lease.executor)
    windows = state.windows if limits.rate is None else _with_call(state.windows, limits.rate, lease.acquired_at)
    return LimiterState(
        (*others, lease) if limits.concurrency is not None else others, windows, waiters, state.paused_until
    )


def count_request(state: LimiterState, limits: ServiceLimits, now: int) -> LimitDecision:
    """Count one more request of a running call, whose lease stays; `wait` is the time until the rate allows it.

    It goes before waiting calls: the call that it belongs to has begun.
    """
    free = _free_calls(state, limits).items()
    waits = [_wait_for(state, limits, which, now) for which, left in free if left <= 0 and which != "concurrency"]
    if waits:
        return LimitDecision(state, max(waits))
    windows = state.windows if limits.rate is None else _with_call(state.windows, limits.rate, now)
    return LimitDecision(state._replace(windows=windows))


def release(state: LimiterState, job: str) -> LimiterState:
    """Remove the lease of a call that has ended."""
    return state._replace(leases=tuple(each for each in state.leases if each.job != job))


def pause_until(state: LimiterState, until: int) -> LimiterState:
    """Pause a service until that instant, as it requested."""
    return state._replace(paused_until=max(state.paused_until, until))


def leave_queue(state: LimiterState, executor: str) -> LimiterState:
    """Remove a process that no longer waits from the queue."""
    return state._replace(waiters=tuple(each for each in state.waiters if each.executor != executor))


def window_milliseconds(rate: CallRate) -> int:
    """Return the length of a rate's window."""
    return math.ceil(rate.seconds * 1000)


def _is_live(lease: ServiceLease, now: int, live: Collection[str] | None) -> bool:
    return live is None or lease.executor in live or now - lease.acquired_at < NEW_LEASE_GRACE


def _recent_calls(windows: tuple[CallWindow, ...], rate: CallRate | None, now: int) -> tuple[CallWindow, ...]:
    if rate is None:
        return ()
    adjusted = (CallWindow(min(each.first, now), min(each.last, now), each.calls) for each in windows)
    return tuple(each for each in adjusted if each.last + window_milliseconds(rate) > now)


def _free_calls(state: LimiterState, limits: ServiceLimits) -> dict[LimitKind, int]:
    """Return how many calls each limit leaves, and 0 for a pause."""
    free: dict[LimitKind, int] = {}
    if limits.concurrency is not None:
        free["concurrency"] = limits.concurrency - len(state.leases)
    if limits.rate is not None:
        free["rate"] = limits.rate.calls - sum(each.calls for each in state.windows)
    if state.paused_until:
        free["closed"] = 0
    return free


def _wait_for(state: LimiterState, limits: ServiceLimits, which: LimitKind, now: int) -> int:
    """Return the time until a limit may let one more call through.

    It is at most the time until the first lease expires.
    """
    if which == "rate" and limits.rate is not None:
        return state.windows[0].last + window_milliseconds(limits.rate) - now
    if which == "closed":
        return state.paused_until - now
    return min(each.expires_at for each in state.leases) - now


def _with_waiter(state: LimiterState, position: int, executor: str, now: int) -> LimiterState:
    """Add a process to the queue, or renew it once half of its time is over.

    A renewed process keeps its position.
    """
    if position == len(state.waiters):
        return state._replace(waiters=(*state.waiters, QueueWaiter(executor, now, now + WAITER_TTL)))
    waiter = state.waiters[position]
    if waiter.expires_at - now > WAITER_TTL // 2:
        return state
    renewed = waiter._replace(expires_at=now + WAITER_TTL)
    return state._replace(waiters=(*state.waiters[:position], renewed, *state.waiters[position + 1 :]))


def _with_call(windows: tuple[CallWindow, ...], rate: CallRate, now: int) -> tuple[CallWindow, ...]:
    if len(windows) >= _MAX_WINDOWS and now - windows[-1].first <= window_milliseconds(rate) // _MAX_WINDOWS:
        return (*windows[:-1], CallWindow(windows[-1].first, now, windows[-1].calls + 1))
    return (*windows, CallWindow(now, now, 1))
