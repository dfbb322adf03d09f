"""The events of a run that only skills have: the choice of skills, the nodes of a plan, another plan."""

from dataclasses import dataclass
from typing import ClassVar

from aeon.base.json import JsonObject
from aeon.observability.events import Event


@dataclass(frozen=True, slots=True)
class NodeStarted(Event):
    """A node of a skills plan begins an attempt; the first is 1."""

    kind: ClassVar[str] = "node_started"
    tool_id: str
    tool_path: str
    attempt: int


@dataclass(frozen=True, slots=True)
class PackagesInstallationStarted(Event):
    """uv begins to install the packages of a script, which may take minutes."""

    kind: ClassVar[str] = "packages_installing"
    tool_path: str
    packages: list[str]


@dataclass(frozen=True, slots=True)
class NodeEventEmitted(Event):
    """A script emitted an event of its protocol, as data. It takes effect only if the node succeeds."""

    kind: ClassVar[str] = "node_spoke"
    tool_id: str
    protocol_event: JsonObject


@dataclass(frozen=True, slots=True)
class NodeRetried(Event):
    """An attempt failed with `error`; the next one follows after `wait_ms`."""

    kind: ClassVar[str] = "node_retried"
    tool_id: str
    attempt: int
    error: JsonObject
    wait_ms: int


@dataclass(frozen=True, slots=True)
class NodeEnded(Event):
    """A node has ended. `result` is its ToolResult without the events, which were emitted already."""

    kind: ClassVar[str] = "node_ended"
    tool_id: str
    state: str
    result: JsonObject


@dataclass(frozen=True, slots=True)
class SkillsChosen(Event):
    """The skills that a planner may use for a request, and the number considered."""

    kind: ClassVar[str] = "skills_chosen"
    names: list[str]
    considered: int


@dataclass(frozen=True, slots=True)
class ReplanRequested(Event):
    """An attempt failed and another plan is requested. `disabled` are the skills left out from now on."""

    kind: ClassVar[str] = "replanned"
    attempt: int
    reason: str
    disabled: list[str]
