"""Builds the result of a plan from the results of its nodes (skills-data-model 3). Pure."""

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
"""Maximum number of nodes named in a conflict warning."""

_MAX_WARNINGS = 50
"""Maximum number of conflict warnings; the remaining keys are counted."""

StateKey: TypeAlias = tuple[str, ...]

_OBJECT = "{"
"""The value recorded for a key that a patch descends into or sets to an object; no JSON value equals it."""


class _StateWrite(NamedTuple):
    node: int
    value: str


def conflict_warnings(
    dependencies: Sequence[Sequence[int]],
    order: Sequence[int],
    names: Sequence[str],
    patches: Mapping[int, Sequence[JsonObject]],
) -> list[str]:
    """Returns a warning for each key that independent nodes set differently.

    They are in the order of the keys' first writes. `order` is a topological order of all nodes, `names` has their
    names by position, `patches` their committed ones.
    """
    contended = {
        key: writes
        for key, writes in _writes(order, patches).items()
        if len({write.value for write in writes}) > 1 and len({write.node for write in writes}) > 1
    }
    nodes = sorted({write.node for writes in contended.values() for write in writes})
    bit = {node: 1 << index for index, node in enumerate(nodes)}
    above = marked_ancestors(dependencies, order, nodes) if nodes else {}
    conflicts = [(key, _independent(writes, bit, above)) for key, writes in contended.items()]
    warnings = [_warning_text(key, [names[node] for node in clashing]) for key, clashing in conflicts if clashing]
    more = [f"{len(warnings) - _MAX_WARNINGS} more keys are set differently by independent nodes."]
    return warnings[:_MAX_WARNINGS] + (more if len(warnings) > _MAX_WARNINGS else [])


def _writes(order: Sequence[int], patches: Mapping[int, Sequence[JsonObject]]) -> dict[StateKey, list[_StateWrite]]:
    """Returns the writes of each key in topological order.

    Only the last write of each node is included.
    """
    writes: dict[StateKey, list[_StateWrite]] = {}
    for node in order:
        last = dict(setting for patch in patches.get(node, ()) for setting in _assignments(patch, ()))
        for key, value in last.items():
            writes.setdefault(key, []).append(_StateWrite(node, value))
    return writes


def _assignments(patch: Json, key: StateKey) -> Iterator[tuple[StateKey, str]]:
    if not isinstance(patch, dict):
        yield key, canonical_json(patch)
        return
    if key:
        yield key, _OBJECT
    for name, value in cast(JsonObject, patch).items():
        yield from _assignments(value, (*key, name))


def _independent(writes: Sequence[_StateWrite], bit: Mapping[int, int], above: Mapping[int, int]) -> list[int]:
    """Returns the nodes that set a key differently from a node that is not upstream of them.

    The other nodes of these pairs are included.
    """
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
    return (
        f"{'.'.join(key)!r} is set differently by {shown}{more}, none of which depends on another; the last write wins."
    )


_MAX_NAMED = 5

FAILED_STATES = (ExecutionState.FAILED, ExecutionState.TIMEOUT)
"""The states of a failed or invalid node; a skipped node has not failed."""


@dataclass(frozen=True, slots=True)
class FinishedPlan:
    """A plan whose nodes have all ended.

    `results` are by position; `faults` are what the plan was rejected for.
    """

    plan: PlanJson
    graph: PlanGraph
    catalog: SkillCatalog
    results: Sequence[ToolResult]
    initial_state: JsonObject
    faults: Sequence[NodeFault] = ()
    is_cancelled: bool = False
    milliseconds: int = 0


def build_result(ended: FinishedPlan) -> ExecutionResult:
    """Returns the plan's result, with trace and effects in topological order."""
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
    """Returns the result of a node that did not run."""
    return _unrun_result(tool, ExecutionState.SKIPPED, kind, message)


def rejected_results(
    plan: PlanJson, faults: Sequence[NodeFault], finished: Sequence[ToolResult | None]
) -> list[ToolResult]:
    """Returns the results of a rejected plan.

    Faulty nodes carry their faults, finished ones stay unchanged.
    """
    by_position: dict[int, list[NodeFault]] = {}
    for fault in faults:
        by_position.setdefault(fault.position, []).append(fault)
    return [
        _faulty_result(tool, by_position[position])
        if position in by_position
        else finished[position]
        or skipped_result(tool, FailureClass.PLAN_REJECTED, "Not run: other nodes of the plan are invalid.")
        for position, tool in enumerate(plan.tools)
    ]


def _faulty_result(tool: ToolInvocation, faults: Sequence[NodeFault]) -> ToolResult:
    result = _unrun_result(tool, ExecutionState.FAILED, faults[0].failure, join_problems(faults))
    step = next((fault.next_step for fault in faults if fault.next_step), "")
    return result.model_copy(update={"error": result.error and result.error.model_copy(update={"next_step": step})})


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
    """Returns why the plan failed: a cycle, its deadline, or its first required failure.

    Returns None if it was only cancelled.
    """
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
    """Whether any usable skill is left for a new plan (skills 7).

    It must be plannable, not disabled by the plan, and not at fault in it.
    """
    if ended.is_cancelled:
        return False
    excluded = set(ended.plan.disabled_skills)
    for result in ended.results:
        kind = _kind(result)
        match = ended.catalog.find_script(result.tool_path or "")
        if kind is not None and match is not None and blame_for(kind) is Blame.SKILL:
            excluded.add(match[0].name)
    return any(skill.name not in excluded for skill in ended.catalog.plannable())


def _narrative(ended: FinishedPlan, state: JsonObject) -> tuple[str | None, list[str]]:
    """Returns the narrative, and warnings for references without a value.

    A node's narrative takes precedence over the plan's own with its references filled in.
    """
    has_narrative = any("narrative" in patch for result in ended.results for patch in committed_patches(result))
    if has_narrative and isinstance(state.get("narrative"), str):
        return state["narrative"], []
    if ended.plan.narrative is None:
        return None, []
    outputs = {result.tool_id: result.output for result in ended.results if result.ok}
    text, missing = fill_text(ended.plan.narrative, outputs)
    return text, [f"The narrative refers to {reference}, which has no value; it was left out." for reference in missing]


def _dropped_event_warnings(trace: Sequence[ToolResult]) -> list[str]:
    """Returns the warning about nodes with dropped events, if there are any."""
    counts = {node.tool_id: node.dropped_events + sum(each.dropped_events for each in node.attempts) for node in trace}
    names = [name for name, count in counts.items() if count]
    if not names:
        return []
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    limit = f"at most {OUTPUT_BUDGET_BYTES // 1024**2} MiB of a plan's events and output are kept"
    return [f"{sum(counts.values()):,} events of {', '.join(names[:_MAX_NAMED])}{more} are not in the trace: {limit}."]


def _conflict_warnings(ended: FinishedPlan, order: Sequence[int]) -> list[str]:
    names = [tool.tool_id for tool in ended.plan.tools]
    patches = {position: list(committed_patches(result)) for position, result in enumerate(ended.results)}
    return conflict_warnings(ended.graph.dependencies, order, names, patches)
