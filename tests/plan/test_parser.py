"""FR-006 to FR-010, core 3: plans from JSON and YAML, every problem at once."""

import inspect
import json
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import PlanError
from aeon.plan import parser
from aeon.plan.parser import MAX_TEXT, build_plan, parse_plan, plan_problems

PLAN = {
    "goal": "say hello",
    "steps": [
        {"step_id": "s1", "description": "say it", "tool": "echo", "arguments": {"text": "hello"}},
        {"step_id": "s2", "description": "again", "tool": "echo", "arguments": {"text": "{step.s1.text}"}},
        {"step_id": "s3", "description": "think", "agent": "llm"},
    ],
}


def step(**fields):
    return {"step_id": "s1", "description": "do it", **fields}


def problems(value):
    return {problem.path: problem.message for problem in plan_problems(value)}


@pytest.mark.parametrize("write", [json.dumps, lambda value: json.dumps(value, indent=2), yaml.safe_dump])
def test_fr_009_json_and_yaml_mean_the_same(write):
    assert parse_plan(write(PLAN)) == build_plan(PLAN)


def test_json_with_space_or_a_mark_before_it():
    assert parse_plan("\n\t " + json.dumps(PLAN)) == build_plan(PLAN)
    assert parse_plan("\ufeff" + json.dumps(PLAN)) == build_plan(PLAN)


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ([], "$", "valid dictionary"),
        ("text", "$", "valid dictionary"),
        (None, "$", "valid dictionary"),
        ({"steps": [step()]}, "$.goal", "required"),
        ({"goal": "", "steps": [step()]}, "$.goal", "must not be empty"),
        ({"goal": " \n", "steps": [step()]}, "$.goal", "must not be empty"),
        ({"goal": 5, "steps": [step()]}, "$.goal", "valid string"),
        ({"goal": "g"}, "$.steps", "required"),
        ({"goal": "g", "steps": []}, "$.steps", "at least 1"),
        ({"goal": "g", "steps": {}}, "$.steps", "valid list"),
        ({"goal": "g", "steps": ["x"]}, "$.steps[0]", "valid dictionary"),
        ({"goal": "g", "steps": [step()], "ttl": 3}, "$.ttl", "unknown field; known are goal, steps"),
        ({"goal": "g", "steps": [{"description": "x"}]}, "$.steps[0].step_id", "required"),
        ({"goal": "g", "steps": [step(step_id="")]}, "$.steps[0].step_id", "must not be empty"),
        ({"goal": "g", "steps": [{"step_id": "s1"}]}, "$.steps[0].description", "required"),
        ({"goal": "g", "steps": [step(toool="x")]}, "$.steps[0].toool", "unknown field; known are step_id"),
        ({"goal": "g", "steps": [step(tool="")]}, "$.steps[0].tool", "must not be empty"),
        ({"goal": "g", "steps": [step(agent="bob")]}, "$.steps[0].agent", "'llm'"),
        ({"goal": "g", "steps": [step(arguments=[])]}, "$.steps[0].arguments", "valid dictionary"),
        ({"goal": "g", "steps": [step(status="done")]}, "$.steps[0].status", "'pending'"),
        ({"goal": "g", "steps": [step(status="running")]}, "$.steps[0].status", "only pending steps"),
        ({"goal": "g", "steps": [step(status="complete")]}, "$.steps[0].status", "only pending steps"),
        ({"goal": "g", "steps": [step(status="failed")]}, "$.steps[0].status", "only pending steps"),
        ({"goal": "g", "steps": [step(arguments={"x": float("nan")})]}, "$.steps[0].arguments.x", "not JSON"),
        ({"goal": "g", "steps": [step(arguments={"x": {1: 2}})]}, "$.steps[0].arguments.x", "not a string"),
        ({"goal": "g", "steps": [step(arguments={"x": 10**5000})]}, "$.steps[0].arguments.x", "digits"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-",
)
def test_fr_010_each_rule_of_a_plan_has_its_path_and_reason(value, path, message):
    assert message in problems(value)[path]
    with pytest.raises(PlanError) as raised:
        build_plan(value, source="plan.json")
    assert str(raised.value).startswith("plan.json has ")
    assert f"{path}: " in str(raised.value)
    assert raised.value.advice


