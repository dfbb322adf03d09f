"""The answer when no plan worked: a text from a template that says what was tried and what failed (skills 12). Pure."""

from collections.abc import Sequence

from aeon.skills.plan_json import ExecutionResult, FailureReason, new_request_id

_REQUEST = 200


def fallback_result(request: str, last: ExecutionResult | None, lessons: Sequence[str]) -> ExecutionResult:
    """The last plan's result, or that of no plan, with a narrative for the user; nothing of it can be replanned."""
    if last is None:
        last = ExecutionResult(
            plan_id=new_request_id(), success=False, failure_reason=FailureReason.TOOL_FAILURE, can_replan=False
        )
    return last.model_copy(update={"narrative": fallback_text(request, last, lessons), "can_replan": False})


def fallback_text(request: str, last: ExecutionResult, lessons: Sequence[str]) -> str:
    """What a user is told: that it could not be done, what was done all the same, what failed, what to do."""
    asked = request if len(request) <= _REQUEST else f"{request[:_REQUEST]}..."
    done = [f"- {node.tool_id} ({node.tool_path})" for node in last.execution_trace if node.ok]
    failed = list(dict.fromkeys(f"- {lesson}" for lesson in lessons))
    parts = [
        f"I could not carry out: {asked}",
        *(["What was done:", *done] if done else []),
        *(["What failed:", *failed] if failed else ["No plan could be made for it."]),
        "Say it in other words, see `aeon skills list`, or write the plan by hand for `aeon skills exec`.",
    ]
    return "\n".join(parts)
