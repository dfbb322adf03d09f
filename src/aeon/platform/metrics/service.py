"""The metrics of one record: definitions, values, and the built-in metrics."""

from collections.abc import Callable
from contextlib import suppress
from uuid import uuid4

from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.errors import RuleError
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.metrics.definitions import MetricDefinitionRepository, builtin_metrics
from aeon.platform.metrics.values import MetricValueRepository
from aeon.platform.store import Store


def _new_id() -> str:
    return str(uuid4())


class Metrics:
    """The metrics of one record. Threads may share it."""

    def __init__(self, store: Store, ledger: Ledger, *, new_id: Callable[[], str] = _new_id) -> None:
        """Adds missing built-in metrics. Raises StoreError."""
        self.definitions = MetricDefinitionRepository(store, ledger, new_id)
        self.values = MetricValueRepository(store, ledger, self.definitions, new_id)
        self._add_builtin(ledger)

    def _add_builtin(self, ledger: Ledger) -> None:
        existing = {metric.id for metric in self.definitions.list_all()}
        missing = [metric for metric in builtin_metrics() if metric.name not in existing]
        if missing:
            ledger.ensure_user(DEFAULTS_OWNER)
        for metric in missing:
            with suppress(RuleError):  # another process added it first
                self.definitions.add(metric, MutationRequest(DEFAULTS_OWNER), is_admin=True, id_=metric.name)
