"""What a worker for runs looks after: runs that were left behind, schedules that are due, what is too old."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from aeon.base.clock import Clock
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import RunSummary
from aeon.platform.runs.ports import Engine, EngineUnavailableError
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.schedules.starter import FiringResult, ScheduleStarter
from aeon.platform.store import StoreError
from aeon.platform.workers.registry import WorkerRegistry


class OrphanRecovery:
    """Takes over what was left behind. Several may do so at once: each run goes to one of them."""

    def __init__(
        self,
        book: SqlRunRepository,
        registry: WorkerRegistry,
        engine: Engine,
        clock: Clock,
        *,
        just_accepted: float = 10.0,
    ) -> None:
        """Whoever accepted a run has `just_accepted` seconds to have it started."""
        self._book = book
        self._registry = registry
        self._engine = engine
        self._clock = clock
        self._just_accepted = just_accepted

    def adopt(self, root: str | None = None) -> list[RunSummary]:
        """Take over runs that no executor carries out, all or those of the family of one root; returns them.

        Raises StoreError, EngineUnavailableError.
        """
        for executor in self._registry.list_dead_executors():
            if executor.id != self._engine.executor:
                self._registry.deregister(executor.id)
        there = {self._engine.executor, *(each.id for each in self._registry.list_executors())}
        left = [run for run in self._book.list_orphaned(there, root) if run.executor or not self._is_fresh(run)]
        taken = [run for run in left if self._book.reassign(run.id, run.executor, self._engine.executor)]
        try:
            self._engine.adopt([run.id for run in taken])
        except EngineUnavailableError:
            for run in taken:
                self._book.reassign(run.id, self._engine.executor, "")
            raise
        return taken

    def _is_fresh(self, run: RunSummary) -> bool:
        waited = datetime.fromisoformat(self._clock.now()) - datetime.fromisoformat(run.accepted_at)
        return 0 <= waited.total_seconds() <= self._just_accepted  # the clock may have gone back


POLL_INTERVAL = 1.0
ADOPTION_INTERVAL = 5.0
HEALTH_CHECK_INTERVAL = 5.0
CLEANUP_INTERVAL = 3600.0
"""Seconds."""


class PeriodicTask(NamedTuple):
    """Something to be done again and again; `does` says what it did, a line each."""

    interval: float
    run: Callable[[], Sequence[str]]


class PeriodicTasks:
    """Does each duty when it is due, the first time at once, and again the next time where store or engine is away."""

    def __init__(self, duties: Sequence[PeriodicTask], clock: Clock, tell: Callable[[str], None]) -> None:
        self._duties = duties
        self._clock = clock
        self._tell = tell
        self._due = [clock.monotonic()] * len(duties)
        self._trouble = ""

    def run_due(self) -> None:
        """One round."""
        trouble = ""
        for place, duty in enumerate(self._duties):
            now = self._clock.monotonic()
            if now < self._due[place]:
                continue
            self._due[place] = now + duty.interval
            try:
                lines = duty.run()
            except (StoreError, EngineUnavailableError) as error:
                trouble = error.message
            else:
                for line in lines:
                    self._tell(line)
        if trouble and trouble != self._trouble:
            self._tell(f"{trouble} It is tried again.")
        self._trouble = trouble


class RunMaintenance:
    """The duties of one executor that is there for runs, and what is to be told of each."""

    def __init__(
        self, book: SqlRunRepository, caretaker: OrphanRecovery, starter: ScheduleStarter, clock: Clock, executor: str
    ) -> None:
        self._book = book
        self._caretaker = caretaker
        self._starter = starter
        self._clock = clock
        self._executor = executor
        self._watched: dict[str, str] = {}

    @property
    def active_run_count(self) -> int:
        """How many runs are carried out here, as far as it was looked."""
        return len(self._watched)

    def adopt_orphans(self) -> list[str]:
        """Carry out here what nobody carries out any more (platform 10)."""
        taken = self._caretaker.adopt()
        self._watched |= {run.id: run.process_name for run in taken}
        return [f"run {run.id} of {run.process_name} is taken over" for run in taken]

    def fire_due_schedules(self) -> list[str]:
        """Start what schedules have due."""
        started = self._starter.start_due(self._clock.now())
        self._watched |= {each.firing.run_id: each.process for each in started if each.refusal is None}
        return [_begun(each) for each in started]

    def report_ended(self) -> list[str]:
        """How runs have ended that were carried out here."""
        watched = self._watched | self._book.list_by_executor(self._executor)
        found = self._book.list_summaries(list(watched))
        here = ("", self._executor)
        going_on = [run for run in found if run.phase not in ENDED_PHASES and run.executor in here]
        self._watched = {run.id: run.process_name for run in going_on}
        return [_ended(run) for run in found if run.phase in ENDED_PHASES]


def _begun(each: FiringResult) -> str:
    schedule = each.firing.schedule
    if each.refusal is not None:
        return f"schedule {schedule.name} of {schedule.owner_id} could not start its process: {each.refusal}"
    return f"run {each.firing.run_id} of {each.process} is started: schedule {schedule.name} of {schedule.owner_id}"


def _ended(run: RunSummary) -> str:
    why = f": {run.failure['message']}" if run.failure else ""
    return f"run {run.id} of {run.process_name} is {run.phase}{why}"
