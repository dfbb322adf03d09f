"""What Aeon offers to others: the kernel itself, every script of every usable skill, and what more it is told to."""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import NamedTuple

from aeon.base.errors import ToolDefinitionError
from aeon.base.json import JsonObject
from aeon.bootstrap.app import App
from aeon.platform.catalog.kernel_tool import StoredTool
from aeon.platform.catalog.operations import Effect
from aeon.server.mcp.answer_tool import AnswerTool
from aeon.tools.interface import Tool
from aeon.tools.registry import RegisteredTool, ToolRegistry


class ToolHints(NamedTuple):
    """None where nothing is known."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


_READ_ONLY = ToolHints(read_only=True, open_world=False)
_SHIPPED_SKILL_HINTS = {
    "csv-report.report": _READ_ONLY,
    "dice-roller.roll": _READ_ONLY,
    "http-fetch.fetch": ToolHints(read_only=True, open_world=True),
    "memory.recall": _READ_ONLY,
    "memory.search": _READ_ONLY,
    "memory.remember": ToolHints(read_only=False, destructive=True, idempotent=True, open_world=False),
    "memory.forget": ToolHints(read_only=False, destructive=True, idempotent=True, open_world=False),
    "storyteller.narrate": ToolHints(read_only=True, open_world=True),
}
"""Skills say nothing of their effects; of those that are shipped they are known."""


_EFFECT_HINTS: dict[Effect, ToolHints] = {
    "pure": ToolHints(read_only=True, open_world=False),
    "read": ToolHints(read_only=True),
    "idempotent": ToolHints(read_only=False, idempotent=True),
    "once": ToolHints(read_only=False, idempotent=False),
}


class OfferedTool(NamedTuple):
    """A tool that others may call. Its schemas are of type object, as MCP wants them."""

    registered: RegisteredTool
    hints: ToolHints

    @property
    def exported(self) -> JsonObject:
        """`name`, `description`, `input_schema`, `output_schema`."""
        tool = self.registered.exported
        schemas = {name: {"type": "object", **tool[name]} for name in ("input_schema", "output_schema")}
        return {"name": tool["name"], "description": tool["description"], **schemas}


def build_offered_tools(
    app: App, more: Iterable[tuple[Tool, ToolHints]], warnings: list[str]
) -> dict[str, OfferedTool]:
    """Every tool by its name, `more` last; one of those whose name is taken is `catalog.NAME`.

    What cannot be offered is told in `warnings`.
    """
    registry = ToolRegistry([AnswerTool(app)])
    hints = {AnswerTool.name: ToolHints(read_only=False, open_world=True)}
    for given, known in [*_offer_skill_scripts(app), *more]:
        tool = given if registry.get(given.name) is None else _renamed(given, f"catalog.{given.name}")
        try:
            registry.register(tool)
        except ToolDefinitionError as error:
            warnings.append(error.message)
        else:
            hints[tool.name] = known
    return {name: OfferedTool(found, hints[name]) for name in hints if (found := registry.lookup(name))}


def _renamed(tool: Tool, name: str) -> Tool:
    renamed = copy(tool)
    renamed.name = name
    return renamed


def offer_stored_tools(tools: Iterable[StoredTool]) -> Iterator[tuple[Tool, ToolHints]]:
    """Stored tools, to be offered: their effects are known."""
    for tool in tools:
        yield tool, _EFFECT_HINTS[tool.effect]


def _offer_skill_scripts(app: App) -> Iterator[tuple[Tool, ToolHints]]:
    shipped = {root.path for root in app.skills.roots if root.label == "shipped"}
    for skill in app.skills.catalog.plannable():
        for script in skill.scripts:
            name = f"{skill.name}.{script.name}"
            if tool := app.skills.tool(name):
                yield (
                    tool,
                    _SHIPPED_SKILL_HINTS.get(name, ToolHints())
                    if skill.directory_path.parent in shipped
                    else ToolHints(),
                )
