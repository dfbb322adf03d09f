"""Alert records: which metric is watched, when it is beyond its threshold, and which Process starts then."""

import math
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias
from uuid import NAMESPACE_OID, uuid5

from pydantic import Field

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.model import EntityChange, EntityKind, OwnedEntity
from aeon.platform.metrics.model import MetricAggregation, MetricName, MetricScope
from aeon.platform.processes.model import VariableName
from aeon.platform.records import Name, Record

Comparison: TypeAlias = Literal[">", ">=", "<", "<="]
"""How the value compares with the threshold while the alert's condition holds."""

AlertState: TypeAlias = Literal["ok", "pending", "firing"]
"""`pending`: the condition holds, but not yet for `holdSeconds`."""

MAX_INTERVAL: Final = 86_400
MAX_WINDOW: Final = 31 * 86_400
"""Seconds."""

ALERT_TAG: Final = "alert"
"""The tag of a run that an alert has started: the alert's name."""

GIVEN_INPUTS: Final = ("alert", "metric", "value", "threshold", "window", "since")
"""The inputs that an alert fills in if its Process has inputs of these names."""

Threshold = Annotated[float, Field(allow_inf_nan=False)]
Window = Annotated[int, Field(ge=60, le=MAX_WINDOW)]
Hold = Annotated[int, Field(ge=0, le=MAX_WINDOW)]
Interval = Annotated[int, Field(ge=10, le=MAX_INTERVAL)]
RepeatHours = Annotated[int, Field(ge=1, le=720)]


class Alert(OwnedEntity):
    """Starts a Process for its owner when a metric crosses a threshold. A worker evaluates it.

    Its value is the `aggregation` (None: the metric's own) of the metric's values in the last `windowSeconds`, of one
    `entity` or of all that the owner may see. `trustedDigest` is the version of another user's Process that the owner
    wants to start; None for an own Process. `state` holds since `stateSince`; `lastValue` is what the last evaluation
    found. `starts` counts the runs that were to be started, and while `isStarting` the last of them is not yet
    accepted. `startedAt` is when the last run of this crossing was started, None if none was. `problem` says why the
    last evaluation found no value or started nothing.
    """

    kind: ClassVar[EntityKind] = "alert"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"inputs"})

    process: str
    inputs: JsonObject = Field(default={})
    metric: MetricName
    scope: MetricScope
    aggregation: MetricAggregation | None = None
    entity: str | None = None
    window_seconds: int
    comparison: Comparison
    threshold: float
    hold_seconds: int = 0
    interval_seconds: int = 60
    repeat_hours: int | None = None
    enabled: bool = True
    trusted_digest: str | None = None
    state: AlertState = "ok"
    state_since: str
    last_value: float | None = None
    evaluated_at: str | None = None
    starts: int = 0
    is_starting: bool = False
    started_at: str | None = None
    run: str | None = None
    problem: str | None = None

    @property
    def next_run(self) -> str:
        """The id of the run that it is to start: the same after a crash, another one for each start."""
        return str(uuid5(NAMESPACE_OID, f"{self.id} {self.starts}"))

    def run_inputs(self, names: list[str]) -> JsonObject:
        """Return the inputs of a run of a Process with inputs of these names; the alert's own `inputs` win."""
        given: dict[str, Json] = {
            "alert": self.name,
            "metric": self.metric,
            "value": _plain(self.threshold if self.last_value is None else self.last_value),
            "threshold": _plain(self.threshold),
            "window": self.window_seconds,
            "since": self.state_since,
        }
        return {name: value for name, value in given.items() if name in names} | self.inputs


class NewAlert(Record):
    """An alert to create. `process` and `entity` are ids; `scope` decides between metrics of the same name.

    It fires when its condition has held for `holdSeconds`, and starts its Process once; while it stays so, again every
    `repeatHours`. It is evaluated every `intervalSeconds`.
    """

    name: Name
    process: str
    inputs: dict[VariableName, Any] = Field(default={})
    metric: MetricName
    scope: MetricScope | None = None
    aggregation: MetricAggregation | None = None
    entity: str | None = Field(default=None, description="the id of one Process, tool or service")
    window_seconds: Window = 300
    comparison: Comparison
    threshold: Threshold
    hold_seconds: Hold = 0
    interval_seconds: Interval = 60
    repeat_hours: RepeatHours | None = None
    enabled: bool = True


class AlertChange(EntityChange):
    """A change of an alert; omitted fields stay. What it watches and its Process cannot change.

    `trustedDigest` is the current digest of another user's Process, which the owner has looked at.
    """

    clearable_fields: ClassVar[frozenset[str]] = frozenset({"repeatHours"})

    name: Name | None = None
    inputs: dict[VariableName, Any] | None = None
    window_seconds: Window | None = None
    comparison: Comparison | None = None
    threshold: Threshold | None = None
    hold_seconds: Hold | None = None
    interval_seconds: Interval | None = None
    repeat_hours: RepeatHours | None = None
    enabled: bool | None = None
    trusted_digest: str | None = None


class AlertResult(NamedTuple):
    """An alert that was to start a run of that Process: the run's id, or why there is none."""

    alert: Alert
    process: str
    run: str
    refusal: str | None = None


def _plain(number: float) -> Json:
    """Return a whole number as an integer, so that it fits inputs of either type."""
    return int(number) if math.isfinite(number) and number == int(number) else number
