"""The events of a run. The log records them, the live display draws them, `--json` prints them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import ClassVar, TypeAlias

from aeon.base.json import Json, JsonObject, copy_json
from aeon.base.loggers import room_logger


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run. `kind` is its stored name."""

    kind: ClassVar[str] = "event"

    def as_dict(self) -> JsonObject:
        """The event as JSON, its kind first."""
        return {"event": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class PlanningStarted(Event):
    """The planner begins; `tools` are the names of the tools that it sees."""

    kind: ClassVar[str] = "planning_started"
    request: str
    tools: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TextGenerated(Event):
    """A piece of model output, as it arrives. `purpose` is "choice" (of skills), "plan", "call" or "answer"."""

    kind: ClassVar[str] = "text_made"
    purpose: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanReady(Event):
    kind: ClassVar[str] = "plan_ready"
    plan: JsonObject
    is_supplied: bool


@dataclass(frozen=True, slots=True)
class PlanStepStarted(Event):
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
class RepairAttempted(Event):
    """A repair was attempted: `action` is a SupervisorAction, `step_id` None for the plan itself."""

    kind: ClassVar[str] = "repaired"
    step_id: str | None
    action: JsonObject


@dataclass(frozen=True, slots=True)
class WarningIssued(Event):
    """A warning for the user; the run continues."""

    kind: ClassVar[str] = "warning"
    step_id: str | None
    message: str


@dataclass(frozen=True, slots=True)
class PlanStepEnded(Event):
    """A step completed or failed, with its `result` or `error`; `marks` name what was unusual about it."""

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
    trusted: bool = True


_LOG = room_logger("observability")

Observer: TypeAlias = Callable[[Event], None]
"""Receives every event of a run, in order, in the thread that runs it."""


class GuardedObserver:
    """An observer that cannot harm the run: it receives copies, and if it raises, the run continues without it."""

    def __init__(self, observer: Observer) -> None:
        self._observer: Observer | None = observer

    @property
    def wants_text(self) -> bool:
        """Whether the observer reads the model's text as it arrives."""
        return wants_text(self._observer)

    def __call__(self, event: Event) -> None:
        """Calls the observer; an exception is logged (`aeon.observability`), and the observer receives nothing more."""
        if self._observer is None:
            return
        try:
            self._observer(_copy(event))
        except Exception:  # noqa: BLE001  # external code; its exception is logged
            self._observer = None
            _LOG.exception("The observer failed at %s; it receives no more events of this run.", event.kind)


def guard_observer(observer: Observer | None) -> Observer | None:
    """Wraps `observer` so that it cannot harm the run; returns None for None."""
    return observer if observer is None or isinstance(observer, GuardedObserver) else GuardedObserver(observer)


def wants_text(observer: Observer | None) -> bool:
    """Whether the model's text is streamed to this observer; one with `wants_text = False` does not read it."""
    return observer is not None and bool(getattr(observer, "wants_text", True))


def text_sink(observer: Observer | None, purpose: str) -> Callable[[str], None] | None:
    """What passes a model's text on to `observer` as it arrives; None for an observer that does not read it."""
    if observer is None or not wants_text(observer):
        return None
    return lambda text: observer(TextGenerated(purpose, text)) if text else None


def _copy(event: Event) -> Event:
    values: JsonObject = {each.name: getattr(event, each.name) for each in fields(event)}
    copies = {name: copy_json(value) for name, value in values.items() if isinstance(value, (dict, list))}
    return replace(event, **copies)
