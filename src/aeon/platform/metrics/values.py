"""The repository of metric values: recording, aggregation and retention."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from aeon.base.clock import normalize_instant
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import Ledger
from aeon.platform.metrics import queries
from aeon.platform.metrics.aggregation import (
    MeasuredEntity,
    PartialAggregate,
    aggregate_groups,
    find_last_ids,
    is_visible,
)
from aeon.platform.metrics.definitions import MetricDefinitionRepository
from aeon.platform.metrics.model import MetricDefinition, MetricScope, MetricSummary, NewMetricValue
from aeon.platform.metrics.rules import (
    ENTITY_DIMENSION,
    MAX_INTEGER,
    USER_DIMENSION,
    check_values,
    instant_micros,
    value_columns,
)
from aeon.platform.store import GuardError, Store, UnitOfWork, guard

_BATCH = 5000
"""The number of values deleted in one transaction, so that other writers wait only briefly."""

_ENTITIES: Final[dict[MetricScope, str]] = {
    "service": queries.SERVICES,
    "tool": queries.TOOLS,
    "process": queries.PROCESSES,
}
"""Conversations do not exist yet."""


class MetricValueRepository:
    """The values of all metrics. Values never change. Threads may share it."""

    def __init__(
        self, store: Store, ledger: Ledger, definitions: MetricDefinitionRepository, new_id: Callable[[], str]
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._definitions = definitions
        self._new_id = new_id
        self._cached_definitions: dict[str, MetricDefinition] = {}

    def record(self, values: Sequence[NewMetricValue]) -> None:
        """Records a batch atomically at the present moment.

        Raises RuleError for values that do not fit, NotFoundError if a metric or an entity does not exist (platform
        18), and StoreUnavailableError; if that `may_have_happened`, a repetition may count the values twice.
        """
        if not values:
            return
        _, rows = self.build_rows(values)
        subjects = {(value.metric, value.entity) for value in values}

        def work(unit: UnitOfWork) -> None:
            guard(holds=find_existing_subjects(unit, subjects) == subjects)
            unit.write_each(queries.ADD_VALUE, rows)

        try:
            self._store.update(work)
        except GuardError:
            self._cached_definitions.clear()
            raise NotFoundError(
                "No value was recorded: a metric or a measured entity no longer exists.",
                next_step="Leave out what was deleted, and record the rest.",
            ) from None

    def build_rows(self, values: Sequence[NewMetricValue]) -> tuple[str, list[JsonObject]]:
        """Returns the present moment, and the rows of a batch recorded at it (`queries.ADD_VALUE`).

        Raises RuleError for values that do not fit.
        """
        metrics = {value.metric: metric for value in values if (metric := self._metric(value.metric))}
        check_values(values, metrics)
        at, batch = self._ledger.now(), self._new_id()
        return at, [
            _row(value, metrics[value.metric], at, f"{at}.{batch}.{place:05}") for place, value in enumerate(values)
        ]

    def summarize(
        self,
        user: str,
        metric: MetricDefinition,
        *,
        entity: str | None = None,
        since: str | None = None,
        until: str | None = None,
        by: str | None = None,
    ) -> MetricSummary:
        """Returns the aggregated values of one or of all visible entities, possibly grouped.

        `since` and `until` are ISO 8601 instants, `until` is excluded; `by` is a dimension, or `entityId`. Raises
        NotFoundError for an entity that the user may not see and has no values on, RuleError for an invalid instant.
        """
        start, end = _instant("since", since), _instant("until", until)
        sums = self._sums(metric, entity, start, end, by)
        ids = {each.entity for each in sums}.union([entity] if entity else [])
        entities = self._entities(user, metric.scope, ids)
        visible = [each for each in sums if is_visible(each, user, entities)]
        if entity and not visible and entity not in entities:
            raise NotFoundError(f"There is no {metric.scope} with the id {entity!r} that you may see.")
        last = self._last_values(metric, visible, by)
        return MetricSummary(metric, by, start, end, aggregate_groups(metric, visible, by, last, entities))

    def prune(self, now: str) -> int:
        """Deletes values beyond their metric's retention; returns their number (platform 18)."""
        return sum(self._prune_metric(metric, now) for metric in self._definitions.list_all() if metric.retention_days)

    def _metric(self, id_: str) -> MetricDefinition | None:
        """Returns the definition from a cache: the fields used here never change."""
        if id_ not in self._cached_definitions:
            try:
                self._cached_definitions[id_] = self._definitions.get(id_)
            except NotFoundError:
                return None
        return self._cached_definitions[id_]

    def _sums(
        self, metric: MetricDefinition, entity: str | None, since: str | None, until: str | None, by: str | None
    ) -> list[PartialAggregate]:
        needs_dimensions = by not in (None, ENTITY_DIMENSION, USER_DIMENSION)
        if entity:
            query = queries.SUMS_OF_ENTITY_BY_DIMENSIONS if needs_dimensions else queries.SUMS_OF_ENTITY
        else:
            query = queries.SUMS_BY_DIMENSIONS if needs_dimensions else queries.SUMS
        params: JsonObject = {
            "metric": metric.id,
            "entity": entity,
            "since_micros": instant_micros(since) if since else -MAX_INTEGER,
            "until": instant_micros(until) if until else MAX_INTEGER,
        }
        return [PartialAggregate.from_row(row) for row in self._store.read(query, params)]

    def _entities(self, user: str, scope: MetricScope, ids: set[str]) -> dict[str, MeasuredEntity]:
        if scope not in _ENTITIES:
            return {}
        rows = self._store.read(_ENTITIES[scope], {"user": user, "ids": list[Json](sorted(ids))})
        return {row["id"]: MeasuredEntity(row["name"], row["owner_id"]) for row in rows}

    def _last_values(self, metric: MetricDefinition, parts: list[PartialAggregate], by: str | None) -> dict[str, Json]:
        if metric.aggregation != "last" or not parts:
            return {}
        ids = list[Json](sorted(find_last_ids(parts, by).values()))
        rows = self._store.read(queries.VALUES, {"ids": ids})
        return {row["id"]: row["instant"] if row["number"] is None else row["number"] for row in rows}

    def _prune_metric(self, metric: MetricDefinition, now: str) -> int:
        before = datetime.fromisoformat(now) - timedelta(days=metric.retention_days or 0)
        params: JsonObject = {"metric": metric.id, "until": instant_micros(before.isoformat()), "limit": _BATCH}
        total = 0
        while True:
            deleted = self._store.update(lambda unit: unit.write(queries.PRUNE, params))
            total += deleted
            if deleted < _BATCH:
                return total


