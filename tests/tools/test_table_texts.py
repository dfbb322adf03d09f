"""Texts that are tables: which are, their columns with types, and values as people write them."""

import csv
import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.tools.table_texts import DataColumn, read_table

TEAM = "name,role,hours\nAsha,designer,32\nBruno,developer,40\n"


def test_a_csv_file_is_a_table_with_typed_columns():
    table = read_table("our team.csv", TEAM)
    assert table.name == "our_team"
    assert [each[:2] for each in table.columns] == [("name", "TEXT"), ("role", "TEXT"), ("hours", "INTEGER")]
    assert table.rows == [("Asha", "designer", 32), ("Bruno", "developer", 40)]


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "-2", "+3"], "INTEGER", [1, -2, 3]),
        (["1", "", "3"], "INTEGER", [1, None, 3]),
        (["1.5", ".25", "2"], "REAL", [1.5, 0.25, 2.0]),
        (['"1,250.50"', '"2,000,000"', "3"], "REAL", [1250.5, 2000000.0, 3.0]),
        (["$5", "$1.20", "$0.99"], "REAL", [5.0, 1.2, 0.99]),
        (["12.50 €", "3 €", "1 €"], "REAL", [12.5, 3.0, 1.0]),
        (["$5", "€5", "1"], "TEXT", ["$5", "€5", "1"]),
        (["10", "n/a", "20"], "INTEGER", [10, None, 20]),
        (['"12,50"', '"3,5"', "1"], "REAL", [12.5, 3.5, 1.0]),
        (["007", "12", "3"], "TEXT", ["007", "12", "3"]),
        (["1234567890123456", "1", "2"], "TEXT", ["1234567890123456", "1", "2"]),
        (["1", "two", "three"], "TEXT", ["1", "two", "three"]),
        (["12", "12a", "14", "16"], "TEXT", ["12", "12a", "14", "16"]),
        (["1", "two", "3"], "REAL", [1.0, None, 3.0]),
        (["3.5.2026", "12.11.2025", "1.1.2024"], "TEXT", ["2026-05-03", "2025-11-12", "2024-01-01"]),
        (["", "", ""], "TEXT", [None, None, None]),
    ],
)
def test_the_values_of_a_column_have_one_type(cells, kind, values):
    table = read_table("t.csv", "".join(["id,value\n", *(f"x{n},{cell}\n" for n, cell in enumerate(cells))]))
    assert table.columns[1].type == kind
    assert [row[1] for row in table.rows] == values


def test_the_texts_among_the_numbers_of_a_column_have_a_column_of_their_own():
    table = read_table("p.csv", "item,price,price_text\nA,9.50,x\nB,sold out,y\nC,,z\nD,10,w\n")
    assert table.columns[1:] == [
        DataColumn("price", "REAL", "price_text 4"),
        DataColumn("price_text 4", "TEXT"),
        DataColumn("price_text", "TEXT"),
    ]
    assert [row[1:3] for row in table.rows] == [(9.5, None), (None, "sold out"), (None, None), (10.0, None)]


def test_between_semicolons_numbers_are_in_german_style():
    table = read_table("beitraege.csv", "Name;Beitrag\nAlbers, Jana;1.234,50\nBrandt;90,5\nDorn;12\n")
    assert table.rows == [("Albers, Jana", 1234.5), ("Brandt", 90.5), ("Dorn", 12.0)]


def test_between_semicolons_a_dot_groups_thousands_and_between_tabs_only_beside_a_decimal_comma():
    assert [row[1] for row in read_table("t.csv", "a;b\nx;1.234\ny;2.500\n").rows] == [1234.0, 2500.0]
    assert [row[1] for row in read_table("t.csv", "a;b\nx;12.50\ny;2.5\n").rows] == [12.5, 2.5]
    assert [row[1] for row in read_table("t.tsv", "a\tb\nx\t1.234\ny\t2.500\n").rows] == [1.234, 2.5]
    assert [row[1] for row in read_table("t.tsv", "a\tb\tc\nx\t1.234\t2,5\n").rows] == [1234.0]


def test_headings_that_are_empty_or_stand_twice_get_names_of_their_own():
    table = read_table("t.csv", "a,,A\n1,2,3\n")
    assert [column.name for column in table.columns] == ["a", "column 2", "A 3"]


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": 1, "open": true}, {"id": 2, "owner": "Per"}]',
        '{"total": 2, "tickets": [{"id": 1, "open": true}, {"id": 2, "owner": "Per"}]}',
        '{"id": 1, "open": true}\n{"id": 2, "owner": "Per"}\n',
    ],
)
def test_json_objects_are_rows(text):
    table = read_table("tickets.json", text)
    assert [column.name for column in table.columns] == ["id", "open", "owner"]
    assert table.rows == [(1, "true", None), (2, None, "Per")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mail.txt", "Dear team,\n\nplease, correct it\nbefore, say, May\nthanks, Lena\n"),
        ("stdin", "Hello, dear\nI am, well\nBye, now\nsee, you\n"),
        ("app.log", "09:00:01 INFO start\n09:00:07 WARN slow query 1200 ms\n"),
        ("t.csv", "just one column\n1\n2\n"),
        ("t.csv", "a,b\n"),
        ("t.csv", "1,2\n3,4\n"),
        ("t.csv", "a,b\n1\n2,3,4\n"),
        ("c.json", '{"service": "orders", "port": 8087}'),
        ("c.json", "[1, 2, 3]"),
        ("c.json", "[]"),
        ("c.json", "[" * 100_000),
        ("t.csv", ""),
    ],
)
def test_other_texts_are_no_tables(name, text):
    assert read_table(name, text) is None


def test_what_is_piped_in_is_a_table_where_its_form_says_so():
    assert read_table("stdin", "name,role,city\nA,x,Riga\nB,y,Turin\nC,z,Porto\n") is not None
    assert read_table("stdin", "name\thours\nA\t1\nB\t2\nC\t3\n") is not None
    assert read_table("stdin", "name,hours\nA,1\nB,2\nC,3\n") is not None


CELLS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=20), min_size=3, max_size=3
)


@given(st.lists(CELLS, min_size=1, max_size=20))
def test_any_cells_come_back_as_they_are_or_as_the_numbers_and_dates_that_they_mean(rows):
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([["first", "second", "third"], *rows])
    table = read_table("t.csv", text.getvalue())
    filled = [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]
    if table is not None:
        assert len(table.rows) == len(filled)
        values = dict(zip((each.name for each in table.columns), zip(*table.rows, strict=True), strict=True))
        for heading, cells in zip(["first", "second", "third"], zip(*filled, strict=True), strict=True):
            texts = values.get(f"{heading}_text", [None] * len(cells))
            for number, text, cell in zip(values[heading], texts, cells, strict=True):
                value = text if number is None else number
                assert value is None if not cell else value is not None
                assert not isinstance(value, str) or value == cell or "." in cell


@given(st.text(max_size=300))
def test_any_text_is_a_table_or_none(text):
    for name in ("stdin", "t.csv", "t.json"):
        table = read_table(name, text)
        assert table is None or all(len(row) == len(table.columns) for row in table.rows)
    assert read_table("t.json", json.dumps(text)) is None
