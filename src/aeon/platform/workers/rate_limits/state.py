"""How many places of a service are taken, who waits, and whether one more call may begin. Pure.

All instants and spans are whole milliseconds; instants are counted from 1970.

A rate is kept by the calls of the last window, so that all of them may come at once and still no window has more. A
token bucket that lets N calls through at once lets nearly twice as many into some window.
"""

import math
from collections.abc import Collection
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, canonical_json, parse_strict
from aeon.platform.catalog.model import CallRate, ServiceLimits

LimitKind: TypeAlias = Literal["concurrency", "rate", "closed"]

FAIR_AFTER: Final = 500
"""Who has waited so long is not overtaken any more. Until then whoever asks first is first: no place lies idle."""

MAX_PAUSE: Final = 300_000
"""For so long a service is left alone at most, whatever it asks."""

WAITER_TTL: Final = 10_000
"""Who waits says so again within that; else it is gone."""

NEW_LEASE_GRACE: Final = 10_000
"""A place that was taken since then may be that of a process which is only being entered."""

_FINE: Final = 32
"""Up to so many calls are remembered one by one; of more, those within a 32nd of the window as one, at its end."""


class ServiceLease(NamedTuple):
    """A call that is under way. It is over at `until` at the latest."""

    job: str
    executor: str
    acquired_at: int
    expires_at: int


class CallWindow(NamedTuple):
    """Calls that were begun from the one instant to the other."""

    first: int
    last: int
    calls: int


class QueueWaiter(NamedTuple):
    """A process in which at least one job waits."""

    executor: str
    queued_at: int
    expires_at: int


class LimiterState(NamedTuple):
    """What is known of one service. The queue is in the order of coming.

    Until `closed` it wants to be left alone, as it said itself; 0 where it did not.
    """

    leases: tuple[ServiceLease, ...] = ()
    windows: tuple[CallWindow, ...] = ()
    waiters: tuple[QueueWaiter, ...] = ()
    paused_until: int = 0


class LimitDecision(NamedTuple):
    """What asking for a place comes to: `wait` is None where one is free, else after which it may be.

    `limit` is the one that is in the way; None where only others are first.
    """

    state: LimiterState
    wait: int | None = None
    limit: LimitKind | None = None


def state_to_text(standing: LimiterState) -> str:
    """As it is stored."""
    return canonical_json(list[Json](standing))


def state_from_text(text: str) -> LimiterState:
    """The standing of its text; of none, that of a service that nobody asked yet."""
    if not text:
        return LimiterState()
    held, spent, queue, closed = cast(
        "tuple[list[list[Json]], list[list[Json]], list[list[Json]], int]", parse_strict(text)
    )
    return LimiterState(
        tuple(ServiceLease(*each) for each in held),
        tuple(CallWindow(*each) for each in spent),
        tuple(QueueWaiter(*each) for each in queue),
        closed,
    )


def expire(
    standing: LimiterState, limits: ServiceLimits, now: int, there: Collection[str] | None = None
) -> LimiterState:
    """What of it still counts now. `there` are the processes that are there; None where nobody looked.

    What stands in the future, because a clock went back, is taken to be now: so nobody waits longer than the limit can
    mean, from when somebody notices.
    """
    held = (
        each._replace(acquired_at=now, expires_at=now + each.expires_at - each.acquired_at)
        if each.acquired_at > now
        else each
        for each in standing.leases
    )
    queue = (
        each._replace(queued_at=min(each.queued_at, now), expires_at=min(each.expires_at, now + WAITER_TTL))
        for each in standing.waiters
    )
    return LimiterState(
        tuple(each for each in held if each.expires_at > now and _is_there(each, now, there)),
        _recent(standing.windows, limits.rate, now),
        tuple(each for each in queue if each.expires_at > now and (there is None or each.executor in there)),
        min(standing.paused_until, now + MAX_PAUSE) if standing.paused_until > now else 0,
    )


