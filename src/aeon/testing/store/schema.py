"""Tests that the tables enforce their invariants, also against code that bypasses the domain."""

import pytest

from aeon.base.json import Json, JsonObject
from aeon.platform.store import DuplicateError, GuardError, InvariantError, Params, QueryError, Store
from aeon.testing.store.columns import IMMUTABLE, NEVER_DELETED, NULLABLE, NUMBERS
from aeon.testing.store.fixtures import StoreFixtures
from aeon.testing.store.refused_row import RefusedRow
from aeon.testing.store.refused_rows import (
    CHECKS,
    DANGLING,
    DELETED_BEFORE,
    DUPLICATES,
    IN_USE,
    NEW_KEYS,
    PARTS,
)
from aeon.testing.store.rows import ROWS, fill, insertion, row_of


class SchemaConformance(StoreFixtures):
    """Checks, references, unique values, and immutable columns."""

    @pytest.mark.parametrize("table", IMMUTABLE)
    def test_immutable_columns_cannot_be_changed(self, filled: Store, table: str) -> None:
        for column in IMMUTABLE[table]:
            query = f"UPDATE {table} SET {column} = :value"  # noqa: S608  # of our own tables
            with pytest.raises(InvariantError, match="immutable"):
                _write(filled, query, {"value": _another_value(table, column)})

    @pytest.mark.parametrize("table", NEVER_DELETED)
    def test_permanent_rows_are_not_deleted(self, filled: Store, table: str) -> None:
        with pytest.raises(InvariantError, match="never deleted"):
            _write(filled, f"DELETE FROM {table}")  # noqa: S608  # of our own tables

    def test_the_id_of_the_record_does_not_change(self, filled: Store) -> None:
        with pytest.raises(InvariantError, match="immutable"):
            _write(filled, "UPDATE meta SET value = 'other' WHERE key = 'record'")

    @pytest.mark.parametrize("refused", CHECKS, ids=str)
    def test_a_row_that_breaks_a_check_is_refused(self, filled: Store, refused: RefusedRow) -> None:
        with pytest.raises(InvariantError):
            _insert(filled, refused)

    @pytest.mark.parametrize("refused", DANGLING, ids=str)
    def test_a_row_that_refers_to_nothing_is_refused(self, filled: Store, refused: RefusedRow) -> None:
        with pytest.raises(GuardError):
            _insert(filled, RefusedRow(refused.table, {**_new_key(refused.table), **refused.changes}))

    @pytest.mark.parametrize("refused", DUPLICATES, ids=str)
    def test_a_key_or_name_that_is_taken_is_refused(self, filled: Store, refused: RefusedRow) -> None:
        with pytest.raises(DuplicateError):
            _insert(filled, refused)

    @pytest.mark.parametrize("table", IN_USE)
    def test_referenced_rows_are_not_deleted(self, filled: Store, table: str) -> None:
        with pytest.raises(GuardError):
            _write(filled, f"DELETE FROM {table}")  # noqa: S608  # of our own tables

    @pytest.mark.parametrize("table", ROWS)
    def test_a_column_that_must_have_a_value_has_one(self, filled: Store, table: str) -> None:
        for column in sorted(ROWS[table].keys() - NULLABLE.get(table, ())):
            with pytest.raises(InvariantError):
                _insert(filled, RefusedRow(table, {column: None}))

    @pytest.mark.parametrize("table", ROWS)
    def test_a_column_of_numbers_takes_no_text(self, filled: Store, table: str) -> None:
        for column in [name for name, value in ROWS[table].items() if isinstance(value, int | float)]:
            with pytest.raises((InvariantError, QueryError)):
                _insert(filled, RefusedRow(table, {column: "text"}))

    @pytest.mark.parametrize(("table", "parts"), PARTS.items())
    def test_parts_are_deleted_with_their_whole(self, store: Store, table: str, parts: list[str]) -> None:
        fill(store)
        for other in DELETED_BEFORE.get(table, ()):
            _write(store, f"DELETE FROM {other}")  # noqa: S608  # of our own tables
        _write(store, f"DELETE FROM {table}")  # noqa: S608  # of our own tables
        for part in parts:
            assert store.read(f"SELECT count(*) AS n FROM {part}") == [{"n": 0}]  # noqa: S608  # of our own tables


def _insert(store: Store, refused: RefusedRow) -> None:
    row = row_of(refused.table, **refused.changes)
    _write(store, insertion(refused.table, row), row)


def _write(store: Store, query: str, params: Params | None = None) -> None:
    store.update(lambda unit: unit.write(query, params))


def _new_key(table: str) -> JsonObject:
    """The changes that give the table's standard row a new key."""
    return {name: value for name, value in NEW_KEYS.items() if name in ROWS[table]}


def _another_value(table: str, column: str) -> Json:
    """A value that differs from the column's standard value."""
    value = ROWS[table][column]
    if isinstance(value, int | float):
        return value + 1
    return 1 if column in NUMBERS else "other"
