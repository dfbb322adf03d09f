"""The audit behind every repair: a value counts only when the text spells it (core 9)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.json import Json
from aeon.validation.recovery.audit import is_spelling_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@given(values)
def test_strict_json_spells_its_value(value: Json):
    assert is_spelling_of(json.dumps(value), value)
    assert is_spelling_of(json.dumps(value, ensure_ascii=False, indent=1), value)


@given(values, values)
def test_strict_json_spells_no_other_value(value: Json, other: Json):
    text = json.dumps(value)
    assert is_spelling_of(text, other) == (json.dumps(other) == text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{"a": "x", ...}', {"a": "x"}),
        ('{"a": "say "hi""}', {"a": "say hi"}),
        ('{"a": "b', {"a": "b"}),
        ('{"a": 12x}', {"a": 12}),
        ('{"a": 1.0}', {"a": 1}),
        ('["x "y" z"]', ["x ", "y", " z"]),
        ('["x" y]', ["x", "y z"]),
        ('{"a": true}', {"a": "true"}),
        ('{"a": True }', {"a": 1}),
        ('{"a": "b"} {"c": 1}', {"a": "b"}),
        ('{"a": "C:\\x"}', {"a": "C:x"}),
    ],
)
def test_what_the_text_does_not_spell(text: str, value: Json):
    assert not is_spelling_of(text, value)
