"""Models of metric definitions, values and summaries."""

from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import Field

from aeon.base.json import Json, JsonObject
from aeon.platform.records import Description, Record

MetricScope: TypeAlias = Literal["service", "tool", "process", "conversation"]
MetricAggregation: TypeAlias = Literal["sum", "avg", "min", "max", "count", "last"]
MetricDataType: TypeAlias = Literal["integer", "float", "boolean", "timestamp"]

MetricName = Annotated[
    str, Field(min_length=1, max_length=100, pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*(\.[a-z][a-z0-9]*(_[a-z0-9]+)*)*$")
]
"""Lowercase letters and digits, words joined by `_`, parts by `.`: `tool.duration_ms`. Unique within its scope."""

RetentionDays = Annotated[int, Field(ge=1, le=36_500)]


class MetricDefinition(Record):
    """A metric.

    Its scope and data type never change (platform 18); `version` counts its changes.
    """

    kind: ClassVar[str] = "metric"

    id: str
    name: MetricName
    description: Description = ""
    scope: MetricScope
    aggregation: MetricAggregation
    data_type: MetricDataType
    retention_days: int | None = None
    version: int = 1
    created_at: str
    updated_at: str


class NewMetric(Record):
    """A metric to define. Without `retentionDays`, its values are kept forever."""

    name: MetricName
    description: Description = ""
    scope: MetricScope
    aggregation: MetricAggregation
    data_type: MetricDataType
    retention_days: RetentionDays | None = None


class MetricChange(Record):
    """A change of a metric; omitted fields stay, and `retentionDays: null` keeps values forever."""

    name: MetricName | None = None
    description: Description | None = None
    aggregation: MetricAggregation | None = None
    retention_days: RetentionDays | None = None

    def requested_fields(self) -> JsonObject:
        """Returns the fields that were set, as JSON data."""
        fields = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return {name: value for name, value in fields.items() if value is not None or name == "retentionDays"}


class NewMetricValue(NamedTuple):
    """A measurement to record.

    `metric` and `entity` are ids; the id of a built-in metric is its name. `dimensions` contain ids and plain words,
    never text from people or models: every user who sees the entity may see them. The dimension `userId` is the user
    who caused the value.
    """

    metric: str
    entity: str
    value: Json
    dimensions: dict[str, str]


class MetricGroup(NamedTuple):
    """The aggregated value of one group, and its number of values.

    `value` is None if it is undefined. `label` is the group's value of the dimension; None for values without it, and
    for a single group of all values. `name` is the entity's name if `label` is the id of a visible entity.
    """

    label: str | None
    value: Json
    values: int
    name: str | None = None


class MetricSummary(NamedTuple):
    """A metric's aggregated values in a time window (`until` is excluded), possibly grouped."""

    metric: MetricDefinition
    by: str | None
    since: str | None
    until: str | None
    groups: list[MetricGroup]

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "metric": self.metric.name,
            "scope": self.metric.scope,
            "aggregation": self.metric.aggregation,
            "dataType": self.metric.data_type,
            "by": self.by,
            "since": self.since,
            "until": self.until,
            "groups": [group._asdict() for group in self.groups],
        }


def prometheus_name(scope: MetricScope, name: str) -> str:
    """Returns the unique name in an exposition: `tool.calls` of a tool is `aeon_tool_calls`."""
    rest = name.removeprefix(f"{scope}.").replace(".", "_")
    return f"aeon_{scope}_{rest}"
