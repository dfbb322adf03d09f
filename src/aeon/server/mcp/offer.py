"""What Aeon offers to others: the kernel itself, every script of every usable skill, and what more it is told to."""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import NamedTuple

from aeon.base.errors import ToolDefinitionError
from aeon.base.json import JsonObject
from aeon.bootstrap.app import App
from aeon.platform.catalog.as_tool import StoredTool
from aeon.platform.catalog.effects import Effect
from aeon.server.mcp.answering import AnswerTool
from aeon.server.mcp.hints import Hints
from aeon.tools.interface import Tool
from aeon.tools.registry import Registered, ToolRegistry

_READS = Hints(read_only=True, open_world=False)
_SHIPPED = {
    "csv-report.report": _READS,
    "dice-roller.roll": _READS,
    "http-fetch.fetch": Hints(read_only=True, open_world=True),
    "memory.recall": _READS,
    "memory.search": _READS,
    "memory.remember": Hints(read_only=False, destructive=True, idempotent=True, open_world=False),
    "memory.forget": Hints(read_only=False, destructive=True, idempotent=True, open_world=False),
    "storyteller.narrate": Hints(read_only=True, open_world=True),
}
"""Skills say nothing of their effects; of those that are shipped they are known."""


_EFFECTS: dict[Effect, Hints] = {
    "pure": Hints(read_only=True, open_world=False),
    "read": Hints(read_only=True),
    "idempotent": Hints(read_only=False, idempotent=True),
    "once": Hints(read_only=False, idempotent=False),
}


class Offered(NamedTuple):
    """A tool that others may call. Its schemas are of type object, as MCP wants them."""

    registered: Registered
    hints: Hints

    @property
    def exported(self) -> JsonObject:
        """`name`, `description`, `input_schema`, `output_schema`."""
        tool = self.registered.exported
        schemas = {name: {"type": "object", **tool[name]} for name in ("input_schema", "output_schema")}
        return {"name": tool["name"], "description": tool["description"], **schemas}


def offered(app: App, more: Iterable[tuple[Tool, Hints]], warnings: list[str]) -> dict[str, Offered]:
    """Every tool by its name, `more` last; one of those whose name is taken is `catalog.NAME`.

    What cannot be offered is told in `warnings`.
    """
    registry = ToolRegistry([AnswerTool(app)])
    hints = {AnswerTool.name: Hints(read_only=False, open_world=True)}
    for given, known in [*_of_skills(app), *more]:
        tool = given if registry.get(given.name) is None else _renamed(given, f"catalog.{given.name}")
        try:
            registry.register(tool)
        except ToolDefinitionError as error:
            warnings.append(error.message)
        else:
            hints[tool.name] = known
    return {name: Offered(found, hints[name]) for name in hints if (found := registry.lookup(name))}


def _renamed(tool: Tool, name: str) -> Tool:
    renamed = copy(tool)
    renamed.name = name
    return renamed


def of_stored(tools: Iterable[StoredTool]) -> Iterator[tuple[Tool, Hints]]:
    """Stored tools, to be offered: their effects are known."""
    for tool in tools:
        yield tool, _EFFECTS[tool.effect]


def _of_skills(app: App) -> Iterator[tuple[Tool, Hints]]:
    shipped = {root.path for root in app.skills.roots if root.label == "shipped"}
    for skill in app.skills.catalog.plannable():
        for script in skill.scripts:
            name = f"{skill.name}.{script.name}"
            if tool := app.skills.tool(name):
                yield tool, _SHIPPED.get(name, Hints()) if skill.directory_path.parent in shipped else Hints()
