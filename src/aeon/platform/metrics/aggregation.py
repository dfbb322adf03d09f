"""Aggregates metric values from partial sums that the store computes. Pure."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from aeon.base.json import Json, parse_strict
from aeon.platform.metrics.model import MetricAggregation, MetricDataType, MetricDefinition, MetricGroup
from aeon.platform.metrics.rules import ENTITY_DIMENSION, USER_DIMENSION
from aeon.platform.store import Row


class MeasuredEntity(NamedTuple):
    """The entity that values belong to, as the requesting user sees it."""

    name: str | None
    owner_id: str


class PartialAggregate(NamedTuple):
    """The aggregate of some values of one entity and user.

    `last_id` is the id of the latest value.
    """

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
        """Returns the aggregate of a result row."""
        dimensions: dict[str, str] = parse_strict(row["dimensions"]) if row["dimensions"] else {}
        least = row["min_instant"] if row["min_number"] is None else row["min_number"]
        most = row["max_instant"] if row["max_number"] is None else row["max_number"]
        return cls(row["entity_id"], row["user_id"], dimensions, row["count"], row["sum"], least, most, row["last_id"])

    def group_label(self, by: str) -> str | None:
        """Returns its value of the dimension that groups are formed by."""
        if by == ENTITY_DIMENSION:
            return self.entity
        return self.user if by == USER_DIMENSION else self.dimensions.get(by)


def is_visible(sums: PartialAggregate, user: str, entities: Mapping[str, MeasuredEntity]) -> bool:
    """Returns whether a user may see values (platform 2).

    Users always see the values of their own calls. Only a thing's owner, whose audit log records other users' calls
    anyway, also sees those. On another user's shared thing, a user sees only values without a user, such as failures
    of the thing itself.
    """
    if sums.user == user:
        return True
    entity = entities.get(sums.entity)
    return entity is not None and (entity.owner_id == user or sums.user is None)


def find_last_ids(parts: Iterable[PartialAggregate], by: str | None) -> dict[str | None, str]:
    """Returns the id of the latest value of each group."""
    return {label: max(each.last_id for each in members) for label, members in _group(parts, by).items() if members}


def aggregate_groups(
    metric: MetricDefinition,
    parts: Iterable[PartialAggregate],
    by: str | None,
    last_values: Mapping[str, Json],
    entities: Mapping[str, MeasuredEntity],
) -> list[MetricGroup]:
    """Returns the aggregated values by group, ordered by label; one group if `by` is None.

    `last_values` are by id; only the aggregation `last` needs them.
    """
    groups: list[MetricGroup] = []
    for label, members in _group(parts, by).items():
        value = _typed(metric, _AGGREGATIONS[metric.aggregation](members, last_values))
        name = entities[label].name if by == ENTITY_DIMENSION and label and label in entities else None
        groups.append(MetricGroup(label, value, sum(each.values for each in members), name))
    return sorted(groups, key=lambda group: (group.label is not None, group.label or ""))


def _group(parts: Iterable[PartialAggregate], by: str | None) -> dict[str | None, list[PartialAggregate]]:
    if by is None:
        return {None: list(parts)}
    groups: dict[str | None, list[PartialAggregate]] = {}
    for each in parts:
        groups.setdefault(each.group_label(by), []).append(each)
    return groups


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
    """Returns the value in the type of the metric's values.

    The record stores all numbers as floats.
    """
    if value is None or metric.aggregation == "count":
        return value
    return float(value) if metric.aggregation == "avg" else _TYPES[metric.data_type](value)
