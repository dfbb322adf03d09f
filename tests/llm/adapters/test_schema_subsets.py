"""Which schemas the remote APIs can enforce (core 11)."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.json_schema import compile_schema
from aeon.llm.adapters.schema_subsets import constrain_schema, fits_strict_mode


def closed(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    "schema",
    [
        closed(),
        closed(a=TEXT, b={"type": ["integer", "null"], "minimum": 0}),
        closed(a=closed(b={"type": "array", "items": closed(c=TEXT), "maxItems": 3})),
        closed(a={"anyOf": [TEXT, {"type": "null"}]}, b={"enum": ["x", "y"]}, c={"const": 1}),
        {**closed(a={"$ref": "#/$defs/A"}), "$defs": {"A": closed(b=TEXT)}, "title": "T", "description": "d"},
    ],
)
def test_strict_where_the_subset_holds(schema):
    assert fits_strict_mode(schema)


@pytest.mark.parametrize(
    "schema",
    [
        TEXT,
        True,
        {},
        {"anyOf": [closed(a=TEXT)]},
        {**closed(a=TEXT), "required": []},
        {**closed(a=TEXT), "additionalProperties": True},
        {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
        {"type": "object"},
        closed(a={}),
        closed(a=True),
        closed(a={"type": "string", "maxLength": 5}),
        closed(a={"type": "object"}),
        closed(a={"type": ["object", "null"]}),
        closed(a={"oneOf": [TEXT]}),
        closed(a={"type": "array", "items": {"type": "object", "properties": {"b": TEXT}}}),
        {**closed(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "object"}}},
    ],
)
def test_not_strict_where_it_does_not(schema):
    assert not fits_strict_mode(schema)


def test_strict_ends_at_ten_levels():
    schema = TEXT
    for _ in range(9):
        schema = closed(a=schema)
    assert fits_strict_mode(schema)
    assert not fits_strict_mode(closed(a=closed(a=schema)))


def test_bounds_become_notes():
    schema = closed(a={"type": "string", "maxLength": 5, "description": "A word."}, b={"type": "integer", "minimum": 1})
    assert constrain_schema(schema) == closed(
        a={"type": "string", "description": "A word. (maxLength: 5)"},
        b={"type": "integer", "description": "(minimum: 1)"},
    )


def test_named_properties_are_closed_and_references_written_out():
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "it"}},
        "$defs": {"A": {"type": "array", "items": {"enum": [1, 2]}, "maxItems": 3}},
    }
    assert constrain_schema(schema) == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"enum": [1, 2]}, "description": "it (maxItems: 3)"}},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        closed(a={"type": "object"}),
        {**closed(a=TEXT), "additionalProperties": True},
        closed(a=True),
        closed(a={"oneOf": [TEXT]}),
        closed(a={"type": "array", "items": {}}),
        closed(a={"$ref": "https://example.com/schema"}),
        {**closed(a={"$ref": "#/$defs/A"}), "$defs": {"A": closed(b={"$ref": "#/$defs/A"})}},
    ],
)
def test_what_cannot_be_said_is_not_said_wrongly(schema):
    assert constrain_schema(schema) is None


LEAVES = st.sampled_from(
    [TEXT, {"type": "integer", "maximum": 9}, {"type": "string", "maxLength": 3}, {"type": "object"}, {"enum": ["x"]}]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(lambda named: closed(**named)),
        inner.map(lambda items: {"type": "array", "items": items, "maxItems": 2}),
        st.lists(inner, min_size=1, max_size=2).map(lambda options: {"anyOf": options}),
    ),
    max_leaves=8,
)
VALUES = st.recursive(
    st.sampled_from(["x", "long text", 3, 99, None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(SCHEMAS, VALUES)
def test_what_the_schema_accepts_its_constrained_form_accepts(schema, value):
    """No valid answer is forbidden to the model, and the schema given is not changed."""
    before = copy.deepcopy(schema)
    form = constrain_schema(schema)
    assert schema == before
    if form is not None and compile_schema(schema).is_valid(value):
        assert compile_schema(form).is_valid(value)
