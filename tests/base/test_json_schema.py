"""Schemas: every error with its path, nothing fetched from anywhere (core 15)."""

import builtins
import math
import socket

import pytest

from aeon.base.json_schema import CompiledSchema, ValidationProblem, compile_schema, schema_problem

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "integer"}}},
    "required": ["name"],
    "additionalProperties": False,
}


def test_every_problem_with_its_path():
    problems = CompiledSchema(PERSON).problems({"tags": [1, "x", None], "age": 3})
    assert sorted(problem.path for problem in problems) == ["$", "$", "$.tags[1]", "$.tags[2]"]
    assert str(ValidationProblem("$.a", "is wrong")) == "$.a: is wrong"


def test_what_fits_has_no_problems():
    check = CompiledSchema(PERSON)
    assert check.is_valid({"name": "Ann", "tags": []})
    assert check.problems({"name": "Ann"}) == []


@pytest.mark.parametrize("value", ["\ud800", {"name": {1}}, object(), {1: 2}])
def test_what_is_no_json_does_not_fit(value):
    check = CompiledSchema({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
    assert not check.is_valid(value)
    assert check.problems(value)


def test_nan_is_no_number():
    assert not CompiledSchema({"type": "number"}).is_valid(math.nan)


def test_integers_beyond_64_bits_are_integers():
    assert CompiledSchema({"type": "integer", "minimum": 0}).problems(10**1000) == []


@pytest.mark.parametrize(
    "reference",
    [
        "file:///etc/hosts",
        "http://127.0.0.1:9/schema",
        "https://example.org/schema.json",
        "other.json",
        "/etc/hosts",
        "json-schema:///other",
        "urn:uuid:deadbeef-dead-4ead-beef-deadbeefdead",
    ],
)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_references_outside_the_schema_are_refused_and_nothing_is_opened(monkeypatch, reference, keyword):
    opened = []
    monkeypatch.setattr(builtins, "open", lambda *args, **_: opened.append(args))
    monkeypatch.setattr(socket.socket, "connect", lambda *args: opened.append(args))
    with pytest.raises(ValueError, match=r"retriev|outside|base URI"):
        CompiledSchema({"properties": {"a": {keyword: reference}}})
    assert opened == []


def test_references_inside_the_schema_work():
    check = CompiledSchema({"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}})
    assert check.is_valid({"a": 1})
    assert not check.is_valid({"a": "x"})


cyclic = {"type": "object"}
cyclic["properties"] = cyclic


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"properties": []},
        {"pattern": "("},
        {"required": "name"},
        {"$schema": "http://127.0.0.1:9/meta"},
        {"$ref": "#/$defs/missing"},
        {"default": {1}},
        {"properties": {1: {}}},
        cyclic,
    ],
    ids=lambda schema: str(schema)[:40],
)
def test_core_15_a_bad_schema_is_a_problem_in_words(schema):
    problem = schema_problem(schema)
    assert problem
    assert "\n" not in problem


def test_a_good_schema_has_no_problem():
    assert schema_problem(PERSON) is None
    assert schema_problem({}) is None


def test_equal_schemas_are_compiled_once():
    assert compile_schema(dict(PERSON)) is compile_schema(dict(reversed(PERSON.items())))
