"""The event vocabulary of a run. The log records it, the live display draws it, `--json` prints it."""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import ClassVar, TypeAlias

from aeon.base.json import Json, JsonObject, copy_json


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
class TextGenerated(Event):
    """A piece of model output, as it is made. `purpose` is "choice" (of skills), "plan", "call" or "answer"."""

    kind: ClassVar[str] = "text_made"
    purpose: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanReady(Event):
    kind: ClassVar[str] = "plan_ready"
    plan: JsonObject
    by_hand: bool


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
    """A repair was tried: `action` is a SupervisorAction, `step_id` None for the plan itself."""

    kind: ClassVar[str] = "repaired"
    step_id: str | None
    action: JsonObject


@dataclass(frozen=True, slots=True)
class WarningIssued(Event):
    """Something the user should know that ends nothing."""

    kind: ClassVar[str] = "warning"
    step_id: str | None
    message: str


@dataclass(frozen=True, slots=True)
class PlanStepEnded(Event):
    """A step is complete or failed. `result` or `error` says how; `marks` name what was unusual about it."""

    kind: ClassVar[str] = "step_ended"
    step: JsonObject
    position: int
    mode: str
    result: Json = None
    error: str | None = None
    marks: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class NodeStarted(Event):
    """A node of a skills plan begins an attempt, the first of them 1."""

    kind: ClassVar[str] = "node_started"
    tool_id: str
    tool_path: str
    attempt: int


@dataclass(frozen=True, slots=True)
class NodeEventEmitted(Event):
    """A script said something: one event of its protocol, as data. Nothing of it counts until the node ended well."""

    kind: ClassVar[str] = "node_spoke"
    tool_id: str
    protocol_event: JsonObject


@dataclass(frozen=True, slots=True)
class NodeRetried(Event):
    """An attempt failed with `error` and another follows after `wait_ms`."""

    kind: ClassVar[str] = "node_retried"
    tool_id: str
    attempt: int
    error: JsonObject
    wait_ms: int


@dataclass(frozen=True, slots=True)
class NodeEnded(Event):
    """A node is over. `result` is its ToolResult without the events, which were told already."""

    kind: ClassVar[str] = "node_ended"
    tool_id: str
    state: str
    result: JsonObject


@dataclass(frozen=True, slots=True)
class SkillsChosen(Event):
    """Which skills a planner may use for a request, out of how many."""

    kind: ClassVar[str] = "skills_chosen"
    names: list[str]
    considered: int


@dataclass(frozen=True, slots=True)
class ReplanRequested(Event):
    """An attempt came to nothing and another plan is asked for. `disabled` are the skills left out from now on."""

    kind: ClassVar[str] = "replanned"
    attempt: int
    reason: str
    disabled: list[str]


@dataclass(frozen=True, slots=True)
class RunEnded(Event):
    kind: ClassVar[str] = "run_ended"
    status: str
    answer: str | None
    error: JsonObject | None
    log: str | None
    trusted: bool = True


_LOG = logging.getLogger("aeon.run")

Observer: TypeAlias = Callable[[Event], None]
"""Receives every event of a run, in order, in the thread that runs it."""


class GuardedObserver:
    """An observer that cannot harm the run: it is given copies, and when it raises, the run goes on without it."""

    def __init__(self, observer: Observer) -> None:
        self._observer: Observer | None = observer

    def __call__(self, event: Event) -> None:
        """Tell the observer; what it raises goes to the program's log (`aeon.run`), and it is told nothing more."""
        if self._observer is None:
            return
        try:
            self._observer(_copy(event))
        except Exception:  # noqa: BLE001  # other people's code; what it raised is logged
            self._observer = None
            _LOG.exception("The observer failed at %s; it is told nothing more of this run.", event.kind)


def guard_observer(observer: Observer | None) -> Observer | None:
    """`observer`, unable to harm the run that it observes; None for None."""
    return observer if observer is None or isinstance(observer, GuardedObserver) else GuardedObserver(observer)


def _copy(event: Event) -> Event:
    held: JsonObject = {one.name: getattr(event, one.name) for one in fields(event)}
    return replace(event, **{name: copy_json(value) for name, value in held.items() if isinstance(value, (dict, list))})
