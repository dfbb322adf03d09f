"""What a user is told when no plan worked, and when one did without a narrative (skills 12)."""

from aeon.skills.answer import answer_text, fallback_result
from aeon.skills.plan_json import ExecutionResult, ExecutionState, ToolResult


def ended(tool_id, *, ok=True, output=None):
    state = ExecutionState.COMPLETED if ok else ExecutionState.FAILED
    return ToolResult(tool_id=tool_id, tool_path=f"a/{tool_id}", ok=ok, state=state, output=output)


def test_without_any_plan_it_says_that_none_could_be_made():
    result = fallback_result("fly to the moon", None, [])

    assert not result.success
    assert not result.can_replan
    assert "I could not complete this request: fly to the moon" in result.narrative
    assert "No plan could be made" in result.narrative


def test_it_says_what_was_done_what_failed_and_keeps_state_and_trace():
    last = ExecutionResult(
        plan_id="p", success=False, execution_trace=[ended("one"), ended("two", ok=False)], final_state={"kept": 1}
    )
    result = fallback_result("do both", last, ["two a/two: timeout: too slow", "two a/two: timeout: too slow"])

    assert "- one (a/one)" in result.narrative
    assert result.narrative.count("too slow") == 1
    assert result.final_state == {"kept": 1}
    assert result.execution_trace == last.execution_trace


def test_an_answer_is_the_narrative_else_the_summaries_else_the_outputs():
    trace = [ended("one", output={"summary": "rolled 7"}), ended("two", output={"x": 1}), ended("three", ok=False)]
    result = ExecutionResult(plan_id="p", success=True, execution_trace=trace)

    assert answer_text(result) == 'rolled 7\n{"x":1}'
    assert answer_text(result.model_copy(update={"narrative": "Seven!"})) == "Seven!"
