"""The values of metrics: recorded in batches, summed up for whoever may see them, gone when their time is over."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from aeon.base.json import Json, JsonObject, canonical
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.graph import GraphStore, GuardError
from aeon.platform.ledger import Ledger
from aeon.platform.metrics import queries
from aeon.platform.metrics.definitions import Definitions
from aeon.platform.metrics.model import MetricDefinition, NewValue, Scope, Summary
from aeon.platform.metrics.rules import ENTITY, LARGEST, USER, as_instant, as_micros, check_values, stored_value
from aeon.platform.metrics.summing import Entity, Sums, groups, is_visible, last_ids

_BATCH = 20_000
"""Values deleted at once: what a deletion costs hardly hangs on how many they are."""

_ENTITIES: Final[dict[Scope, str]] = {
    "service": queries.SERVICES,
    "tool": queries.TOOLS,
    "process": queries.PROCESSES,
    "conversation": queries.CONVERSATIONS,
}


class Values:
    """The values of all metrics. Nothing changes one. Threads may share it."""

    def __init__(self, store: GraphStore, ledger: Ledger, definitions: Definitions, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._definitions = definitions
        self._new_id = new_id
        self._known: dict[str, MetricDefinition] = {}

    def record(self, values: Sequence[NewValue]) -> None:
        """Append a batch at the present moment, whole or not at all, in one query.

        Raises RuleError for values that do not fit, NotFoundError where a metric or an entity is not there (platform
        18), GraphUnavailableError: where that `may_have_happened`, doing it again may count twice.
        """
        if not values:
            return
        at, nodes = self.nodes(values)
        pairs = sorted({(value.metric, value.entity) for value in values})
        subjects: list[Json] = [{"metric": metric, "entity": entity} for metric, entity in pairs]
        rows: list[Json] = list(nodes)
        try:
            self._store.write(
                queries.RECORD, {"subjects": subjects, "expected": len(subjects), "at": at, "values": rows}
            )
        except GuardError:
            self._known.clear()
            raise NotFoundError(
                "No value was recorded: of the metrics and the things that were measured, one is not there any more.",
                next_step="Leave out what was deleted and record the rest.",
            ) from None

    def nodes(self, values: Sequence[NewValue]) -> tuple[str, list[JsonObject]]:
        """The present moment, and how a batch that is recorded at it stands in the graph. Raises RuleError."""
        metrics = {value.metric: found for value in values if (found := self._metric(value.metric))}
        check_values(values, metrics)
        at, batch = self._ledger.now(), self._new_id()
        return at, [
            _properties(value, metrics[value.metric], at, f"{at}.{batch}.{place:05}")
            for place, value in enumerate(values)
        ]

    def summary(
        self,
        user: str,
        metric: MetricDefinition,
        *,
        entity: str | None = None,
        since: str | None = None,
        until: str | None = None,
        by: str | None = None,
    ) -> Summary:
        """What a metric's values come to, of one entity or of all that the user may see, whole or divided.

        `since` and `until` are ISO 8601 instants, the second one excluded; `by` is a dimension, or `entityId`. Raises
        NotFoundError for an entity that he may not see and has nothing on, RuleError for an instant that is none.
        """
        start, end = _instant("since", since), _instant("until", until)
        found = self._sums(metric, entity, start, end, by)
        ids = {each.entity for each in found}.union([entity] if entity else [])
        entities = self._entities(user, metric.scope, ids)
        seen = [each for each in found if is_visible(each, user, entities)]
        if entity and not seen and entity not in entities:
            raise NotFoundError(f"There is no {metric.scope} with the id {entity!r} that you may see.")
        last = self._last_values(metric, seen, by)
        return Summary(metric, by, start, end, groups(metric, seen, by, last, entities))

    def prune(self, now: str) -> int:
        """Delete every value that is older than its metric keeps them; how many they were (platform 18)."""
        return sum(self._pruned(metric, now) for metric in self._definitions.all() if metric.retention_days)

    def _metric(self, id_: str) -> MetricDefinition | None:
        """The definition, remembered: what is looked at here never changes."""
        if id_ not in self._known:
            try:
                self._known[id_] = self._definitions.get(id_)
            except NotFoundError:
                return None
        return self._known[id_]

    def _sums(
        self, metric: MetricDefinition, entity: str | None, since: str | None, until: str | None, by: str | None
    ) -> list[Sums]:
        needs_dimensions = by not in (None, ENTITY, USER)
        if entity:
            query = queries.SUMS_OF_ENTITY_BY_DIMENSIONS if needs_dimensions else queries.SUMS_OF_ENTITY
        else:
            query = queries.SUMS_BY_DIMENSIONS if needs_dimensions else queries.SUMS
        asked: JsonObject = {
            "metric": metric.id,
            "entity": entity,
            "since": as_micros(since) if since else -LARGEST,
            "until": as_micros(until) if until else LARGEST,
            "isNumeric": metric.data_type in ("integer", "float"),
        }
        return [Sums.of(row) for row in self._store.read(query, asked)]

    def _entities(self, user: str, scope: Scope, ids: set[str]) -> dict[str, Entity]:
        rows = self._store.read(_ENTITIES[scope], {"user": user, "ids": list[Json](sorted(ids))})
        return {row["id"]: Entity(row["name"], row["ownerId"]) for row in rows}

    def _last_values(self, metric: MetricDefinition, parts: list[Sums], by: str | None) -> dict[str, Json]:
        if metric.aggregation != "last" or not parts:
            return {}
        ids = list[Json](sorted(last_ids(parts, by).values()))
        return {row["id"]: row["value"] for row in self._store.read(queries.VALUES, {"ids": ids})}

    def _pruned(self, metric: MetricDefinition, now: str) -> int:
        before = datetime.fromisoformat(now) - timedelta(days=metric.retention_days or 0)
        asked: JsonObject = {"metric": metric.id, "until": as_micros(before.isoformat()), "limit": _BATCH}
        gone = 0
        while True:
            (row,) = self._store.write(queries.PRUNE, asked)
            gone += row["pruned"]
            if row["pruned"] < _BATCH:
                return gone


def _properties(value: NewValue, metric: MetricDefinition, at: str, id_: str) -> JsonObject:
    return {
        "id": id_,
        "metricId": metric.id,
        "entityId": value.entity,
        "at": at,
        "micros": as_micros(at),
        "value": stored_value(value.value, metric.data_type),
        "dimensions": canonical(value.dimensions),
        "userId": value.dimensions.get(USER),
    }


def _instant(field: str, text: str | None) -> str | None:
    if text is None:
        return None
    instant = as_instant(text)
    if instant is None:
        raise RuleError(f"The {field} is no instant: ISO 8601 with its offset.", rule="instant", field=f"$.{field}")
    return instant
