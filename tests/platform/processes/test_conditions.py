"""Conditions are CEL over inputs and steps' variables, true or false and nothing else (platform 6)."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aeon.base.errors import AeonError, MissingExtraError
from aeon.platform.processes.expressions.cel_paths import scan_condition
from aeon.platform.processes.expressions.cel_programs import CelProgramCache
from aeon.platform.processes.expressions.conditions import (
    ConditionError,
    compile_condition,
    compile_conditions,
    evaluate,
    evaluate_text,
)

NAMES = {"lang", "tags", "rows", "type", "step.search", "step.made", "step.none"}
VALUES = {
    "lang": "en",
    "tags": ["x", "y"],
    "rows": [{"price": 1, "tax": 2}, {"price": 5, "tax": 0.5}],
    "type": "a",
    "step": {"search": {"count": 4, "items": [{"name": "a"}], "deep": {"er": True}}, "made": False, "none": None},
}


def truth(source, values=VALUES):
    return evaluate(compile_condition(source, NAMES), values)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('step.search.count > 3 && lang == "en" && "x" in tags', True),
        ("step.search.deep.er", True),
        ("step.made", False),
        ("step.none == null", True),
        ("step.none != null && step.none.count > 3", False),
        ("has(step.search.zip)", False),
        ("has(step.search.count)", True),
        ('step.search.items[0].name == "a"', True),
        ("step.search.items.size() == 1 && size(tags) == 2", True),
        ("rows.exists(r, double(r.price) + double(r.tax) > 5.0)", True),
        ("rows.all(r, r.price > 0) && rows.exists_one(r, r.price == 5)", True),
        ("rows.filter(r, r.price > 1).size() == 1", True),
        ('lang.startsWith("e") // step.nobody', True),
        ('"step.nobody" != lang && r"step.\\nobody" != lang', True),
        ("step . search . count > 3", True),
        (".step.search.count > 3", True),
        ('lang.matches("^[a-z]{2}$")', True),
        ('timestamp("2026-01-01T00:00:00Z") < timestamp("2026-01-02T00:00:00Z")', True),
    ],
)
def test_a_condition_says_what_cel_says(source, expected):
    """Platform 6."""
    assert truth(source) is expected


@pytest.mark.parametrize("four", [4, 4.0])
@pytest.mark.parametrize(
    "source",
    [
        "step.search.count > 3",
        "step.search.count >= 4",
        "step.search.count == 4",
        "step.search.count in [4]",
        "step.search.count > 3.5",
        "step.search.count < 4.5",
        "step.search.count != 5",
        "step.search.count == 4.0",
    ],
)
def test_whole_and_decimal_numbers_compare_as_people_expect(four, source):
    """Platform 6: JSON knows one kind of number."""
    assert truth(source, {"step": {"search": {"count": four}}})


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)), st.integers(-(2**31), 2**31))
@example(10**400, 1)
@example(-(10**400), 1)
@example(2**63, 2)
def test_any_number_of_json_compares_with_any_literal(number, literal):
    """Platform 6: numbers beyond 64 bits too."""
    values = {"step": {"search": number}}
    assert evaluate_text(f"step.search > {literal}", values) is (number > literal)
    assert evaluate_text(f"step.search < {literal}", values) is (number < literal)


@pytest.mark.parametrize("source", ["step.a == step.b", "step.l.exists(n, n == step.a)", "step.a in step.l"])
def test_large_numbers_that_differ_are_never_taken_for_equal(source):
    """Platform 6: 64 bits have 19 digits, and the numbers of cards and accounts have more."""
    card, other = 89490200001234567891, 89490200001234567899
    with pytest.raises(ConditionError, match="has a number beyond 64 bits"):
        evaluate_text(source, {"step": {"a": card, "b": other, "l": [other]}})
    assert evaluate_text(source, {"step": {"a": card, "b": card, "l": [card]}})
    assert not evaluate_text(source, {"step": {"a": card, "b": 10**30, "l": [10**30]}})


@given(st.sampled_from(["step.search", "step.search.count", "lang", "tags", "step.search.items[0]"]), st.data())
def test_nothing_but_a_bool_is_ever_true(source, data):
    """Platform 6: the library gives errors as values, and texts are no truths."""
    value = data.draw(st.one_of(st.none(), st.integers(), st.floats(allow_nan=False), st.text(), st.just([True])))
    for wrong in (value, {"count": value, "items": [value]}):
        values = {"lang": wrong, "tags": wrong, "step": {"search": wrong}}
        with pytest.raises(ConditionError):
            evaluate(compile_condition(source, NAMES), values)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("step.nobody > 1", ["line 1, column 5", "no step.nobody"]),
        ("true &&\n nobody == 1 || lang == zip", ["line 2, column 2", "no nobody", "line 2, column 25", "no zip"]),
        ('step["search"] == 1', ["line 1, column 1", "no step"]),
        ("step == 1", ["no step"]),
        ("nobody(lang)", ["no nobody"]),
        ("1 == ", ["line 1, column 6", "<EOF>"]),
        ("lang + 1 == 2 || 'a' + 1 == 2", ["+ does not take (string, int)"]),
        ('"abc"', ["gives a STRING, not true or false"]),
        ("1", ["gives a INT"]),
        ("lang = 'a'", ["line 1, column 6: a single = compares nothing; use == to compare"]),
        ("lang=='a' & true", ["use && for and"]),
        ("lang == 'a' and true", ["use && for and"]),
        ("lang == 'a' or true", ["use || for or"]),
        ('type == "a"', ["type is a reserved word of CEL"]),
        ("(" * 60 + "true" + ")" * 60, ["nested too deeply"]),
        ('lang == "a\0"', ["NUL"]),
        ('lang == "\ud800"', ["surrogate"]),
        ("rows.map(r, r.price) == []", ["instead of map"]),
        (" || ".join(f"nobody{n} == 1" for n in range(8)), ["no nobody0", "and 3 more"]),
    ],
)
def test_what_does_not_compile_is_said_in_words_with_its_place(source, words):
    """Platform 6: found when the Process is saved."""
    with pytest.raises(ConditionError) as raised:
        compile_condition(source, NAMES)
    for word in words:
        assert word in raised.value.message
    assert "overload" not in raised.value.message
    assert raised.value.advice


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("step.search.cout > 3", ["no such key", "step.search has no 'cout'"]),
        ("step.none.count > 3", ["step.none is null"]),
        ("step.made.count > 3", ["step.made is true or false"]),
        ("step.search.count.x > 3", ["step.search.count is a number"]),
        ("step.search.items.x > 3", ["step.search.items is a list"]),
        ('lang.x == "hunter2"', ["lang is a text"]),
        ("lang", ["gives a STRING"]),
        ("lang > 3", ["> does not take"]),
        ("!lang", ["! does not take"]),
        ("lang ? true : false", ["before ? must be true or false"]),
        ("1 / 0 > 1", ["divide by zero"]),
        ("step.search.count + 1.5 > 3.0", ["double(...)"]),
    ],
)
def test_what_cannot_be_evaluated_is_an_error_and_never_true(source, words):
    """Platform 6."""
    with pytest.raises(ConditionError) as raised:
        truth(source)
    for word in words:
        assert word in raised.value.message


def test_a_variable_without_a_value_is_an_error():
    """Platform 6."""
    with pytest.raises(ConditionError, match="has no 'search'"):
        evaluate(compile_condition("step.search.count > 1", NAMES), {"step": {}})
    with pytest.raises(ConditionError, match=r"no step\.search"):
        evaluate_text("step.search.count > 1", {"step": {}})


@pytest.mark.parametrize("value", ["a\0b", ["a\0b"], {"a\0": 1}, "\ud800"])
def test_text_that_cel_would_misread_is_refused(value):
    """Platform 6: the library ends a text at a NUL, so that half of it would be compared."""
    with pytest.raises(ConditionError, match="conditions cannot read it"):
        evaluate_text('step.search != "a"', {"step": {"search": value}})


def test_only_what_a_condition_reads_is_looked_at():
    """Platform 6: what stands beside it costs nothing and cannot hurt."""
    search = {"count": 4, "bad": "\0", "huge": [object()]}
    assert evaluate_text("step.search.count == 4", {"other": object(), "step": {"search": search, "x": object()}})


def test_the_budgets_stop_what_would_take_too_long():
    """Platform 6: iterations, and memory taken by joining, which the library does not count."""
    rows = list(range(20_000))
    with pytest.raises(ConditionError, match="more than 10,000 elements"):
        evaluate_text("rows.all(r, r >= 0)", {"rows": rows})
    with pytest.raises(ConditionError, match="too long"):
        evaluate_text("rows.exists(r, text + text == r)", {"rows": rows[:9], "text": "x" * 100_000})
    assert evaluate_text('text + text != ""', {"text": "x" * 100_000})


def test_a_condition_knows_what_it_reads():
    """Platform 6."""
    condition = compile_condition(
        "has(step.search.a) && step.made || lang.size() > 1 && rows.all(step2, step2.x > 1)", NAMES
    )
    assert condition.paths == {("step", "search", "a"), ("step", "made"), ("lang",), ("rows",)}
    assert condition.variables == {"search", "made"}


def test_programs_are_kept_and_not_without_end():
    """Each compilation takes memory that is never given back, and so does keeping too many."""
    first = compile_condition("lang == 'a'", NAMES)
    assert first.program is compile_condition("lang == 'a'", {"lang"}).program
    compile_conditions((f"lang == '{number}'" for number in range(CelProgramCache.MAX_PROGRAMS)), NAMES)
    assert first.program is not compile_condition("lang == 'a'", NAMES).program
    assert evaluate(first, {"lang": "a"})


@pytest.mark.parametrize(
    "source",
    [
        "key.x > 3 && pin.y > 3",
        "rows[pin].x",
        "map_[key] == 1",
        "key.matches(key + '(')",
        "int(key) > pin",
        "timestamp(key) == timestamp(key)",
        "double(key) > 1.0",
        "key > pin",
        "bool(key)",
        "key",
    ],
)
def test_an_error_never_repeats_a_value(source):
    """Platform 3: messages go to logs."""
    with pytest.raises(ConditionError) as raised:
        evaluate_text(source, {"key": "hunter2", "pin": 1234567, "rows": [], "map_": {}})
    assert "hunter2" not in str(raised.value)
    assert "1234567" not in str(raised.value)


def test_conditions_compiled_together_do_not_spoil_each_other():
    """Platform 6: each declares what it reads; one that cannot be compiled says so and no more."""
    sources = ["lang == 'b'", 'type == "a"', "nobody > 1", "step.search.count > 2", "\0", "rows.map(r, r) == lang"]
    found = compile_conditions(sources, NAMES)
    assert [source for source in sources if isinstance(found[source], ConditionError)] == [
        'type == "a"',
        "nobody > 1",
        "\0",
        "rows.map(r, r) == lang",
    ]
    assert found["nobody > 1"].message == "The condition is not valid: line 1, column 1: there is no nobody here."
    assert evaluate(found["step.search.count > 2"], VALUES)
    assert not evaluate(found["lang == 'b'"], VALUES)
    assert found["lang == 'b'"].program is compile_condition("lang == 'b'", {"lang"}).program


@given(st.text(max_size=60) | st.text(alphabet="step.search lang()[]'\"\\r`/*+\n0", max_size=60))
def test_any_text_is_a_condition_or_an_error(source):
    """Platform 6: and the scan finds whatever the compiler accepts, since nothing else is declared."""
    with suppress(AeonError):
        assert isinstance(evaluate_text(source, VALUES), bool)
    assert all(scan_condition(source).paths)


@given(st.sampled_from(sorted(NAMES - {"type"})), st.text(alphabet="ab. \n", max_size=4), st.booleans())
def test_what_stands_in_texts_and_comments_is_not_read(name, padding, is_raw):
    """Platform 6."""
    source = f"{'r' if is_raw else ''}\"{padding.replace(chr(10), '')}{name}\" == '''{name}\n''' // {name}"
    assert scan_condition(source).paths == frozenset()
    assert compile_condition(source, NAMES).paths == frozenset()


def test_without_the_library_the_extra_is_named(uninstall):
    uninstall("cel_expr_python")
    with pytest.raises(MissingExtraError, match=r"cel-expr-python.*\[platform\]"):
        compile_condition("asked_first_here == 1", {"asked_first_here"})


LONG = "a" * 2_500_000
"""In which a text like it, ended by another letter, is found nowhere, after 6e12 comparisons."""


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("a.contains(b)", {"a": LONG * 2, "b": f"{LONG}b"}),
        ("(a + a).contains(a + 'b')", {"a": LONG[:400_000]}),
        ("l.exists(x, l.exists(y, x.contains(y)))", {"l": [LONG[:20_000] + end for end in ("", *map(str, range(99)))]}),
        ("step.a.contains(string(b))", {"step": {"a": LONG}, "b": LONG[:-1] + "b"}),
    ],
)
def test_a_search_that_would_not_end_is_refused_as_such(source, values):
    with pytest.raises(ConditionError, match="both too long for contains"):
        evaluate_text(source, values)


@pytest.mark.parametrize(
    "source",
    [
        'a.contains("b") || b.contains("end")',
        "a.contains(c)",
        "tags.exists(t, t.endsWith('b')) && b.contains(r'end')",
    ],
)
def test_a_search_for_something_short_goes_through_any_text(source):
    assert evaluate_text(source, {"a": LONG * 2, "b": f"{LONG}end", "c": "a" * 1000, "tags": ["a", "b"]}) is True
