"""Fields for the inputs of tools and Processes: their kinds come from schemas, and what was typed is read once."""

import pytest

from aeon.application.input_fields import InputField, fields_of_schema, read_fields

SCHEMA = {
    "type": "object",
    "required": ["text", "count"],
    "properties": {
        "text": {"type": "string", "description": "What is said."},
        "count": {"type": "integer"},
        "share": {"type": ["number", "null"]},
        "loud": {"type": "boolean"},
        "tone": {"enum": ["calm", "warm"]},
        "more": {"type": "array", "items": {"type": "string"}},
        "free": {},
        "far": {"$ref": "#/$defs/size"},
    },
    "$defs": {"size": {"type": "integer"}},
}


def test_a_schema_says_how_each_field_is_typed():
    fields = fields_of_schema(SCHEMA)
    assert [(each.name, each.kind, each.is_required) for each in fields] == [
        ("text", "text", True),
        ("count", "integer", True),
        ("share", "number", False),
        ("loud", "boolean", False),
        ("tone", "choice", False),
        ("more", "json", False),
        ("free", "any", False),
        ("far", "integer", False),
    ]
    assert (fields[0].description, fields[4].choices) == ("What is said.", ("calm", "warm"))


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {}}, {"properties": 7}])
def test_a_schema_that_names_no_field_has_one_for_all_as_json(schema):
    fields = fields_of_schema(schema)
    assert fields == [InputField("", "json")]
    assert read_fields(fields, {"": '{"a": 1}'}) == ({"a": 1}, {})
    assert read_fields(fields, {}) == ({}, {})
    assert read_fields(fields, {"": "[1]"}).faults == {"": "It is not a JSON object."}


def test_a_schema_without_any_field_has_none():
    assert fields_of_schema({"properties": {}, "additionalProperties": False}) == []


def test_what_was_typed_is_read_as_its_kind():
    typed = {"text": "7", "count": " 3 ", "share": "1.5", "loud": "false", "tone": "warm", "more": '["x"]', "free": "7"}
    assert read_fields(fields_of_schema(SCHEMA), typed) == (
        {"text": "7", "count": 3, "share": 1.5, "loud": False, "tone": "warm", "more": ["x"], "free": 7},
        {},
    )
    assert read_fields(fields_of_schema(SCHEMA), {"count": "3", "free": "a {b"}).values == {
        "text": "",
        "count": 3,
        "free": "a {b",
    }


def test_every_fault_is_told_at_once():
    typed = {"count": "", "share": "true", "loud": "yes", "tone": "loud", "more": "x", "far": "1.5"}
    assert read_fields(fields_of_schema(SCHEMA), typed).faults == {
        "count": "It is required.",
        "share": "It is not a number.",
        "loud": "It is not one of true, false.",
        "tone": "It is not one of calm, warm.",
        "more": "It is not JSON: Expecting value: line 1 column 1 (char 0).",
        "far": "It is not a whole number.",
    }


def test_an_input_of_a_process_has_the_type_that_its_tool_wants(project):
    project.apply(TYPED)
    fields = {each.name: each.kind for each in project.processes.input_fields(project.processes.get("typed"))}
    assert fields == {"size": "integer", "words": "any", "free": "any"}


TYPED = """
kind: Tool
name: sized
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema:
  type: object
  properties: {size: {type: integer}, label: {type: string}, x: {type: object, properties: {y: {}}}}
---
kind: Process
name: typed
initialContext: [size, words, free]
steps:
  - {id: one, tool: sized, inputs: {size: "{size}", label: "so {words}"}, output: first}
outputTemplate: "{{size}} {{words}} {{free}}"
"""


SHOWN = {
    "properties": {
        "num": {"type": "integer", "default": 3, "minimum": 1, "exclusiveMaximum": 9.5, "title": "How many"},
        "day": {"type": "string", "format": "date"},
        "code": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "list": {"type": ["string", "array"]},
    }
}


def test_a_field_has_the_title_the_default_and_the_limits_of_its_schema():
    num, day, _, _ = fields_of_schema(SHOWN)
    assert (num.title, num.default) == ("How many", "3")
    assert num.limits == (("minimum", "1"), ("exclusiveMaximum", "9.5"))
    assert (day.kind, day.format, day.default, day.limits) == ("text", "date", None, ())


@pytest.mark.parametrize(("typed", "value"), [("12", 12), ("012", "012"), ("true", "true"), ("x", "x"), ("[1]", "[1]")])
def test_a_field_for_a_number_or_a_text_needs_no_quotes(typed, value):
    fields = fields_of_schema(SHOWN)
    assert [each.kind for each in fields] == ["integer", "text", "any", "json"]
    assert read_fields(fields, {"code": typed}) == ({"code": value}, {})
