"""A plan's dependencies by node position, declared or by reference (skills 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aeon.base.binding import find_references, split_reference
from aeon.skills.plan_json import PlanJson

TOOL_PREFIX = "tool"
"""The first part of a reference to a node's output: `{tool.<toolId>.<path>}`."""


class NodeReference(NamedTuple):
    """A reference in a node's input: its place, text, node position and path parts.

    `position` is None for an unknown node.
    """

    path: str
    expression: str
    position: int | None
    parts: Sequence[str]

    def __str__(self) -> str:
        return f"{{{TOOL_PREFIX}.{self.expression}}}"


@dataclass(frozen=True, slots=True)
class PlanGraph:
    """The edges of a plan.

    Positions are those of `plan.tools`; a duplicate id names its first node.
    """

    positions: Mapping[str, int]
    dependencies: Sequence[Sequence[int]]
    """The dependencies of each node, each once; those that do not exist are left out."""
    references: Sequence[Sequence[NodeReference]]


def plan_graph(plan: PlanJson, *, verbatim: bool = False) -> PlanGraph:
    """Returns the edges of `plan`. Linear in nodes, edges and the size of the inputs.

    `verbatim`: treat references in inputs as plain text.
    """
    positions: dict[str, int] = {}
    for position, tool in enumerate(plan.tools):
        positions.setdefault(tool.tool_id, position)
    is_dotted = any("." in tool_id for tool_id in positions)
    references = [() if verbatim else _references(tool.input, positions, is_dotted=is_dotted) for tool in plan.tools]
    dependencies = [
        _dependencies(tool.dependencies, referred, positions)
        for tool, referred in zip(plan.tools, references, strict=True)
    ]
    return PlanGraph(positions, dependencies, references)


def _references(value: object, positions: Mapping[str, int], *, is_dotted: bool) -> Sequence[NodeReference]:
    references: list[NodeReference] = []
    for path, expression in find_references(value, prefix=TOOL_PREFIX):
        name, *parts = expression.split(".")
        if is_dotted:
            name, parts = split_reference(expression, positions) or (name, parts)
        references.append(NodeReference(path, expression, positions.get(name), parts))
    return references or ()


def _dependencies(
    declared: Sequence[str], referred: Sequence[NodeReference], positions: Mapping[str, int]
) -> Sequence[int]:
    positions_found = [positions[tool_id] for tool_id in declared if tool_id in positions]
    positions_found += [reference.position for reference in referred if reference.position is not None]
    return list(dict.fromkeys(positions_found)) if len(positions_found) > 1 else positions_found
