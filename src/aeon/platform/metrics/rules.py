"""What must hold of metrics and their values, each rule by name (platform 18). Pure."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import ForbiddenError, RuleError
from aeon.platform.metrics.model import MetricAggregation, MetricDataType, MetricDefinition, NewMetricValue

ENTITY_DIMENSION = "entityId"
"""What divides values by the thing that they are of; no dimension has this name."""

USER_DIMENSION = "userId"
"""The dimension that says whose doing it was."""

MAX_INTEGER = 2**53
"""Integers beyond it are none to many who read JSON, and to a store that adds up in floats."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_VALUES = 10_000
_MOST_DIMENSIONS = 10
_LONGEST = 200
_SHOWN = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_FITTING: dict[MetricDataType, frozenset[MetricAggregation]] = {
    "integer": frozenset({"sum", "avg", "min", "max", "count", "last"}),
    "float": frozenset({"sum", "avg", "min", "max", "count", "last"}),
    "timestamp": frozenset({"min", "max", "count", "last"}),
    "boolean": frozenset({"count", "last"}),
}


def check_admin(*, is_admin: bool) -> None:
    """Raises ForbiddenError for anybody else: what is measured is the same for all."""
    if not is_admin:
        raise ForbiddenError("Only an administrator defines, changes and deletes metrics.", next_step="Ask one.")


def check_aggregation(aggregation: MetricAggregation, data_type: MetricDataType) -> None:
    """Raises RuleError for one that says nothing of such values: no sum of instants, no greatest boolean."""
    if aggregation not in _FITTING[data_type]:
        raise RuleError(
            f"There is no {aggregation} of values of type {data_type}.",
            rule="aggregation_fits",
            field="$.aggregation",
            next_step=f"Choose one of {', '.join(sorted(_FITTING[data_type]))}.",
        )


def check_values(values: Sequence[NewMetricValue], metrics: dict[str, MetricDefinition]) -> None:
    """Raises RuleError with everything wrong, each with its place; no value and no dimension is repeated."""
    if len(values) > _MOST_VALUES:
        raise RuleError(
            f"{len(values):,} values are too many for one batch of {_MOST_VALUES:,}.",
            rule="batch_size",
            next_step="Record them in several.",
        )
    problems = [problem for place, value in enumerate(values) for problem in _problems(place, value, metrics)]
    if problems:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise RuleError(
            f"No value was recorded: {'; '.join(problems[:_SHOWN])}{more}.",
            rule="metric_value",
            field=problems[0].partition(":")[0],
            next_step="Correct them and record them again.",
        )


def normalize_instant(text: str) -> str | None:
    """An ISO 8601 instant with its offset as Aeon writes one, so that later ones sort later; None for another text."""
    try:
        instant = datetime.fromisoformat(text)
        return instant.astimezone(UTC).isoformat(timespec="microseconds") if instant.tzinfo else None
    except (ValueError, OverflowError):
        return None


def instant_micros(instant: str) -> int:
    """An instant that `normalize_instant` wrote, in microseconds since 1970."""
    return (datetime.fromisoformat(instant) - _EPOCH) // timedelta(microseconds=1)


def value_columns(value: Json, data_type: MetricDataType) -> JsonObject:
    """A value that was checked, as its columns: an instant, or a number, which of a boolean is 0 or 1."""
    if data_type == "timestamp":
        return {"number": None, "instant": normalize_instant(value)}
    return {"number": float(value), "instant": None}


def _problems(place: int, value: NewMetricValue, metrics: dict[str, MetricDefinition]) -> Iterator[str]:
    metric = metrics.get(value.metric)
    if metric is None:
        yield f"$[{place}].metric: there is no metric with the id {value.metric[:_LONGEST]!r}"
    elif not _TYPES[metric.data_type](value.value):
        yield f"$[{place}].value: it is no {metric.data_type}, which {metric.name} takes{_HINTS[metric.data_type]}"
    if len(value.dimensions) > _MOST_DIMENSIONS:
        yield f"$[{place}].dimensions: {len(value.dimensions)} are too many; {_MOST_DIMENSIONS} are the most"
    for name, held in value.dimensions.items():
        if not _NAME.fullmatch(name) or name == ENTITY_DIMENSION:
            rule = f"letters, digits and _, not {ENTITY_DIMENSION}"
            yield f"$[{place}].dimensions: one has a name that is not possible; {rule}"
        elif not _is_plain(held):
            yield f"$[{place}].dimensions.{name}: it must be a text of 1 to {_LONGEST} characters in one line"


def _is_plain(value: Json) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and not _CONTROL.search(value)


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
    "integer": " (at most 2^53 either way)",
    "float": " (finite)",
    "boolean": "",
    "timestamp": " (ISO 8601 with its offset)",
}
