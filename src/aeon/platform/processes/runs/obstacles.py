"""What would keep a step's call from being made now: what it calls is down, disabled, or not accessible any more.

Asked before it is tried, so that nobody has to wait for the failure (platform 4, 5).
"""

from collections.abc import Collection, Mapping
from typing import Literal

from aeon.base.errors import AeonError
from aeon.base.json import Json
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.tools import ToolRepository
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.processes.processes import ProcessRepository
from aeon.platform.processes.running.plan import StepCall
from aeon.platform.processes.running.why import Obstacle
from aeon.platform.processes.runs import queries
from aeon.platform.store import Store

_KINDS: Mapping[str, Literal["disabled", "access", "secret"]] = {
    "enabled": "disabled",
    "service_access": "access",
    "own_secret": "secret",
}


class ObstacleFinder:
    """Looks at what steps call, as their user may use it."""

    def __init__(self, store: Store, tools: ToolRepository, processes: ProcessRepository) -> None:
        self._store = store
        self._tools = tools
        self._processes = processes

    def find(self, user: str, calls: Collection[StepCall]) -> dict[str, Obstacle]:
        """What stands in the way, by the id of what is called; nothing of what would be called. Raises StoreError."""
        different = {call.id: call for call in calls}.values()
        found = {call.id: self._of_call(user, call) for call in different}
        obstacles = {id_: each for id_, each in found.items() if each is not None}
        return self._with_times(obstacles)

    def _of_call(self, user: str, call: StepCall) -> Obstacle | None:
        return self._of_tool(user, call) if call.kind == "tool" else self._of_process(user, call)

    def _of_tool(self, user: str, call: StepCall) -> Obstacle | None:
        try:
            tool = self._tools.resolve(user, call.id).tool
        except NotFoundError:
            return _gone(user, call)
        except RuleError as error:
            return _refused(error)
        return _down(tool) if tool.status == "down" else None

    def _of_process(self, user: str, call: StepCall) -> Obstacle | None:
        try:
            process = self._processes.get(user, call.id)
        except NotFoundError:
            return _gone(user, call)
        if process.enabled:
            return None
        said = f"the process {process.name!r} of {process.owner_id} is disabled"
        return Obstacle(kind="disabled", message=said, next_step="Enable it, or ask its owner to.")

    def _with_times(self, obstacles: Mapping[str, Obstacle]) -> dict[str, Obstacle]:
        down: list[Json] = [id_ for id_, each in obstacles.items() if each.kind == "down"]
        rows = self._store.read(queries.HEALTH_OF_TOOLS, {"tools": down}) if down else []
        health = {row["id"]: row for row in rows}
        return {id_: _dated(each, health[id_]) if id_ in health else each for id_, each in obstacles.items()}


def _gone(user: str, call: StepCall) -> Obstacle:
    said = f"the {call.kind} {call.name!r} of {call.owner or 'somebody'} is gone, or not shared with {user} any more"
    advice = "Ask its owner to share it again, or have the process call another one."
    return Obstacle(kind="access", message=said, next_step=advice)


def _refused(error: AeonError) -> Obstacle:
    rule = error.rule if isinstance(error, RuleError) else ""
    return Obstacle(kind=_KINDS.get(rule, "access"), message=_in_a_sentence(error.message), next_step=error.advice)


def _down(tool: Tool) -> Obstacle:
    why = (tool.error_message or "nobody said why").rstrip(".")
    return Obstacle(
        kind="down",
        message=f"the tool {tool.name!r} is down: {why}",
        next_step="`aeon health` checks it again; start its service, or correct the tool's connectionParams.",
    )


def _dated(obstacle: Obstacle, health: Mapping[str, Json]) -> Obstacle:
    """With since when; and with what the tool's own check said, where only its service is said to be down."""
    since, said = health["since"], health["said"]
    message = obstacle.message
    if said and said.rstrip(".") not in message:
        message = f"{message} ({said.rstrip('.')})"
    return obstacle.model_copy(update={"since": since, "message": message})


def _in_a_sentence(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")
