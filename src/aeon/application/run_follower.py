"""Follows a run and the runs that it called, entry by entry."""

import threading
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeAlias

from aeon.application.run_reader import POLL_INTERVAL
from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject
from aeon.llm.usage import NO_PRICES, CallUsage, Prices, Usage, total_usage
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.runs.machine.events import AttemptStarted, StepEvent
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import ENDED_PHASES, RunPhase
from aeon.platform.runs.machine.wait_reasons import WaitReason
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.ports import EntryNotifier, EntryWatch
from aeon.platform.runs.questions import PendingQuestion
from aeon.platform.runs.service import Runs, RunView

_SHORTEST_WAIT = 0.01
"""Seconds; clocks round."""

QUIET_SECONDS = 0.6
"""Seconds without new entries before the follower checks whether the run waits for a person."""

STALL_SECONDS = 5.0
"""Seconds without new entries before the follower asks what blocks the run."""


class CallingStep(NamedTuple):
    """The step that called a run."""

    run: str
    step: str


class EntryUpdate(NamedTuple):
    """A new entry of a run.

    `depth` is 0 for the followed run, 1 for the runs that it called, and so on.
    """

    run: str
    depth: int
    plan: RunPlan
    entry: RunEntry


class HeldUpdate(NamedTuple):
    """A step waits for a worker or a limit.

    It is reported once until the family has a new entry.
    """

    run: str
    depth: int
    reason: WaitReason


RunUpdate: TypeAlias = EntryUpdate | HeldUpdate

SettledStatus: TypeAlias = Literal["ended", "waits_for_person", "paused", "open"]
"""`open`: the time is over, or following was stopped, while the run could still continue by itself."""


class SettledRun(NamedTuple):
    """The state of a run when following stopped.

    `questions` are those that the run waits for; for an open run, all open ones of its family. `usage` counts the model
    calls of its family as far as it was read; an attempt at a step counts as one call, with its repairs.
    """

    view: RunView
    questions: list[PendingQuestion]
    status: SettledStatus
    usage: Usage

    @property
    def id(self) -> str:
        return self.view.run.id

    @property
    def phase(self) -> RunPhase:
        return self.view.state.phase

    @property
    def output(self) -> Json:
        """The result of a completed run, else None."""
        return self.view.state.output


class RunExplainer(Protocol):
    """Returns why the steps of a run have not completed."""

    def __call__(self, run: str) -> Sequence[WaitReason]: ...


class _StopReason(NamedTuple):
    status: SettledStatus
    questions: list[PendingQuestion]


