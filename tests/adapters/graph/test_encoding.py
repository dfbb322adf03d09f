"""What is sent means what was given: laws on the header, and on an engine that reads it."""

import math
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.graph import memory
from aeon.adapters.graph.falkordb.encoding import header
from aeon.adapters.graph.schemas import quoted
from aeon.platform.graph import QueryError

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
KEYS = TEXTS.filter(lambda key: key and "`" not in key)
FIFTEEN_DIGITS = st.floats(min_value=-1e300, max_value=1e300).map(lambda number: float(f"{number:.15g}"))
FLOATS = FIFTEEN_DIGITS.filter(lambda number: number == 0 or abs(number) > 1e-300)  # less is past the engine's range
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | TEXTS
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4))


@pytest.fixture(scope="module")
def engine():
    graph = memory()
    yield graph
    graph.close()


@pytest.mark.server
@given(value=VALUES)
def test_every_value_arrives_as_it_was_sent(engine, value):
    assert engine.read("RETURN $v AS v", {"v": value}) == [{"v": value}]


@pytest.mark.server
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_platform_3_no_value_reaches_into_the_query(engine, texts):
    params = {f"p{at}": text for at, text in enumerate(texts)}
    columns = ", ".join(f"${name} AS {name}" for name in params)
    assert engine.read(f"RETURN {columns}", params) == [params]


def test_a_header_is_assignments_in_order():
    assert header(None) == header({}) == ""
    assert header({"a": 1, "b": 'x"\\', "c": [True, None, {"k": 2.0}]}) == (
        r'CYPHER a=1 b="x\"\\" c=[true,null,{`k`:2.0}] '
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.0, "1.0"), (-0.0, "-0.0"), (1e16, "1e+16"), (0.1 + 0.2, "0.3"), (2.5e-300, "2.5e-300"), (5.0, "5.0")],
)
def test_floats_are_written_with_the_digits_that_come_back(number, text):
    assert header({"v": number}) == f"CYPHER v={text} "


@pytest.mark.parametrize("number", [math.inf, math.nan, 1.7976931348623157e308, 5e-324, -1e-310])
def test_floats_past_the_engines_range_are_refused(number):
    with pytest.raises(QueryError, match=r"\$v"):
        header({"v": number})


def test_numbers_of_an_enum_are_numbers():
    assert header({"v": IntEnum("Level", ["LOW", "HIGH"])["HIGH"]}) == "CYPHER v=2 "


def test_the_place_of_a_refused_value_is_named():
    with pytest.raises(QueryError, match=r"\$rows\[1\]\.deep\[0\] is an integer of more than 64 bits"):
        header({"rows": [1, {"deep": [2**64]}]})


@pytest.mark.parametrize("name", ["", "a`b", "a\0b"])
def test_a_name_that_cannot_be_quoted_is_refused(name):
    with pytest.raises(QueryError):
        quoted(name)
