"""Which jobs wait for a place on a service, worked out from where the service stands."""

from collections.abc import Collection
from typing import NamedTuple

from aeon.base.json import Json
from aeon.platform.store import Store
from aeon.platform.workers.limits import queries
from aeon.platform.workers.limits.places import LimitedService, instant_to_milliseconds, limited_service_from_row
from aeon.platform.workers.limits.standing import LimitKind, expire, try_acquire

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