class RunFollower:
    """An iterator of the updates of one run and of all runs that it called, in one order.

    It stops when the run has ended, when it waits only for a person, when it is paused and nothing of it runs any more,
    when `seconds` have passed, or after `stop()`; the status of `result` is which. One thread iterates; any thread may
    call `stop`.
    """

    def __init__(
        self,
        runs: Runs,
        user: str,
        run: str,
        *,
        clock: Clock,
        notifier: EntryNotifier,
        explain: RunExplainer | None = None,
        seconds: float | None = None,
        prices: Prices = NO_PRICES,
    ) -> None:
        """`notifier` tells of new entries. Without `explain`, there are no `HeldUpdate`s. Raises NotFoundError."""
        self._prices = prices
        self._model_calls: list[CallUsage] = []
        self._runs = runs
        self._user = user
        self._run = run
        self._clock = clock
        self._notifier = notifier
        self._explain = explain
        self._seconds = seconds
        self._depths: dict[str, int] = {run: 0}
        self._last_entries: dict[str, int] = {run: 0}
        self._skipped: dict[str, int] = {}
        self._callers: dict[str, CallingStep] = {}
        self._pending_children: dict[str, CallingStep] = {}
        self._plans = {run: runs.view(user, run).plan}
        self._reported_holds: set[tuple[str, str]] = set()
        self._stopping = threading.Event()
        self._result: SettledRun | None = None

    @property
    def cursor(self) -> dict[str, int]:
        """The number of the last entry that was read of each run; `skip` takes it to continue there."""
        return dict(self._last_entries)

    @property
    def result(self) -> SettledRun:
        """The state of the run when the iteration stopped. Raises RuleError before that."""
        if self._result is None:
            raise RuleError(
                f"The run {self._run} is still followed.",
                rule="followed",
                next_step="Iterate to the end first, or call `view` for the current state of the run.",
            )
        return self._result

    def skip(self, cursor: Mapping[str, int]) -> None:
        """Skip the entries up to these numbers, by run."""
        self._skipped = dict(cursor)

    def skip_past_entries(self) -> None:
        """Skip the entries that exist now."""
        for _ in self._poll():
            pass

    def stop(self) -> None:
        """End the iteration at its next read, which is at once."""
        self._stopping.set()
        self._notifier.notify(self._run)

    def __iter__(self) -> Iterator[RunUpdate]:
        with self._notifier.watch(self._is_followed) as watch:
            yield from self._updates(watch)

    def _updates(self, watch: EntryWatch) -> Iterator[RunUpdate]:
        quiet_since = last_diagnosis = began = self._clock.monotonic()
        while True:
            for update in self._poll():
                quiet_since = last_diagnosis = self._clock.monotonic()
                self._reported_holds.clear()
                yield update
            now = self._clock.monotonic()
            if (stop := self._stop_reason(now - quiet_since, now - began)) is not None:
                yield from self._poll()  # entries written between the read and the check
                usage = total_usage(self._model_calls, self._prices)
                self._result = SettledRun(self._runs.view(self._user, self._run), stop.questions, stop.status, usage)
                return
            if now - last_diagnosis > STALL_SECONDS:
                yield from self._holds()
                last_diagnosis = now
            watch.wait(self._wait_seconds(now - quiet_since, now - began))

    def _is_followed(self, run: str) -> bool:
        """Whether a run belongs to the family, as far as it is known. Called in other threads."""
        return run in self._last_entries or run in self._pending_children

    def _wait_seconds(self, quiet: float, followed: float) -> float:
        """Return how long to wait for news: until the next read, or until it is time to check who can go on."""
        until = [POLL_INTERVAL]
        until += [QUIET_SECONDS - quiet] if quiet < QUIET_SECONDS else []
        until += [] if self._seconds is None else [self._seconds - followed]
        return max(_SHORTEST_WAIT, min(until))

    def _stop_reason(self, quiet: float, followed: float) -> "_StopReason | None":
        """Return why to stop now; None to continue.

        `quiet` is the seconds without a new entry, `followed` all seconds.
        """
        if self._runs.repository.get_phase(self._run) in ENDED_PHASES:
            return _StopReason("ended", [])
        if quiet >= QUIET_SECONDS and self._is_paused():
            return _StopReason("paused", self._runs.list_questions(self._user, self._run))
        if quiet >= QUIET_SECONDS and (questions := self._blocking_questions()):
            return _StopReason("waits_for_person", questions)
        if self._stopping.is_set() or (self._seconds is not None and followed >= self._seconds):
            return _StopReason("open", self._runs.list_questions(self._user, self._run))
        return None

    def _holds(self) -> Iterator[HeldUpdate]:
        """Yield the steps that wait for a worker or a limit, each once until there is a new entry."""
        if self._explain is None:
            return
        for run, depth in self._depths.items():
            for reason in self._explain(run):
                is_held = reason.kind == "limit" or (reason.kind == "waits" and reason.attempt > 0)
                if is_held and (run, reason.step) not in self._reported_holds:
                    self._reported_holds.add((run, reason.step))
                    yield HeldUpdate(run, depth, reason)

    def _poll(self) -> Iterator[EntryUpdate]:
        """Yield the new entries. Callers are read before the runs that they call."""
        entries_by_run: dict[str, list[RunEntry]] = {}
        while unread := [run for run in self._last_entries if run not in entries_by_run]:
            entries_by_run |= {run: self._read_new(run) for run in unread}
            self._add_child_runs()
        for run, entry in interleave(entries_by_run, self._callers):
            if entry.n > self._skipped.get(run, 0):
                yield EntryUpdate(run, self._depths[run], self._plans[run], entry)

    def _read_new(self, run: str) -> list[RunEntry]:
        """Return the new entries of a run, and expect the runs that it calls from then on."""
        entries = list(self._runs.repository.entries(run, self._last_entries[run]))
        plan = self._plans[run]
        for entry in entries:
            self._last_entries[run] = entry.n
            self._model_calls += model_calls_of(entry)
            event = entry.event
            if isinstance(event, AttemptStarted) and plan.starts_run(event.step):
                self._pending_children[event.job] = CallingStep(run, event.step)
        return entries

    def _is_paused(self) -> bool:
        """Return whether the run is paused, and nothing of the family runs."""
        if self._runs.repository.get_phase(self._run) != "paused":
            return False
        return not any(self._runs.view(self._user, run).is_busy for run in self._last_entries)

    def _blocking_questions(self) -> list[PendingQuestion]:
        """Return the open questions if nothing else is running in the family, else an empty list."""
        questions = [
            each for each in self._runs.list_questions(self._user, self._run) if each.run in self._last_entries
        ]
        is_busy = questions and any(self._runs.view(self._user, run).is_busy for run in self._last_entries)
        return [] if is_busy else questions

    def _add_child_runs(self) -> None:
        """Add the child runs that exist by now; a called run appears a moment after its step starts."""
        for run, caller in list(self._pending_children.items()):
            try:
                self._plans[run] = self._runs.view(self._user, run).plan
            except NotFoundError:
                continue
            self._last_entries[run], self._depths[run] = 0, self._depths[caller.run] + 1
            self._callers[run] = self._pending_children.pop(run)


def model_calls_of(entry: RunEntry) -> list[CallUsage]:
    """The model calls that an entry records, with their repairs: the first one has the tokens of all."""
    usage: JsonObject | None = entry.about.get("usage")
    if usage is None:
        return []
    first = CallUsage(usage["model"], usage["promptTokens"], usage["completionTokens"])
    return [first, *[CallUsage(usage["model"], 0, 0)] * (usage.get("modelCalls", 1) - 1)]


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
