"""What is sent means what was given: laws on the header, and on a server that reads it."""

import math
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.graph_clients.falkordb import connect, open_graph
from aeon.adapters.graph_clients.falkordb_parameters import RefusedParameterError, parameter_header
from aeon.testing.falkordb_server import FalkorTestServer, missing_for_falkordb

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
KEYS = TEXTS.filter(lambda key: key and "`" not in key)
FIFTEEN_DIGITS = st.floats(min_value=-1e300, max_value=1e300).map(lambda number: float(f"{number:.15g}"))
FLOATS = FIFTEEN_DIGITS.filter(lambda number: number == 0 or abs(number) > 1e-300)  # less is past the server's range
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | TEXTS
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4))


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    if missing := missing_for_falkordb():
        pytest.skip(missing)
    server = FalkorTestServer(tmp_path_factory.mktemp("falkordb"))
    server.start()
    with connect("127.0.0.1", server.port, None, server.password, 10) as client:
        asked = open_graph(client, "g")
        yield lambda query, params: asked.query(parameter_header(params) + query).result_set[0]
    server.kill()


@pytest.mark.server
@given(value=VALUES)
def test_every_value_arrives_as_it_was_sent(read, value):
    assert read("RETURN $v AS v", {"v": value}) == [value]


@pytest.mark.server
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_platform_3_no_value_reaches_into_the_query(read, texts):
    params = {f"p{at}": text for at, text in enumerate(texts)}
    columns = ", ".join(f"${name} AS {name}" for name in params)
    assert read(f"RETURN {columns}", params) == texts


def test_a_header_is_assignments_in_order():
    assert parameter_header(None) == parameter_header({}) == ""
    assert parameter_header({"a": 1, "b": 'x"\\', "c": [True, None, {"k": 2.0}]}) == (
        r'CYPHER a=1 b="x\"\\" c=[true,null,{`k`:2.0}] '
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.0, "1.0"), (-0.0, "-0.0"), (1e16, "1e+16"), (0.1 + 0.2, "0.3"), (2.5e-300, "2.5e-300"), (5.0, "5.0")],
)
def test_floats_are_written_with_the_digits_that_come_back(number, text):
    assert parameter_header({"v": number}) == f"CYPHER v={text} "


@pytest.mark.parametrize("number", [math.inf, math.nan, 1.7976931348623157e308, 5e-324, -1e-310])
def test_floats_past_the_servers_range_are_refused(number):
    with pytest.raises(RefusedParameterError, match=r"\$v"):
        parameter_header({"v": number})


@pytest.mark.parametrize("value", ["a\0b", "\ud800", {"": 1}, {"a`b": 1}, {1: 2}, object()])
def test_what_the_server_would_misread_is_refused(value):
    with pytest.raises(RefusedParameterError, match=r"\$v"):
        parameter_header({"v": value})


def test_numbers_of_an_enum_are_numbers():
    assert parameter_header({"v": IntEnum("Level", ["LOW", "HIGH"])["HIGH"]}) == "CYPHER v=2 "


def test_the_place_of_a_refused_value_is_named():
    with pytest.raises(RefusedParameterError, match=r"\$rows\[1\]\.deep\[0\] is an integer of more than 64 bits"):
        parameter_header({"rows": [1, {"deep": [2**64]}]})


@pytest.mark.parametrize("name", ["", "a`b", "a\0b", "1a"])
def test_a_name_that_cannot_be_a_parameters_is_refused(name):
    with pytest.raises(RefusedParameterError):
        parameter_header({name: 1})
