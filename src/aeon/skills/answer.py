"""What a run of skills says to the user, where no narrative was written. Pure."""

from aeon.base.json import JsonObject, canonical
from aeon.skills.plan_json import ExecutionResult, ExecutionState

_OUTPUT = 2_000


def answer_of(result: ExecutionResult) -> str:
    """The narrative, else what each node that completed said of itself, in the plan's order."""
    if result.narrative:
        return result.narrative
    completed = [node for node in result.execution_trace if node.state is ExecutionState.COMPLETED]
    return "\n".join(_said(node.output or {}) for node in completed)


def _said(output: JsonObject) -> str:
    summary = output.get("summary")
    return summary if isinstance(summary, str) and summary else canonical(output)[:_OUTPUT]
