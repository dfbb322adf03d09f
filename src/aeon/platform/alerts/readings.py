"""Reads the present value of the metric that an alert watches."""

import math
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from aeon.base.json import Json
from aeon.platform.alerts import queries
from aeon.platform.alerts.model import Alert
from aeon.platform.errors import RuleError
from aeon.platform.metrics.model import MetricAggregation, MetricDefinition, MetricScope
from aeon.platform.metrics.rules import check_aggregation
from aeon.platform.metrics.service import Metrics
from aeon.platform.store import Store

COMPUTED_METRICS: Final[Mapping[str, str]] = {
    "process.open_runs": "Runs that have not ended.",
    "process.oldest_open_seconds": "Age of the oldest run that has not ended, in seconds; 0 without one.",
    "process.failure_rate": "Failed runs in the window as a part of those that ended, from 0 to 1.",
}
"""What alerts can watch besides stored metrics: computed at each evaluation, of the owner's runs or visible values."""

_NUMERIC: Final = frozenset({"integer", "float"})


class WatchedMetric(NamedTuple):
    """A metric that an alert can watch."""

    name: str
    scope: MetricScope
    is_computed: bool = False


class MetricReader:
    """Reads values of metrics as a user may see them. Threads may share it."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics

    def find(self, name: str, scope: MetricScope | None, aggregation: MetricAggregation | None) -> WatchedMetric:
        """Return the metric of that name. Raises NotFoundError, and RuleError for what gives no number."""
        if name in COMPUTED_METRICS:
            if aggregation is not None:
                raise RuleError(
                    f"The metric {name!r} is computed from the runs: it has no aggregation.",
                    rule="aggregation_fits",
                    field="$.aggregation",
                    next_step="Leave the aggregation out.",
                )
            return WatchedMetric(name, "process", is_computed=True)
        metric = self._definition(name, scope, aggregation)
        return WatchedMetric(metric.name, metric.scope)

    def read(self, alert: Alert, now: str) -> float | None:
        """Return the value that the alert watches now (ISO 8601); None without values to aggregate.

        Raises NotFoundError for a metric or an entity that is gone, and RuleError for a value that is not a number.
        """
        computed = self._computed.get(alert.metric)
        value = self._stored(alert, alert.metric, now) if computed is None else computed(alert, now)
        if value is None:
            return None
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise RuleError(
                f"The value of the metric {alert.metric!r} is not a finite number.",
                rule="finite",
                next_step="Choose another aggregation or a shorter window.",
            )
        return float(value)

    @property
    def _computed(self) -> dict[str, Callable[[Alert, str], Json]]:
        return {
            "process.open_runs": self._open_runs,
            "process.oldest_open_seconds": self._oldest_open_seconds,
            "process.failure_rate": self._failure_rate,
        }

    def _definition(
        self, name: str, scope: MetricScope | None, aggregation: MetricAggregation | None
    ) -> MetricDefinition:
        metric = self._metrics.definitions.find(name, scope)
        if aggregation is not None:
            check_aggregation(aggregation, metric.data_type)
            metric = metric.model_copy(update={"aggregation": aggregation})
        if metric.data_type not in _NUMERIC and metric.aggregation != "count":
            raise RuleError(
                f"The metric {name!r} has no numbers to compare: its values are of type {metric.data_type}.",
                rule="aggregation_fits",
                field="$.aggregation",
                next_step="Choose the aggregation count, or another metric.",
            )
        return metric

    def _stored(self, alert: Alert, name: str, now: str) -> Json:
        metric = self._definition(name, alert.scope, alert.aggregation)
        since = datetime.fromisoformat(now) - timedelta(seconds=alert.window_seconds)
        summary = self._metrics.values.summarize(
            alert.owner_id, metric, entity=alert.entity, since=since.isoformat(timespec="microseconds")
        )
        return summary.groups[0].value if summary.groups else None

    def _failure_rate(self, alert: Alert, now: str) -> Json:
        ended, failed = self._stored(alert, "process.runs", now), self._stored(alert, "process.failures", now)
        return (failed or 0) / ended if ended else None

    def _open_runs(self, alert: Alert, _now: str) -> Json:
        return self._open(alert)["number"]

    def _oldest_open_seconds(self, alert: Alert, now: str) -> Json:
        oldest = self._open(alert)["oldest"]
        if oldest is None:
            return 0.0
        age = datetime.fromisoformat(now) - datetime.fromisoformat(oldest)
        return max(0.0, age.total_seconds())

    def _open(self, alert: Alert) -> dict[str, Json]:
        (row,) = self._store.read(queries.OPEN_RUNS, {"user": alert.owner_id, "process": alert.entity})
        return row
