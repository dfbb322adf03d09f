"""The tools that the MCP server offers: the kernel, the scripts of usable skills, and stored tools."""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

from aeon.application.tools import Effect
from aeon.base.errors import ToolDefinitionError
from aeon.base.json import JsonObject
from aeon.bootstrap.app import App
from aeon.server.mcp.answer_tool import AnswerTool
from aeon.tools.interface import Tool
from aeon.tools.registry import RegisteredTool, ToolRegistry

if TYPE_CHECKING:
    from aeon.application.tools import StoredTool


class ToolHints(NamedTuple):
    """MCP hints about a tool's effects; None where nothing is known."""

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
"""Skills do not declare their effects; those of shipped skills are known."""


_EFFECT_HINTS: dict[Effect, ToolHints] = {
    "pure": ToolHints(read_only=True, open_world=False),
    "read": ToolHints(read_only=True),
    "idempotent": ToolHints(read_only=False, idempotent=True),
    "once": ToolHints(read_only=False, idempotent=False),
}


class OfferedTool(NamedTuple):
    """A tool that MCP clients may call. Its schemas are of type object, as MCP requires."""

    registered: RegisteredTool
    hints: ToolHints

    @property
    def exported(self) -> JsonObject:
        """Return `name`, `description`, `input_schema` and `output_schema`."""
        tool = self.registered.exported
        schemas = {name: {"type": "object", **tool[name]} for name in ("input_schema", "output_schema")}
        return {"name": tool["name"], "description": tool["description"], **schemas}


def build_offered_tools(
    app: App, more: Iterable[tuple[Tool, ToolHints]], warnings: list[str]
) -> dict[str, OfferedTool]:
    """Return every tool by name, `more` last; a tool of `more` whose name is taken becomes `catalog.NAME`.

    Appends a warning for each tool that cannot be offered.
    """
    answer = AnswerTool(app), ToolHints(read_only=False, open_world=True)
    return collect_tools([answer, *_offer_skill_scripts(app), *more], warnings)


def collect_tools(offered: Iterable[tuple[Tool, ToolHints]], warnings: list[str]) -> dict[str, OfferedTool]:
    """Return tools by name; one whose name is taken becomes `catalog.NAME`. Appends a warning as above."""
    registry = ToolRegistry()
    hints: dict[str, ToolHints] = {}
    for candidate, hint in offered:
        tool = candidate if registry.get(candidate.name) is None else _renamed(candidate, f"catalog.{candidate.name}")
        try:
            registry.register(tool)
        except ToolDefinitionError as error:
            warnings.append(error.message)
        else:
            hints[tool.name] = hint
    return {name: OfferedTool(registered, hints[name]) for name in hints if (registered := registry.lookup(name))}


def _renamed(tool: Tool, name: str) -> Tool:
    renamed = copy(tool)
    renamed.name = name
    return renamed


def offer_stored_tools(tools: "Iterable[StoredTool]") -> Iterator[tuple[Tool, ToolHints]]:
    """Yield stored tools with hints from their declared effects."""
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
