"""What a metric is, what one measurement is, and what many come to."""

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
"""Small letters and digits, words joined by `_`, parts by `.`: `tool.duration_ms`. Unique within its scope."""

RetentionDays = Annotated[int, Field(ge=1, le=36_500)]


class MetricDefinition(Record):
    """A metric. Its scope and the type of its values never change (platform 18); `version` counts its changes."""

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
    """A metric to define. Without `retentionDays` its values are kept for ever."""

    name: MetricName
    description: Description = ""
    scope: MetricScope
    aggregation: MetricAggregation
    data_type: MetricDataType
    retention_days: RetentionDays | None = None


class MetricChange(Record):
    """What may change of a metric; what is left out stays, and `retentionDays: null` keeps values for ever."""

    name: MetricName | None = None
    description: Description | None = None
    aggregation: MetricAggregation | None = None
    retention_days: RetentionDays | None = None

    def requested_fields(self) -> JsonObject:
        """What was said, as JSON data."""
        said = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return {name: value for name, value in said.items() if value is not None or name == "retentionDays"}


class NewMetricValue(NamedTuple):
    """A measurement to record: `metric` and `entity` are ids, and a metric that Aeon ships has its name for one.

    `dimensions` hold ids and plain words, never anything that people or models wrote: whoever sees the entity may see
    them. `userId` among them says whose doing it was.
    """

    metric: str
    entity: str
    value: Json
    dimensions: dict[str, str]


class MetricGroup(NamedTuple):
    """What the values of one group come to, and how many they are. `value` is None where there is nothing to say.

    `label` is the group's value of the dimension, None for values without it, and for all of them where nothing
    divides them. `name` is what the entity is called where `label` is an entity's id that is to be seen.
    """

    label: str | None
    value: Json
    values: int
    name: str | None = None


class MetricSummary(NamedTuple):
    """A metric's values from `since` until before `until`, together or by a dimension, as its aggregation says."""

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
    """The name in an exposition, which is unique: `tool.calls` of a tool is `aeon_tool_calls`."""
    rest = name.removeprefix(f"{scope}.").replace(".", "_")
    return f"aeon_{scope}_{rest}"
