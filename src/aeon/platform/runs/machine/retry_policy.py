"""Decides whether and when a failed attempt is retried (platform 10, 41). Pure."""

from aeon.platform.catalog.operations import Effect
from aeon.platform.processes.step_control import RetryPolicy
from aeon.platform.runs.machine.events import AttemptFailure
from aeon.platform.runs.machine.plan import RunPlan


def is_retried(plan: RunPlan, position: int, error: AttemptFailure, attempt: int) -> bool:
    """Return whether the failed attempt at a step is retried while its run is active.

    A question is asked once more only by its own rules, and a loop retries its items.
    """
    if plan.is_manual(position) or plan.is_loop(position):
        return False
    effect = plan.call_of(plan.steps[position].id).effect
    return should_retry(plan.retry_policy(position), effect, error, attempt)


def delay_of(plan: RunPlan, position: int, attempt: int) -> float:
    """Return the seconds between an attempt at a step and the one before it."""
    return 0.0 if plan.is_manual(position) else retry_delay(plan.retry_policy(position), attempt)


def should_retry(policy: RetryPolicy, effect: Effect, error: AttemptFailure, attempt: int) -> bool:
    """Return whether an attempt is retried: it may succeed, and repeating it does no harm."""
    may_pass = error.transient if policy.on is None else error.code in policy.on
    is_safe = effect != "once" or not error.may_have_happened
    return may_pass and attempt < policy.attempts and is_safe


def retry_delay(policy: RetryPolicy, attempt: int) -> float:
    """Return the seconds between an attempt and the one before it; by default 0, 1, 4, 16."""
    return 0.0 if attempt <= 1 else policy.delay * policy.factor ** (attempt - 2)