def find_existing_subjects(unit: UnitOfWork, subjects: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Returns the existing pairs of metric id and entity id.

    The entity must exist in the metric's scope.
    """
    metrics = list[Json](sorted({metric for metric, _ in subjects}))
    entities = list[Json](sorted({entity for _, entity in subjects}))
    scopes = {row["id"]: row["scope"] for row in unit.read(queries.SCOPES, {"metrics": metrics})}
    existing = {(row["scope"], row["id"]) for row in unit.read(queries.ENTITIES, {"entities": entities})}
    return {(metric, entity) for metric, entity in subjects if (scopes.get(metric), entity) in existing}


def _row(value: NewMetricValue, metric: MetricDefinition, at: str, id_: str) -> JsonObject:
    return {
        "id": id_,
        "metric_id": metric.id,
        "entity_id": value.entity,
        "at": at,
        "micros": instant_micros(at),
        **value_columns(value.value, metric.data_type),
        "dimensions": canonical_json(value.dimensions),
        "user_id": value.dimensions.get(USER_DIMENSION),
    }


def _instant(field: str, text: str | None) -> str | None:
    if text is None:
        return None
    instant = normalize_instant(text)
    if instant is None:
        raise RuleError(f"The {field} is not an ISO 8601 instant with an offset.", rule="instant", field=f"$.{field}")
    return instant
