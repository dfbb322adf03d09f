"""Recovery of JSON from model output: what is read, what is refused, and the laws behind it (core 9)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.base.json import Json
from aeon.base.json_schema import CompiledSchema
from aeon.validation.recovery import MAX_TEXT, RecoveredValue, RecoveryFailure, recover

CALL = CompiledSchema(
    {
        "type": "object",
        "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    }
)
PLAN = CompiledSchema(
    {
        "type": "object",
        "properties": {"goal": {"type": "string"}, "steps": {"type": "array", "items": {"type": "object"}}},
        "required": ["goal", "steps"],
        "additionalProperties": False,
    }
)
WANTED = {"tool": "search", "arguments": {"query": "two words"}}
STRICT = '{"tool": "search", "arguments": {"query": "two words"}}'

# fmt: off
READABLE = {
    "whitespace": (f"\n {STRICT}\n", ()),
    "byte order mark": (f"\ufeff{STRICT}", ("clean",)),
    "fence": (f"```json\n{STRICT}\n```", ("unfence",)),
    "one-line fence": (f"```json {STRICT} ```", ("unfence",)),
    "two fences, one of them code": (f"```sh\nls\n```\n```json\n{STRICT}\n```", ("unfence",)),
    "the same twice": (f"{STRICT}\n{STRICT}", ("outermost",)),
    "prose": (f"Sure, for {{name}} [1], here: {STRICT}\nDone.", ("outermost",)),
    "a label like a key": (f'The JSON for "trip":\n{STRICT}', ("outermost",)),
    "reasoning with a draft": (f'<think>{{"tool": "x", "arguments": {{}}}}</think>{STRICT}', ("reasoning",)),
    "reasoning with a cut draft": (f'<think>{{"tool": "x", "arg</think>{STRICT}', ("reasoning",)),
    "reasoning opened by the template": (f"hm {{x}}\n</think>\n{STRICT}", ("reasoning",)),
    "a string of JSON": (json.dumps(STRICT), ("decode",)),
    "a string of JSON in a fence": (f"```\n{json.dumps(STRICT)}\n```", ("unfence", "decode")),
    "escaped quotes": (STRICT.replace('"', '\\"'), ("decode",)),
    "arguments as a string": (json.dumps(WANTED | {"arguments": '{"query": "two words"}'}), ("decode",)),
    "trailing commas": ('{"tool": "search", "arguments": {"query": "two words",},}', ("tidy",)),
    "missing comma": ('{"tool": "search" "arguments": {"query": "two words"}}', ("tidy",)),
    "single quotes": (str(WANTED), ("tidy",)),
    "smart quotes": ("{“tool”: “search”, “arguments”: {“query”: “two words”}}", ("tidy",)),
    "bare keys and comments": ('{tool: "search", // why\n arguments: /* or */ {query: "two words"}}', ("tidy",)),
    "last brace forgotten": (STRICT[:-1], ("close",)),
    "both braces forgotten in a fence": (f"```json\n{STRICT[:-2]}\n```", ("unfence", "close")),
    "opening brace forgotten": (STRICT[1:], ("open",)),
    "one brace too many": (STRICT + "}", ("outermost",)),
}
REFUSED = {
    "nothing": "",
    "prose": "I cannot do that.",
    "no document": "{name} and [1]",
    "two that fit": f'{STRICT} or {{"tool": "b", "arguments": {{}}}}',
    "left out": '{"tool": "search", "arguments": {"query": "two words", ...}}',
    "endless reasoning": f"<think>{STRICT}",
    "cut in a string": STRICT[:-5],
    "cut behind a comma": '{"tool": "search", "arguments": {"query": "two words"},',
    "cut behind a value": STRICT[:-2],
    "a second call begins": f'{STRICT}\n{{"tool": "b", "argu',
    "closed too early": '{"tool": "search", "arguments": {}}, "arguments": {"query": "x"}}',
    "a fragment of a broken whole": '{"x": "tool" : {"tool": "search", "arguments": {}}, "y" "z"}',
    "a key twice": '{"tool": "a", "tool": "b", "arguments": {},}',
    "NaN": '{"tool": NaN, "arguments": {}}',
    "very deep": "[" * 100_000,
    "a very long number": '{"tool": "a", "arguments": {"x": ' + "9" * 5000 + "}}",
}
# fmt: on


@pytest.mark.parametrize("name", READABLE)
def test_what_the_text_says_is_read(name: str):
    """Core 9: every rung of the ladder, and its name in `stages`."""
    text, stages = READABLE[name]
    found = recover(text, CALL)
    assert found == RecoveredValue(WANTED, stages)


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_text_does_not_say_is_refused(name: str):
    """Core 9: nothing is guessed, neither by schema nor without one."""
    found = recover(REFUSED[name], CALL)
    assert isinstance(found, RecoveryFailure), found
    assert found.problems


def test_inner_quotes_and_raw_newlines_are_kept():
    """Core 9: an unescaped quote or newline is part of the string it stands in."""
    found = recover('{"tool": "say "hi" now", "arguments": {"x": "a\nb"}}', CALL)
    assert isinstance(found, RecoveredValue)
    assert found.value == {"tool": 'say "hi" now', "arguments": {"x": "a\nb"}}


def test_a_misfit_is_readable():
    """Core 10: a model's repair is held against what could be read."""
    found = recover('```json\n{"tool": 7, "arguments": {},}\n```', CALL)
    assert isinstance(found, RecoveryFailure)
    assert found.parsed_value == {"tool": 7, "arguments": {}}
    assert [problem.path for problem in found.problems] == ["$.tool"]


