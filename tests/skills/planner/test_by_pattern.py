"""Planning without a model: only what the request says, nothing invented."""

from dataclasses import replace

import pytest

from aeon.skills.models import SkillCatalog
from aeon.skills.planner.by_pattern import PatternPlanner, filled_input
from aeon.skills.planner.task import PlanningError, PlanningTask


def test_skills_that_the_words_find_run_one_after_another(catalog):
    plan = PatternPlanner().plan(PlanningTask("Roll 3d8 dice, then tell the story of what happens next", catalog))
    nodes = {node.tool_path: node for node in plan.tools}

    assert nodes["dice-roller/scripts/roll.sh"].input == {"notation": "3d8"}
    assert "3d8" in nodes["storyteller/scripts/narrate.py"].input["prompt"]
    assert plan.tools[1].dependencies == [plan.tools[0].tool_id]


def test_a_default_stands_in_for_what_is_not_said(catalog):
    plan = PatternPlanner().plan(PlanningTask("please roll the dice", catalog))

    assert plan.tools[0].input == {"notation": "2d6"}


def test_words_that_find_nothing_are_a_planning_error(catalog):
    with pytest.raises(PlanningError, match="Without a model"):
        PatternPlanner().plan(PlanningTask("translate this into Latin", catalog))


def test_a_skill_whose_input_is_not_in_the_request_is_left_out(make_skill):
    takes = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    catalog = SkillCatalog((make_skill("weather", "Says the weather.", "now.py", takes),))
    with pytest.raises(PlanningError):
        PatternPlanner().plan(PlanningTask("how is the weather", catalog))


@pytest.mark.parametrize(
    ("inner", "request_text", "value"),
    [
        ({"enum": ["short", "long"]}, "a short one", "short"),
        ({"enum": ["short", "long"]}, "short or long", None),
        ({"type": "integer"}, "count to 12", 12),
        ({"type": "integer"}, "from 3 to 12", None),
        ({"type": "number"}, "take 2.5 of it", 2.5),
        ({"type": "string", "pattern": "^[A-Z]{3}$"}, "convert to EUR, please", "EUR"),
        ({"type": "boolean"}, "yes", None),
    ],
)
def test_a_value_is_taken_only_when_it_is_sure(inner, request_text, value):
    schema = {"type": "object", "properties": {"x": inner}, "required": ["x"]}

    assert filled_input(schema, request_text) == (None if value is None else {"x": value})


def test_free_text_that_is_not_required_stays_empty(teller):
    filled = filled_input(teller.scripts[0].input_schema, "go on")

    assert filled == {"prompt": "go on", "words": 100}


def test_what_is_done_is_not_done_again(catalog):
    """Skills 4: a kept node is not planned anew, under another name or not; where nothing is left, that is said."""
    first = PatternPlanner().plan(PlanningTask("Roll 3d8 dice, then tell the story of what happens next", catalog))
    again = PlanningTask("Roll 3d8 dice, then tell the story of what happens next", catalog, kept=first.tools[:1])

    assert [node.tool_path for node in PatternPlanner().plan(again).tools[1:]] == [first.tools[1].tool_path]
    with pytest.raises(PlanningError):
        PatternPlanner().plan(PlanningTask("Roll 3d8 dice", catalog, kept=first.tools))


def test_a_script_that_declares_no_input_is_not_run_on_a_word(make_skill):
    """Skills 9: nothing was read out of the request that could be given to it."""
    wipe = make_skill("deploy", "Deploys the database.", "wipe.py", None)
    plain = replace(wipe, scripts=(replace(wipe.scripts[0], protocol="plain"),))
    with pytest.raises(PlanningError):
        PatternPlanner().plan(PlanningTask("Explain what deploy means", SkillCatalog((plain,))))


def test_a_number_of_any_length_is_no_trouble():
    takes = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}

    assert filled_input(takes, f"count to {'9' * 5000}") is None
