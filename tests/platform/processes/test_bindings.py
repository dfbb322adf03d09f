"""References in a step's inputs keep types, and what leads nowhere is said (platform 6, core 3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import BindingError
from aeon.platform.processes.expressions.bindings import bind, find_references

ROWS = [{"name": "a", "n": 1}, {"name": "b", "n": 2.5}]
VALUES = {"lang": "en", "limit": 5, "step": {"search": {"rows": ROWS, "only": {"text": "t"}}, "none": None}}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{lang}", "en"),
        ("{limit}", 5),
        ("{step.none}", None),
        ("{step.search.rows.1.n}", 2.5),
        ("{step.search.rows.-1.name}", "b"),
        ("in {lang}, {limit} of {step.search.rows.0.n}: {step.none}", "in en, 5 of 1: null"),
        ("only {step.search.only}", 'only {"text":"t"}'),
        ('{"a": {limit}}', '{"a": 5}'),
        ("{{lang}}", "{en}"),
        ("{", "{"),
        ("{}", "{}"),
        ("{ lang }", "{ lang }"),
        ("{1}", "{1}"),
        ("{elsewhere.x}", "{elsewhere.x}"),
        ("{lang.}", "{lang.}"),
        ("{}{a b}{'lang'}", "{}{a b}{'lang'}"),
    ],
)
def test_references_are_replaced_and_other_braces_stay(text, expected):
    """Platform 6."""
    bound = bind({"x": text}, VALUES)["x"]
    assert bound == expected
    assert type(bound) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Einladung an {guests}; Filter {filter}", 'Einladung an ["J\u00fcrgen"]; Filter {"ort":"K\u00f6ln"}'),
        ("Filter {= filter}, {= guests[0]}, {= 1 + 1}", 'Filter {"ort":"K\u00f6ln"}, J\u00fcrgen, 2'),
        ("{step.found.rows} {step.found.rows.0}", '[{"ort":"K\u00f6ln"}] {"ort":"K\u00f6ln"}'),
        ("The model says: {step.said}", "The model says: K\u00f6ln"),
    ],
)
def test_a_value_in_a_longer_text_is_json_with_its_letters_and_braces(text, expected):
    """Only the whole result of a step loses its one field, such as the `text` of a model's answer."""
    found = {"rows": [{"ort": "K\u00f6ln"}]}
    values = {
        "guests": ["J\u00fcrgen"],
        "filter": {"ort": "K\u00f6ln"},
        "step": {"found": found, "said": {"text": "K\u00f6ln"}},
    }
    assert bind({"x": text}, values) == {"x": expected}


def test_a_text_that_is_one_reference_gives_the_very_object():
    """Platform 6: types kept, nothing copied."""
    bound = bind({"a": {"b": ["{step.search.rows}"]}, "n": 3}, VALUES)
    assert bound["a"]["b"][0] is ROWS
    assert bound["n"] == 3


@given(JSON, st.text())
def test_what_is_put_in_is_never_looked_through(value, text):
    """Platform 6: a result that says `{secret}` stays the text that it is."""
    values = {"a": value, "b": "{a} {step.x}", "step": {"x": "{b}"}}
    bound = bind({"whole": "{a}", "text": "{b}{step.x}", "again": "{step.x}"}, values)
    assert bound["whole"] is value
    assert bound["text"] == "{a} {step.x}{b}"
    assert bound["again"] == "{b}"


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_inputs_without_references_stay_as_they_are(inputs):
    """Platform 6."""
    if not list(find_references(inputs)):
        assert bind(inputs, VALUES) == inputs


def test_all_that_leads_nowhere_is_said_with_what_there_is():
    """Platform 6: step, reference, and the keys that there are."""
    inputs = {
        "a": "{step.nobody.x}",
        "b": ["{step.search.row}", "{step.search.rows.7}", "{step.search.rows.name}"],
        "c": "{nobody}",
        "d": "{step.none.x} {step.search.only.text.x}",
        "e": "{step}",
    }
    with pytest.raises(BindingError) as raised:
        bind(inputs, VALUES, step="fetch")
    message = raised.value.message
    assert "step 'fetch'" in message
    for said in (
        "{step.nobody.x}: no step gave 'nobody'; there are search, none",
        "{step.search.row}: step.search has no 'row'; it has rows, only",
        "{step.search.rows.7}: step.search.rows is a list of 2 items and has no '7'",
        "{step.search.rows.name}: step.search.rows is a list of 2 items and has no 'name'",
        "{nobody}: the Process has no input 'nobody'; it has lang, limit",
        "{step.none.x}: step.none is null and has no 'x'",
        "{step.search.only.text.x}: step.search.only.text is a str and has no 'x'",
        "{step} does not name a variable; there are search, none",
    ):
        assert said in message
    assert len(raised.value.details["problems"]) == 8


def test_many_keys_are_not_all_listed():
    with pytest.raises(BindingError) as raised:
        bind({"a": "{step.big.x}"}, {"step": {"big": dict.fromkeys(map(str, range(5000)))}})
    assert len(raised.value.message) < 300


def test_references_are_found_with_their_places():
    """Platform 6."""
    inputs = {"a": "{lang}", "b": [{"c": "x {step.search.rows.0} {limit}"}], "d": 3, "{lang}": "{x y}"}
    found = list(find_references(inputs))
    assert [(each.location, each.path, each.is_whole) for each in found] == [
        (("a",), ("lang",), True),
        (("b", 0, "c"), ("step", "search", "rows", "0"), False),
        (("b", 0, "c"), ("limit",), False),
    ]
    assert [each.text for each in found] == ["{lang}", "{step.search.rows.0}", "{limit}"]
