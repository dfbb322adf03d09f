"""The tables in PostgreSQL are those in SQLite, and the conformance suite tries everything that they refuse."""

import re

import pytest

from aeon.platform.store import StoreError
from aeon.testing.records import new_record
from aeon.testing.store.columns import IMMUTABLE, NEVER_DELETED, NULLABLE
from aeon.testing.store.refused_rows import CHECKS, DANGLING, DUPLICATES, NEW_KEYS
from aeon.testing.store.rows import ROWS, fill, insertion, row_of

pytestmark = [pytest.mark.server, pytest.mark.slow]

COLUMNS = """
SELECT table_name AS "table", column_name AS name, is_nullable = 'YES' AS nullable
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'aeon' AND table_type = 'BASE TABLE'
"""
SQLITE_COLUMNS = """
SELECT t.name AS "table", c.name AS name, c."notnull" = 0 AND c.pk = 0 AS nullable
FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
"""
INDEXES = """
SELECT c.relname AS "table", i.indisunique AS uniq, i.indpred IS NOT NULL AS partial,
       (SELECT string_agg(a.attname, ',' ORDER BY k.at) FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k(number, at)
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number) AS columns
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid WHERE c.relnamespace = 'aeon'::regnamespace
"""
SQLITE_INDEXES = """
SELECT t.name AS "table", i."unique" AS uniq, i.partial AS partial,
       (SELECT group_concat(name, ',') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) AS columns
FROM sqlite_schema AS t JOIN pragma_index_list(t.name) AS i WHERE t.type = 'table'
"""
CONSTRAINTS = """
SELECT conname AS name FROM pg_constraint
WHERE connamespace = 'aeon'::regnamespace AND contype IN ('c', 'f', 'u', 'p') AND conrelid <> 0
"""
TRIGGERS = """
SELECT tgrelid::regclass::text AS "table", tgname AS name, pg_get_triggerdef(oid) AS definition
FROM pg_trigger WHERE NOT tgisinternal AND tgname ~ '_(immutable|kept|ended_once)$'
"""
NOT_TRIED = ("meta", "consumers", "pieces", "credentials", "accounts", "identities", "search_")
"""Tables that have no invariants but their keys."""

NUMBERED = (("events", "seq"), ("events", "xid"))
"""Columns that the database fills in."""

IMPLIED = {
    "events_pkey",
    "secrets_id_owner_id_key",
    "conversations_id_owner_id_key",
    "conversation_turns_id_conversation_id_key",
    "episodes_owner_id_id_key",
    "entities_owner_id_id_key",
    "facts_owner_id_id_key",
    "merges_owner_id_fkey",
}
"""Constraints that no row can break: the key that the database numbers, and those that hold since others do."""

NO_CONSTRAINTS = {
    *("conversation_turns_root", "alternatives_active", "entities_name", "facts_text", "merges_absorbed"),
    *("introspections_position", None),
}
"""Unique indexes of a part of the rows, and triggers."""

BEGINNING_WITH_ANOTHER = {
    ("process_steps", "id,process_id"): "process_id,id",
    ("step_dependencies", "needs,process_id"): "process_id,needs",
}
"""Indexes of PostgreSQL whose columns have another order, so that no foreign key is looked up in them (migration 14)."""


@pytest.fixture
def sqlite(tmp_path):
    store = new_record(tmp_path)
    yield store
    store.close()


def rows(found):
    """The rows of tables that both databases have, in any order; SQLite has no transaction's number."""
    kept = [row for row in found if not row["table"].startswith("search_") and row.get("name") != "xid"]
    return sorted((tuple(row.values()) for row in kept), key=lambda row: [str(value) for value in row])


def test_both_databases_have_the_same_columns(store, sqlite):
    assert rows(store.read(COLUMNS)) == rows(sqlite.read(SQLITE_COLUMNS))


SHOWN = ("shown_in", "shows")
"""Generated columns with an index, by which SQLite refuses a turn that shows nothing; PostgreSQL has triggers for it."""


def test_both_databases_have_the_same_indexes(store, sqlite):
    ours = [row for row in store.read(INDEXES) if (row["table"], row["columns"]) != ("events", "seq")]
    same = [
        {**row, "columns": BEGINNING_WITH_ANOTHER.get((row["table"], row["columns"]), row["columns"])} for row in ours
    ]
    assert rows(same) == rows(row for row in sqlite.read(SQLITE_INDEXES) if row["columns"] not in SHOWN)


def test_the_suite_has_a_row_of_every_table_and_knows_which_columns_may_be_empty(store):
    columns, nullable = {}, {}
    for row in store.read(COLUMNS):
        if not row["table"].startswith(NOT_TRIED) and (row["table"], row["name"]) not in NUMBERED:
            columns.setdefault(row["table"], set()).add(row["name"])
            if row["nullable"]:
                nullable.setdefault(row["table"], set()).add(row["name"])
    assert columns == {table: set(row) for table, row in ROWS.items()}
    assert nullable == {table: set(names) for table, names in NULLABLE.items()}


def test_the_suite_breaks_every_constraint(store):
    fill(store)
    broken = set()
    for refused in (*CHECKS, *DUPLICATES):
        broken.add(constraint(store, refused.table, refused.changes))
    for table, changes in DANGLING:
        fresh = {name: value for name, value in NEW_KEYS.items() if name in ROWS[table]}
        broken.add(constraint(store, table, {**fresh, **changes}))
    named = {row["name"] for row in store.read(CONSTRAINTS) if not row["name"].startswith(NOT_TRIED)}
    assert named - IMPLIED == broken - NO_CONSTRAINTS


def constraint(store, table, changes):
    """The name of the constraint that refuses the row."""
    row = row_of(table, **changes)
    with pytest.raises(StoreError) as raised:
        store.update(lambda unit: unit.write(insertion(table, row), row))
    return raised.value.__cause__.diag.constraint_name


def test_the_suite_tries_to_change_all_that_is_immutable(store):
    kept, immutable = set(), {}
    for row in (row for row in store.read(TRIGGERS) if row["table"] != "meta"):
        if row["name"].endswith("_kept"):
            kept.add(row["table"])
        else:
            watched = set(re.findall(r"new\.(\w+) IS DISTINCT", row["definition"], re.IGNORECASE))
            immutable.setdefault(row["table"], set()).update(watched or ROWS[row["table"]])
    assert kept == set(NEVER_DELETED)
    assert immutable == {table: set(names) for table, names in IMMUTABLE.items()}
