"""What a schema says about a path (skills 7)."""

import pytest

from aeon.skills.plan.check import impossible_part

CLOSED = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "total": {"type": "integer"},
        "rolls": {"type": "array", "items": {"type": "object", "properties": {"n": {}}, "additionalProperties": False}},
        "pair": {"type": "array", "prefixItems": [{}, {}]},
        "open": {"type": "object"},
        "either": {"anyOf": [{"type": "string"}, {"type": "object"}]},
        "nullable": {"type": ["integer", "null"]},
    },
}


@pytest.mark.parametrize(
    "path",
    ["", "total", "rolls", "rolls.0", "rolls.-1.n", "pair.7.x", "open.any.thing", "either.x", "nullable.x"],
)
def test_a_path_that_may_exist_is_not_held_against_anybody(path):
    assert impossible_part(CLOSED, path.split(".") if path else []) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("totl", "has no 'totl'; it has total, rolls"),
        ("total.x", "a value of type integer has no field 'x'"),
        ("rolls.first", "a list has indexes from 0, not 'first'"),
        ("rolls.0.m", "has no 'm'; it has n"),
    ],
)
def test_a_path_that_cannot_exist_is_said_with_what_there_is(path, said):
    assert said in impossible_part(CLOSED, path.split("."))


@pytest.mark.parametrize(
    "schema", [True, {}, {"type": "object"}, {"$ref": "#/$defs/x"}, {**CLOSED, "allOf": [{}]}, {"properties": 3}]
)
def test_a_schema_that_shows_nothing_for_certain_leaves_everything_open(schema):
    assert impossible_part(schema, ["x", "y"]) is None
