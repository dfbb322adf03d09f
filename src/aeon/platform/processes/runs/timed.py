"""Reasons of steps that wait for a retry, with the time that is left as of now: from when their entries say. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from aeon.platform.processes.running.events import AttemptStarted, StepFailed
from aeon.platform.processes.running.plan import RunPlan
from aeon.platform.processes.running.retries import MAX_ATTEMPTS, retry_delay
from aeon.platform.processes.running.why import WaitReason, describe_attempt
from aeon.platform.processes.runs.model import RunEntry


class _Last(NamedTuple):
    """When a step's last attempt was begun or failed, and why the last that failed did."""

    at: str
    cause: str


def add_retry_times(
    plan: RunPlan, reasons: Iterable[WaitReason], entries: Iterable[RunEntry], now: str
) -> list[WaitReason]:
    """The same reasons; those of steps whose next attempt is put off say for how long still, and why."""
    last = _last_of_steps(entries)
    return [_timed(plan, reason, last[reason.step], now) if _is_retry(reason) else reason for reason in reasons]


def _is_retry(reason: WaitReason) -> bool:
    return reason.attempt > 1 and reason.kind in ("running", "retrying")


def _timed(plan: RunPlan, reason: WaitReason, last: _Last, now: str) -> WaitReason:
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(last.at)
    whole = retry_delay(reason.attempt)
    left = min(whole, whole - passed.total_seconds())  # by a clock that was set back it is no longer than it was
    if left > 0:
        said = f"Is tried again in {left:.1f} s (attempt {reason.attempt} of at most {MAX_ATTEMPTS}): {last.cause}."
        return reason.model_copy(update={"why": "retrying", "message": said, "seconds": left})
    said = (
        f"{describe_attempt(plan, plan.positions[reason.step], reason.attempt)}; the one before failed: {last.cause}."
    )
    return reason.model_copy(update={"message": said, "seconds": 0.0})


def _last_of_steps(entries: Iterable[RunEntry]) -> dict[str, _Last]:
    found: dict[str, _Last] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, StepFailed):
            found[event.step] = _Last(entry.at, event.error.message.rstrip("."))
        elif isinstance(event, AttemptStarted):
            before: Sequence[str] = found.get(event.step, ("", ""))
            found[event.step] = _Last(entry.at, before[1])
    return found
