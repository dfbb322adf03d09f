"""Tests that the tables enforce their invariants, also against code that bypasses the domain."""

from typing import Final

import pytest

from aeon.base.json import Json, JsonObject
from aeon.platform.store import (
    DuplicateError,
    GuardError,
    InvariantError,
    Params,
    Query,
    QueryError,
    Store,
    UnitOfWork,
)
from aeon.testing.store.columns import IMMUTABLE, NEVER_DELETED, NULLABLE, NUMBERS
from aeon.testing.store.fixtures import StoreFixtures
from aeon.testing.store.refused_row import RefusedRow
from aeon.testing.store.refused_rows import (
    CHECKS,
    DANGLING,
    DELETED_BEFORE,
    DUPLICATES,
    IDENTITY_CHANGES,
    IN_USE,
    NEW_KEYS,
    NOTHING_ACTIVE,
    PARTS,
)
from aeon.testing.store.rows import ROWS, fill, insertion, row_of

_ROOT: Final[JsonObject] = {"parent_id": None, "via_alternative_id": None, "sequence": 1}
_ELSEWHERE: Final[JsonObject] = {
    "id": "elsewhere",
    "turn_id": "beyond",
    "conversation_id": "other",
    "responds_to_id": None,
}

CHANGE_MANIFEST: Final = "UPDATE manifests SET text = :text WHERE alternative_id = 'alternative'"


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

    @pytest.mark.parametrize("query", IDENTITY_CHANGES)
    def test_the_id_of_the_record_does_not_change(self, filled: Store, query: Query) -> None:
        if not filled.read("SELECT 1 AS found FROM meta WHERE key = 'record'"):
            _write(filled, "INSERT INTO meta (key, value) VALUES ('record', 'this one')")
        with pytest.raises(InvariantError, match=r"immutable: meta|never deleted: meta"):
            _write(filled, query)

    @pytest.mark.parametrize("tip", [None, "nothing", "turn", "elsewhere"])
    def test_the_tip_is_an_alternative_of_the_conversation(self, filled: Store, tip: str | None) -> None:
        with pytest.raises(InvariantError, match="the tip is an alternative of the conversation"):
            filled.update(lambda unit: _move_tip(unit, tip))

    def test_the_tip_may_be_any_alternative_of_the_conversation(self, store: Store) -> None:
        fill(store)
        _write(store, "UPDATE conversations SET tip_id = 'question'")
        assert store.read("SELECT tip_id FROM conversations") == [{"tip_id": "question"}]

    @pytest.mark.parametrize("queries", NOTHING_ACTIVE, ids=" ".join)
    def test_a_turn_without_an_active_alternative_is_refused(self, filled: Store, queries: tuple[str, ...]) -> None:
        with pytest.raises(GuardError):
            filled.update(lambda unit: [unit.write(query) for query in queries])
        assert filled.read("SELECT id FROM alternatives WHERE is_active = 1 ORDER BY id") == [
            {"id": "alternative"},
            {"id": "question"},
        ]

    def test_one_unit_of_work_may_switch_to_another_alternative(self, store: Store) -> None:
        fill(store)
        other = row_of("alternatives", id="other", sequence=2)

        def switch(unit: UnitOfWork) -> None:
            unit.write("UPDATE alternatives SET is_active = 0 WHERE turn_id = 'turn'")
            unit.write(insertion("alternatives", other), other)

        store.update(switch)
        _write(store, "UPDATE alternatives SET is_active = 0 WHERE id = 'alternative'")
        assert store.read("SELECT id FROM alternatives WHERE is_active = 1 AND turn_id = 'turn'") == [{"id": "other"}]

    def test_a_manifest_is_replaced_while_its_answer_is_made_and_afterwards_only_erased(self, store: Store) -> None:
        fill(store)
        made: JsonObject = {"id": "made", "sequence": 2, "is_active": 0, "state": "generating", "ended_at": None}
        answer = row_of("alternatives", **made, content=None, content_hash=None, path_hash=None)
        _write(store, insertion("alternatives", answer), answer)
        manifest = row_of("manifests", alternative_id="made")
        _write(store, insertion("manifests", manifest), manifest)
        _write(store, "UPDATE manifests SET digest = 'other', text = '[]' WHERE alternative_id = 'made'")
        for text in ("", "[]", "{", '{"isErased":false}', '{"said":"\\"isErased\\":true"}'):
            with pytest.raises(InvariantError, match="immutable: manifests"):
                _write(store, CHANGE_MANIFEST, {"text": text})
        _write(store, CHANGE_MANIFEST, {"text": '{"isErased":true}'})
        assert store.read("SELECT text FROM manifests ORDER BY alternative_id") == [
            {"text": '{"isErased":true}'},
            {"text": "[]"},
        ]

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


def _write(store: Store, query: Query, params: Params | None = None) -> None:
    store.update(lambda unit: unit.write(query, params))


def _move_tip(unit: UnitOfWork, tip: str | None) -> None:
    """Adds another conversation with a message, and moves the tip of the first one."""
    for table, row in (
        ("conversations", row_of("conversations", id="other", import_key=None)),
        ("conversation_turns", {**row_of("conversation_turns", **_ROOT), "id": "beyond", "conversation_id": "other"}),
        ("alternatives", row_of("alternatives", **_ELSEWHERE)),
    ):
        unit.write(insertion(table, row), row)
    unit.write("UPDATE conversations SET tip_id = 'elsewhere' WHERE id = 'other'")
    unit.write("UPDATE conversations SET tip_id = :tip WHERE id = 'conversation'", {"tip": tip})


def _new_key(table: str) -> JsonObject:
    """The changes that give the table's standard row a new key."""
    return {name: value for name, value in NEW_KEYS.items() if name in ROWS[table]}


def _another_value(table: str, column: str) -> Json:
    """A value that differs from the column's standard value."""
    value = ROWS[table][column]
    if isinstance(value, int | float):
        return value + 1
    return 1 if column in NUMBERS else "other"
