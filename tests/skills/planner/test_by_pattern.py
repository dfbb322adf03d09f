"""Planning without a model: only what the request says, nothing invented."""

from dataclasses import replace

import pytest

from aeon.cli.next_steps import advice_of
from aeon.skills.discovery.library import SkillLibrary
from aeon.skills.discovery.search import default_roots
from aeon.skills.models import SkillCatalog
from aeon.skills.planner.interface import PlanningError, PlanningTask
from aeon.skills.planner.pattern_planner import PatternPlanner, fill_input, split_words

BOTH = 'Roll 3d8 dice, then narrate "the lock clicks"'


def shipped(folder):
    """The skills that Aeon ships."""
    return SkillLibrary([default_roots(folder, {})[-1]]).catalog


def read_input(schema, request):
    """The input that the request's words fill, or None."""
    filled = fill_input(schema, split_words(request))
    return filled and filled.input


def test_skills_that_the_words_find_run_one_after_another(catalog):
    plan = PatternPlanner().plan(PlanningTask(BOTH, catalog))
    nodes = {node.tool_path: node for node in plan.tools}

    assert nodes["dice-roller/scripts/roll.sh"].input == {"notation": "3d8"}
    assert nodes["storyteller/scripts/narrate.py"].input == {"prompt": "the lock clicks", "words": 100}
    assert [node.tool_path for node in plan.tools] == ["dice-roller/scripts/roll.sh", "storyteller/scripts/narrate.py"]
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

    assert read_input(schema, request_text) == (None if value is None else {"x": value})


def test_free_text_that_is_not_required_stays_empty(teller):
    filled = read_input(teller.scripts[0].input_schema, 'narrate "go on"')

    assert filled == {"prompt": "go on", "words": 100}


def test_what_is_done_is_not_done_again(catalog):
    """Skills 4: a kept node is not planned anew, under another name or not; where nothing is left, that is said."""
    first = PatternPlanner().plan(PlanningTask(BOTH, catalog))
    again = PlanningTask(BOTH, catalog, reusable_nodes=first.tools[:1])

    assert [node.tool_path for node in PatternPlanner().plan(again).tools[1:]] == [first.tools[1].tool_path]
    with pytest.raises(PlanningError):
        PatternPlanner().plan(PlanningTask("Roll 3d8 dice", catalog, reusable_nodes=first.tools))


def test_a_script_that_declares_no_input_is_not_run_on_a_word(make_skill):
    """Skills 9: nothing was read out of the request that could be given to it."""
    wipe = make_skill("deploy", "Deploys the database.", "wipe.py", None)
    plain = replace(wipe, scripts=(replace(wipe.scripts[0], protocol="plain"),))
    with pytest.raises(PlanningError):
        PatternPlanner().plan(PlanningTask("Explain what deploy means", SkillCatalog((plain,))))


def test_a_number_of_any_length_is_no_trouble():
    takes = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}

    assert read_input(takes, f"count to {'9' * 5000}") is None


@pytest.mark.parametrize(
    ("request_text", "word"),
    [
        ("Roll 3d8 dice, then tell the story of what happens next", "tell"),
        ("Flip a coin", "flip"),
        ("Roll two dice", "two"),
        ("Roll 3d8 twice", "twice"),
        ("Do not roll the dice", "not"),
        ("How do I roll dice", "how"),
        ("Roll 2d6 and 3d8", "2d6"),
        ("Roll 2d6 and 2d6", "2d6"),
        ("Roll 2d6 if it rains", "if"),
        ("Roll the dice and email the total to Ann", "email"),
        ("Würfle und roll", "würfle"),
        ('Roll 2d6 "for Ann"', "for Ann"),
        ("Roll 2d6 🎲", "🎲"),
    ],
)
def test_a_request_is_refused_when_a_word_of_it_is_not_accounted_for(catalog, request_text, word):
    """Skills 12: what is not understood is said, and nothing runs for the rest of it."""
    with pytest.raises(PlanningError) as raised:
        PatternPlanner().plan(PlanningTask(request_text, catalog))

    assert f"'{word}'" in raised.value.message.replace(word.capitalize(), word)
    assert "start a model, or write the plan yourself" in raised.value.advice
    assert "`aeon skill run`" in advice_of(raised.value)


@pytest.mark.parametrize(
    "request_text",
    [
        "Remember that the gate code is 4711.",
        "Search memory for the gate code",
        "Flip a coin",
        "Memory",
        "What do you remember?",
        "Fetch the weather",
        "Tell me a story about a lamp",
        "Note down 12",
        "Take the square root of 16",
        "Delete the file report.txt",
    ],
)
def test_shipped_skills_do_nothing_on_a_word_or_two(tmp_path, request_text):
    found = shipped(tmp_path)
    with pytest.raises(PlanningError, match="not understood"):
        PatternPlanner().plan(PlanningTask(request_text, found))


@pytest.mark.parametrize(
    ("request_text", "script", "given"),
    [
        ("Roll 3d6", "dice-roller/scripts/roll.sh", {"notation": "3d6"}),
        ("Could you please roll 3d6 for me?", "dice-roller/scripts/roll.sh", {"notation": "3d6"}),
        ('Search memory for "gate code"', "memory/scripts/search.py", {"text": "gate code", "limit": 5}),
        ("Fetch https://example.org/a.json", "http-fetch/scripts/fetch.mjs", {"url": "https://example.org/a.json"}),
    ],
)
def test_a_request_whose_words_all_have_their_place_is_planned(tmp_path, request_text, script, given):
    found = shipped(tmp_path)
    (node,) = PatternPlanner().plan(PlanningTask(request_text, found)).tools

    assert node.tool_path == script
    assert given.items() <= node.input.items()


def test_one_number_is_not_taken_twice(make_skill):
    both = {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
        "required": ["x", "y"],
    }

    assert read_input(both, "count to 12") is None


def test_a_word_that_two_scripts_go_by_is_not_understood(make_skill):
    files = make_skill("files", "Looks in files.", "search.py", {"type": "object"})
    notes = make_skill("notes", "Looks in notes.", "search.py", {"type": "object"})
    with pytest.raises(PlanningError, match="'search'"):
        PatternPlanner().plan(PlanningTask("search", SkillCatalog((files, notes))))
