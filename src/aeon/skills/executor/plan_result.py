"""The result of a plan, made of the results of its nodes (skills-data-model 3). Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.dag.scheduling import DependencyCycles, marked_ancestors, topological_order
from aeon.skills.executor.node_input import fill_text
from aeon.skills.executor.node_verdict import join_problems
from aeon.skills.executor.state_patches import committed_patches, final_state
from aeon.skills.failures import Blame, FailureClass, blame_for
from aeon.skills.invocation import OUTPUT_BUDGET_BYTES
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.check import NodeFault
from aeon.skills.plan.graph import PlanGraph
from aeon.skills.plan_json import (
    ExecutionResult,
    ExecutionState,
    FailureReason,
    PlanJson,
    ToolErrorJson,
    ToolInvocation,
    ToolResult,
)

_MAX_NODES_NAMED = 5
"""Nodes that a warning names."""

_MAX_WARNINGS = 50
"""Keys that are warned of one by one."""

StateKey: TypeAlias = tuple[str, ...]

_OBJECT = "{"
"""How it counts that a patch goes on below a key, or puts an object there: no JSON value reads so."""


class _StateWrite(NamedTuple):
    node: int
    value: str


def conflict_warnings(
    dependencies: Sequence[Sequence[int]],
    order: Sequence[int],
    names: Sequence[str],
    patches: Mapping[int, Sequence[JsonObject]],
) -> list[str]:
    """A warning for each key that independent nodes set differently, in the order of the keys' first setting.

    `order` is a topological order of all nodes, `names` theirs by position, `patches` the committed ones of each.
    """
    contended = {
        key: writes
        for key, writes in _writes(order, patches).items()
        if len({write.value for write in writes}) > 1 and len({write.node for write in writes}) > 1
    }
    nodes = sorted({write.node for writes in contended.values() for write in writes})
    bit = {node: 1 << index for index, node in enumerate(nodes)}
    above = marked_ancestors(dependencies, order, nodes) if nodes else {}
    found = [(key, _independent(writes, bit, above)) for key, writes in contended.items()]
    said = [_warning_text(key, [names[node] for node in clashing]) for key, clashing in found if clashing]
    more = [f"{len(said) - _MAX_WARNINGS} more keys are set differently by independent nodes."]
    return said[:_MAX_WARNINGS] + (more if len(said) > _MAX_WARNINGS else [])


def _writes(order: Sequence[int], patches: Mapping[int, Sequence[JsonObject]]) -> dict[StateKey, list[_StateWrite]]:
    """Who sets each key to what, in topological order; of one node's several values for a key the last."""
    found: dict[StateKey, list[_StateWrite]] = {}
    for node in order:
        last = dict(setting for patch in patches.get(node, ()) for setting in _assignments(patch, ()))
        for key, value in last.items():
            found.setdefault(key, []).append(_StateWrite(node, value))
    return found


def _assignments(patch: Json, key: StateKey) -> Iterator[tuple[StateKey, str]]:
    if not isinstance(patch, dict):
        yield key, canonical_json(patch)
        return
    if key:
        yield key, _OBJECT
    for name, value in cast(JsonObject, patch).items():
        yield from _assignments(value, (*key, name))


def _independent(writes: Sequence[_StateWrite], bit: Mapping[int, int], above: Mapping[int, int]) -> list[int]:
    """The nodes that set one key differently from another that is not upstream of them, and those others."""
    by_value: dict[str, int] = {}
    clashing = 0
    for node, value in writes:
        others = sum(bits for other, bits in by_value.items() if other != value) & ~above[node]
        clashing |= others | (bit[node] if others else 0)
        by_value[value] = by_value.get(value, 0) | bit[node]
    return [node for node, _ in writes if bit[node] & clashing]


def _warning_text(key: StateKey, nodes: Sequence[str]) -> str:
    more = f" and {len(nodes) - _MAX_NODES_NAMED} more" if len(nodes) > _MAX_NODES_NAMED else ""
    shown = ", ".join(repr(name) for name in nodes[:_MAX_NODES_NAMED])
    return f"{'.'.join(key)!r} is set differently by {shown}{more}, none of which waits for the other; the last wins."


_MAX_NAMED = 5

FAILED_STATES = (ExecutionState.FAILED, ExecutionState.TIMEOUT)
"""How a node that ran, or was wrong, ended badly; one that was skipped did not."""


@dataclass(frozen=True, slots=True)
class FinishedPlan:
    """A plan whose nodes are all over: `results` by position, what it was rejected for, whether it was stopped."""

    plan: PlanJson
    graph: PlanGraph
    catalog: SkillCatalog
    results: Sequence[ToolResult]
    initial_state: JsonObject
    faults: Sequence[NodeFault] = ()
    is_cancelled: bool = False
    milliseconds: int = 0


def build_result(ended: FinishedPlan) -> ExecutionResult:
    """The plan's result: trace in topological order, effects committed in that order, what it says about a replan."""
    plan = ended.plan
    order = topological_order(ended.graph.dependencies)
    sequence = range(len(plan.tools)) if isinstance(order, DependencyCycles) else order
    trace = [ended.results[position] for position in sequence]
    state = final_state(ended.initial_state, trace)
    narrative, unfilled = _narrative(ended, state)
    success = _is_success(ended)
    return ExecutionResult(
        plan_id=plan.request_id,
        success=success,
        narrative=narrative,
        failed_tools=list(dict.fromkeys(result.tool_id for result in trace if result.state in FAILED_STATES)),
        can_replan=not success and _can_replan(ended),
        failure_reason=None if success else _reason(ended, sequence),
        execution_trace=trace,
        final_state=state,
        total_execution_time_ms=ended.milliseconds,
        generation_metadata=plan.metadata,
        warnings=[
            *([] if isinstance(order, DependencyCycles) else _conflict_warnings(ended, order)),
            *unfilled,
            *_dropped_event_warnings(trace),
        ],
    )


