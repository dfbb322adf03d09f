"""Plans that are wrong cannot be written down under the per-request schema (skills 7, core 11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.json_schema import CompiledSchema, schema_problem
from aeon.skills.planner.answer_schemas import MAX_NODES, choice_schema, fresh_ids, nodes_schema, output_paths


def node(tool_id="t1", path="dice-roller/scripts/roll.sh", given=None, **more):
    return {"toolId": tool_id, "toolPath": path, "input": given or {}, **more}


def plan(*tools):
    paths = [each["toolPath"] for each in tools]
    return {"scripts": paths, "count": len(tools), "tools": list(tools)}


@pytest.fixture
def check(dice, teller):
    schema = nodes_schema([*dice.scripts, *teller.scripts], [])

    assert schema_problem(schema) is None

    return CompiledSchema(schema)


def story(tool_id="t2", after=("t1",), **given):
    told = {"prompt": "the lock", **given}
    return node(tool_id, "storyteller/scripts/narrate.py", told, dependencies=list(after))


def test_a_plan_that_is_right_fits(check):
    tools = [node(given={"notation": "2d6"}), story(facts="{tool.t1.dice.total}")]

    assert check.problems(plan(*tools)) == []


@pytest.mark.parametrize(
    "tools",
    [
        [node(path="dice-roller/scripts/cheat.sh")],
        [node(path="../../bin/sh")],
        [node("t2")],
        [node(), node()],
        [node(), story(after=["t2"])],
        [node(), story(after=["t3"])],
        [node(), story(after=["t9"])],
        [node(dependencies=["t2"]), story()],
        [node(given={"notation": "many"})],
        [node(given={"sides": 6})],
        [],
        [node(), *(story(f"t{n}") for n in range(2, MAX_NODES + 2))],
    ],
    ids=[
        "unknown script",
        "path out of the folder",
        "wrong id",
        "duplicate id",
        "on itself",
        "on a later node",
        "on an unknown node",
        "cycle",
        "bad input",
        "unknown input",
        "empty",
        "too many",
    ],
)
def test_what_is_wrong_cannot_be_written(check, tools):
    assert not check.is_valid(plan(*tools))


def test_a_disabled_skill_leaves_the_schema(dice, teller):
    check = CompiledSchema(nodes_schema(teller.scripts, []))

    assert not check.is_valid(plan(node()))


def test_new_nodes_follow_the_finished_ones_and_may_use_them(dice, teller):
    check = CompiledSchema(nodes_schema([*dice.scripts, *teller.scripts], ["t1"]))

    assert check.is_valid(plan(story("t2", ["t1"])))
    assert not check.is_valid(plan(story("t1", [])))


def test_a_reference_may_stand_where_a_pattern_or_a_number_does(check):
    rolled_again = node("t2", given={"notation": "{tool.t1.dice.total}"}, dependencies=["t1"])

    assert check.is_valid(plan(node(), rolled_again))
    assert check.is_valid(plan(node(), story(words="{tool.t1.dice.total}")))
    assert not check.is_valid(plan(node(), story(words="{tool.t2.dice.total}")))


def test_the_count_is_that_of_the_tools(check):
    assert not check.is_valid({**plan(node()), "count": 2})


def test_text_refers_to_what_exists_or_to_nothing(check):
    assert check.is_valid(plan(node(), story(prompt="You rolled {tool.t1.dice.total}, then what?")))
    assert not check.is_valid(plan(node(), story(prompt="You rolled {tool.t1.sum}")))
    assert not check.is_valid(plan(node(), story(prompt="You rolled {tool.t2.dice.total}")))


def test_only_skills_that_are_shown_can_be_chosen():
    check = CompiledSchema(choice_schema(["a", "b"]))

    assert check.is_valid({"skills": ["b"]})
    assert check.is_valid({"skills": []})
    assert not check.is_valid({"skills": ["c"]})


@given(st.lists(st.sampled_from([f"t{n}" for n in range(1, 20)]), unique=True))
def test_fresh_ids_are_new_and_as_many_as_a_plan_may_add(taken):
    ids = fresh_ids(taken)

    assert len(set(ids)) == MAX_NODES
    assert not set(ids) & set(taken)


def test_output_paths_are_the_leaves():
    schema = {"properties": {"a": {"properties": {"b": {"type": "number"}}}, "c": {"type": "string"}}}

    assert output_paths(schema) == ["a.b", "c"]
    assert output_paths({"type": "object"}) == []
    assert output_paths(None) == []


@pytest.mark.parametrize(
    ("takes", "right", "wrong"),
    [
        ({"properties": {"p": {"$ref": "#/$defs/P"}}, "$defs": {"P": {"type": "integer"}}}, {"p": 1}, {"p": []}),
        ({"$ref": "#/definitions/P", "definitions": {"P": {"required": ["p"]}}}, {"p": 1}, {}),
        ({"properties": {"p": {"type": "integer"}, "q": {"$ref": "#/properties/p"}}}, {"q": 1}, {"q": []}),
        ({"properties": {"p": {"type": "integer"}, "q": {"$ref": "#"}}}, {"q": {"p": 1}}, {"q": {"p": []}}),
        ({"anyOf": [True, {"required": ["p"]}]}, {}, None),
        ({"properties": {"p": {"type": "string", "maxLength": 10.0}}}, {"p": "x"}, {"p": "x" * 11}),
    ],
)
def test_an_input_s_schema_means_in_a_plan_what_it_means_alone(make_skill, takes, right, wrong):
    """Skills 7: references inside it, of every kind of pointer, go on leading where they led; in two scripts each to its own."""
    first = make_skill("first", "One.", "go.py", {"type": "object", **takes})
    second = make_skill(
        "second",
        "Two.",
        "go.py",
        {"type": "object", "properties": {"p": {"$ref": "#/$defs/P"}}, "$defs": {"P": {"const": 7}}},
    )
    check = CompiledSchema(nodes_schema([*first.scripts, *second.scripts], []))

    assert check.is_valid(plan(node(path=first.scripts[0].tool_path, given=right)))
    assert wrong is None or not check.is_valid(plan(node(path=first.scripts[0].tool_path, given=wrong)))
    assert check.is_valid(plan(node(path=second.scripts[0].tool_path, given={"p": 7})))
    assert not check.is_valid(plan(node(path=second.scripts[0].tool_path, given={"p": 1})))


@pytest.mark.parametrize("character", ['"', "\\", "\n", "\x00"])
def test_no_text_of_a_slot_may_hold_what_json_escapes(check, character):
    """llama.cpp holds patterns against the JSON of a string: what ended the string there would pass as a part of it."""
    said = f"the lock{character}"

    assert check.is_valid(plan(node(given={"notation": "2d6"}), story()))
    assert not check.is_valid(plan(node(given={"notation": "2d6"}), story(prompt=said)))
