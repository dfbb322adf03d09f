"""Queries in PostgreSQL's own terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.store.postgresql.dialect import statement_of
from aeon.platform.store import DialectQuery, QueryError


@pytest.mark.parametrize(
    ("query", "text", "names"),
    [
        ("SELECT 1", "SELECT 1", ()),
        ("SELECT :a, :b, :a", "SELECT $1, $2, $1", ("a", "b")),
        ("WHERE x=:a AND y>=:b_2", "WHERE x=$1 AND y>=$2", ("a", "b_2")),
        ("SELECT ':a', 'it''s :a', \":a\", \"q\"\":a\"", "SELECT ':a', 'it''s :a', \":a\", \"q\"\":a\"", ()),
        ("SELECT :a -- :b's\n, :c", "SELECT $1 -- :b's\n, $2", ("a", "c")),
        ("SELECT /* :b ' */ :c", "SELECT /* :b ' */ $1", ("c",)),
        ("SELECT x::text, :a::text", "SELECT x::text, $1::text", ("a",)),
        ("SELECT '%', 5 % :a", "SELECT '%', 5 % $1", ("a",)),
        ("SELECT '\\', :a", "SELECT '\\', $1", ("a",)),
        (
            "id IN (SELECT value FROM json_each(:ids))",
            "id IN (SELECT value FROM json_array_elements_text(CAST($1 AS json)) AS each(value))",
            ("ids",),
        ),
        (
            "FROM json_each( :ids ) AS wanted JOIN t ON t.id = wanted.value AND :ids <> :b",
            "FROM json_array_elements_text(CAST($1 AS json)) AS wanted(value) JOIN t ON t.id = wanted.value AND $1 <> $2",
            ("ids", "b"),
        ),
    ],
)
def test_translation(query, text, names):
    statement = statement_of(query)
    assert (statement.text.decode(), statement.names) == (text, names)


def test_of_two_texts_postgresqls_is_taken():
    assert statement_of(DialectQuery(":a", ":b")).names == ("b",)


def test_a_text_is_translated_once():
    assert statement_of("SELECT :once") is statement_of("SELECT :once")


def test_values_are_in_order_and_none_is_missing():
    statement = statement_of("SELECT :b, :a, :b")
    assert statement.values({"a": 1, "b": 2, "c": 3}) == [2, 1]
    with pytest.raises(QueryError, match="'b'"):
        statement.values({"a": 1})


@given(st.text(alphabet="ab:'\"-/* \n%$", max_size=30))
def test_what_is_quoted_or_a_comment_stays_as_it_is(text):
    quoted = "SELECT '{}', \"{}\" /*{}*/".format(
        text.replace("'", "''"), text.replace('"', '""'), text.replace("*", "")
    )
    assert statement_of(quoted).text.decode() == quoted
    assert statement_of(quoted).names == ()
