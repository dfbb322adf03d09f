"""Whether a failed attempt is followed by another one, and after how long (platform 10). Pure."""

from aeon.platform.catalog.operations import Effect
from aeon.platform.runs.machine.events import AttemptFailure

MAX_RETRIES = 3
"""After the first attempt, at most."""

MAX_ATTEMPTS = MAX_RETRIES + 1

_FIRST_WAIT = 1.0
_GROWTH = 4.0


def should_retry(effect: Effect, error: AttemptFailure, attempt: int) -> bool:
    """Whether there is another attempt after this one: its failure may pass, and repeating it does no harm."""
    is_safe = effect != "once" or not error.may_have_happened
    return error.transient and attempt < MAX_ATTEMPTS and is_safe


def retry_delay(attempt: int) -> float:
    """Seconds that an attempt waits after the one before it: none, 1, 4, 16."""
    return 0.0 if attempt <= 1 else _FIRST_WAIT * _GROWTH ** (attempt - 2)
