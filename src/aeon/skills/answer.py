"""What a run of skills says to the user, where no narrative was written. Pure."""

import json

from aeon.base.json import JsonObject
from aeon.skills.plan_json import ExecutionResult, ExecutionState


def answer_text(result: ExecutionResult) -> str:
    """The narrative, else what each node that completed said of itself, in the plan's order."""
    if result.narrative:
        return result.narrative
    completed = [node for node in result.execution_trace if node.state is ExecutionState.COMPLETED]
    return "\n".join(_node_text(node.output or {}) for node in completed)


def _node_text(output: JsonObject) -> str:
    summary = output.get("summary")
    if isinstance(summary, str) and summary:
        return summary
    text = output.get("text")
    if isinstance(text, str) and len(output) == 1:
        return text.rstrip("\n")
    return json.dumps(output, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
