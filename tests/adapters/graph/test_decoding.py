"""Answers of the wire as rows."""

import pytest

from aeon.adapters.graph.falkordb.decoding import UnknownKeyError, Vector, rows
from aeon.platform.graph import QueryError


def answer(kind: int, value: object) -> list:
    return [[[1, b"column"]], [[[kind, value]]], [b"statistics"]]


def test_a_property_unknown_by_number_is_said():
    with pytest.raises(UnknownKeyError):
        rows(answer(8, [0, [], [[1, 2, b"x"]]]), ["only one"])


@pytest.mark.parametrize("kind", [0, 9, 11, 13, 14, 15, 16, 99])
def test_what_is_no_json_is_refused_with_its_column(kind):
    with pytest.raises(QueryError, match="'column'"):
        rows(answer(kind, None), [])


@pytest.mark.parametrize("number", [b"inf", b"-inf", b"-nan"])
def test_numbers_that_are_not_finite_are_refused(number):
    with pytest.raises(QueryError, match="not finite"):
        rows(answer(5, number), [])


def test_a_vector_is_a_list_that_knows_it_is_a_vector():
    [row] = rows(answer(12, [1.0, 0.5]), [])
    assert row == {"column": [1.0, 0.5]}
    assert isinstance(row["column"], Vector)