def test_all_problems_at_once():
    value = {
        "goal": "",
        "extra": 1,
        "steps": [
            {"step_id": "a", "description": "", "tool": "t", "arguments": {"x": ["{step.b}", "{step.a.y} {step.zz}"]}},
            {"step_id": "b", "description": "x", "status": "complete", "agent": "me"},
            {"step_id": "a", "description": "x", "foo": 1},
            "not a step",
        ],
    }
    assert set(problems(value)) == {
        "$.goal",
        "$.extra",
        "$.steps[0].description",
        "$.steps[0].arguments.x[0]",
        "$.steps[0].arguments.x[1]",
        "$.steps[1].agent",
        "$.steps[1].status",
        "$.steps[2].foo",
        "$.steps[2].step_id",
        "$.steps[3]",
    }
    with pytest.raises(PlanError) as raised:
        build_plan(value)
    assert len(raised.value.details["problems"]) == 11


def test_step_ids_are_unique():
    message = problems({"goal": "g", "steps": [step(), step(step_id="s2"), step()]})["$.steps[2].step_id"]
    assert message == "'s1' is also the id of $.steps[0]; ids are unique"


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("{step.s9}", "does not name a step of this plan; the steps are s1, s2, s3"),
        ("{step.S1}", "does not name a step of this plan"),
        ("{step.s2.result}", "refers to its own step"),
        ("{step.s3}", "refers to a later step; steps run in order, so move 's3' before this one"),
    ],
)
def test_core_3_references_point_backwards(reference, reason):
    value = {
        "goal": "g",
        "steps": [step(), step(step_id="s2", arguments={"a": {"b": [reference]}}), step(step_id="s3")],
    }
    assert reason in problems(value)["$.steps[1].arguments.a.b[0]"]


def test_core_3_references_to_earlier_steps_are_fine_also_with_dots_in_ids():
    value = {
        "goal": "g",
        "steps": [step(step_id="a.b"), step(arguments={"x": "{step.a.b.c}", "y": "see {step.a.b}"})],
    }
    assert problems(value) == {}


def test_many_problems_are_listed_up_to_a_screenful():
    with pytest.raises(PlanError, match="has 50 problem") as raised:
        build_plan({"goal": "g", "steps": [step(step_id=f"s{n}", status="failed") for n in range(50)]})
    assert "... and 30 more" in str(raised.value)
    assert len(raised.value.details["problems"]) == 50


def deep_plan(depth):
    return (
        '{"goal":"g","steps":[{"step_id":"a","description":"b","arguments":{"x":' + "[" * depth + "]" * depth + "}}]}"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000, "nested too deeply"),
        (deep_plan(98), "nested deeper"),
        (deep_plan(900), "nested"),
        ("a: " + "[" * 200_000, "nested deeper"),
        ("a: " + "{b: " * 200_000, "nested deeper"),
        ("- " * 200_000, "nested deeper"),
        ("".join(" " * n + "a:\n" for n in range(300)), "nested deeper"),
        ("a: &x [1]\nb: *x", "line 2: the alias \\*x is not allowed"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "alias"),
        ("&a [*a]", "alias"),
        ("a: !!python/object/apply:os.system ['echo']", "line 1: the tag .* is not allowed"),
        ("a: !!python/name:os.system", "tag"),
        ("!custom {goal: x}", "tag"),
        ("a: !!binary aGVsbG8=", "tag"),
        ("a: !!bool x", "tag"),
        ("a: !!timestamp x", "tag"),
        ("a: !!map [1]", "tag"),
        ("<<: {goal: x}", "merge key"),
        ("goal: a\ngoal: b", "line 2: the key 'goal' appears twice"),
        ("goal: a\nsteps:\n- {step_id: a, step_id: b}", "line 3: the key 'step_id' appears twice"),
        ('{"goal": "a", "goal": "b"}', "the key 'goal' appears twice"),
        ("goal: a\n---\ngoal: b", "single document|another document"),
        ("? [a]\n: b", "unhashable"),
        ('a: "\\UFFFFFFFF"', "neither JSON nor YAML"),
        ("a: 2020-13-45", "month"),
        ("a: =", "constructor"),
        ("\x00\x01\x02", "neither JSON nor YAML"),
        ("\x7fELF\x02\x01\x01\x00\x00", "neither JSON nor YAML"),
        ("a: \ud800", "neither JSON nor YAML"),
        ("%YAML 9.0\n---\na: 1", "neither JSON nor YAML"),
        ("goal: 2020-01-01\nsteps: []", "a date is not JSON"),
        ("goal: .nan\nsteps: .inf", "nan is not JSON"),
        ("true: no", "the key True is not a string"),
        ("a: " + "9" * 5000, "digits"),
        ("", "valid dictionary"),
        ("# only a comment", "valid dictionary"),
        ("{goal: x}", "double quotes"),
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_hostile_and_broken_text_is_a_plan_error(text, reason):
    with pytest.raises(PlanError, match=reason):
        parse_plan(text)