def test_text_over_the_cap_is_refused_unread():
    found = recover(json.dumps("x" * MAX_TEXT))
    assert isinstance(found, RecoveryFailure)
    assert str(MAX_TEXT) in found.problems[0].message


def test_a_stop_allows_brackets_where_a_cut_would_look_the_same():
    """Core 9: a cut inside a list and forgotten brackets are one text; only the server knows which it is."""
    text = '{"goal": "g", "steps": [{"step_id": "s1"}'
    assert isinstance(recover(text, PLAN), RecoveryFailure)
    found = recover(text, PLAN, has_stopped=True)
    assert found == RecoveredValue({"goal": "g", "steps": [{"step_id": "s1"}]}, ("close",))
    assert isinstance(recover(text, PLAN, has_stopped=True, is_truncated=True), RecoveryFailure)


@pytest.mark.parametrize(
    ("change", "is_closed"),
    [
        ({}, True),
        ({"additionalProperties": True}, False),
        ({"patternProperties": {"^x-": True}}, False),
        ({"properties": {"tool": {}, "note": {}}}, False),
    ],
)
def test_brackets_are_added_where_the_schema_leaves_room_for_nothing_more(change: dict[str, Json], is_closed: bool):
    """Core 9: an object that may hold another key may have been cut before it."""
    fixed = {"type": "object", "properties": {"tool": {"type": "string"}}, "additionalProperties": False}
    assert isinstance(recover('{"tool": "a"', CompiledSchema(fixed | change)), RecoveredValue) == is_closed


@pytest.mark.parametrize("tail", ["", "\n```", "\n"])
def test_a_complete_document_is_accepted_although_the_limit_was_hit(tail: str):
    """Core 9: the cut may fall right behind the document."""
    lead = "```json\n" if "`" in tail else ""
    assert isinstance(recover(lead + STRICT + tail, CALL, is_truncated=True), RecoveredValue)


@pytest.mark.parametrize("text", [f"{STRICT} But better would", STRICT[:-1], f"{STRICT}, {{", "12"])
def test_truncated_text_is_never_completed(text: str):
    """Core 9: with the length flag only a whole document at the end of the text counts."""
    found = recover(text, None if text == "12" else CALL, is_truncated=True)
    assert isinstance(found, RecoveryFailure)
    assert found.is_truncated
    assert found.parsed_value is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=8), json_values, max_size=5)


@given(json_values, st.booleans(), st.sampled_from([None, 2]))
def test_valid_json_comes_back_equal(value: Json, is_ascii: bool, indent: int | None):
    """Core 9: valid input is untouched."""
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    assert recover(text) == RecoveredValue(value, ())


@given(st.text(alphabet=st.characters(), max_size=200))
@settings(max_examples=300)
def test_no_text_raises(text: str):
    """Core 9: any text, lone surrogates too, is answered."""
    for schema in (None, CALL):
        assert isinstance(recover(text, schema), RecoveredValue | RecoveryFailure)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = json.dumps(draw(objects), ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 2])))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        kept = text[at + draw(st.integers(0, 2)) :]
        text = (
            text[:at] + draw(st.sampled_from(["", '"', "{", "}", "[", "]", ",", ":", "'", "\\", "x", "\n", "“"])) + kept
        )
    return text


@pytest.mark.slow
@given(mutated(), st.booleans(), st.booleans())
@settings(max_examples=500)
def test_recovery_invents_no_key_and_no_word(text: str, is_truncated: bool, has_stopped: bool):
    """Core 9: every letter and digit of the value stands in the text, in the text's order."""
    found = recover(text, None, is_truncated=is_truncated, has_stopped=has_stopped)
    if isinstance(found, RecoveredValue):
        plain = iter(text)
        words = (char for word in _words(found.value) for char in word if char.isascii() and char.isalnum())
        escapes = "\\" in text
        assert escapes or all(char in plain for char in words)


