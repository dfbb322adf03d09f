"""A plan's nodes by position: what each depends on, said outright or by a reference in its input (skills 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aeon.base.binding import find_references, split_reference
from aeon.skills.plan_json import PlanJson

TOOL_PREFIX = "tool"
"""The word in front of a reference to a node's output: `{tool.<toolId>.<path>}`."""


class NodeReference(NamedTuple):
    """A reference in a node's input: where it stands, what it says, the node it names (None: no such), the rest."""

    path: str
    expression: str
    position: int | None
    parts: Sequence[str]

    def __str__(self) -> str:
        return f"{{{TOOL_PREFIX}.{self.expression}}}"


@dataclass(frozen=True, slots=True)
class PlanGraph:
    """The edges of a plan. Positions are those of `plan.tools`; an id that stands twice names its first node."""

    positions: Mapping[str, int]
    dependencies: Sequence[Sequence[int]]
    """For each node the nodes it depends on, each once; those that do not exist are left out."""
    references: Sequence[Sequence[NodeReference]]


def plan_graph(plan: PlanJson, *, verbatim: bool = False) -> PlanGraph:
    """Read the edges of `plan`. Linear in nodes, edges and the size of the inputs.

    `verbatim`: what looks like a reference in an input is text.
    """
    positions: dict[str, int] = {}
    for position, tool in enumerate(plan.tools):
        positions.setdefault(tool.tool_id, position)
    is_dotted = any("." in tool_id for tool_id in positions)
    found = [() if verbatim else _references(tool.input, positions, is_dotted=is_dotted) for tool in plan.tools]
    dependencies = [
        _dependencies(tool.dependencies, referred, positions) for tool, referred in zip(plan.tools, found, strict=True)
    ]
    return PlanGraph(positions, dependencies, found)


def _references(value: object, positions: Mapping[str, int], *, is_dotted: bool) -> Sequence[NodeReference]:
    read: list[NodeReference] = []
    for path, expression in find_references(value, prefix=TOOL_PREFIX):
        name, *parts = expression.split(".")
        if is_dotted:
            name, parts = split_reference(expression, positions) or (name, parts)
        read.append(NodeReference(path, expression, positions.get(name), parts))
    return read or ()


def _dependencies(
    declared: Sequence[str], referred: Sequence[NodeReference], positions: Mapping[str, int]
) -> Sequence[int]:
    found = [positions[tool_id] for tool_id in declared if tool_id in positions]
    found += [reference.position for reference in referred if reference.position is not None]
    return list(dict.fromkeys(found)) if len(found) > 1 else found
