"""`MetricsService`: metrics and their values, and the definitions that an administrator changes."""

from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from aeon.application.argument_types import read_record
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.model import MetricChange, MetricDefinition, MetricScope, MetricSummary, NewMetric
from aeon.platform.metrics.prometheus import format_exposition
from aeon.platform.metrics.rules import ENTITY_DIMENSION
from aeon.platform.metrics.service import Metrics

__all__ = ["ENTITY_DIMENSION", "MetricPoint", "MetricsService", "format_exposition"]

_ADMIN = "me"
"""The administrator of a project's local record: the user of the machine."""


class MetricPoint(NamedTuple):
    """The aggregate of a metric's values in one part of a window, and their number. `since` is its beginning."""

    since: str
    value: Json
    values: int


class MetricsService:
    """What is measured of the things that a user sees."""

    def __init__(self, metrics: Metrics, user: str) -> None:
        self._metrics = metrics
        self._user = user

    def list_all(self) -> list[MetricDefinition]:
        """The definitions of all metrics."""
        return self._metrics.definitions.list_all()

    def summarize(
        self,
        name: str,
        scope: MetricScope | None = None,
        *,
        entity: str | None = None,
        since: str | None = None,
        by: str | None = None,
    ) -> MetricSummary:
        """The aggregate of a metric's values, of one entity's id or of all that the user sees.

        `since` is an ISO 8601 instant; `by` divides it by a dimension, or by `entityId`. Raises NotFoundError,
        RuleError.
        """
        metric = self._metrics.definitions.find(name, scope)
        return self._metrics.values.summarize(self._user, metric, entity=entity, since=since, by=by)

    def series(
        self,
        name: str,
        scope: MetricScope | None = None,
        *,
        since: datetime,
        until: datetime,
        points: int,
        entity: str | None = None,
    ) -> list[MetricPoint]:
        """The course of a metric: aggregates of `points` equal parts of a window, oldest first; raises as above."""
        metric = self._metrics.definitions.find(name, scope)
        edges = [(since + (until - since) * place / points).isoformat() for place in range(points + 1)]
        found: list[MetricPoint] = []
        for start, end in pairwise(edges):
            part = self._metrics.values.summarize(self._user, metric, entity=entity, since=start, until=end)
            value = part.groups[0] if part.groups else None
            found.append(MetricPoint(start, value and value.value, value.values if value else 0))
        return found

    def find(self, name: str, scope: MetricScope | None = None) -> MetricDefinition:
        """The metric of that name. Raises NotFoundError, and RuleError if only the scope can decide."""
        return self._metrics.definitions.find(name, scope)

    def define(
        self, new: NewMetric | JsonObject, *, key: str | None = None, expected_version: int | None = None
    ) -> tuple[MetricDefinition, bool]:
        """Define a metric, or change the metric of that name and scope; also returns whether it is new.

        Raises ForbiddenError, RuleError for an invalid value or another data type, and VersionError if an existing one
        has another version than `expected_version`.
        """
        wanted = read_record(new, NewMetric, "new")
        definitions, request = self._metrics.definitions, MutationRequest(self._user, key, expected_version)
        same = [each for each in definitions.list_all() if (each.scope, each.name) == (wanted.scope, wanted.name)]
        if not same:
            return definitions.add(wanted, request, is_admin=self._is_admin), True
        change = _change(same[0], wanted)
        return definitions.change(same[0].id, change, request, is_admin=self._is_admin), False

    def remove(
        self,
        name: str,
        scope: MetricScope | None = None,
        *,
        with_values: bool = False,
        key: str | None = None,
        expected_version: int | None = None,
    ) -> MetricDefinition:
        """Delete a metric, and its values if `with_values`; returns what was deleted.

        Raises NotFoundError, ForbiddenError, RuleError, ReferencedError if it has values, and VersionError.
        """
        metric = self.find(name, scope)
        request = MutationRequest(self._user, key, expected_version)
        self._metrics.definitions.remove(metric.id, request, is_admin=self._is_admin, cascade=with_values)
        return metric

    @property
    def _is_admin(self) -> bool:
        return self._user == _ADMIN


def _change(before: MetricDefinition, wanted: NewMetric) -> MetricChange:
    if wanted.data_type != before.data_type:
        raise RuleError(
            f"The metric {before.name!r} has values of type {before.data_type}; a type never changes.",
            rule="immutable",
            field="$.dataType",
            next_step="Define a metric with another name.",
        )
    return MetricChange(
        description=wanted.description, aggregation=wanted.aggregation, retention_days=wanted.retention_days
    )
