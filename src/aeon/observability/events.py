"""The event vocabulary of a run. The log records it, the live display draws it, `--json` prints it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import ClassVar, TypeAlias

from aeon.base.json import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run. `kind` names it for machines."""

    kind: ClassVar[str] = "event"

    def as_dict(self) -> JsonObject:
        """The event as JSON, its kind first."""
        return {"event": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class PlanningStarted(Event):
    kind: ClassVar[str] = "planning_started"
    request: str


@dataclass(frozen=True, slots=True)
class TextMade(Event):
    """A piece of model output, as it is made. `purpose` is "plan", "call" or "answer"."""

    kind: ClassVar[str] = "text_made"
    purpose: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanReady(Event):
    kind: ClassVar[str] = "plan_ready"
    plan: JsonObject
    by_hand: bool


@dataclass(frozen=True, slots=True)
class StepStarted(Event):
    kind: ClassVar[str] = "step_started"
    step: JsonObject
    position: int
    ttl_remaining: int


@dataclass(frozen=True, slots=True)
class ToolInvoked(Event):
    kind: ClassVar[str] = "tool_invoked"
    step_id: str
    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Repaired(Event):
    """A repair was tried: `action` is a SupervisorAction, `step_id` None for the plan itself."""

    kind: ClassVar[str] = "repaired"
    step_id: str | None
    action: JsonObject


@dataclass(frozen=True, slots=True)
class Warned(Event):
    """Something the user should know that ends nothing."""

    kind: ClassVar[str] = "warning"
    step_id: str | None
    message: str


@dataclass(frozen=True, slots=True)
class StepEnded(Event):
    """A step is complete or failed. `result` or `error` says how; `marks` name what was unusual about it."""

    kind: ClassVar[str] = "step_ended"
    step: JsonObject
    position: int
    mode: str
    result: Json = None
    error: str | None = None
    marks: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class RunEnded(Event):
    kind: ClassVar[str] = "run_ended"
    status: str
    answer: str | None
    error: JsonObject | None
    log: str | None


Observer: TypeAlias = Callable[[Event], None]
"""Receives every event of a run, in order, in the thread that runs it."""
