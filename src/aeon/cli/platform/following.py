"""Follows a run, and the runs that it called, entry by entry, as lines for people."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from aeon.bootstrap.processes import ProcessRunner
from aeon.cli.platform.merging import Caller, in_order
from aeon.cli.text import clean
from aeon.platform.errors import NotFoundError
from aeon.platform.processes.running.events import (
    AnswerGiven,
    StepCompleted,
    StepEvent,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStarted,
    StepStopped,
    TimedOut,
)
from aeon.platform.processes.running.retries import is_retried, wait_before
from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.runs.model import Entry
from aeon.platform.processes.runs.runs import Question, Seen
from aeon.platform.processes.runs.why import reasons

_LOOKS_EVERY = 0.1
_SETTLES = 0.6
"""Seconds without anything new before it is asked whether only a person can go on."""

_WONDERS = 5.0
"""Seconds without anything new before it is asked what holds the run."""


class Followed(NamedTuple):
    """Where following stopped: the run's end, or what it waits to be told."""

    seen: Seen
    questions: list[Question]


class Following:
    """One run that is followed to its end, or until only a person can go on."""

    def __init__(self, runner: ProcessRunner, user: str, run: str, tell: Callable[[str], None]) -> None:
        self._runner = runner
        self._user = user
        self._run = run
        self._tell = tell
        self._after: dict[str, int] = {run: 0}
        self._indent: dict[str, str] = {run: ""}
        self._callers: dict[str, Caller] = {}
        self._expected: dict[str, Caller] = {}
        self._began: dict[tuple[str, str], str] = {}
        self._plans = {run: runner.runs.see(user, run).plan}
        self._held: set[tuple[str, str]] = set()

    def skip(self) -> None:
        """Tell of nothing that has happened so far."""
        tell = self._tell
        self._tell = _nobody
        self._look()
        self._tell = tell

    def to_the_end(self) -> Followed:
        """Tell what happens until the run has ended, or waits for a person and for nothing else."""
        quiet_since = wondered = time.monotonic()
        while True:
            if self._look():
                quiet_since = wondered = time.monotonic()
                self._held.clear()
            if self._runner.runs.book.phase(self._run) in ENDED:
                self._look()
                return Followed(self._runner.runs.see(self._user, self._run), [])
            if time.monotonic() - quiet_since > _SETTLES and (questions := self._only_questions()):
                self._look()
                return Followed(self._runner.runs.see(self._user, self._run), questions)
            if time.monotonic() - wondered > _WONDERS:
                self._tell_what_holds()
                wondered = time.monotonic()
            time.sleep(_LOOKS_EVERY)

    def _tell_what_holds(self) -> None:
        """Which steps wait for a worker or a limit, each once for as long as nothing happens."""
        for run in self._after:
            for reason in reasons(self._runner.around, self._user, run):
                is_held = reason.why == "limit" or (reason.why == "waits" and reason.attempt > 0)
                if is_held and (run, reason.step) not in self._held:
                    self._held.add((run, reason.step))
                    self._tell(f"{self._indent[run]}{reason.step}: {clean(reason.message)}")

    def _look(self) -> bool:
        """Whether there was anything new. Who calls is read before who is called, which has ended by then if it did."""
        found: dict[str, list[Entry]] = {}
        while ahead := [run for run in self._after if run not in found]:
            found |= {run: self._new_of(run) for run in ahead}
            self._meet_expected()
        for run, entry in in_order(found, self._callers):
            for line in self._lines(run, entry):
                self._tell(line)
        return any(found.values())

    def _new_of(self, run: str) -> list[Entry]:
        """What is new in a run; the runs that it calls are expected from then on."""
        entries = list(self._runner.runs.book.entries(run, self._after[run]))
        calls = self._plans[run].calls
        for entry in entries:
            self._after[run] = entry.n
            event = entry.event
            if isinstance(event, StepStarted) and calls[event.step].kind == "process":
                self._expected[event.job] = Caller(run, event.step)
        return entries

    def _only_questions(self) -> list[Question]:
        """What is asked, where nothing else is under way in the run and all that it called."""
        asked = self._runner.runs.questions(self._user, self._run)
        busy = asked and any(self._runner.runs.see(self._user, run).is_busy for run in self._after)
        return [] if busy else asked

    def _lines(self, run: str, entry: Entry) -> Iterator[str]:
        event = entry.event
        if not isinstance(event, StepEvent):
            return
        plan, indent = self._plans[run], self._indent[run]
        call = plan.calls[event.step]
        name = f"{indent}{event.step}"
        if isinstance(event, StepStarted):
            self._began[run, event.step] = entry.at
            if plan.is_manual(plan.positions[event.step]):
                yield f"{name} waits for an answer of {call.asks or 'a person'}"
                return
            yield f"{name} started: {call.kind} {clean(call.name)}{_attempt(event.attempt)}"
            return
        told = _ended(event, _seconds(self._began.get((run, event.step)), entry.at))
        if told:
            yield f"{name} {told}"
        if isinstance(event, StepFailed) and is_retried(call.effect, event.error, event.attempt):
            yield f"{name} is tried again in {wait_before(event.attempt + 1):g} s"
        for warning in entry.about.get("warnings", []):
            yield f"{name} warning: {clean(warning)}"

    def _meet_expected(self) -> None:
        """Runs that steps start are there a moment later."""
        for run, caller in list(self._expected.items()):
            try:
                self._plans[run] = self._runner.runs.see(self._user, run).plan
            except NotFoundError:
                continue
            self._after[run], self._indent[run] = 0, f"{self._indent[caller.run]}  "
            self._callers[run] = self._expected.pop(run)


def _nobody(_line: str) -> None:
    """Whom nothing is told."""


def _ended(event: StepEvent, seconds: str) -> str:  # noqa: PLR0911  # one a kind
    match event:
        case StepCompleted():
            return f"done{seconds}{f', {event.tokens} tokens' if event.tokens else ''}"
        case AnswerGiven():
            return f"answered by {clean(event.by)}{seconds}"
        case StepFailed():
            return f"failed{seconds}: {clean(event.error.message)}"
        case StepRefused():
            return f"could not start: {clean(event.error.message)}"
        case StepSkipped():
            return f"skipped: {clean(event.reason)}"
        case TimedOut():
            return f"did not end in its time{seconds}"
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
