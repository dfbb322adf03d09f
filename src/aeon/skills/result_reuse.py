"""Reuses finished nodes of a failed plan, matched by what they ran (skills 4).

Pure: no I/O.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aeon.dag.scheduling import ReadySet
from aeon.skills.plan.graph import plan_graph
from aeon.skills.plan_json import ExecutionResult, ExecutionState, PlanJson, ToolInvocation, ToolResult


class ReusableResult(NamedTuple):
    """A result that the next plan may reuse, by the key of its node (`node_fingerprints`)."""

    key: str
    result: ToolResult


def reusable_nodes(plan: PlanJson, result: ExecutionResult) -> tuple[list[ToolInvocation], dict[str, ToolResult]]:
    """Returns the nodes that the next plan keeps, with their results.

    These are the completed nodes and all their dependencies. A completed node's dependencies completed too, or failed
    without being required; so the kept nodes are closed.
    """
    results = {node.tool_id: node for node in result.execution_trace}
    graph = plan_graph(plan)
    waiting = [at for at, node in enumerate(plan.tools) if _is_completed(results.get(node.tool_id))]
    kept = set(waiting)
    while waiting:
        new = set(graph.dependencies[waiting.pop()]) - kept
        kept |= new
        waiting += new
    nodes = [plan.tools[at] for at in sorted(kept)]
    return nodes, {node.tool_id: results[node.tool_id] for node in nodes}


def results_by_key(plan: PlanJson, keys: Mapping[int, str], finished: Mapping[str, ToolResult]) -> list[ReusableResult]:
    """Returns the finished results of `plan` by the keys of their nodes; `keys` is by position."""
    nodes = ((keys.get(at), finished.get(node.tool_id)) for at, node in enumerate(plan.tools))
    return [ReusableResult(key, result) for key, result in nodes if key is not None and result is not None]


def match_results(plan: PlanJson, keys: Mapping[int, str], done: Sequence[ReusableResult]) -> dict[str, ToolResult]:
    """Returns earlier results by this plan's ids, for equal scripts and inputs (skills 4).

    Each result serves one node, even if several nodes do the same work; a node with the result's own id comes first.
    A failed result serves only a node that is not required. A node that depends on one that runs again gets none.
    """
    unused: dict[str, dict[str, ToolResult]] = {}
    for key, result in done:
        unused.setdefault(key, {})[result.tool_id] = result
    nodes = [(plan.tools[at], unused[key]) for at, key in keys.items() if key in unused]
    known: dict[str, ToolResult] = {}
    for node, candidates in sorted(nodes, key=lambda each: each[0].tool_id not in each[1]):
        match = node.tool_id if node.tool_id in candidates else next(iter(candidates), None)
        if match is not None and (candidates[match].ok or not node.required):
            known[node.tool_id] = candidates.pop(match).model_copy(update={"tool_id": node.tool_id})
    return _with_known_dependencies(plan, known)


def _with_known_dependencies(plan: PlanJson, known: dict[str, ToolResult]) -> dict[str, ToolResult]:
    """Returns `known` without the nodes that depend on a node that is not known."""
    graph = plan_graph(plan)
    ready = ReadySet(graph.dependencies)
    closed: dict[str, ToolResult] = {}
    while positions := ready.get_ready():
        for position in positions:
            tool_id = plan.tools[position].tool_id
            if tool_id in known and all(plan.tools[at].tool_id in closed for at in graph.dependencies[position]):
                closed[tool_id] = known[tool_id]
            ready.done(position)
    return closed


def _is_completed(result: ToolResult | None) -> bool:
    return result is not None and result.state is ExecutionState.COMPLETED
