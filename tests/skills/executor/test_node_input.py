"""Inputs with references filled in (skills 5)."""

from aeon.base.json import MAX_DEPTH
from aeon.skills.executor.node_input import bind_input, fill_text
from aeon.skills.failures import FailureClass
from aeon.testing.scripts import script

OUTPUTS = {"r": {"total": 8, "rolls": [3, 5], "text": "{tool.r.total}"}, "a": 1, "a.b": 2}


def bound(written, absent=(), **schema):
    return bind_input(written, OUTPUTS, absent, script("go", input_schema=schema or None))


def test_a_reference_takes_the_value_with_its_type():
    """Skills 5: type kept."""
    assert bound({"n": "{tool.r.total}", "all": ["{tool.r.rolls}"], "text": "rolled {tool.r.total}!"}) == {
        "n": 8,
        "all": [[3, 5]],
        "text": "rolled 8!",
    }


def test_what_a_script_said_is_never_read_as_a_reference():
    assert bound({"x": "{tool.r.text}"}, ["gone"]) == {"x": "{tool.r.total}"}


def test_an_optional_node_that_failed_leaves_nothing_behind():
    """Skills 5: what depends on it still runs, with an empty input from it."""
    written = {
        "whole": "{tool.gone.x}",
        "list": [1, "{tool.gone}", {"deep": "{tool.gone}", "kept": "{tool.r.total}"}],
        "text": "a {tool.gone.x} b {tool.r.total}",
    }
    assert bound(written, ["gone"]) == {"list": [1, None, {"kept": 8}], "text": "a  b 8"}


def test_the_longest_id_is_meant():
    assert bound({"x": "{tool.a.b}"}) == {"x": 2}
    assert bound({"x": "{tool.a.b.c}", "y": "{tool.a}"}, ["a.b.c"]) == {"y": 1}


def test_a_path_that_the_output_lacks_is_the_planner_s_mistake():
    """Skills 4: an unknown path disables no skill."""
    failure = bound({"x": "{tool.r.sum}", "y": "{tool.r.rolls.7}"})
    assert failure.kind is FailureClass.UNKNOWN_REFERENCE
    assert "{tool.r.sum}: the result of tool 'r' has no 'sum'; {tool.r.rolls.7}" in failure.message


def test_the_filled_input_is_held_against_the_schema():
    """Skills 7: what a reference brought is checked before the script runs."""
    failure = bound(
        {"x": "{tool.r.total}", "y": "{tool.r.rolls}"}, properties={"x": {"maximum": 7}, "y": {"type": "string"}}
    )
    assert failure.kind is FailureClass.INVALID_INPUT
    assert "$.x" in failure.message
    assert "$.y" in failure.message


def test_what_was_dropped_may_have_been_required():
    assert bound({"x": "{tool.gone}"}, ["gone"], required=["x"]).kind is FailureClass.INVALID_INPUT


def test_an_input_filled_too_deeply_is_refused():
    deep = 0
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    failure = bind_input({"x": {"y": "{tool.d}"}}, {"d": deep}, (), script("go"))
    assert failure.kind is FailureClass.INVALID_INPUT
    assert "nested deeper" in failure.message


def test_a_schema_that_is_none_is_the_skill_s_fault():
    assert bound({}, type="x").kind is FailureClass.CONFIGURATION


def test_text_is_filled_and_what_is_missing_is_said():
    assert fill_text("{tool.r.total} of {tool.r.nothing}{tool.zz}, {tool.r.text}", OUTPUTS) == (
        "8 of , {tool.r.total}",
        ["{tool.r.nothing}", "{tool.zz}"],
    )
