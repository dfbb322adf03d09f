"""What a next plan keeps of one that failed: finished nodes, known again by what they ran (skills 4). Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aeon.dag.scheduling import ReadySet
from aeon.skills.plan.graph import plan_graph
from aeon.skills.plan_json import ExecutionResult, ExecutionState, PlanJson, ToolInvocation, ToolResult


class ReusableResult(NamedTuple):
    """A result that a next plan may take over, under the key of what was run (`node_fingerprints`)."""

    key: str
    result: ToolResult


def reusable_nodes(plan: PlanJson, result: ExecutionResult) -> tuple[list[ToolInvocation], dict[str, ToolResult]]:
    """The nodes that a next plan keeps, with their results: the completed, and the failed ones they went on from.

    A completed node's dependencies completed too, or failed and were not required: so what is kept is closed.
    """
    results = {node.tool_id: node for node in result.execution_trace}
    graph = plan_graph(plan)
    wanted = [at for at, node in enumerate(plan.tools) if _is_completed(results.get(node.tool_id))]
    kept = set(wanted)
    while wanted:
        before = set(graph.dependencies[wanted.pop()]) - kept
        kept |= before
        wanted += before
    nodes = [plan.tools[at] for at in sorted(kept)]
    return nodes, {node.tool_id: results[node.tool_id] for node in nodes}


def results_by_key(plan: PlanJson, keys: Mapping[int, str], finished: Mapping[str, ToolResult]) -> list[ReusableResult]:
    """The finished results of `plan` under its nodes' keys, which are by position."""
    nodes = ((keys.get(at), finished.get(node.tool_id)) for at, node in enumerate(plan.tools))
    return [ReusableResult(key, result) for key, result in nodes if key is not None and result is not None]


def match_results(plan: PlanJson, keys: Mapping[int, str], done: Sequence[ReusableResult]) -> dict[str, ToolResult]:
    """The results, by the plan's own ids, of its nodes that were run before: same script, same input (skills 4).

    A result stands for one node: two of the same work are two pieces of work. One of its own id comes first. What
    failed stands only for a node that need not succeed, and nothing for a node that depends on one which runs again.
    """
    left: dict[str, dict[str, ToolResult]] = {}
    for key, result in done:
        left.setdefault(key, {})[result.tool_id] = result
    nodes = [(plan.tools[at], left[key]) for at, key in keys.items() if key in left]
    known: dict[str, ToolResult] = {}
    for node, fit in sorted(nodes, key=lambda each: each[0].tool_id not in each[1]):
        taken = node.tool_id if node.tool_id in fit else next(iter(fit), None)
        if taken is not None and (fit[taken].ok or not node.required):
            known[node.tool_id] = fit.pop(taken).model_copy(update={"tool_id": node.tool_id})
    return _with_known_dependencies(plan, known)


def _with_known_dependencies(plan: PlanJson, known: dict[str, ToolResult]) -> dict[str, ToolResult]:
    """`known` less the nodes that depend on one which is not known."""
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
