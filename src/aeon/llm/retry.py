"""When a failed question to a model is asked again, after what wait, and what is said when it never worked (core 8)."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TypeVar

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import LLMError

ResultT = TypeVar("ResultT")

_RETRYABLE_BELOW_500 = frozenset({408, 409, 429})
_SECONDS = re.compile(r"\d{1,9}(\.\d{1,6})?")


class AttemptFailed(Exception):  # noqa: N818  # it ends an attempt, not the call: no error a user ever sees
    """One attempt failed in a way that another may not. `retry_after` is what the server asked for, in seconds."""

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        self.reason = reason
        self.retry_after = retry_after
        super().__init__(reason)


def is_retryable_status(status: int) -> bool:
    """Whether an HTTP status may pass: 408, 409, 429 and 5xx; never 400, 401, 403, 404 (core 8)."""
    return status in _RETRYABLE_BELOW_500 or status >= 500  # noqa: PLR2004  # where HTTP's server errors begin


def retry_after_seconds(headers: Mapping[str, str], now: str) -> float | None:
    """What `Retry-After` asks for, in seconds from `now` (ISO 8601): a number or an HTTP date (RFC 9110, 10.2.3).

    None when it is absent or unreadable; never negative.
    """
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    today = datetime.fromisoformat(now)
    if until.tzinfo is None:
        until = until.replace(tzinfo=today.tzinfo)
    return max(0.0, (until - today) / timedelta(seconds=1))


@dataclass(frozen=True, slots=True)
class LLMRetryPolicy:
    """How often and how patiently. Waits are in seconds; `max_backoff` also caps what a server asks for."""

    max_attempts: int = 3
    initial_backoff: float = 0.5
    max_backoff: float = 60.0

    def delay(self, failed: int, chance: float, retry_after: float | None = None) -> float:
        """The wait after `failed` attempts: doubling, half of it by `chance` in [0, 1), never less than was asked."""
        backoff = self.initial_backoff * 2 ** (failed - 1) * (1 + chance) / 2
        return min(self.max_backoff, max(backoff, retry_after or 0.0))


class LLMRetrier:
    """Runs one question up to `policy.attempts` times. Time and chance are injected, so tests take none."""

    def __init__(
        self,
        policy: LLMRetryPolicy | None = None,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._policy = policy or LLMRetryPolicy()
        self._clock = clock or SystemClock()
        self._chance = chance

    def run(self, attempt: Callable[[], ResultT], *, peer: str) -> ResultT:
        """The first answer `attempt` gives; `peer` names who is asked, for the error.

        Only AttemptFailed is tried again. Raises LLMError with every attempt's reason when none is left.
        """
        reasons: list[str] = []
        while True:
            try:
                return attempt()
            except AttemptFailed as failure:
                reasons.append(failure.reason)
                retry_after = failure.retry_after
            if len(reasons) >= self._policy.max_attempts:
                raise _gave_up(peer, reasons)
            self._clock.sleep(self._policy.delay(len(reasons), self._chance(), retry_after))


def _gave_up(peer: str, reasons: list[str]) -> LLMError:
    told = " ".join(f"({number}) {reason.rstrip('.')}." for number, reason in enumerate(reasons, 1))
    return LLMError(
        f"{peer} did not answer in {len(reasons)} attempts: {told}",
        next_step="Check that it is running and reachable from here, then try again; `aeon doctor` tests it.",
        attempts=list(reasons),
    )
