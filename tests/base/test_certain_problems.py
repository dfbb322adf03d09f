"""Which problems of a value hold whatever some of its places turn out to be."""

import pytest

from aeon.base.json_schema import CompiledSchema

SIZE = {"type": "integer", "minimum": 1}
R = "{a reference}"


def certain(schema, value, *unknown):
    return sorted(problem.path for problem in CompiledSchema(schema).certain_problems(value, unknown))


def test_without_unknown_places_every_problem_is_certain():
    check = CompiledSchema({"properties": {"a": SIZE}, "anyOf": [{"required": ["b"]}]})
    assert check.certain_problems({"a": 0}, ()) == check.problems({"a": 0}) != []


def test_what_stands_at_or_under_an_unknown_place_is_left_out():
    schema = {"properties": {"a": SIZE, "b": {"items": SIZE}, "c": SIZE}}
    assert certain(schema, {"a": R, "b": [0, R, 0], "c": 0}, "$.a", "$.b[1]") == ["$.b[0]", "$.b[2]", "$.c"]
    assert certain({"properties": {"a": {"properties": {"x": SIZE}}}}, {"a": {"x": 0}}, "$.a") == []


@pytest.mark.parametrize(
    "schema",
    [
        {"required": ["z"]},
        {"additionalProperties": False},
        {"maxProperties": 0},
        {"type": "array"},
        {"allOf": [{"required": ["z"]}]},
        {"$ref": "#/$defs/z", "$defs": {"z": {"required": ["z"]}}},
    ],
)
def test_what_the_keys_alone_decide_is_certain(schema):
    assert len(certain(schema, {"a": R}, "$.a")) == 1


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"required": ["z"]}, {"properties": {"a": SIZE}}]},
        {"oneOf": [{"required": ["z"]}, {"properties": {"a": SIZE}}]},
        {"not": {"required": ["a"]}},
        {"enum": [{"a": 1}]},
        {"const": {"a": 1}},
        {"if": {"properties": {"a": {"type": "string"}}}, "then": {"required": ["z"]}},
        {"if": {"properties": {"a": {"type": "string"}}}, "then": {"$ref": "#/$defs/z"}, "$defs": {"z": False}},
        {"dependentSchemas": {"a": {"required": ["z"]}}},
    ],
)
def test_what_may_turn_on_the_unknown_value_is_left_out(schema):
    assert CompiledSchema(schema).problems({"a": R})
    assert certain(schema, {"a": R}, "$.a") == []


def test_a_list_with_an_unknown_item_is_held_to_its_length_only():
    assert certain({"maxItems": 1, "uniqueItems": True, "contains": SIZE}, [R, R], "$[0]", "$[1]") == ["$"]
