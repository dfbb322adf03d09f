"""Requests that the kernel runs, each with a log and a registry of its own."""

import json

import pytest

from aeon import Orchestrator, tool
from aeon.base.errors import InputError, LLMError, PlanError, ToolDefinitionError
from aeon.bootstrap.kernel_requests import new_log_path, open_request_log
from aeon.kernel.state import OrchestrationState
from aeon.llm.interface import LLMResponse
from aeon.observability.log import read_log
from aeon.plan.models import Plan
from aeon.testing.llm import ScriptedAdapter

ADD = {
    "goal": "add two numbers and say so",
    "steps": [
        {"step_id": "s1", "description": "add", "tool": "calculator", "arguments": {"expression": "15*23+7"}},
        {"step_id": "s2", "description": "say", "tool": "echo", "arguments": {"text": "it is {step.s1.result}"}},
    ],
}


@tool
def double(number: int) -> int:
    """Doubles a number."""
    return 2 * number


def test_a_request_is_planned_run_and_logged(opened):
    project = opened(model=ScriptedAdapter([ADD]))
    result = project.ask("tell me 15*23 plus 7")
    assert (result.answer, result.status, result.trusted) == ("it is 352", "completed", True)
    assert result.log.parent == project.folder / ".aeon" / "logs"
    assert read_log(result.log).entries[0]["run"]["request"] == "tell me 15*23 plus 7"
    assert (result.usage.calls, result.usage.uncounted_calls, result.usage.cost) == (1, 1, None)


def test_the_typed_result_has_the_published_form(opened):
    project = opened(model=ScriptedAdapter([]))
    raw = project.run_plan(ADD).as_dict()
    published = Orchestrator(ScriptedAdapter([]), tool_registry=project._app.registry).execute("add", Plan(**ADD))
    assert raw.keys() == published.keys()
    assert all(raw[name] == published[name] for name in raw if name != "final_state")
    assert isinstance(raw["final_state"], OrchestrationState)


def test_a_failed_request_says_why_and_is_not_trusted(opened):
    plan = {"goal": "divide", "steps": [{**ADD["steps"][0], "arguments": {"expression": "1/0"}}]}
    result = opened(model=ScriptedAdapter([])).run_plan(plan, repair=False)
    assert (result.status, result.trusted, result.error["step_id"]) == ("failed", False, "s1")
    assert "zero" in result.error["message"]
    assert result.as_dict()["error"] == result.error


def test_usage_is_the_sum_of_what_the_replies_report(opened):
    reply = LLMResponse(text=json.dumps(ADD), usage={"input_tokens": 7, "output_tokens": 3})
    usage = opened(model=ScriptedAdapter([reply])).ask("add").usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (1, 7, 3)


def test_a_run_has_a_registry_of_its_own(opened):
    plan = {
        "goal": "double",
        "steps": [{"step_id": "s", "description": "double it", "tool": "double", "arguments": {"number": 21}}],
    }
    project = opened()
    assert project.run_plan(plan, tools=[double]).results == {"s": {"result": 42}}
    assert project._app.registry.get("double") is None
    with pytest.raises(ToolDefinitionError):
        project.run_plan(plan, tools=[double, double])


def test_what_cannot_be_run_leaves_no_log(opened):
    project = opened(model=ScriptedAdapter([LLMError("no network")]))
    with pytest.raises(PlanError):
        project.run_plan(
            {"goal": "x", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {}}]}
        )
    assert list(project.folder.glob(".aeon/logs/*")) == []


def test_every_fault_of_a_plan_is_refused_at_once_unless_the_model_may_make_up_for_it(opened):
    """Core 17: as the command does; an unknown tool is not left to the model unasked."""
    project = opened(model=ScriptedAdapter(["no tool fits", "none", "by the model"]))
    steps = [
        {"step_id": "a", "description": "send", "tool": "send_mail", "arguments": {"to": "ann"}},
        {"step_id": "b", "description": "call", "tool": "phone", "arguments": {}},
        {"step_id": "c", "description": "say", "tool": "echo", "arguments": {}},
    ]
    with pytest.raises(PlanError) as refused:
        project.run_plan({"goal": "x", "steps": steps})
    assert [each.partition(":")[0] for each in refused.value.details["problems"]] == [
        "$.steps[0].tool",
        "$.steps[1].tool",
        "$.steps[2].arguments",
    ]
    assert list(project.folder.glob(".aeon/logs/*")) == []
    allowed = project.run_plan({"goal": "x", "steps": steps[:1]}, allow_fallback=True)
    assert (allowed.answer, allowed.trusted) == ("by the model", False)


def test_a_cancelled_request_is_resumed_by_its_log(opened):
    """Core 20: the run ends after the step under way and can be resumed."""
    project = opened()
    asked = iter([False, True])
    stopped = project.run_plan(ADD, cancellation=lambda: next(asked))
    assert (stopped.status, stopped.error["type"], stopped.results.keys()) == ("ttl_expired", "RunCancelled", {"s1"})
    assert "aeon log resume" in stopped.error["next_step"]
    again = project.resume(stopped.log)
    assert (again.status, again.answer, again.log) == ("completed", "it is 352", stopped.log)
    with pytest.raises(InputError, match="has ended"):
        project.resume(stopped.log)


def test_an_empty_log_is_removed_and_one_with_entries_stays(tmp_path):
    path = new_log_path(tmp_path)
    with open_request_log(path):
        assert path.exists()
    assert not path.exists()
    assert new_log_path(tmp_path) != path


def test_what_code_can_read_needs_no_model_in_python_either(opened):
    """Decision 52."""
    result = opened().ask("What is 15 * 23 plus 7?")
    assert (result.answer, result.trusted, result.usage.calls) == ("352", True, 0)
