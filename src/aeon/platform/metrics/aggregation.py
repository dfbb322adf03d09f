"""What values come to, from the sums that a store made of those that agree in all that matters here. Pure."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from aeon.base.json import Json, parse_strict
from aeon.platform.metrics.model import MetricAggregation, MetricDataType, MetricDefinition, MetricGroup
from aeon.platform.metrics.rules import ENTITY_DIMENSION, USER_DIMENSION
from aeon.platform.store import Row


class MeasuredEntity(NamedTuple):
    """What values are of, as the asking user sees it."""

    name: str | None
    owner_id: str


class PartialAggregate(NamedTuple):
    """What some values of one entity and user come to. `last_id` is the latest one's."""

    entity: str
    user: str | None
    dimensions: Mapping[str, str]
    values: int
    sum: Json
    min: Json
    max: Json
    last_id: str

    @classmethod
    def from_row(cls, row: Row) -> "PartialAggregate":
        """A row of the store's answer."""
        dimensions: dict[str, str] = parse_strict(row["dimensions"]) if row["dimensions"] else {}
        least = row["min_instant"] if row["min_number"] is None else row["min_number"]
        most = row["max_instant"] if row["max_number"] is None else row["max_number"]
        return cls(row["entity_id"], row["user_id"], dimensions, row["count"], row["sum"], least, most, row["last_id"])

    def group_label(self, by: str) -> str | None:
        """Its value of what divides them."""
        if by == ENTITY_DIMENSION:
            return self.entity
        return self.user if by == USER_DIMENSION else self.dimensions.get(by)


def is_visible(sums: PartialAggregate, user: str, entities: Mapping[str, MeasuredEntity]) -> bool:
    """Whether values are for a user to see (platform 2).

    His own doing he always sees. What others do with a thing is between them and its owner, who has it in his audit
    trail anyway: on a shared thing of another he sees no more than what is nobody's doing, such as its own failures.
    """
    if sums.user == user:
        return True
    entity = entities.get(sums.entity)
    return entity is not None and (entity.owner_id == user or sums.user is None)


def find_last_ids(parts: Iterable[PartialAggregate], by: str | None) -> dict[str | None, str]:
    """The id of the latest value of each group."""
    return {label: max(each.last_id for each in those) for label, those in _divided(parts, by).items() if those}


def aggregate_groups(
    metric: MetricDefinition,
    parts: Iterable[PartialAggregate],
    by: str | None,
    last_values: Mapping[str, Json],
    entities: Mapping[str, MeasuredEntity],
) -> list[MetricGroup]:
    """What the values come to, group by group in the order of their labels; one group where nothing divides them.

    `last_values` are by id, and needed by no aggregation but `last`.
    """
    found: list[MetricGroup] = []
    for label, those in _divided(parts, by).items():
        value = _typed(metric, _AGGREGATIONS[metric.aggregation](those, last_values))
        name = entities[label].name if by == ENTITY_DIMENSION and label and label in entities else None
        found.append(MetricGroup(label, value, sum(each.values for each in those), name))
    return sorted(found, key=lambda group: (group.label is not None, group.label or ""))


def _divided(parts: Iterable[PartialAggregate], by: str | None) -> dict[str | None, list[PartialAggregate]]:
    if by is None:
        return {None: list(parts)}
    found: dict[str | None, list[PartialAggregate]] = {}
    for each in parts:
        found.setdefault(each.group_label(by), []).append(each)
    return found


def _sum(parts: list[PartialAggregate], _last: Mapping[str, Json]) -> Json:
    return sum(each.sum for each in parts)


def _avg(parts: list[PartialAggregate], _last: Mapping[str, Json]) -> Json:
    count = sum(each.values for each in parts)
    return sum(each.sum for each in parts) / count if count else None


def _min(parts: list[PartialAggregate], _last: Mapping[str, Json]) -> Json:
    return min((each.min for each in parts), default=None)


def _max(parts: list[PartialAggregate], _last: Mapping[str, Json]) -> Json:
    return max((each.max for each in parts), default=None)


def _count(parts: list[PartialAggregate], _last: Mapping[str, Json]) -> Json:
    return sum(each.values for each in parts)


def _last(parts: list[PartialAggregate], last: Mapping[str, Json]) -> Json:
    return last[max(each.last_id for each in parts)] if parts else None


_AGGREGATIONS: dict[MetricAggregation, Callable[[list[PartialAggregate], Mapping[str, Json]], Json]] = {
    "sum": _sum,
    "avg": _avg,
    "min": _min,
    "max": _max,
    "count": _count,
    "last": _last,
}


_TYPES: dict[MetricDataType, Callable[[Json], Json]] = {
    "integer": int,
    "float": float,
    "boolean": bool,
    "timestamp": str,
}


def _typed(metric: MetricDefinition, value: Json) -> Json:
    """In the type of the metric's values: the record keeps all numbers as floats."""
    if value is None or metric.aggregation == "count":
        return value
    return float(value) if metric.aggregation == "avg" else _TYPES[metric.data_type](value)
