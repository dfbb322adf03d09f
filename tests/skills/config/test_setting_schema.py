"""What a settings schema says of single fields (skills 10)."""

import pytest

from aeon.skills.config.setting_schema import (
    field_types,
    hide_paths,
    is_secret,
    parse_typed,
    secret_paths,
    with_defaults,
)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("5", {"type": "integer"}, 5),
        ("5", {"type": ["string", "integer"]}, 5),
        ("5", {"type": "string"}, "5"),
        ("5.5", {"type": "integer"}, "5.5"),
        ("1e3", {"type": "number"}, 1000.0),
        ("TRUE", {"type": "boolean"}, True),
        ("maybe", {"type": "boolean"}, "maybe"),
        ("a, b", {"type": "array"}, ["a", "b"]),
        ("1,2", {"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ("", {"type": "array"}, []),
        ('["a,b"]', {"type": "array"}, ["a,b"]),
        ('{"a": 1}', {"type": "object"}, {"a": 1}),
        ("null", {"type": ["null", "string"]}, None),
        ("3", {"enum": [1, 3]}, 3),
        ("true", {}, True),
        ("words", {}, "words"),
        ("9" * 5000, {"type": "integer"}, "9" * 5000),
    ],
)
def test_text_becomes_what_its_field_wants(text, schema, value):
    """Skills 10: and stays text where it is no such thing, for the validator to refuse."""
    assert parse_typed(text, schema, schema) == value


def test_secrets_are_found_through_references_lists_and_other_fields():
    """Skills 10: `writeOnly` and `format: password` wherever they stand."""
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/s"},
            "b": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"writeOnly": True}]}},
            "c": {"additionalProperties": {"format": "password"}},
            "d": {"type": "string"},
        },
        "$defs": {"s": {"format": "password"}},
    }
    value = {"a": "1", "b": ["2", None], "c": {"x": "3"}, "d": "4"}
    hidden = secret_paths(value, schema, schema)

    assert hidden == {"$.a": "1", "$.b[0]": "2", "$.b[1]": None, "$.c.x": "3"}
    assert hide_paths(value, hidden) == {"a": "[hidden]", "b": ["[hidden]", None], "c": {"x": "[hidden]"}, "d": "4"}


def test_defaults_share_nothing_and_end():
    schema = {"properties": {"a": {"default": [], "type": "array"}, "b": {"$ref": "#", "default": {}}}}
    value = {"x": 1}
    filled = with_defaults(value, schema, schema)
    filled["a"].append(1)

    assert value == {"x": 1}
    assert schema["properties"]["a"]["default"] == []


@pytest.mark.parametrize("reference", ["#/none", "https://example.org", "#/a/0", "x"])
def test_references_that_lead_nowhere_mean_nothing(reference):
    schema = {"$ref": reference, "a": [1]}
    assert not is_secret("a", [schema], schema)
    assert field_types(schema, schema) == ()


def test_secrets_are_found_wherever_a_schema_may_say_so():
    """Skills 10: in places of a list, by anchor, and where another field makes it one."""
    secret = {"format": "password"}
    schema = {
        "properties": {
            "pair": {"prefixItems": [{"type": "string"}, secret]},
            "some": {"contains": secret},
            "rest": {"unevaluatedItems": secret},
            "named": {"$ref": "#hidden"},
        },
        "dependentSchemas": {"user": {"properties": {"password": secret}}},
        "unevaluatedProperties": secret,
        "$defs": {"x": {"$anchor": "hidden", "writeOnly": True}},
    }
    value = {"pair": ["a", "b"], "some": ["c"], "rest": ["d"], "named": "e", "password": "f", "other": "g"}
    hidden = secret_paths(value, schema, schema)

    assert {"$.pair[1]", "$.some[0]", "$.rest[0]", "$.named", "$.password", "$.other"} <= set(hidden)


@pytest.mark.parametrize(
    "name", ["api_key", "apiKey", "API-KEY", "token", "auth_token", "client-secret", "db_password"]
)
def test_a_text_with_the_name_of_a_secret_is_one_without_a_word_in_the_schema(name):
    for field in ({"type": "string"}, {"type": ["string", "null"]}, {}):
        schema = {"properties": {name: field, "nested": {"properties": {name: field}}}}
        value = {name: "hunter2", "nested": {name: "hunter3"}}
        assert secret_paths(value, schema, schema) == {f"$.{name}": "hunter2", f"$.nested.{name}": "hunter3"}


@pytest.mark.parametrize(
    ("name", "type_"), [("max_tokens", "string"), ("keyboard", "string"), ("monkey", "string"), ("token", "integer")]
)
def test_other_names_and_numbers_are_shown(name, type_):
    schema = {"properties": {name: {"type": type_}}}
    assert secret_paths({name: "4096"}, schema, schema) == {}


def test_a_schema_that_refers_to_itself_many_times_is_no_more_work_than_once():
    """Skills 10: three branches that name the whole are one field at every level, and not three to the power of it."""
    schema = {"allOf": [{"properties": {"a": {"$ref": "#", "default": {}}, "n": {"default": 1}}} for _ in range(3)]}
    filled = with_defaults({}, schema, schema)
    deep = {}
    for _ in range(60):
        deep = {"a": deep}

    assert filled == {"a": {"n": 1}, "n": 1}
    assert with_defaults(filled, schema, schema) == filled
    assert secret_paths(deep, schema, schema) == {}
