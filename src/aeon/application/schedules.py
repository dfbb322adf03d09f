"""`ScheduleService`: when one user's Processes start by themselves."""

from datetime import datetime

from aeon.application.argument_types import read_fields
from aeon.application.entities import EntityService
from aeon.base.json import JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.errors import NotFoundError
from aeon.platform.schedules.model import NewSchedule, ProcessSchedule, ScheduleChange
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.schedules.timing import next_after


class ScheduleService(EntityService[ProcessSchedule, NewSchedule, ScheduleChange]):
    """The schedules of a user. A worker starts them."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        repository = ScheduleRepository(platform.store, platform.catalog, platform.processes)
        super().__init__(repository, user, NewSchedule, ScheduleChange)
        self._processes = platform.processes
        self._ledger = platform.catalog.ledger

    def add(self, new: NewSchedule | JsonObject, *, key: str | None = None) -> ProcessSchedule:
        """Add a schedule of a Process that the user sees; its `process` is a name or an id.

        The same `key` again returns the same schedule. Raises NotFoundError, and RuleError with every problem.
        """
        fields = read_fields(new, "new")
        if isinstance(name := fields.get("process"), str):
            fields["process"] = self._processes.find(self._user, name).id
        return super().add(fields, key=key)

    def enable(
        self, name: str, *, is_enabled: bool, key: str | None = None, expected_version: int | None = None
    ) -> ProcessSchedule:
        """Resume a schedule, or pause it. Starts that are missed while it is paused are not caught up."""
        return self.change(name, ScheduleChange(enabled=is_enabled), key=key, expected_version=expected_version)

    def next_start(self, schedule: ProcessSchedule) -> datetime | None:
        """When a schedule starts its Process next; None if it is paused or has ended."""
        if not schedule.enabled:
            return None
        now = datetime.fromisoformat(self._ledger.now())
        return next_after(schedule, max(now, datetime.fromisoformat(schedule.since)))

    def process_name(self, schedule: ProcessSchedule) -> str | None:
        """The name of the Process that it starts; None if that is not shared any more."""
        try:
            return self._processes.get(schedule.owner_id, schedule.process).name
        except NotFoundError:
            return None
