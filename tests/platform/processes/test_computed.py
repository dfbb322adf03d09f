"""Expressions in inputs: what they compute, and what bounds them (platform 41)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import BindingError
from aeon.platform.processes.expressions.bindings import bind, find_expressions, find_references, roots_of
from aeon.platform.processes.expressions.computed import split_expressions

ROWS = [{"name": "a", "n": 1}, {"name": "}", "n": 5}]
VALUES = {"n": 3, "lang": "en", "none": None, "step": {"search": {"rows": ROWS, "count": 2}}}

COMPUTED = {
    "{= n - 1}": 2,
    "{= n * 2 + step.search.count}": 8,
    "{= lang + '!'}": "en!",
    "{= n > 2 && lang == 'en'}": True,
    "{= step.search.rows.filter(r, r.n > 1)}": [ROWS[1]],
    "{= step.search.rows.map(r, r.name)}": ["a", "}"],
    "{= {'count': n, 'names': [lang]}}": {"count": 3, "names": ["en"]},
    "{= none == null ? 'nothing' : 'something'}": "nothing",
    "{= '}' + \"}\"}": "}}",
    "{= double(n) / 2.0}": 1.5,
    "{= timestamp('2026-01-31T00:00:00Z') + duration('24h')}": "2026-02-01T00:00:00+00:00",
    "{= duration('90m')}": 5400.0,
    "{= n} of {= step.search.count}, {lang}": "3 of 2, en",
    "a {= [n, n + 1]} b": "a [3,4] b",
    "{= n": "{= n",
    "{=n}": 3,
}


@pytest.mark.parametrize(("text", "expected"), COMPUTED.items())
def test_an_expression_is_computed(text, expected):
    """Platform 41: alone it keeps its type, in a text it is text."""
    assert bind({"x": text}, VALUES) == {"x": expected}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{= n / 0}", "divide by zero"),
        ("{= zip}", "there is no zip here"),
        ("{= n + 'x'}", "does not take"),
        ("{= 1.5 * n}", "use double"),
        ("{= b'x'}", "is not a JSON value"),
        ("{= 1.0 / 0.0}", "is not a finite number"),
        ("{= {1: 'x'}}", "has keys that are not texts"),
        ("{= step.search.rows.map(r, [1].map(x, x))}", "can use map only once"),
        ("{= }", "The expression is not valid"),
        ("{= 'a\0'}", "a NUL character"),
    ],
)
def test_what_cannot_be_computed_is_told(text, words):
    """Platform 41."""
    with pytest.raises(BindingError, match="The inputs of the step cannot be bound") as raised:
        bind({"x": text}, VALUES)
    assert words in raised.value.message


def test_a_value_that_grows_without_end_is_refused():
    """Platform 41: the library shares the parts of a list of lists; as JSON each is a copy."""
    values = {"rows": list(range(2000)), "step": {}}
    with pytest.raises(BindingError, match="has more than 1,000,000 elements"):
        bind({"x": "{= rows.map(r, rows)}"}, values)


def test_values_are_never_expressions_themselves():
    """Platform 41: what a user or a model wrote computes nothing."""
    values = {"evil": "{= n} {n} {= evil}", "n": 3, "step": {}}
    assert bind({"x": "{evil} {= evil}"}, values) == {"x": "{= n} {n} {= evil} {= n} {n} {= evil}"}


def test_what_inputs_read_is_known():
    """Platform 41: a loop hands its items only that."""
    inputs = {"a": "{lang}", "b": ["{= step.search.rows.map(r, r.n + n)}"], "c": {"d": "{item.x} {step.other.y}"}}
    assert roots_of(inputs) >= {("lang",), ("n",), ("item",), ("step", "search"), ("step", "other")}
    assert [each.source for each in find_expressions(inputs)] == ["step.search.rows.map(r, r.n + n)"]
    assert [each.path for each in find_references(inputs)] == [("lang",), ("item", "x"), ("step", "other", "y")]


@given(st.text(alphabet="{}=\"'\\ n+a\n", max_size=40))
def test_a_text_is_never_lost(text):
    """Platform 41: the parts of any text make it up, but for blanks around expressions."""
    parts = split_expressions(text)
    assert len(parts) % 2 == 1
    rebuilt = parts[0] + "".join(
        f"{{={source}}}{after}" for source, after in zip(parts[1::2], parts[2::2], strict=True)
    )
    assert rebuilt.replace(" ", "").replace("\n", "") == text.replace(" ", "").replace("\n", "")


@pytest.mark.parametrize("text", ["{= n}", "{= string(n)}", "{= n * 2}", "{= [n]}"])
def test_a_number_whose_digits_would_be_lost_is_refused(text):
    """Platform 41: 12345678901234567890 was 1.2345678901234567e+19; outside expressions it keeps its digits."""
    with pytest.raises(BindingError, match="n has a number beyond 64 bits"):
        bind({"x": text}, {"n": 12345678901234567890})
    assert bind({"x": "{n}"}, {"n": 12345678901234567890}) == {"x": 12345678901234567890}
