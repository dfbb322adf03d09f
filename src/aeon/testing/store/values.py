"""Tests that values are stored and returned unchanged, and that no value can do harm."""

import math
from typing import Any, Final

import pytest

from aeon.base.json import Json
from aeon.platform.store import DuplicateError, InvariantError, QueryError, Store
from aeon.testing.store.fixtures import StoreFixtures
from aeon.testing.store.row_times import AT
from aeon.testing.store.rows import insert, insertion, row_of

TEXTS: Final = (
    "",
    "text",
    "'",
    '"',
    "''; DROP TABLE requests; --",
    "\\",
    "\\'",
    "`",
    "%",
    "%s %(name)s %%",
    ":name ::text ?1 $1 @x #",
    "-- comment /* */",
    "a\nb\r\tc",
    " blanks at both ends ",
    "\\n \\u0041 \\u0000",
    "\x01\x7f\u2028\u2029\ufeff",
    "é e\u0301 ß \u0131 İ 🐉 \ud7ff\ue000\uffff\U0010ffff",
    "x" * 100_000,
)
INTEGERS: Final = (0, 1, -1, 255, 2**15, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))
FLOATS: Final = (
    0.1,
    0.1 + 0.2,
    1.0,
    -1.5,
    math.pi,
    1 / 3,
    1e16,
    1e-7,
    5e-324,
    1.7976931348623157e308,
    1763790000.123456,
)
LISTS: Final[tuple[list[Json], ...]] = (
    [],
    ["a"],
    [""],
    ["a", "b", "a"],
    [*TEXTS],
    [str(number) for number in range(10_000)],
)

SECRET: Final = "correct-horse-battery"  # noqa: S105  # not a real secret
"""A word that must not appear in any error."""

UNSTORABLE: Final[tuple[Any, ...]] = (
    f"{SECRET}\0",
    f"{SECRET}\ud800",
    f"\udfff{SECRET}",
    2**63,
    -(2**63) - 1,
    math.nan,
    math.inf,
    -math.inf,
    {SECRET: 1},
    [f"{SECRET}\0"],
    ["text", f"{SECRET}\ud800"],
    [math.nan],
)

TEXT: Final = "SELECT CAST(:value AS text) AS value"
INTEGER: Final = "SELECT CAST(:value AS bigint) AS value"
FLOAT: Final = "SELECT CAST(:value AS double precision) AS value"
ITEMS: Final = "SELECT value FROM json_each(:value)"
REQUEST: Final = "SELECT id, body FROM requests WHERE id = :value AND body = :value"
REQUESTS: Final = "SELECT id FROM requests WHERE id IN (SELECT value FROM json_each(:value)) ORDER BY id"
CONSUMER: Final = "SELECT position AS value FROM consumers WHERE position = :value"
ADD_CONSUMER: Final = "INSERT INTO consumers (name, position) VALUES (:name, :value)"
NUMBER: Final = "SELECT number AS value FROM metric_values WHERE number = :value"


