"""The text that a run of skills gives the user if no narrative was written. Pure."""

from collections.abc import Sequence
from typing import get_args

from aeon.base.json import JsonObject, readable_json
from aeon.skills.invocation import SandboxLevel
from aeon.skills.plan_json import ExecutionResult, ExecutionState, FailureReason, new_request_id


def answer_text(result: ExecutionResult) -> str:
    """Returns the narrative, else the summary of each completed node, in the plan's order."""
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
    return readable_json(output)


_MAX_REQUEST_CHARS = 200


def fallback_result(request: str, last: ExecutionResult | None, lessons: Sequence[str]) -> ExecutionResult:
    """Returns the last plan's result, or an empty one, with a narrative for the user.

    `can_replan` is false.
    """
    if last is None:
        last = ExecutionResult(
            plan_id=new_request_id(), success=False, failure_reason=FailureReason.TOOL_FAILURE, can_replan=False
        )
    return last.model_copy(update={"narrative": fallback_text(request, last, lessons), "can_replan": False})


def fallback_text(request: str, last: ExecutionResult, lessons: Sequence[str]) -> str:
    """Returns the text for the user: what was done, what failed, what to do next."""
    shown_request = request if len(request) <= _MAX_REQUEST_CHARS else f"{request[:_MAX_REQUEST_CHARS]}..."
    done = [f"- {node.tool_id} ({node.tool_path})" for node in last.execution_trace if node.ok]
    failed = list(dict.fromkeys(f"- {lesson}" for lesson in lessons))
    parts = [
        f"I could not complete this request: {shown_request}",
        *(["What was done:", *done] if done else []),
        *(["What failed:", *failed] if failed else ["No plan could be made for it."]),
        "Reword the request, list the skills, or write the plan yourself and run it.",
    ]
    return "\n".join(parts)


_ISOLATION_GAPS: dict[SandboxLevel, str] = {
    "plain": (
        "The scripts ran without isolation: they could read, change and send whatever you can. "
        "Install bubblewrap, or use a kernel with landlock; `--sandbox require` refuses to run without isolation."
    ),
    "landlock": (
        "The scripts ran behind landlock, which does not stop them from changing the modes and times of your files. "
        "Install bubblewrap, which does."
    ),
}


def with_isolation_warnings(result: ExecutionResult) -> ExecutionResult:
    """Returns the result with a warning for each sandbox level used that does not isolate fully."""
    used = {node.sandbox for node in result.execution_trace}
    gaps = [_ISOLATION_GAPS[level] for level in get_args(SandboxLevel) if level in used and level in _ISOLATION_GAPS]
    new = [warning for warning in gaps if warning not in result.warnings]
    return result.model_copy(update={"warnings": [*result.warnings, *new]}) if new else result