def test_depth_does_not_hang_on_how_deep_the_caller_stands():
    def lower(left):
        if left:
            return lower(left - 1)
        with pytest.raises(PlanError):
            return parse_plan("- " * 500)

    lower(max(0, sys.getrecursionlimit() - len(inspect.stack()) - 150))


def test_gigantic_files_are_not_read(monkeypatch):
    monkeypatch.setattr(parser, "parse_strict", lambda _: pytest.fail("was decoded"))
    with pytest.raises(PlanError, match="8,000,001 characters; at most 8,000,000"):
        parse_plan(" " * (MAX_TEXT + 1))


def calls_made(work):
    """Python calls that `work` takes: a measure of work that no busy machine disturbs."""
    made = 0

    def count(frame, event, argument):
        nonlocal made
        made += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made


def big_plan(size):
    return {
        "goal": "g",
        "steps": [
            step(step_id=f"s{n}", tool="echo", arguments={"text": f"x {{step.s{max(0, n - 1)}.text}}" if n else "x"})
            for n in range(size)
        ],
    }


@pytest.mark.parametrize(
    "write", [json.dumps, lambda value: yaml.dump(value, Dumper=yaml.CSafeDumper)], ids=["json", "yaml"]
)
def test_work_grows_with_the_plan_and_not_faster(write):
    small, large = (write(big_plan(size)) for size in (200, 1600))
    parse_plan(small)
    ratio = calls_made(lambda: parse_plan(large)) / calls_made(lambda: parse_plan(small))
    assert ratio < 9


def test_a_plan_of_10_000_steps_is_read():
    assert len(parse_plan(json.dumps(big_plan(10_000))).steps) == 10_000


def test_a_large_plan_full_of_wrong_references_costs_no_more():
    def wrong(size):
        value = big_plan(size)
        for one in value["steps"]:
            one["arguments"] = {"x": "{step.nobody}"}
        return value

    ratio = calls_made(lambda: plan_problems(wrong(1600))) / calls_made(lambda: plan_problems(wrong(200)))
    assert ratio < 9


SIGNS = st.lists(
    st.sampled_from(
        [
            *"{}[]:,-#&*!|>'\"%@`?=<~.\n\t 01aAeE\\\x00\ufeff",
            "!!",
            "goal",
            "steps",
            "step_id",
            "<<",
            ": ",
            "- ",
            ".nan",
            "2020-01-01",
            "0x",
            "1:2",
        ]
    )
).map("".join)


@given(st.text() | SIGNS | st.text(st.characters(codec=None, exclude_categories=[])))
def test_any_text_is_a_plan_or_a_plan_error(text):
    try:
        parse_plan(text)
    except PlanError:
        return


@given(st.binary())
def test_any_bytes_decoded_are_a_plan_or_a_plan_error(data):
    for text in (data.decode("latin-1"), data.decode("utf-8", "surrogateescape"), data.decode("utf-16", "replace")):
        with pytest.raises(PlanError):
            parse_plan(text)


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["goal", "steps", "step_id", "description", "status", "arguments"])
                | st.text()
                | st.integers(),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_data_is_a_plan_or_has_problems(value):
    if not plan_problems(value):
        plan = build_plan(value)
        assert plan_problems(plan.as_dict()) == []