def skipped_result(tool: ToolInvocation, kind: FailureClass, message: str) -> ToolResult:
    """The result of a node that did not run."""
    return _unrun_result(tool, ExecutionState.SKIPPED, kind, message)


def rejected_results(
    plan: PlanJson, faults: Sequence[NodeFault], finished: Sequence[ToolResult | None]
) -> list[ToolResult]:
    """The results of a plan that may not run: its faulty nodes say what is wrong, finished ones stay as they are."""
    by_position: dict[int, list[NodeFault]] = {}
    for fault in faults:
        by_position.setdefault(fault.position, []).append(fault)
    return [
        _faulty_result(tool, by_position[position])
        if position in by_position
        else finished[position]
        or skipped_result(tool, FailureClass.PLAN_REJECTED, "Not run: other nodes of the plan are wrong.")
        for position, tool in enumerate(plan.tools)
    ]


def _faulty_result(tool: ToolInvocation, faults: Sequence[NodeFault]) -> ToolResult:
    return _unrun_result(tool, ExecutionState.FAILED, faults[0].failure, join_problems(faults))


def _unrun_result(tool: ToolInvocation, state: ExecutionState, kind: FailureClass, message: str) -> ToolResult:
    error = ToolErrorJson(type=kind.value, message=message)
    return ToolResult(tool_id=tool.tool_id, tool_path=tool.tool_path, ok=False, state=state, error=error)


def _is_success(ended: FinishedPlan) -> bool:
    if ended.faults or any(_kind(result) is FailureClass.CANCELLED for result in ended.results):
        return False
    return all(result.ok or not tool.required for tool, result in zip(ended.plan.tools, ended.results, strict=True))


def _kind(result: ToolResult) -> FailureClass | None:
    return FailureClass(result.error.type) if result.error else None


def _reason(ended: FinishedPlan, sequence: Sequence[int]) -> FailureReason | None:
    """Why the plan failed: a cycle, its deadline, else its first required failure; None when it was only cancelled."""
    if ended.faults:
        cyclic = any(fault.failure is FailureClass.CIRCULAR_DEPENDENCY for fault in ended.faults)
        return FailureReason.CIRCULAR_DEPENDENCY if cyclic else FailureReason.TOOL_FAILURE
    if any(_kind(result) is FailureClass.PLAN_TIMEOUT for result in ended.results):
        return FailureReason.TIMEOUT
    for position in sequence:
        result = ended.results[position]
        if (
            result.state in FAILED_STATES
            and ended.plan.tools[position].required
            and _kind(result) is not FailureClass.CANCELLED
        ):
            return _REASONS.get(_kind(result), FailureReason.TOOL_FAILURE)
    return None


_REASONS: dict[FailureClass | None, FailureReason] = {
    FailureClass.TIMEOUT: FailureReason.TIMEOUT,
    FailureClass.PROTOCOL_VIOLATION: FailureReason.PROTOCOL_VIOLATION,
}


def _can_replan(ended: FinishedPlan) -> bool:
    """Whether a skill is left to plan with: plannable, not disabled by the plan, not at fault in it (skills 7)."""
    if ended.is_cancelled:
        return False
    gone = set(ended.plan.disabled_skills)
    for result in ended.results:
        kind = _kind(result)
        found = ended.catalog.find_script(result.tool_path or "")
        if kind is not None and found is not None and blame_for(kind) is Blame.SKILL:
            gone.add(found[0].name)
    return any(skill.name not in gone for skill in ended.catalog.plannable())


def _narrative(ended: FinishedPlan, state: JsonObject) -> tuple[str | None, list[str]]:
    """What a node said as the narrative, else the plan's own with its references filled in; warnings for the rest."""
    is_told = any("narrative" in patch for result in ended.results for patch in committed_patches(result))
    if is_told and isinstance(state.get("narrative"), str):
        return state["narrative"], []
    if ended.plan.narrative is None:
        return None, []
    outputs = {result.tool_id: result.output for result in ended.results if result.ok}
    text, missing = fill_text(ended.plan.narrative, outputs)
    return text, [f"The narrative refers to {reference}, which has no value; it was left out." for reference in missing]


def _dropped_event_warnings(trace: Sequence[ToolResult]) -> list[str]:
    """Which nodes wrote more than is kept, and how much of it is not in the trace."""
    counts = {node.tool_id: node.dropped_events + sum(each.dropped_events for each in node.attempts) for node in trace}
    names = [name for name, count in counts.items() if count]
    if not names:
        return []
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    most = f"{OUTPUT_BUDGET_BYTES // 1024**2} MiB of a plan's events and output are kept at most"
    return [f"{sum(counts.values()):,} events of {', '.join(names[:_MAX_NAMED])}{more} are not in the trace: {most}."]


def _conflict_warnings(ended: FinishedPlan, order: Sequence[int]) -> list[str]:
    names = [tool.tool_id for tool in ended.plan.tools]
    patches = {position: list(committed_patches(result)) for position, result in enumerate(ended.results)}
    return conflict_warnings(ended.graph.dependencies, order, names, patches)
