"""Documents of triggers: a schedule, a webhook, an alert. Each names the Process that it starts."""

from collections.abc import Sequence
from typing import Any

from aeon.base.json import JsonObject
from aeon.platform.catalog.apply import TO_COME, PlannedRecords
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.catalog.model import OwnedEntity
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, ProcessDefinition
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.records import Record


class TriggerDocuments:
    """What the kinds have in common, for one user and one file (see `DocumentKind`)."""

    change: type[Record]
    changeable: tuple[str, ...]
    repository: Any

    def __init__(self, processes: ProcessRepository, user: str) -> None:
        self._processes = processes
        self._user = user
        self._definitions: dict[str, ProcessDefinition] = {}

    def sort(self, documents: Sequence[CatalogDocument]) -> list[CatalogDocument]:
        """Return the documents as they are: none refers to another."""
        return list(documents)

    def create(self, document: CatalogDocument, new: Record, request: MutationRequest) -> None:  # noqa: ARG002  # the protocol's
        """Save it."""
        self.repository.add(new, request)

    def details(self, found: OwnedEntity, new: Record) -> tuple[str, ...]:  # noqa: ARG002  # the protocol's
        """Return nothing: the names of the fields that differ say enough."""
        return ()

    def _named(self, document: CatalogDocument, planned: PlannedRecords) -> JsonObject:
        """Return the fields with the id of the Process, whose definition is as the file will make it.

        Raises RuleError (`reference`).
        """
        name = document.fields.get("process")
        if not isinstance(name, str):
            return document.fields
        process = self._find(self._processes, name, "process", is_planned=("Process", name) in planned)
        new = planned.get(("Process", name))
        if isinstance(new, NewProcess) and (process is None or process.owner_id == self._user):
            self._definitions[document.name] = new.definition
        elif process is not None:
            self._definitions[document.name] = process.definition
        return document.fields | {"process": TO_COME if process is None else process.id}

    def _find(self, repository: Any, name: str, field: str, *, is_planned: bool) -> Any:
        """Return what a field names; None if the file will create it. Raises RuleError (`reference`)."""
        try:
            return repository.find(self._user, name)
        except NotFoundError as error:
            if is_planned:
                return None
            message = f"{error.message.rstrip('.')}, and the file creates none before this."
            raise RuleError(message, rule="reference", field=f"$.{field}", next_step=error.next_step) from None
