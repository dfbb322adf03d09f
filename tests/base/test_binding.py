"""Core 3: references to earlier results."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.binding import ResultReference, as_lines, as_text, bind, find_references, split_reference
from aeon.base.errors import BindingError
from aeon.base.json import readable_json

RESULTS = {
    "s1": {"result": 42},
    "s2": {"rows": [{"name": "Ann"}, {"name": "Bo"}], "": "empty key", "ok": None},
    "a.b": {"c": "dotted"},
    "a": {"b": {"c": "plain"}},
    "list": [1, 2],
}
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text().filter(lambda text: "{step." not in text),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{step.s1}", {"result": 42}),
        ("{step.s1.result}", 42),
        ("{step.s2.rows}", [{"name": "Ann"}, {"name": "Bo"}]),
        ("{step.s2.rows.1.name}", "Bo"),
        ("{step.s2.ok}", None),
        ("{step.s2.}", "empty key"),
        ("{step.list.0}", 1),
    ],
)
def test_core_3_a_whole_reference_keeps_the_type(text, value):
    assert bind({"x": [text]}, RESULTS) == {"x": [value]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{step.s1.result} + 1", "42 + 1"),
        (" {step.s1.result}", " 42"),
        ("{step.s1}!", "42!"),
        ("{step.s1.result}{step.s1.result}", "4242"),
        ("rows: {step.s2.rows}", 'rows: [{"name":"Ann"},{"name":"Bo"}]'),
        ("{step.s2.rows.0.name} and {step.s2.rows.1.name}", "Ann and Bo"),
        ("ok: {step.s2.ok}", "ok: null"),
    ],
)
def test_core_3_inside_a_longer_string_it_is_text(text, value):
    assert bind(text, RESULTS) == value


def test_a_step_id_with_dots_wins_over_a_path():
    assert bind("{step.a.b.c}", RESULTS) == "dotted"
    assert split_reference("a.b.c", RESULTS) == ("a.b", ["c"])
    assert split_reference("a.x", RESULTS) == ("a", ["x"])
    assert split_reference("b.a", RESULTS) is None


@given(PLAIN)
def test_a_value_without_references_is_unchanged_and_a_copy(value):
    bound = bind(value, RESULTS)
    assert bound == value
    if isinstance(value, (list, dict)) and value:
        assert bound is not value


@pytest.mark.parametrize(
    "text", ["{step}", "{step.}", "{ step.s1}", "{steps.s1}", "{x.s1}", "step.s1", "{step.s1", "{step.{x}}"]
)
def test_what_is_no_reference_stays(text):
    assert bind(text, RESULTS) == text
    assert list(find_references(text)) == []


def test_core_3_every_unresolved_reference_is_told_at_once():
    value = {
        "a": "{step.nope}",
        "b": ["{step.s1.missing}", "x {step.s2.rows.7} y {step.s1.result.deep}"],
        "c": "{step.s2.rows.first}",
        "d": "{step.s1.result}",
    }
    with pytest.raises(BindingError) as raised:
        bind(value, RESULTS)
    assert raised.value.details["problems"] == [
        "{step.nope} does not name a step with a result",
        "{step.s1.missing}: the result of step 's1' has no 'missing'",
        "{step.s2.rows.7}: the result of step 's2' has no '7'",
        "{step.s1.result.deep}: the result of step 's1' has no 'deep'",
        "{step.s2.rows.first}: the result of step 's2' has no 'first'",
    ]
    assert "{step.<step_id>.<path>}" in str(raised.value)


def test_references_are_found_in_order_with_their_places():
    value = {"a": ["{step.s1}", {"b": "x {step.s2.y} {step.s3}"}], "c": 5}
    assert list(find_references(value)) == [
        ResultReference("$.a[0]", "s1"),
        ResultReference("$.a[1].b", "s2.y"),
        ResultReference("$.a[1].b", "s3"),
    ]


def test_a_result_that_looks_like_a_reference_is_not_bound_again():
    assert bind(["{step.x}", "so: {step.x.t}"], {"x": {"t": "{step.s1}"}, "s1": 1}) == [
        {"t": "{step.s1}"},
        "so: {step.s1}",
    ]


def test_a_hostile_reference_costs_a_bounded_number_of_lookups():
    class TokenReport(dict):
        lookups = 0

        def __contains__(self, key):
            TokenReport.lookups += 1
            return super().__contains__(key)

    assert split_reference(".".join("a" * 100_000), TokenReport(b=1)) is None
    assert TokenReport.lookups <= 100


@given(st.text() | st.text("{}step.s1x0 "))
def test_any_text_binds_or_is_a_binding_error(text):
    with suppress(BindingError):
        bind(text, RESULTS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (1, "1"),
        (None, "null"),
        ({"result": 4}, "4"),
        ({"text": {"x": "y"}}, "y"),
        ({"a": 1, "b": 2}, '{"a":1,"b":2}'),
        (["J\u00fcrgen", {"ort": "K\u00f6ln"}], '["J\u00fcrgen",{"ort":"K\u00f6ln"}]'),
    ],
)
def test_results_as_a_reader_wants_them(value, text):
    assert as_text(value) == text


@given(PLAIN)
def test_every_result_has_a_text(value):
    assert isinstance(as_text(value), str)
    if isinstance(value, list):
        assert as_text(value) == readable_json(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"result": "2027-01-08", "weekday": "Friday"}, "2027-01-08 (weekday: Friday)"),
        ({"hours": 7.5, "result": "7:30", "unit": "h"}, "7:30 h (hours: 7.5)"),
        ({"result": "two\nlines", "n": 2}, "result: two\nlines\nn: 2"),
        ({"result": 2, "rows": [1, 2]}, "result: 2\nrows: [1,2]"),
        ({"text": "a\nb", "parts": [1, 2]}, "text: a\nb\nparts: [1,2]"),
        ({"result": 352}, "352"),
        ({"result": 41.8, "unit": "km"}, "41.8 km"),
        ({}, "{}"),
        ("tea", "tea"),
        ([{"a": 1, "b": 2}], '[{"a":1,"b":2}]'),
    ],
)
def test_the_fields_of_an_object_are_lines_for_people(value, text):
    assert as_lines(value) == text
