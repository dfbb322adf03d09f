"""Applies documents of the kind Alert."""

from collections.abc import Sequence
from typing import cast

from aeon.platform.alerts.model import AlertChange, NewAlert
from aeon.platform.alerts.repository import AlertRepository
from aeon.platform.catalog.apply import TO_COME, DocumentProblem, PlannedRecords, changeable_fields
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.catalog.service import Catalog
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.processes.trigger_documents import TriggerDocuments
from aeon.platform.records import Record


class AlertDocuments(TriggerDocuments):
    """The alerts in one user's file. `entity` is the name of the Process, tool or service that one watches."""

    change: type[Record] = AlertChange
    changeable: tuple[str, ...] = changeable_fields(AlertChange)

    def __init__(self, alerts: AlertRepository, catalog: Catalog, processes: ProcessRepository, user: str) -> None:
        super().__init__(processes, user)
        self.repository = alerts
        self._new = 0
        self._watched = {
            "process": ("Process", processes),
            "tool": ("Tool", catalog.tools),
            "service": ("Service", catalog.services),
        }

    def parse(self, document: CatalogDocument, planned: PlannedRecords) -> NewAlert:
        """Return the alert to create or compare with. Raises RuleError, NotFoundError."""
        new = NewAlert.parsed(self._named(document, planned))
        scope = self.repository.reader.find(new.metric, new.scope, new.aggregation).scope
        entity = new.entity and self._entity_id(new.entity, scope, planned)
        return new.model_copy(update={"scope": scope, "entity": entity})

    def check(self, document: CatalogDocument, new: Record) -> Sequence[DocumentProblem]:
        """Raise RuleError with every problem of the inputs, for a metric without numbers and for one alert too many."""
        alert = cast(NewAlert, new)
        if self.repository.find_own(self._user, document.name) is None:
            self._new += 1
            self.repository.require_room(self._user, self._new)
        self.repository.check_new(alert, self._definitions[document.name], self._user, reads=alert.entity != TO_COME)
        return ()

    def _entity_id(self, name: str, scope: str, planned: PlannedRecords) -> str:
        if scope not in self._watched:
            return name
        kind, repository = self._watched[scope]
        found = self._find(repository, name, "entity", is_planned=(kind, name) in planned)
        return TO_COME if found is None else found.id