def try_acquire(standing: LimiterState, limits: ServiceLimits, executor: str, now: int) -> LimitDecision:
    """Whether a process may begin a call now. Where not, it stands in the queue from then on."""
    free = _free(standing, limits)
    place = next((n for n, each in enumerate(standing.waiters) if each.executor == executor), len(standing.waiters))
    before = [each for each in standing.waiters[:place] if now - each.queued_at >= FAIR_AFTER]
    if all(places > len(before) for places in free.values()):
        return LimitDecision(standing)
    reached: list[LimitKind] = [which for which, places in free.items() if places <= 0]
    waits = [_wait(standing, limits, which, now) for which in reached]
    wait = max(waits, default=0)
    return LimitDecision(_queued(standing, place, executor, now), wait, reached[waits.index(wait)] if reached else None)


def acquire(standing: LimiterState, limits: ServiceLimits, held: ServiceLease) -> LimiterState:
    """The standing after a call was begun. Of a job of which an earlier attempt was cut off, that one ends."""
    others = tuple(each for each in standing.leases if each.job != held.job)
    queue = tuple(each for each in standing.waiters if each.executor != held.executor)
    spent = standing.windows if limits.rate is None else _one_more(standing.windows, limits.rate, held.acquired_at)
    return LimiterState(
        (*others, held) if limits.concurrency is not None else others, spent, queue, standing.paused_until
    )


def release(standing: LimiterState, job: str) -> LimiterState:
    """The standing after a call has ended."""
    return standing._replace(leases=tuple(each for each in standing.leases if each.job != job))


def pause_until(standing: LimiterState, until: int) -> LimiterState:
    """The standing of a service that asked to be left alone until then."""
    return standing._replace(paused_until=max(standing.paused_until, until))


def leave_queue(standing: LimiterState, executor: str) -> LimiterState:
    """The standing once nobody waits any more in a process."""
    return standing._replace(waiters=tuple(each for each in standing.waiters if each.executor != executor))


def window_milliseconds(rate: CallRate) -> int:
    """The stretch that a rate is about."""
    return math.ceil(rate.seconds * 1000)


def _is_there(each: ServiceLease, now: int, there: Collection[str] | None) -> bool:
    return there is None or each.executor in there or now - each.acquired_at < NEW_LEASE_GRACE


def _recent(spent: tuple[CallWindow, ...], rate: CallRate | None, now: int) -> tuple[CallWindow, ...]:
    if rate is None:
        return ()
    known = (CallWindow(min(each.first, now), min(each.last, now), each.calls) for each in spent)
    return tuple(each for each in known if each.last + window_milliseconds(rate) > now)


def _free(standing: LimiterState, limits: ServiceLimits) -> dict[LimitKind, int]:
    """How many calls each limit leaves, and the service's own word."""
    free: dict[LimitKind, int] = {}
    if limits.concurrency is not None:
        free["concurrency"] = limits.concurrency - len(standing.leases)
    if limits.rate is not None:
        free["rate"] = limits.rate.calls - sum(each.calls for each in standing.windows)
    if standing.paused_until:
        free["closed"] = 0
    return free


def _wait(standing: LimiterState, limits: ServiceLimits, which: LimitKind, now: int) -> int:
    """Until a limit may let one more call through: when the first place comes free at the latest."""
    if which == "rate" and limits.rate is not None:
        return standing.windows[0].last + window_milliseconds(limits.rate) - now
    if which == "closed":
        return standing.paused_until - now
    return min(each.expires_at for each in standing.leases) - now


def _queued(standing: LimiterState, place: int, executor: str, now: int) -> LimiterState:
    """Its turn stays; that it is still there is noted when half of the time for that is over."""
    if place == len(standing.waiters):
        return standing._replace(waiters=(*standing.waiters, QueueWaiter(executor, now, now + WAITER_TTL)))
    here = standing.waiters[place]
    if here.expires_at - now > WAITER_TTL // 2:
        return standing
    renewed = here._replace(expires_at=now + WAITER_TTL)
    return standing._replace(waiters=(*standing.waiters[:place], renewed, *standing.waiters[place + 1 :]))


def _one_more(spent: tuple[CallWindow, ...], rate: CallRate, now: int) -> tuple[CallWindow, ...]:
    if len(spent) >= _FINE and now - spent[-1].first <= window_milliseconds(rate) // _FINE:
        return (*spent[:-1], CallWindow(spent[-1].first, now, spent[-1].calls + 1))
    return (*spent, CallWindow(now, now, 1))
