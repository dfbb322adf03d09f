"""Reasons of steps that wait for a retry, with the time that is left as of now: from when their entries say. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from aeon.platform.processes.running.events import StepFailed, StepStarted
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.retries import ATTEMPTS, wait_before
from aeon.platform.processes.running.why import Reason, runs
from aeon.platform.processes.runs.model import Entry


class _Last(NamedTuple):
    """When a step's last attempt was begun or failed, and why the last that failed did."""

    at: str
    cause: str


def timed(plan: Plan, reasons: Iterable[Reason], entries: Iterable[Entry], now: str) -> list[Reason]:
    """The same reasons; those of steps whose next attempt is put off say for how long still, and why."""
    last = _last_of_steps(entries)
    return [_timed(plan, reason, last[reason.step], now) if _is_retry(reason) else reason for reason in reasons]


def _is_retry(reason: Reason) -> bool:
    return reason.attempt > 1 and reason.why in ("running", "retrying")


def _timed(plan: Plan, reason: Reason, last: _Last, now: str) -> Reason:
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(last.at)
    whole = wait_before(reason.attempt)
    left = min(whole, whole - passed.total_seconds())  # by a clock that was set back it is no longer than it was
    if left > 0:
        said = f"Is tried again in {left:.1f} s (attempt {reason.attempt} of at most {ATTEMPTS}): {last.cause}."
        return reason.model_copy(update={"why": "retrying", "message": said, "seconds": left})
    said = f"{runs(plan, plan.positions[reason.step], reason.attempt)}; the one before failed: {last.cause}."
    return reason.model_copy(update={"message": said, "seconds": 0.0})


def _last_of_steps(entries: Iterable[Entry]) -> dict[str, _Last]:
    found: dict[str, _Last] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, StepFailed):
            found[event.step] = _Last(entry.at, event.error.message.rstrip("."))
        elif isinstance(event, StepStarted):
            before: Sequence[str] = found.get(event.step, ("", ""))
            found[event.step] = _Last(entry.at, before[1])
    return found
