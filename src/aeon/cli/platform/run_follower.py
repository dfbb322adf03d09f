"""Prints a followed run, and the runs that it called, as lines for people."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from aeon.application.run_follower import HeldUpdate, RunUpdate
from aeon.cli.next_steps import COMMANDS
from aeon.cli.text import printable
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptStarted,
    StepCompleted,
    StepEvent,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStopped,
    StepTimedOut,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.retry_policy import delay_of, is_retried


class RunLines:
    """Turns the updates of one followed run into lines, in their order."""

    def __init__(self) -> None:
        self._began: dict[tuple[str, str], datetime] = {}
        """When the last attempt at a step of a run began, after its pause."""
        self._pauses: dict[tuple[str, str], float] = {}
        """The seconds before the next attempt, which is recorded as started when they begin."""
        self._warned: set[tuple[str, str]] = set()

    def lines(self, update: RunUpdate) -> Iterator[str]:
        """Yield the lines of one update; none for entries that are not about a step."""
        indent = "  " * update.depth
        if isinstance(update, HeldUpdate):
            yield f"{indent}{update.reason.step}: {printable(update.reason.worded(COMMANDS))}"
            return
        run, _, plan, entry = update
        event = entry.event
        if not isinstance(event, StepEvent):
            return
        name = f"{indent}{event.step}"
        if isinstance(event, AttemptStarted):
            pause = self._pauses.pop((run, event.step), 0.0)
            self._began[run, event.step] = datetime.fromisoformat(entry.at) + timedelta(seconds=pause)
            if not pause:  # else the line before says when it starts
                yield f"{name} {_start_text(plan, event)}"
            return
        outcome = _end_text(event, _seconds(self._began.get((run, event.step)), entry.at))
        if outcome:
            yield f"{name} {outcome}"
        position = plan.positions[event.step]
        if isinstance(event, StepFailed) and is_retried(plan, position, event.error, event.attempt):
            requested: float = entry.about.get("retryAfter", 0.0)
            pause = max(requested, delay_of(plan, position, event.attempt + 1))
            self._pauses[run, event.step] = pause
            yield f"{name} is retried in {pause:g} s{_attempt(event.attempt + 1)}"
        for warning in entry.about.get("warnings", []):
            if (run, warning) not in self._warned:  # a loop warns of one tool at each of its items
                self._warned.add((run, warning))
                yield f"{name} warning: {printable(warning)}"


def _start_text(plan: RunPlan, event: AttemptStarted) -> str:
    call = plan.call_of(event.step)
    if plan.is_manual(plan.positions[event.step]):
        return f"waits for an answer from {event.asks or call.asks or 'a person'}"
    if call.kind == "wait":
        return "waits"
    return f"started: {call.kind} {printable(call.name)}{_attempt(event.attempt)}"


def _end_text(event: StepEvent, seconds: str) -> str:  # noqa: PLR0911  # one per kind
    match event:
        case StepCompleted():
            return f"done{seconds}{f', {event.tokens} tokens' if event.tokens else ''}"
        case AnswerGiven():
            return f"answered by {printable(event.by)}{seconds}"
        case StepFailed():
            return f"failed{seconds}: {printable(event.error.message)}"
        case StepRefused():
            return f"could not start: {printable(event.error.message)}"
        case StepSkipped():
            return f"skipped: {printable(event.reason)}"
        case StepTimedOut():
            return f"timed out{seconds}"
        case StepStopped():
            return "stopped"
        case _:
            return ""


def _attempt(number: int) -> str:
    return f", attempt {number}" if number > 1 else ""


def _seconds(began: datetime | None, ended: str) -> str:
    if began is None:
        return ""
    seconds = (datetime.fromisoformat(ended) - began).total_seconds()
    return f" in {max(0.0, seconds):.1f} s"
