"""Starts the runs of due schedules. Safe for several processes and at any crash."""

from typing import NamedTuple

from aeon.platform.errors import PlatformError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.ports import Engine
from aeon.platform.runs.service import Runs
from aeon.platform.schedules.model import ScheduleFiring
from aeon.platform.schedules.repository import ScheduleRepository


class FiringResult(NamedTuple):
    """The result of a firing: a run of that Process, or why there is none."""

    firing: ScheduleFiring
    process: str
    refusal: PlatformError | None = None

    @property
    def problem(self) -> str | None:
        """Why there is no run, for people."""
        return None if self.refusal is None else self.refusal.message


class ScheduleStarter:
    """Starts the runs of due schedules."""

    def __init__(self, schedules: ScheduleRepository, processes: ProcessRepository, runs: Runs, engine: Engine) -> None:
        self._schedules = schedules
        self._processes = processes
        self._runs = runs
        self._engine = engine

    def start_due(self, now: str) -> list[FiringResult]:
        """Start due runs; return those that this process settled. Raises StoreError.

        A run is accepted under the firing's own id before the firing is settled: a process that finds it unsettled
        after a crash accepts the same run again, which changes nothing. Refused firings are settled, too.
        """
        results = [self._start(firing) for firing in self._schedules.list_due(now)]
        return [each for each in results if self._schedules.mark_fired(each.firing, each.problem)]

    def _start(self, firing: ScheduleFiring) -> FiringResult:
        schedule = firing.schedule
        try:
            process = self._processes.get(schedule.owner_id, schedule.process)
            new = NewRun(
                schedule.inputs,
                "schedule",
                firing.run_id,
                executor=self._engine.executor,
                priority=schedule.priority,
            )
            run = self._runs.accept(process, new, MutationRequest(schedule.owner_id))
        except PlatformError as error:
            return FiringResult(firing, schedule.process, error)
        self._engine.start(run.id)
        return FiringResult(firing, process.name)
