"""Whether a failed attempt is followed by another one, and after how long (platform 10). Pure."""

from aeon.platform.catalog.effects import Effect
from aeon.platform.processes.running.events import Failure

RETRIES = 3
"""After the first attempt, at most."""

ATTEMPTS = RETRIES + 1

_FIRST_WAIT = 1.0
_GROWTH = 4.0


def is_retried(effect: Effect, error: Failure, attempt: int) -> bool:
    """Whether there is another attempt after this one: its failure may pass, and repeating it does no harm."""
    is_safe = effect != "once" or not error.may_have_happened
    return error.transient and attempt < ATTEMPTS and is_safe


def wait_before(attempt: int) -> float:
    """Seconds that an attempt waits after the one before it: none, 1, 4, 16."""
    return 0.0 if attempt <= 1 else _FIRST_WAIT * _GROWTH ** (attempt - 2)
