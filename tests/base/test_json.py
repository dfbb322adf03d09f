"""Core 12, core 14: one canonical encoding, one strict decoding, one account of what is no JSON."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.json import MAX_DEPTH, _build_encode, canonical_json, json_problems, parse_exact_text, parse_strict

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]))


@given(JSON)
def test_core_12_canonical_text_reads_back_as_the_same_value(value):
    text = canonical_json(value)
    assert parse_strict(text) == value
    assert canonical_json(parse_strict(text)) == text


@given(JSON)
def test_core_12_canonical_text_is_ascii_and_one_line(value):
    text = canonical_json(value)
    assert text.isascii()
    assert "\n" not in text


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_core_12_equal_objects_are_equal_bytes_whatever_their_order(value):
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@given(ANY_TEXT)
def test_lone_surrogates_survive(text):
    assert parse_strict(canonical_json(text)) == text
    assert json_problems(text) == []


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**70), 10**4000])
def test_integers_beyond_64_bits_keep_every_digit(number):
    assert parse_strict(canonical_json({"n": number})) == {"n": number}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [1, {"a": math.nan}]])
def test_core_12_no_nan(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(value)
    assert "is not JSON" in json_problems(value)[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("NaN", "NaN is not JSON"),
        ("[Infinity]", "Infinity is not JSON"),
        ('{"a": -Infinity}', "-Infinity is not JSON"),
        ("1e999", "too large for a number"),
        ('{"a": [-1e400]}', "too large for a number"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' appears twice"),
        ('[{"x": {"": 1, "": 1}}]', "the key '' appears twice"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("9" * 5000, "4300 digits; use a string"),
        ("", "Expecting value"),
        ("[1,]", "line 1 column"),
        ("{'a': 1}", "double quotes"),
        ("1 2", "Extra data"),
        ('"\t"', "control character"),
        ("01", "Extra data"),
    ],
    ids=lambda text: text[:12],
)
def test_what_is_no_strict_json_is_refused_with_its_reason(text, reason):
    with pytest.raises(ValueError, match=reason):
        parse_strict(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        (" true ", True),
        ("1.5", 1.5),
        ('["a", 1.10]', ["a", 1.1]),
        ('"3"', "3"),
        ("garden", "garden"),
        ("3.10", "3.10"),
        ("1e3", "1e3"),
        ("-0", "-0"),
        ("007", "007"),
        ("null", "null"),
    ],
)
def test_what_a_person_answers_is_a_number_only_if_that_loses_nothing(text, value):
    """Version 3.10 became 3.1, and null made the run fail."""
    answer = parse_exact_text(text)
    assert (type(answer), answer) == (type(value), value)


@given(ANY_TEXT | st.text('{}[]",:0123456789.eE+-\\u truefalsn'))
def test_any_text_is_json_or_a_value_error(text):
    try:
        value = parse_strict(text)
    except ValueError:
        return
    assert json.loads(text) == value
    assert json_problems(value) == []


def nested(depth, core=0):
    value = core
    for _ in range(depth):
        value = {"in": [value]} if depth % 2 else [value]
    return value


def test_faults_name_every_place_at_once():
    value = {"a": [1, math.nan, (1,)], "b": {"c": {1}}, 5: "x", None: {}, "d": b"", "ok": [True, None, ""]}
    assert [fault.partition(": ")[0] for fault in json_problems(value)] == [
        "$.a[1]",
        "$.a[2]",
        "$.b.c",
        "$",
        "$",
        "$.d",
    ]


def test_core_14_cycles_are_named_not_followed():
    cycle = {"list": [1]}
    cycle["list"].append(cycle)
    assert json_problems(cycle) == ["$.list[1]: refers back to a value that contains it; a cycle cannot be stored"]


def test_a_value_used_twice_is_no_cycle():
    shared = [1]
    assert json_problems({"a": shared, "b": [shared, shared]}) == []


def test_depth_is_bounded():
    assert json_problems(nested(MAX_DEPTH)) == []
    assert json_problems(nested(MAX_DEPTH + 2))[0].endswith(f"nested deeper than {MAX_DEPTH} levels")
    assert len(json_problems(nested(100_000))) == 1


def test_integers_that_cannot_be_written_are_faults():
    assert json_problems(10**4300 - 1) == []
    assert "4300 digits" in json_problems([10**4300])[0]
    assert "4300 digits" in json_problems([-(10**5000)])[0]


WILD = st.recursive(
    st.none()
    | st.integers()
    | st.floats()
    | ANY_TEXT
    | st.binary()
    | st.tuples()
    | st.integers(4290, 4310).map(lambda digits: 10**digits),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(WILD)
def test_core_14_what_has_no_faults_can_be_encoded_and_read_back(value):
    if not json_problems(value):
        assert parse_strict(canonical_json(value)) == value


@given(JSON)
def test_core_12_the_bytes_are_those_of_the_public_encoder(value):
    public = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode(value)

    assert canonical_json(value) == public


def test_without_the_fast_encoder_the_public_one_serves(monkeypatch):
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)

    assert _build_encode()({"b": [1, None], "a": 1e-7}) == '{"a":1e-07,"b":[1,null]}'