class ValueConformance(StoreFixtures):
    """Values are stored and returned unchanged."""

    @pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:20])
    def test_texts(self, filled: Store, text: str) -> None:
        assert filled.read(TEXT, {"value": text}) == [{"value": text}]
        assert filled.read(ITEMS, {"value": [text, text]}) == [{"value": text}] * 2

    @pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:20])
    def test_texts_are_kept_and_found_again(self, store: Store, text: str) -> None:
        insert(store, "requests", id=text, body=text)
        assert store.read(REQUEST, {"value": text}) == [{"id": text, "body": text}]

    @pytest.mark.parametrize("number", INTEGERS)
    def test_integers_of_64_bits_are_kept_and_found_again(self, store: Store, number: int) -> None:
        store.update(lambda unit: unit.write(ADD_CONSUMER, {"name": "", "value": number}))
        for query in (INTEGER, CONSUMER):
            [row] = store.read(query, {"value": number})
            assert (row["value"], type(row["value"])) == (number, int)

    @pytest.mark.parametrize("number", FLOATS)
    def test_floats_are_kept_to_the_last_bit(self, store: Store, number: float) -> None:
        insert(store, "metric_definitions")
        insert(store, "metric_values", number=number)
        for query in (FLOAT, NUMBER):
            [row] = store.read(query, {"value": number})
            assert (row["value"], type(row["value"])) == (number, float)

    def test_booleans_are_0_and_1_and_null_is_none(self, filled: Store) -> None:
        for value, kept in ((True, 1), (False, 0), (None, None)):
            [row] = filled.read(INTEGER, {"value": value})
            assert (row["value"], type(row["value"])) == (kept, type(kept))

    def test_a_condition_is_0_or_1(self, filled: Store) -> None:
        [row] = filled.read("SELECT id = 'ann' AS yes, id = 'bob' AS no FROM users WHERE id = 'ann'")
        assert [(value, type(value)) for value in row.values()] == [(1, int), (0, int)]

    def test_sums_and_counts_are_integers_and_averages_floats(self, store: Store) -> None:
        for number in (1, 2, 6):
            store.update(lambda unit, n=number: unit.write(ADD_CONSUMER, {"name": str(n), "value": n}))
        [row] = store.read(
            "SELECT sum(position) AS s, count(*) AS n, avg(position) AS a, max(position) AS m FROM consumers"
        )
        assert row == {"s": 9, "n": 3, "a": 3.0, "m": 6}
        assert [type(value) for value in row.values()] == [int, int, float, int]

    @pytest.mark.parametrize("items", LISTS, ids=lambda items: f"{len(items)} items")
    def test_lists_are_rows(self, filled: Store, items: list[Json]) -> None:
        assert [row["value"] for row in filled.read(ITEMS, {"value": items})] == items

    def test_values_of_a_list_are_found(self, store: Store) -> None:
        for name in ("a", "b", "'", "é"):
            insert(store, "requests", id=name)
        for ids, expected in ((["é", "b", "'", "b", "nothing"], ["'", "b", "é"]), ([], [])):
            assert [row["id"] for row in store.read(REQUESTS, {"value": [*ids]})] == expected

    @pytest.mark.parametrize("value", UNSTORABLE, ids=lambda value: ascii(value)[:30])
    def test_unstorable_values_are_refused_and_the_parameter_named(self, filled: Store, value: Any) -> None:
        for query in (TEXT, ITEMS):
            with pytest.raises(QueryError, match="'value'") as raised:
                filled.read(query, {"value": value})
            assert SECRET not in str(raised.value)

    def test_a_parameter_that_is_missing_is_an_error(self, filled: Store) -> None:
        with pytest.raises(QueryError, match="value"):
            filled.read(TEXT, {"other": 1})

    def test_a_parameter_may_be_used_several_times_or_not_at_all(self, filled: Store) -> None:
        query = "SELECT CAST(:a AS text) || CAST(:b AS text) || CAST(:a AS text) AS value"
        assert filled.read(query, {"a": "x", "b": ":a", "c": "nowhere"}) == [{"value": "x:ax"}]

    def test_names_within_quotes_and_comments_are_no_parameters(self, filled: Store) -> None:
        query = "SELECT ':a' AS \":b\", '%' AS percent -- :c\n, CAST(:a AS text) /* :d */ AS value"
        assert filled.read(query, {"a": "x"}) == [{":b": ":a", "percent": "%", "value": "x"}]

    @pytest.mark.parametrize("query", ["NONSENSE", "SELECT no_such_function(:value)", "SELECT x FROM nothing"])
    def test_a_wrong_query_is_an_error_that_tells_no_value(self, filled: Store, query: str) -> None:
        with pytest.raises(QueryError) as raised:
            filled.read(query, {"value": SECRET})
        assert SECRET not in str(raised.value)
        with pytest.raises(QueryError) as raised:
            filled.update(lambda unit: unit.write(query, {"value": SECRET}))
        assert SECRET not in str(raised.value)

    def test_errors_of_a_query_that_runs_tell_no_value(self, filled: Store) -> None:
        insert(filled, "requests", id=SECRET)
        again = row_of("requests", id=SECRET)
        wrong = {**row_of("users", id=SECRET), "audit_seq": SECRET}
        for table, row, kind in (("requests", again, DuplicateError), ("users", wrong, (QueryError, InvariantError))):
            with pytest.raises(kind) as raised:
                filled.update(lambda unit, table=table, row=row: unit.write(insertion(table, row), row))
            assert SECRET not in str(raised.value)
            assert SECRET not in str(raised.value.details)

    def test_a_column_has_the_name_that_the_query_gives_it(self, filled: Store) -> None:
        assert filled.read("SELECT id AS user_id, created_at FROM users WHERE id = 'ann'") == [
            {"user_id": "ann", "created_at": AT}
        ]

    def test_no_rows_are_an_empty_list(self, filled: Store) -> None:
        assert filled.read("SELECT id FROM users WHERE id = 'nobody'") == []
        assert filled.view(lambda unit: unit.read("SELECT id FROM users WHERE id = 'nobody'")) == []
