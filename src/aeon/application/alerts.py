"""`AlertService`: which metrics start one user's Processes."""

from aeon.application.argument_types import read_fields
from aeon.application.entities import EntityService
from aeon.base.json import JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.alerts.model import Alert, AlertChange, NewAlert
from aeon.platform.alerts.readings import COMPUTED_METRICS
from aeon.platform.alerts.repository import AlertRepository
from aeon.platform.errors import NotFoundError
from aeon.platform.processes.model import Process

__all__ = ["COMPUTED_METRICS", "AlertService"]


class AlertService(EntityService[Alert, NewAlert, AlertChange]):
    """The alerts of a user. A worker evaluates them."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        repository = AlertRepository(platform.store, platform.catalog, platform.processes, platform.metrics)
        super().__init__(repository, user, NewAlert, AlertChange)
        self._reader = repository.reader
        self._processes = platform.processes
        self._catalog = platform.catalog

    def add(self, new: NewAlert | JsonObject, *, key: str | None = None) -> Alert:
        """Add an alert; `process`, and `entity` of the metric's scope, are names or ids.

        The same `key` again returns the same alert. Raises NotFoundError, and RuleError with every problem.
        """
        fields = read_fields(new, "new")
        if isinstance(name := fields.get("process"), str):
            fields["process"] = self._processes.find(self._user, name).id
        parsed = NewAlert.parsed(fields)
        if parsed.entity is not None:
            parsed = parsed.model_copy(update={"entity": self._entity_id(parsed, parsed.entity)})
        return super().add(parsed, key=key)

    def enable(self, name: str, *, is_enabled: bool, expected_version: int | None = None) -> Alert:
        """Evaluate an alert, from the beginning, or do not."""
        return self.change(name, AlertChange(enabled=is_enabled), expected_version=expected_version)

    def trust(self, name: str, *, expected_version: int | None = None) -> Alert:
        """Trust another user's Process as it is now: the alert starts it until its owner changes it again.

        Raises NotFoundError, and RuleError for an own Process.
        """
        alert = self.get(name)
        digest = self._processes.get(self._user, alert.process).digest
        return self.change(alert.id, AlertChange(trusted_digest=digest), expected_version=expected_version)

    def process_of(self, alert: Alert) -> Process | None:
        """The Process that it starts; None if that is not shared any more."""
        try:
            return self._processes.get(alert.owner_id, alert.process)
        except NotFoundError:
            return None

    def _entity_id(self, new: NewAlert, name: str) -> str:
        scope = self._reader.find(new.metric, new.scope, new.aggregation).scope
        if scope == "process":
            return self._processes.find(self._user, name).id
        if scope == "tool":
            return self._catalog.tools.find(self._user, name).id
        return self._catalog.services.find(self._user, name).id if scope == "service" else name
