"""Decides whether and when a failed attempt is retried (platform 10). Pure."""

from aeon.platform.catalog.operations import Effect
from aeon.platform.runs.machine.events import AttemptFailure

MAX_RETRIES = 3
"""Maximum number of retries after the first attempt."""

MAX_ATTEMPTS = MAX_RETRIES + 1

_FIRST_DELAY = 1.0
_GROWTH = 4.0


def should_retry(effect: Effect, error: AttemptFailure, attempt: int) -> bool:
    """Return whether an attempt is retried: it may succeed, and repeating it does no harm."""
    is_safe = effect != "once" or not error.may_have_happened
    return error.transient and attempt < MAX_ATTEMPTS and is_safe


def retry_delay(attempt: int) -> float:
    """Return the seconds between an attempt and the one before it: 0, 1, 4, 16."""
    return 0.0 if attempt <= 1 else _FIRST_DELAY * _GROWTH ** (attempt - 2)
