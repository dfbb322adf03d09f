"""How often a caller may ask: token buckets by caller and class of request (platform 29)."""

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from aeon.server.edge.problems import HttpError

_SWEEP_EVERY: Final = 1024
"""Requests between two removals of full buckets."""


class Quota(NamedTuple):
    """A class of requests: `limit` of them in `seconds`, and as many at once after a pause."""

    name: str
    limit: int
    seconds: int


READS: Final = Quota("reads", 50, 1)
CHANGES: Final = Quota("changes", 10, 1)
STARTS: Final = Quota("starts", 5, 1)
SIGN_INS: Final = Quota("sign-ins", 5, 60)
EVENTS: Final = Quota("events", 200, 10)
"""Signed events of one webhook."""


class RequestLimiter:
    """The buckets of one server process. Only its event loop uses it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """`monotonic` returns seconds on a clock that never goes back."""
        self._monotonic = monotonic
        self._full_at: dict[tuple[str, str], float] = {}
        self._taken = 0

    def take(self, quota: Quota, caller: str) -> None:
        """Count a request of a caller.

        Raises HttpError with status 429 if the bucket is empty; that request is not counted. It is accepted after
        the seconds of its header Retry-After if no other one is.
        """
        now = self._monotonic()
        self._sweep(now)
        interval = quota.seconds / quota.limit
        full_at = max(now, self._full_at.get((quota.name, caller), now))
        wait = full_at - now - (quota.seconds - interval)
        if wait > interval * 1e-6:  # less is the rounding of the clock
            raise _too_many(quota, math.ceil(wait))
        self._full_at[quota.name, caller] = full_at + interval

    def _sweep(self, now: float) -> None:
        self._taken += 1
        if self._taken % _SWEEP_EVERY == 0:
            self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}


def _too_many(quota: Quota, wait: int) -> HttpError:
    """The answer to a request too many; headers as draft-ietf-httpapi-ratelimit-headers says."""
    return HttpError(
        429,
        f"These are too many {quota.name}: {quota.limit} in {quota.seconds} s are answered.",
        next_step=f"Wait {wait} s, then send it again.",
        headers={
            "retry-after": str(wait),
            "ratelimit-policy": f'"{quota.name}";q={quota.limit};w={quota.seconds}',
            "ratelimit": f'"{quota.name}";r=0;t={wait}',
        },
    )
