"""Starts what schedules have due. Several processes may do so at once, and stop anywhere: each moment is one run."""

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
    """What became of a moment of a schedule: a run of that Process, or why there is none."""

    firing: ScheduleFiring
    process: str
    refusal: PlatformError | None = None


class ScheduleStarter:
    """Starts Processes when they are due."""

    def __init__(self, schedules: ScheduleRepository, processes: ProcessRepository, runs: Runs, engine: Engine) -> None:
        self._schedules = schedules
        self._processes = processes
        self._runs = runs
        self._engine = engine

    def start_due(self, now: str) -> list[FiringResult]:
        """Start what is due; what of it was not settled by another process. Raises StoreError.

        The run is accepted under the moment's own id before the moment is settled: whoever finds it unsettled after a
        crash accepts the same run again, which is no other one. What is refused is settled, too.
        """
        started = [self._start(firing) for firing in self._schedules.list_due(now)]
        return [each for each in started if self._schedules.mark_fired(each.firing.schedule, each.firing.instant)]

    def _start(self, firing: ScheduleFiring) -> FiringResult:
        schedule = firing.schedule
        try:
            process = self._processes.get(schedule.owner_id, schedule.process)
            new = NewRun(schedule.inputs, "schedule", firing.run_id, executor=self._engine.executor)
            run = self._runs.accept(process, new, MutationRequest(schedule.owner_id))
        except PlatformError as error:
            return FiringResult(firing, schedule.process, error)
        self._engine.start(run.id)
        return FiringResult(firing, process.name)
