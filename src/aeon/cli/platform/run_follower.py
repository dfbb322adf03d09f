"""Follows a run and the runs that it called, entry by entry, as lines for people."""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from aeon.bootstrap.process_runtime import ProcessRuntime
from aeon.cli.text import printable
from aeon.platform.diagnosis import explain_run
from aeon.platform.errors import NotFoundError
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
from aeon.platform.runs.machine.retry_policy import retry_delay, should_retry
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.service import PendingQuestion, RunView


class CallingStep(NamedTuple):
    """The step that called a run."""

    run: str
    step: str


def interleave(
    entries_by_run: Mapping[str, Sequence[RunEntry]], callers: Mapping[str, CallingStep]
) -> Iterator[tuple[str, RunEntry]]:
    """Yield all entries with their runs by time; each run keeps its order despite clock skew.

    Entries of a child run come after the entry that started the calling step, and before the one that ended it. At
    equal times, the run that is first in `entries_by_run` comes first. A child run has the id of the attempt that
    calls it.
    """
    left = {run: deque(entries) for run, entries in entries_by_run.items() if entries}
    to_start = {
        entry.event.job for entries in left.values() for entry in entries if isinstance(entry.event, AttemptStarted)
    }
    while left:
        to_end = {callers[run] for run in left if run in callers}
        ready = (run for run in left if run not in to_start and not _ends_one_of(to_end, run, left[run][0]))
        first = min(ready, key=lambda run: datetime.fromisoformat(left[run][0].at))
        entry = left[first].popleft()
        if isinstance(entry.event, AttemptStarted):
            to_start.discard(entry.event.job)
        if not left[first]:
            del left[first]
        yield first, entry


def _ends_one_of(steps: Collection[CallingStep], run: str, entry: RunEntry) -> bool:
    event = entry.event
    return (
        isinstance(event, StepEvent) and not isinstance(event, AttemptStarted) and CallingStep(run, event.step) in steps
    )


_POLL_INTERVAL = 0.1
_QUIET_SECONDS = 0.6
"""Seconds without new entries before the follower checks whether the run waits for a person."""

_STALL_SECONDS = 5.0
"""Seconds without new entries before the follower asks what blocks the run."""


class FollowResult(NamedTuple):
    """Where following stopped: at the run's end, or at questions that the run waits for."""

    seen: RunView
    questions: list[PendingQuestion]


class RunFollower:
    """Follows one run to its end, or until it waits only for a person."""

    def __init__(self, runner: ProcessRuntime, user: str, run: str, print_line: Callable[[str], None]) -> None:
        self._runner = runner
        self._user = user
        self._run = run
        self._print = print_line
        self._after: dict[str, int] = {run: 0}
        self._indent: dict[str, str] = {run: ""}
        self._callers: dict[str, CallingStep] = {}
        self._pending_children: dict[str, CallingStep] = {}
        self._began: dict[tuple[str, str], str] = {}
        self._plans = {run: runner.runs.view(user, run).plan}
        self._printed_obstacles: set[tuple[str, str]] = set()

    def skip_past_events(self) -> None:
        """Skip the entries that exist now, without printing them."""
        print_line = self._print
        self._print = _ignore_line
        self._poll()
        self._print = print_line

    def follow(self) -> FollowResult:
        """Print entries until the run has ended, or waits only for a person."""
        quiet_since = last_diagnosis = time.monotonic()
        while True:
            if self._poll():
                quiet_since = last_diagnosis = time.monotonic()
                self._printed_obstacles.clear()
            if self._runner.runs.repository.get_phase(self._run) in ENDED_PHASES:
                self._poll()
                return FollowResult(self._runner.runs.view(self._user, self._run), [])
            if time.monotonic() - quiet_since > _QUIET_SECONDS and (questions := self._blocking_questions()):
                self._poll()
                return FollowResult(self._runner.runs.view(self._user, self._run), questions)
            if time.monotonic() - last_diagnosis > _STALL_SECONDS:
                self._print_obstacles()
                last_diagnosis = time.monotonic()
            time.sleep(_POLL_INTERVAL)

    def _print_obstacles(self) -> None:
        """Print which steps wait for a worker or a limit, each once until something new happens."""
        for run in self._after:
            for reason in explain_run(self._runner.diagnosis, self._user, run):
                is_blocked = reason.kind == "limit" or (reason.kind == "waits" and reason.attempt > 0)
                if is_blocked and (run, reason.step) not in self._printed_obstacles:
                    self._printed_obstacles.add((run, reason.step))
                    self._print(f"{self._indent[run]}{reason.step}: {printable(reason.message)}")

    def _poll(self) -> bool:
        """Print new entries; True if there were any. Callers are read before the runs that they call."""
        entries_by_run: dict[str, list[RunEntry]] = {}
        while unread := [run for run in self._after if run not in entries_by_run]:
            entries_by_run |= {run: self._read_new(run) for run in unread}
            self._add_child_runs()
        for run, entry in interleave(entries_by_run, self._callers):
            for line in self._lines(run, entry):
                self._print(line)
        return any(entries_by_run.values())

    def _read_new(self, run: str) -> list[RunEntry]:
        """Return the new entries of a run, and expect the runs that it calls from then on."""
        entries = list(self._runner.runs.repository.entries(run, self._after[run]))
        calls = self._plans[run].calls
        for entry in entries:
            self._after[run] = entry.n
            event = entry.event
            if isinstance(event, AttemptStarted) and calls[event.step].kind == "process":
                self._pending_children[event.job] = CallingStep(run, event.step)
        return entries

    def _blocking_questions(self) -> list[PendingQuestion]:
        """Return the open questions if nothing else is running in the run and its child runs, else an empty list."""
        questions = self._runner.runs.list_questions(self._user, self._run)
        busy = questions and any(self._runner.runs.view(self._user, run).is_busy for run in self._after)
        return [] if busy else questions

    def _lines(self, run: str, entry: RunEntry) -> Iterator[str]:
        event = entry.event
        if not isinstance(event, StepEvent):
            return
        plan, indent = self._plans[run], self._indent[run]
        call = plan.calls[event.step]
        name = f"{indent}{event.step}"
        if isinstance(event, AttemptStarted):
            self._began[run, event.step] = entry.at
            if plan.is_manual(plan.positions[event.step]):
                yield f"{name} waits for an answer from {call.asks or 'a person'}"
                return
            yield f"{name} started: {call.kind} {printable(call.name)}{_attempt(event.attempt)}"
            return
        outcome = _end_text(event, _seconds(self._began.get((run, event.step)), entry.at))
        if outcome:
            yield f"{name} {outcome}"
        if isinstance(event, StepFailed) and should_retry(call.effect, event.error, event.attempt):
            yield f"{name} is retried in {retry_delay(event.attempt + 1):g} s"
        for warning in entry.about.get("warnings", []):
            yield f"{name} warning: {printable(warning)}"

    def _add_child_runs(self) -> None:
        """Add the child runs that exist by now; a called run appears a moment after its step starts."""
        for run, caller in list(self._pending_children.items()):
            try:
                self._plans[run] = self._runner.runs.view(self._user, run).plan
            except NotFoundError:
                continue
            self._after[run], self._indent[run] = 0, f"{self._indent[caller.run]}  "
            self._callers[run] = self._pending_children.pop(run)


def _ignore_line(_line: str) -> None:
    """Print nothing."""


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


def _seconds(began: str | None, ended: str) -> str:
    if began is None:
        return ""
    seconds = (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()
    return f" in {max(0.0, seconds):.1f} s"
