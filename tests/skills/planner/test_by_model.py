"""Planning by a model: progressive disclosure, bounded calls, nothing completed by guessing (skills 9, core 9, 10)."""

import json

import pytest

from aeon.base.errors import LLMError
from aeon.llm.interface import LLMResponse
from aeon.observability.events import TextGenerated
from aeon.observability.skill_events import SkillsChosen
from aeon.skills.models import SkillCatalog
from aeon.skills.plan_json import ExecutionState, ToolInvocation, ToolResult
from aeon.skills.planner.interface import PlanningError, PlanningTask
from aeon.skills.planner.model_planner import MAX_CANDIDATES, ModelPlanner
from aeon.testing.llm import ScriptedAdapter

ROLL = {"toolId": "t1", "toolPath": "dice-roller/scripts/roll.sh", "input": {"notation": "2d6"}}
CHOSEN = {"skills": ["dice-roller"]}


def prompt_of(skill):
    return f"the whole prompt of {skill.name}"


def answer_under(skills, words):
    return f"{words}, as {skills[0].name} says"


def planned(replies, catalog, **more):
    model = ScriptedAdapter(replies)
    plan = ModelPlanner(model, prompt_of, answer_under).plan(PlanningTask("roll two dice", catalog, **more))
    return model, plan


def test_a_request_becomes_plan_json_with_its_place_in_the_attempts(catalog):
    _, plan = planned(
        [CHOSEN, {"scripts": [ROLL["toolPath"]], "count": 1, "tools": [ROLL]}],
        catalog,
        attempt=3,
        parent_plan_id="before",
    )

    assert [node.tool_path for node in plan.tools] == ["dice-roller/scripts/roll.sh"]
    assert plan.as_dict()["metadata"] == {"generationAttempt": 3, "parentPlanId": "before"}


def test_names_and_descriptions_first_prompts_of_the_chosen_only(catalog):
    """Skills 9: the body is shown only when the skill is chosen."""
    model, _ = planned([CHOSEN, {"scripts": [ROLL["toolPath"]], "count": 1, "tools": [ROLL]}], catalog)
    choice, plan = (request.system_prompt for request in model.requests)

    assert "Tells what happens next" in choice
    assert "the whole prompt" not in choice
    assert "the whole prompt of dice-roller" in plan
    assert "storyteller" not in plan


def test_decoding_is_constrained_at_both_calls(catalog):
    """Core 11: what is not there cannot be chosen or planned."""
    model, _ = planned([CHOSEN, {"scripts": [ROLL["toolPath"]], "count": 1, "tools": [ROLL]}], catalog)
    choice, plan = (request.schema for request in model.requests)

    assert choice["properties"]["skills"]["items"] == {"enum": ["dice-roller", "storyteller", "none"]}
    assert "storyteller" not in str(plan)


def test_of_hundreds_a_few_are_shown(many_skills):
    task = PlanningTask("when is the high tide", many_skills)
    model = ScriptedAdapter(
        [
            {"skills": ["tide-table"]},
            {
                "scripts": ["tide-table/scripts/tide.py"],
                "count": 1,
                "tools": [{"toolId": "t1", "toolPath": "tide-table/scripts/tide.py", "input": {"prompt": "x"}}],
            },
        ]
    )
    seen = []
    ModelPlanner(model, prompt_of, answer_under, seen.append).plan(task)

    assert model.requests[0].system_prompt.count("\n- ") <= MAX_CANDIDATES + 1
    assert [event for event in seen if not isinstance(event, TextGenerated)] == [SkillsChosen(["tide-table"], 300)]


def test_what_the_model_writes_is_told_while_it_writes(catalog):
    """Whoever waits for it, minutes on a slow machine, sees that something is going on."""
    seen = []
    model = ScriptedAdapter([{"skills": ["none"]}, "Hello yourself."])
    ModelPlanner(model, prompt_of, answer_under, seen.append).plan(PlanningTask("hello", catalog))

    told = {"choice": "", "answer": ""}
    for event in seen:
        if isinstance(event, TextGenerated):
            told[event.purpose] += event.text
    assert json.loads(told["choice"]) == {"skills": ["none"]}
    assert told["answer"] == "Hello yourself."


def test_what_needs_no_skill_is_answered_by_the_model(catalog):
    _, plan = planned([{"skills": ["none"]}, "Hello yourself."], catalog)

    assert plan.tools == []
    assert plan.narrative == "Hello yourself."


def test_a_fenced_answer_is_read_without_asking_again(catalog):
    """Core 9: recovery before any repair by a model."""
    model, plan = planned(
        ['```json\n{"skills": ["dice-roller"]}\n```', {"scripts": [ROLL["toolPath"]], "count": 1, "tools": [ROLL]}],
        catalog,
    )

    assert len(plan.tools) == 1
    assert len(model.requests) == 2


def test_a_plan_cut_off_by_the_token_limit_is_not_completed(catalog):
    """Core 9."""
    cut = LLMResponse(
        '{"scripts": [ROLL["toolPath"]], "count": 1, "tools": [{"toolId": "t1", "toolPath": "dice',
        finish_reason="length",
    )
    with pytest.raises(PlanningError, match="cut off"):
        planned([CHOSEN, cut], catalog)


def test_what_cannot_be_repaired_in_two_calls_is_a_planning_error(catalog):
    """Core 10: at most two repairs."""
    with pytest.raises(PlanningError, match="cannot be used"):
        planned([CHOSEN, "no plan", "still none", "none at all"], catalog)


def test_a_model_that_does_not_answer_is_an_llm_error(catalog):
    with pytest.raises(LLMError, match="down"):
        planned([LLMError("down")], catalog)


def test_without_any_skill_there_is_nothing_to_plan_with(dice):
    with pytest.raises(PlanningError, match="No skill is available"):
        planned([], SkillCatalog((dice,)).with_disabled(["dice-roller"]))


def test_a_replan_sees_what_is_done_and_what_failed_and_adds_to_it(catalog):
    """Skills 4: a replan keeps the results of nodes that finished."""
    kept = ToolInvocation.model_validate(ROLL)
    done = ToolResult(
        tool_id="t1", tool_path=kept.tool_path, ok=True, state=ExecutionState.COMPLETED, output={"dice": {"total": 9}}
    )
    again = {**ROLL, "toolId": "t2", "dependencies": ["t1"]}
    model, plan = planned(
        [CHOSEN, {"scripts": [ROLL["toolPath"]], "count": 1, "tools": [again]}],
        catalog,
        reusable_nodes=[kept],
        finished={"t1": done},
        lessons=["t2 x: timeout: too slow"],
    )

    assert [node.tool_id for node in plan.tools] == ["t1", "t2"]
    assert '{"dice":{"total":9}}' in model.requests[1].prompt
    assert "too slow" in model.requests[0].prompt


def test_later_attempts_are_asked_more_freely(catalog):
    model, _ = planned([CHOSEN, {"scripts": [ROLL["toolPath"]], "count": 1, "tools": [ROLL]}], catalog, attempt=2)

    assert [request.temperature for request in model.requests] == [0.3, 0.3]
