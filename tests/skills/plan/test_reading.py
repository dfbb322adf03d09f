"""Plan JSON from data: every problem of its form at once (skills 7)."""

import pytest

from aeon.base.errors import PlanError
from aeon.skills.plan_json import parse_plan


def test_a_plan_with_its_defaults():
    plan = parse_plan({"tools": [{"toolId": "d", "toolPath": "dice/roll"}]})
    assert plan.parallel
    assert plan.request_id
    assert plan.tools[0].is_async
    assert plan.tools[0].required
    assert parse_plan(plan.as_dict()) == plan


def test_every_problem_is_reported_with_its_path():
    """Skills 7: all reported at once."""
    with pytest.raises(PlanError) as caught:
        parse_plan(
            {
                "tools": [
                    {"toolId": "a b", "toolPath": ""},
                    {"toolPath": "x", "input": [], "retryPolicy": {"maxRetries": -1, "often": 1}, "asynch": True},
                    "name a node",
                ],
                "metadata": {"generation": 1},
                "plan": 1,
            }
        )
    problems = caught.value.details["problems"]
    assert {problem.partition(": ")[0] for problem in problems} == {
        "$.tools[0].toolId",
        "$.tools[0].toolPath",
        "$.tools[1].toolId",
        "$.tools[1].input",
        "$.tools[1].retryPolicy.maxRetries",
        "$.tools[1].retryPolicy.often",
        "$.tools[1].asynch",
        "$.tools[2]",
        "$.metadata.generation",
        "$.plan",
    }
    said = str(caught.value)
    assert "$.tools[1].asynch: unknown field; known are toolId, toolPath, input, dependencies, required, async" in said
    assert "known are maxRetries, backoffMs" in said
    assert "known are generationAttempt, parentPlanId" in said
    assert said.endswith("Correct the plan and run it again.")


def test_what_is_no_object_is_said_in_the_user_s_words():
    with pytest.raises(PlanError, match=r"\$: must be a JSON object"):
        parse_plan([])


@pytest.mark.parametrize(
    "data", [None, 3, "plan", [], {}, {"tools": {}}, {"tools": [{}]}, {"tools": [], "narrative": float("nan")}]
)
def test_anything_else_is_refused_politely(data):
    with pytest.raises(PlanError, match="problem"):
        parse_plan(data)


def test_of_very_many_problems_the_first_are_shown_and_all_are_kept():
    with pytest.raises(PlanError, match=r"and 30 more") as caught:
        parse_plan({"tools": [{"toolId": str(n)} for n in range(50)]})
    assert len(caught.value.details["problems"]) == 50
