"""How many places of a service are taken, who waits, and whether one more call may begin. Pure.

All instants and spans are whole milliseconds; instants are counted from 1970.

A rate is kept by the calls of the last window, so that all of them may come at once and still no window has more. A
token bucket that lets N calls through at once lets nearly twice as many into some window.
"""

import math
from collections.abc import Collection
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, canonical, parse_strict
from aeon.platform.catalog.limits import Limits, Rate

Which: TypeAlias = Literal["concurrency", "rate", "closed"]

PATIENCE: Final = 500
"""Who has waited so long is not overtaken any more. Until then whoever asks first is first: no place lies idle."""

LONGEST_CLOSED: Final = 300_000
"""For so long a service is left alone at most, whatever it asks."""

QUEUED_FOR: Final = 10_000
"""Who waits says so again within that; else it is gone."""

JUST_BEGUN: Final = 10_000
"""A place that was taken since then may be that of a process which is only being entered."""

_FINE: Final = 32
"""Up to so many calls are remembered one by one; of more, those within a 32nd of the window as one, at its end."""


class Held(NamedTuple):
    """A call that is under way. It is over at `until` at the latest."""

    job: str
    executor: str
    since: int
    until: int


class Spent(NamedTuple):
    """Calls that were begun from the one instant to the other."""

    first: int
    last: int
    calls: int


class Queued(NamedTuple):
    """A process in which at least one job waits."""

    executor: str
    since: int
    until: int


class Standing(NamedTuple):
    """What is known of one service. The queue is in the order of coming.

    Until `closed` it wants to be left alone, as it said itself; 0 where it did not.
    """

    held: tuple[Held, ...] = ()
    spent: tuple[Spent, ...] = ()
    queue: tuple[Queued, ...] = ()
    closed: int = 0


class Asked(NamedTuple):
    """What asking for a place comes to: `wait` is None where one is free, else after which it may be.

    `limit` is the one that is in the way; None where only others are first.
    """

    standing: Standing
    wait: int | None = None
    limit: Which | None = None


def as_text(standing: Standing) -> str:
    """As it is stored."""
    return canonical(list[Json](standing))


def of_text(text: str) -> Standing:
    """The standing of its text; of none, that of a service that nobody asked yet."""
    if not text:
        return Standing()
    held, spent, queue, closed = cast(
        "tuple[list[list[Json]], list[list[Json]], list[list[Json]], int]", parse_strict(text)
    )
    return Standing(
        tuple(Held(*each) for each in held),
        tuple(Spent(*each) for each in spent),
        tuple(Queued(*each) for each in queue),
        closed,
    )


def settled(standing: Standing, limits: Limits, now: int, there: Collection[str] | None = None) -> Standing:
    """What of it still counts now. `there` are the processes that are there; None where nobody looked.

    What stands in the future, because a clock went back, is taken to be now: so nobody waits longer than the limit can
    mean, from when somebody notices.
    """
    held = (each._replace(since=now, until=now + each.until - each.since) if each.since > now else each
            for each in standing.held)  # fmt: skip
    queue = (each._replace(since=min(each.since, now), until=min(each.until, now + QUEUED_FOR))
             for each in standing.queue)  # fmt: skip
    return Standing(
        tuple(each for each in held if each.until > now and _is_there(each, now, there)),
        _recent(standing.spent, limits.rate, now),
        tuple(each for each in queue if each.until > now and (there is None or each.executor in there)),
        min(standing.closed, now + LONGEST_CLOSED) if standing.closed > now else 0,
    )


def asked(standing: Standing, limits: Limits, executor: str, now: int) -> Asked:
    """Whether a process may begin a call now. Where not, it stands in the queue from then on."""
    free = _free(standing, limits)
    place = next((n for n, each in enumerate(standing.queue) if each.executor == executor), len(standing.queue))
    before = [each for each in standing.queue[:place] if now - each.since >= PATIENCE]
    if all(places > len(before) for places in free.values()):
        return Asked(standing)
    reached: list[Which] = [which for which, places in free.items() if places <= 0]
    waits = [_wait(standing, limits, which, now) for which in reached]
    wait = max(waits, default=0)
    return Asked(_queued(standing, place, executor, now), wait, reached[waits.index(wait)] if reached else None)


def granted(standing: Standing, limits: Limits, held: Held) -> Standing:
    """The standing after a call was begun. Of a job of which an earlier attempt was cut off, that one ends."""
    others = tuple(each for each in standing.held if each.job != held.job)
    queue = tuple(each for each in standing.queue if each.executor != held.executor)
    spent = standing.spent if limits.rate is None else _one_more(standing.spent, limits.rate, held.since)
    return Standing((*others, held) if limits.concurrency is not None else others, spent, queue, standing.closed)


def given_back(standing: Standing, job: str) -> Standing:
    """The standing after a call has ended."""
    return standing._replace(held=tuple(each for each in standing.held if each.job != job))


def put_off(standing: Standing, until: int) -> Standing:
    """The standing of a service that asked to be left alone until then."""
    return standing._replace(closed=max(standing.closed, until))


def left(standing: Standing, executor: str) -> Standing:
    """The standing once nobody waits any more in a process."""
    return standing._replace(queue=tuple(each for each in standing.queue if each.executor != executor))


def window(rate: Rate) -> int:
    """The stretch that a rate is about."""
    return math.ceil(rate.seconds * 1000)


def _is_there(each: Held, now: int, there: Collection[str] | None) -> bool:
    return there is None or each.executor in there or now - each.since < JUST_BEGUN


def _recent(spent: tuple[Spent, ...], rate: Rate | None, now: int) -> tuple[Spent, ...]:
    if rate is None:
        return ()
    known = (Spent(min(each.first, now), min(each.last, now), each.calls) for each in spent)
    return tuple(each for each in known if each.last + window(rate) > now)


def _free(standing: Standing, limits: Limits) -> dict[Which, int]:
    """How many calls each limit leaves, and the service's own word."""
    free: dict[Which, int] = {}
    if limits.concurrency is not None:
        free["concurrency"] = limits.concurrency - len(standing.held)
    if limits.rate is not None:
        free["rate"] = limits.rate.calls - sum(each.calls for each in standing.spent)
    if standing.closed:
        free["closed"] = 0
    return free


def _wait(standing: Standing, limits: Limits, which: Which, now: int) -> int:
    """Until a limit may let one more call through: when the first place comes free at the latest."""
    if which == "rate" and limits.rate is not None:
        return standing.spent[0].last + window(limits.rate) - now
    if which == "closed":
        return standing.closed - now
    return min(each.until for each in standing.held) - now


def _queued(standing: Standing, place: int, executor: str, now: int) -> Standing:
    """Its turn stays; that it is still there is noted when half of the time for that is over."""
    if place == len(standing.queue):
        return standing._replace(queue=(*standing.queue, Queued(executor, now, now + QUEUED_FOR)))
    here = standing.queue[place]
    if here.until - now > QUEUED_FOR // 2:
        return standing
    renewed = here._replace(until=now + QUEUED_FOR)
    return standing._replace(queue=(*standing.queue[:place], renewed, *standing.queue[place + 1 :]))


def _one_more(spent: tuple[Spent, ...], rate: Rate, now: int) -> tuple[Spent, ...]:
    if len(spent) >= _FINE and now - spent[-1].first <= window(rate) // _FINE:
        return (*spent[:-1], Spent(spent[-1].first, now, spent[-1].calls + 1))
    return (*spent, Spent(now, now, 1))