def _words(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [word for key, item in value.items() for word in (key, *_words(item))]
    if isinstance(value, list):
        return [word for item in value for word in _words(item)]
    return [value] if isinstance(value, str) else []


@pytest.mark.slow
@given(objects, st.data())
@settings(max_examples=300)
def test_no_prefix_of_a_document_becomes_another(value: dict[str, Json], data: st.DataObject):
    """Core 9: without the length flag too, a cut document is never closed, unless a schema proves it complete."""
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert isinstance(recover(cut), RecoveryFailure)
    assert isinstance(recover(cut, is_truncated=True), RecoveryFailure)


INFINITE = [
    '{"n": 1e999}',
    '{"n": [-1e400]}',
    "{'n': 1e999}",
    '{"n": 1e999',
    '```json\n{"n": 1e999}\n```',
    "see {'n': 1E+999,}",
]


@pytest.mark.parametrize("text", INFINITE)
def test_a_number_that_no_json_can_carry_is_never_read_core_9_core_12(text: str):
    for has_stopped in (True, False):
        assert isinstance(recover(text, has_stopped=has_stopped), RecoveryFailure)
        assert isinstance(recover(f"Here: {text} Done.", has_stopped=has_stopped), RecoveryFailure)


def holding(rule: dict[str, Json]) -> CompiledSchema:
    """Whether a value is an object with one key, `a`, that fits `rule`."""
    return CompiledSchema(
        {"type": "object", "properties": {"a": rule}, "required": ["a"], "additionalProperties": False}
    )


NULLS = ["Null", "NULL", "none", "NONE", "nil", "Nil", "NIL", "None", "undefined"]


@pytest.mark.parametrize("word", NULLS)
@pytest.mark.parametrize("rule", [{}, {"type": "null"}, {"type": ["string", "null"]}, {"enum": [None, "x"]}])
def test_null_in_another_languages_spelling_is_null_core_9(word: str, rule: dict[str, Json]):
    assert recover(f'{{"a": {word}}}', holding(rule)) == RecoveredValue({"a": None}, ("tidy",))


@pytest.mark.parametrize("word", NULLS)
def test_null_is_never_taken_for_a_text_core_9(word: str):
    """Where only a string fits, the word is no string either: it says that there is none."""
    refused = recover(f'{{"a": {word}}}', holding({"type": "string"}))

    assert isinstance(refused, RecoveryFailure)
    assert refused.parsed_value == {"a": None}


@pytest.mark.parametrize("word", [*NULLS, "true", "False"])
def test_a_key_without_quotes_is_a_key_whatever_word_it_is_core_9(word: str):
    assert recover(f"{{{word}: 1}}") == RecoveredValue({word: 1}, ("tidy",))


@pytest.mark.parametrize("text", ['{"a": "nil"}', "{'a': 'nil'}", '{"a": nile}'])
def test_a_text_that_is_quoted_or_longer_is_no_null(text: str):
    found = recover(text, holding({"type": "string"}))

    assert isinstance(found, RecoveredValue)
    assert found.value["a"].startswith("nil")


@pytest.mark.parametrize("text", ['see {"a": 1, "a": 2}', '```json\n{"a": 1, "a": 1}\n```', "{'a': 1, a: 2}"])
def test_no_rung_of_the_ladder_chooses_between_two_values_of_one_key_core_9(text: str):
    for schema in (None, holding({"type": "integer"})):
        assert isinstance(recover(text, schema, has_stopped=True), RecoveryFailure)


@pytest.mark.parametrize("items", ['"a""b"', '"x", "a""b"', "'a''b'", "“a”“b”"])
def test_a_quote_inside_a_text_does_not_split_it_core_9(items: str):
    assert isinstance(recover(f'{{"a": [{items},]}}', has_stopped=True), RecoveryFailure)


@pytest.mark.parametrize("number", ["1", "12", "1.5", "2e3", "-4"])
def test_a_number_at_the_very_end_may_go_on_unless_the_model_stopped_core_9(number: str):
    text, schema = f'{{"a": {number}', holding({"type": "number"})

    assert isinstance(recover(text, schema), RecoveryFailure)
    assert isinstance(recover(text, schema, is_truncated=True), RecoveryFailure)
    assert recover(text, schema, has_stopped=True) == RecoveredValue({"a": json.loads(number)}, ("close",))
