"""Checks a plan before it runs (skills 7) and reports all its faults at once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import NamedTuple, cast

from aeon.base.binding import bind
from aeon.base.errors import BindingError
from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import CompiledSchema, compile_schema
from aeon.base.next_steps import NextStep
from aeon.dag.scheduling import DependencyCycles, topological_order
from aeon.skills.config.skill_settings import setting_faults
from aeon.skills.failures import FailureClass
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.skills.plan.graph import TOOL_PREFIX, NodeReference, PlanGraph, plan_graph
from aeon.skills.plan_json import PlanJson, ToolInvocation, ToolResult

_OPEN_KEYWORDS = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "dependentSchemas"}
)
"""Keywords that may admit further fields: below them no path counts as impossible."""

_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})


def impossible_part(schema: Json, parts: Sequence[str]) -> str | None:
    """Returns why no value that fits `schema` has anything at `parts`, or None if one may.

    Only closed objects and plain types are conclusive; `allOf` and similar keywords leave everything open.
    """
    for part in parts:
        if not isinstance(schema, dict) or _OPEN_KEYWORDS & schema.keys():
            return None
        level = cast(JsonObject, schema)
        reason = _reason(level, part)
        if reason is not None:
            return reason
        schema = _below(level, part)
    return None


def _reason(level: JsonObject, part: str) -> str | None:
    kind = level.get("type")
    if isinstance(kind, str) and kind in _SCALARS:
        return f"a value of type {kind} has no field {part!r}"
    if kind == "array":
        return None if part.removeprefix("-").isdecimal() else f"a list has indexes from 0, not {part!r}"
    properties = level.get("properties")
    known = cast(JsonObject, properties) if isinstance(properties, dict) else {}
    if kind == "object" and level.get("additionalProperties") is False and part not in known:
        return f"has no {part!r}; it has {', '.join(list(known)[:20]) or 'nothing'}"
    return None


def _below(level: JsonObject, part: str) -> Json:
    if level.get("type") == "array":
        return None if "prefixItems" in level else level.get("items")
    properties = level.get("properties")
    return cast(JsonObject, properties).get(part) if isinstance(properties, dict) else None


ADDED_OUTPUT = frozenset({"assets", "summary"})
"""Fields that every output under the protocol may have in addition to its schema."""

_MAX_SUGGESTIONS = 20
"""Maximum number of suggestions for unknown names: each search is linear in the number of scripts."""

_MAX_SHOWN = 20


class NodeFault(NamedTuple):
    """One fault of one node: `position` in `plan.tools`, `path` inside the plan."""

    position: int
    tool_id: str
    failure: FailureClass
    path: str
    message: str
    next_step: str | NextStep = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def check_plan(
    plan: PlanJson,
    catalog: SkillCatalog,
    *,
    finished: Mapping[str, ToolResult] = {},
    graph: PlanGraph | None = None,
) -> list[NodeFault]:
    """Returns all faults that keep `plan` from running, by position (skills 7).

    Nodes in `finished` do not run again: their scripts are not checked; references to them are checked against their
    outputs. Linear in nodes, edges and the size of the inputs. `graph`: the plan's graph if it is known already.
    """
    check = _PlanCheck(plan, catalog, graph or plan_graph(plan), finished)
    return sorted(check.faults(), key=lambda fault: fault.position)


class _ScriptCheck(NamedTuple):
    """The faults of a script that do not depend on its input, and its input schema."""

    faults: Sequence[tuple[FailureClass, str]]
    check: CompiledSchema | None


class _PlanCheck:
    """Checks one plan; caches what several nodes share."""

    def __init__(
        self, plan: PlanJson, catalog: SkillCatalog, graph: PlanGraph, finished: Mapping[str, ToolResult]
    ) -> None:
        self._plan = plan
        self._graph = graph
        self._catalog = catalog
        self._finished = finished
        self._disabled = frozenset(plan.disabled_skills)
        self._scripts: dict[str, _ScriptCheck] = {}
        self._suggestions = _MAX_SUGGESTIONS
        self._impossible: dict[tuple[str, tuple[str, ...]], str | None] = {}

    def faults(self) -> Iterator[NodeFault]:
        for position, tool in enumerate(self._plan.tools):
            first = self._graph.positions[tool.tool_id]
            if first != position:
                message = f"{tool.tool_id!r} is also the id of $.tools[{first}]; give each node its own"
                yield self._fault(position, FailureClass.DUPLICATE_ID, ".toolId", message)
            if tool.dependencies:
                yield from self._dependency_faults(position, tool)
            if self._graph.references[position]:
                yield from self._reference_faults(position)
            if tool.tool_id not in self._finished:
                yield from self._script_faults(position, tool)
        yield from self._cycle_faults()

    def _fault(self, position: int, failure: FailureClass, path: str, message: str) -> NodeFault:
        return NodeFault(position, self._plan.tools[position].tool_id, failure, f"$.tools[{position}]{path}", message)

    def _dependency_faults(self, position: int, tool: ToolInvocation) -> Iterator[NodeFault]:
        for index, dependency in enumerate(tool.dependencies):
            if dependency not in self._graph.positions:
                message = (
                    f"{dependency!r} is not a node of this plan; the nodes are {_name_list(self._graph.positions)}"
                )
                yield self._fault(position, FailureClass.UNKNOWN_DEPENDENCY, f".dependencies[{index}]", message)

    def _reference_faults(self, position: int) -> Iterator[NodeFault]:
        for reference in self._graph.references[position]:
            if reference.position != position and (reason := self._unresolvable(reference)):
                path = f".input{reference.path[1:]}"
                yield self._fault(position, FailureClass.UNKNOWN_REFERENCE, path, f"{reference}: {reason}")

    def _unresolvable(self, reference: NodeReference) -> str | None:
        if reference.position is None:
            return f"does not name a node of this plan; the nodes are {_name_list(self._graph.positions)}"
        named = self._plan.tools[reference.position]
        done = self._finished.get(named.tool_id)
        if done is not None:
            return _missing_part(done, reference)
        reason = self._impossible_output(named.tool_path, tuple(reference.parts))
        return f"the output of {named.tool_id!r}: {reason}" if reason else None

    def _impossible_output(self, tool_path: str, parts: tuple[str, ...]) -> str | None:
        """Returns why the script's declared output has nothing at `parts`, or None."""
        key = tool_path, parts
        if key not in self._impossible:
            match = self._catalog.find_script(tool_path)
            schema = match[1].output_schema if match else None
            is_open = schema is None or bool(parts and parts[0] in ADDED_OUTPUT)
            self._impossible[key] = None if is_open else impossible_part(schema, parts)
        return self._impossible[key]

    def _script_faults(self, position: int, tool: ToolInvocation) -> Iterator[NodeFault]:
        known = self._scripts.get(tool.tool_path) or self._check_script(tool.tool_path)
        for failure, message in known.faults:
            step = self._step_for(tool) if failure is FailureClass.DISABLED_SKILL else ""
            yield self._fault(position, failure, ".toolPath", message)._replace(next_step=step)
        if known.check is None or known.check.is_valid(tool.input):
            return
        unknown = [reference.path for reference in self._graph.references[position]]
        for problem in known.check.certain_problems(tool.input, unknown):
            yield self._fault(position, FailureClass.INVALID_INPUT, f".input{problem.path[1:]}", problem.message)

    def _check_script(self, tool_path: str) -> _ScriptCheck:
        match = self._catalog.find_script(tool_path)
        if match is None:
            message = f"{tool_path[:200]!r} is not a script of any skill{self._suggestion(tool_path)}"
            known = _ScriptCheck([(FailureClass.UNKNOWN_SCRIPT, message)], None)
        else:
            known = self._script_check(*match)
        self._scripts[tool_path] = known
        return known

    def _script_check(self, skill: Skill, script: SkillScript) -> _ScriptCheck:
        faults: list[tuple[FailureClass, str]] = []
        if reason := self._disabled_reason(skill):
            faults.append((FailureClass.DISABLED_SKILL, f"the skill {skill.name!r} {reason}"))
        check = compile_declared_schema(script.input_schema)
        if isinstance(check, str):
            message = f"the input schema of {script.tool_path!r} is not a valid JSON Schema: {check}"
            return _ScriptCheck([*faults, (FailureClass.CONFIGURATION, message)], None)
        return _ScriptCheck(faults, check)

    def _step_for(self, tool: ToolInvocation) -> str | NextStep:
        """Returns how to make the skill of a node usable, if its settings are what is wrong with it."""
        match = self._catalog.find_script(tool.tool_path)
        if match is None or not match[0].enabled or match[0].name in self._disabled or not setting_faults(match[0]):
            return ""
        return NextStep("skills.configure", skill=match[0].name)

    def _disabled_reason(self, skill: Skill) -> str | None:
        if skill.name in self._disabled:
            return "is in this plan's disabledSkills"
        if not skill.enabled:
            return "is disabled"
        if skill.can_be_planned:
            return None
        if faults := setting_faults(skill):
            return f"is {skill.error_state.value} by its settings: {'; '.join(faults[:_MAX_SHOWN])}"
        return f"is {skill.error_state.value}; the notes about the skills say why"

    def _suggestion(self, tool_path: str) -> str:
        """Returns the end of a message about an unknown script.

        It has the reason why the named skill is unavailable, else the closest script's name.
        """
        named = self._catalog.by_name.get(tool_path.removeprefix("skills/").partition("/")[0])
        if named is not None and (reason := self._disabled_reason(named)):
            return f"; the skill {named.name!r} {reason}"
        if self._suggestions == 0:
            return ""
        self._suggestions -= 1
        names = [script.tool_path for skill in self._catalog.plannable() for script in skill.scripts]
        near = get_close_matches(tool_path[:200], names, n=1)
        return f"; did you mean {near[0]!r}?" if near else f"; there are {_name_list(names)}"

    def _cycle_faults(self) -> Iterator[NodeFault]:
        order = topological_order(self._graph.dependencies)
        if not isinstance(order, DependencyCycles):
            return
        for cycle in order.paths:
            message = f"depends on itself: {_cycle_text([self._plan.tools[node].tool_id for node in cycle])}"
            for node, needed in pairwise(cycle):
                yield self._fault(node, FailureClass.CIRCULAR_DEPENDENCY, self._edge(node, needed), message)

    def _edge(self, node: int, needed: int) -> str:
        """Returns the path where a node depends on another: its dependencies, else its input."""
        for index, dependency in enumerate(self._plan.tools[node].dependencies):
            if self._graph.positions.get(dependency) == needed:
                return f".dependencies[{index}]"
        return next(
            f".input{reference.path[1:]}" for reference in self._graph.references[node] if reference.position == needed
        )


def compile_declared_schema(schema: JsonObject | None) -> CompiledSchema | str | None:
    """Returns the compiled schema, None without a schema, or the fault of an invalid schema."""
    if schema is None:
        return None
    try:
        return compile_schema(schema)
    except (ValueError, TypeError, RecursionError) as error:
        return str(error)[:500]


def _missing_part(done: ToolResult, reference: NodeReference) -> str | None:
    """Returns what a finished node's output lacks.

    A failed optional node has no output, which is allowed.
    """
    if not done.ok:
        return None
    try:
        bind(str(reference), {done.tool_id: done.output}, prefix=TOOL_PREFIX)
    except BindingError as error:
        return error.message.partition(": ")[2] or error.message
    return None


def _cycle_text(names: Sequence[str]) -> str:
    if len(names) > _MAX_SHOWN:
        names = [*names[: _MAX_SHOWN - 1], f"({len(names) - _MAX_SHOWN} more)", names[-1]]
    return " -> ".join(names)


def _name_list(names: Collection[str]) -> str:
    shown = ", ".join(name for name, _ in zip(names, range(_MAX_SHOWN), strict=False))
    return f"{shown}, ..." if len(names) > _MAX_SHOWN else shown or "none"
