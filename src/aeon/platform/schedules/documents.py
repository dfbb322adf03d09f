"""Applies documents of the kind Schedule."""

from collections.abc import Sequence
from typing import cast

from aeon.platform.catalog.apply import DocumentProblem, PlannedRecords, changeable_fields
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.processes.trigger_documents import TriggerDocuments
from aeon.platform.records import Record
from aeon.platform.schedules.model import NewSchedule, ScheduleChange
from aeon.platform.schedules.repository import ScheduleRepository


class ScheduleDocuments(TriggerDocuments):
    """The schedules in one user's file."""

    change: type[Record] = ScheduleChange
    changeable: tuple[str, ...] = changeable_fields(ScheduleChange)

    def __init__(self, schedules: ScheduleRepository, processes: ProcessRepository, user: str) -> None:
        super().__init__(processes, user)
        self.repository = schedules

    def parse(self, document: CatalogDocument, planned: PlannedRecords) -> NewSchedule:
        """Return the schedule to create or compare with. Raises RuleError, NotFoundError."""
        return NewSchedule.parsed(self._named(document, planned))

    def check(self, document: CatalogDocument, new: Record) -> Sequence[DocumentProblem]:
        """Raise RuleError with every problem. An instant that has passed is none if the schedule has it already."""
        existing = self.repository.find_own(self._user, document.name)
        self.repository.check_new(cast(NewSchedule, new), self._definitions[document.name], existing)
        return ()
