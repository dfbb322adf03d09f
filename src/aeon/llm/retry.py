"""Retries of failed model requests: which failures, the backoff, and the final error (core 8)."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final, TypeVar

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import LLMError
from aeon.base.loggers import room_logger
from aeon.base.next_steps import NextStep

ResultT = TypeVar("ResultT")

_LOG = room_logger("llm")

_RETRYABLE_BELOW_500 = frozenset({408, 409, 429})
_SECONDS = re.compile(r"\d{1,9}(\.\d{1,6})?")


OTHER_API: Final = "Check that the address of the model leads to such an API; for most servers it ends with /v1."
"""What to do about a server whose responses are not those of the API that it was asked by."""


_REACH: Final = NextStep("models.reach")


class AttemptFailed(Exception):  # noqa: N818  # ends an attempt, not the call: users never see it
    """One attempt failed, but a retry may succeed. `retry_after` is the server's requested wait, in seconds.

    `is_refused`: nothing listens at the server's address. `next_step`: what to do if every attempt fails so.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        is_refused: bool = False,
        next_step: str | NextStep = _REACH,
    ) -> None:
        self.reason = reason
        self.retry_after = retry_after
        self.is_refused = is_refused
        self.next_step = next_step
        super().__init__(reason)


def is_retryable_status(status: int) -> bool:
    """Whether an HTTP status may be temporary: 408, 409, 429 and 5xx; never 400, 401, 403, 404 (core 8)."""
    return status in _RETRYABLE_BELOW_500 or status >= 500  # noqa: PLR2004  # where HTTP's server errors begin


def retry_after_seconds(headers: Mapping[str, str], now: str) -> float | None:
    """The wait in a `Retry-After` header, in seconds from `now` (ISO 8601): number or HTTP date (RFC 9110, 10.2.3).

    None if it is absent or invalid; never negative.
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
    """The number of attempts and the backoff, in seconds. `max_backoff` also caps the server's `Retry-After`."""

    max_attempts: int = 3
    initial_backoff: float = 0.5
    max_backoff: float = 60.0

    def delay(self, failed: int, chance: float, retry_after: float | None = None) -> float:
        """The wait after `failed` attempts: doubling, half random by `chance` in [0, 1), at least `retry_after`."""
        backoff = self.initial_backoff * 2 ** (failed - 1) * (1 + chance) / 2
        return min(self.max_backoff, max(backoff, retry_after or 0.0))


class LLMRetrier:
    """Runs one request up to `policy.max_attempts` times. Clock and randomness are injected."""

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
        """Returns the first successful result of `attempt`; `peer` names the server in the error.

        Retries only AttemptFailed. Raises LLMError with every attempt's reason if all fail; its detail `is_refused` is
        true if nothing listened at the last attempt.
        """
        reasons: list[str] = []
        while True:
            try:
                return attempt()
            except AttemptFailed as failure:
                reasons.append(failure.reason)
                last = failure
            if len(reasons) >= self._policy.max_attempts:
                raise _gave_up(peer, reasons, last)
            delay = self._policy.delay(len(reasons), self._chance(), last.retry_after)
            _LOG.warning("%s did not answer attempt %d (%s); next in %.1f s", peer, len(reasons), reasons[-1], delay)
            self._clock.sleep(delay)


def _gave_up(peer: str, reasons: list[str], last: AttemptFailed) -> LLMError:
    listed = " ".join(f"({number}) {reason.rstrip('.')}." for number, reason in enumerate(reasons, 1))
    return LLMError(
        f"{peer} did not answer in {len(reasons)} attempts: {listed}",
        next_step=last.next_step,
        attempts=list(reasons),
        **({"is_refused": True} if last.is_refused else {}),
    )
