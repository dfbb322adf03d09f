"""Rules for metrics and their values, each with a name (platform 18). Pure."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from aeon.base.clock import normalize_instant
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import ForbiddenError, RuleError
from aeon.platform.metrics.model import MetricAggregation, MetricDataType, MetricDefinition, NewMetricValue

ENTITY_DIMENSION = "entityId"
"""Groups values by their entity; no dimension may have this name."""

USER_DIMENSION = "userId"
"""The dimension for the user who caused the value."""

MAX_INTEGER = 2**53
"""Many JSON readers, and stores that sum in floats, cannot represent larger integers."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_VALUES = 10_000
_MAX_DIMENSIONS = 10
_MAX_CHARACTERS = 200
_MAX_SHOWN = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")

_AGGREGATIONS: dict[MetricDataType, frozenset[MetricAggregation]] = {
    "integer": frozenset({"sum", "avg", "min", "max", "count", "last"}),
    "float": frozenset({"sum", "avg", "min", "max", "count", "last"}),
    "timestamp": frozenset({"min", "max", "count", "last"}),
    "boolean": frozenset({"count", "last"}),
}


def check_admin(*, is_admin: bool) -> None:
    """Raises ForbiddenError for other users: metrics are the same for all users."""
    if not is_admin:
        raise ForbiddenError(
            "Only an administrator may define, change and delete metrics.", next_step="Ask an administrator."
        )


def check_aggregation(aggregation: MetricAggregation, data_type: MetricDataType) -> None:
    """Raises RuleError for an aggregation that does not fit the data type."""
    if aggregation not in _AGGREGATIONS[data_type]:
        raise RuleError(
            f"The aggregation {aggregation} does not fit values of type {data_type}.",
            rule="aggregation_fits",
            field="$.aggregation",
            next_step=f"Choose one of {', '.join(sorted(_AGGREGATIONS[data_type]))}.",
        )


def check_values(values: Sequence[NewMetricValue], metrics: dict[str, MetricDefinition]) -> None:
    """Raises RuleError with every problem and its place, without repeating values or dimensions."""
    if len(values) > _MAX_VALUES:
        raise RuleError(
            f"{len(values):,} values are too many for one batch of {_MAX_VALUES:,}.",
            rule="batch_size",
            next_step="Record them in several batches.",
        )
    problems = [problem for place, value in enumerate(values) for problem in _problems(place, value, metrics)]
    if problems:
        more = f"; and {len(problems) - _MAX_SHOWN} more" if len(problems) > _MAX_SHOWN else ""
        raise RuleError(
            f"No value was recorded: {'; '.join(problems[:_MAX_SHOWN])}{more}.",
            rule="metric_value",
            field=problems[0].partition(":")[0],
            next_step="Correct them and record them again.",
        )


def instant_micros(instant: str) -> int:
    """Returns a normalized instant in microseconds since 1970."""
    return (datetime.fromisoformat(instant) - _EPOCH) // timedelta(microseconds=1)


def value_columns(value: Json, data_type: MetricDataType) -> JsonObject:
    """Returns the columns of a checked value: an instant, or a number (0 or 1 for booleans)."""
    if data_type == "timestamp":
        return {"number": None, "instant": normalize_instant(value)}
    return {"number": float(value), "instant": None}


def _problems(place: int, value: NewMetricValue, metrics: dict[str, MetricDefinition]) -> Iterator[str]:
    metric = metrics.get(value.metric)
    if metric is None:
        yield f"$[{place}].metric: there is no metric with the id {value.metric[:_MAX_CHARACTERS]!r}"
    elif not _TYPES[metric.data_type](value.value):
        hint = _HINTS[metric.data_type]
        yield f"$[{place}].value: it is not of type {metric.data_type}{hint}, as {metric.name} needs"
    if len(value.dimensions) > _MAX_DIMENSIONS:
        yield f"$[{place}].dimensions: {len(value.dimensions)} are too many; at most {_MAX_DIMENSIONS} are allowed"
    for name, dimension in value.dimensions.items():
        if not _NAME.fullmatch(name) or name == ENTITY_DIMENSION:
            rule = f"letters, digits and _, not {ENTITY_DIMENSION}"
            yield f"$[{place}].dimensions: one has an invalid name; use {rule}"
        elif not _is_plain(dimension):
            yield f"$[{place}].dimensions.{name}: it must be a string of 1 to {_MAX_CHARACTERS} characters in one line"


def _is_plain(value: Json) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MAX_CHARACTERS and not _CONTROL_CHARACTER.search(value)


def _is_integer(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_INTEGER


def _is_float(value: Json) -> bool:
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


def _is_boolean(value: Json) -> bool:
    return isinstance(value, bool)


def _is_timestamp(value: Json) -> bool:
    return isinstance(value, str) and normalize_instant(value) is not None


_TYPES: dict[MetricDataType, Callable[[Json], bool]] = {
    "integer": _is_integer,
    "float": _is_float,
    "boolean": _is_boolean,
    "timestamp": _is_timestamp,
}
_HINTS: dict[MetricDataType, str] = {
    "integer": " (absolute value at most 2^53)",
    "float": " (finite)",
    "boolean": "",
    "timestamp": " (ISO 8601 with an offset)",
}
