"""A record of version 14 whose conversations were broken past Aeon's code is mended by the migration, not refused."""

import sqlite3
from contextlib import closing

import pytest

from aeon.adapters.store.migrations import DIGESTS, load_migrations
from aeon.adapters.store.postgresql import migrate, migrator, open_postgresql, roll_back
from aeon.adapters.store.postgresql.address import parse_address
from aeon.adapters.store.postgresql.factory import open_schema
from aeon.adapters.store.sqlite.maintenance import check_record
from aeon.adapters.store.sqlite.migrator import apply_script
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, SchemaVersions, schema_digest
from aeon.platform.store import GuardError
from aeon.testing.store.rows import FIRST, ROWS, SET_TIP, insertion, row_of

from .sqlite_world import Project

OTHER = {"id": "other", "import_key": None, "tip_id": "alternative"}
ANOTHER = {"id": "another", "sequence": 2, "is_active": 0}
EMPTY = {"id": "empty", "conversation_id": "other", "parent_id": None, "via_alternative_id": None, "sequence": 1}
BELOW = {"id": "below", "conversation_id": "other", "parent_id": "empty", "via_alternative_id": "lost"}
TIPS = "SELECT id, tip_id FROM conversations ORDER BY id"
TURNS = "SELECT id FROM conversation_turns ORDER BY id"
ACTIVE = "SELECT id FROM alternatives WHERE is_active = 1 ORDER BY id"


def break_it(store):
    """Nothing of a turn is active, another turn has no alternative, and tips are nonsense and elsewhere."""

    def work(unit):
        for table, changes in (
            ("conversations", OTHER),
            ("alternatives", ANOTHER),
            ("conversation_turns", EMPTY),
            ("conversation_turns", BELOW),
        ):
            row = row_of(table, **changes)
            unit.write(insertion(table, row), row)
        unit.write("UPDATE alternatives SET is_active = 0 WHERE turn_id = 'turn'")
        unit.write("UPDATE conversations SET tip_id = 'nonsense' WHERE id = 'conversation'")

    fill_version_14(store)
    store.update(work)


def fill_version_14(store):
    """A row in every table, without the columns that came later."""

    def work(unit):
        for table in ROWS:
            for changes in (*(changes for first, changes in FIRST if first == table), {}):
                later = ("started_at", "run", "problem") if table == "schedules" else ()
                row = {name: value for name, value in row_of(table, **changes).items() if name not in later}
                unit.write(insertion(table, row), row)
        unit.write(SET_TIP)

    store.update(work)


def values(store, query):
    return [tuple(row.values()) for row in store.read(query)]


def verify_mended(store):
    assert values(store, TIPS) == [("conversation", "another"), ("other", None)]
    assert values(store, TURNS) == [("root",), ("turn",)]
    assert values(store, ACTIVE) == [("another",), ("question",)]
    with pytest.raises(GuardError):
        store.update(lambda unit: unit.write("UPDATE alternatives SET is_active = 0"))


def test_a_broken_sqlite_record_is_mended(tmp_path):
    project = Project(tmp_path)
    before = SchemaVersions(14, DIGESTS, lambda: load_migrations("sqlite")[:14])
    with closing(project.open(versions=before)) as store:
        break_it(store)
    with closing(project.open()) as store:
        verify_mended(store)
    assert check_record(project.path) == []
    with closing(sqlite3.connect(project.path, isolation_level=None)) as connection:
        for number in (15, 14):
            apply_script(connection, project.path, load_migrations("sqlite")[number].down, number, KNOWN_VERSIONS)
        assert schema_digest(connection) == DIGESTS[14]
    with closing(project.open(versions=before)) as store:
        store.update(lambda unit: unit.write("UPDATE alternatives SET is_active = 0"))


@pytest.mark.server
@pytest.mark.slow
def test_a_broken_postgresql_record_is_mended(postgres):
    address = postgres.create_database()
    migrator.migrate(parse_address(address), None, load_migrations("postgresql")[:14])
    with closing(open_schema(parse_address(address), None)) as store:
        break_it(store)
    assert migrate(address) == ["0015 invariants", "0016 starts"]
    with closing(open_postgresql(address)) as store:
        verify_mended(store)
    assert roll_back(address, to=14) == ["0016 starts", "0015 invariants"]
    with closing(open_schema(parse_address(address), None)) as store:
        store.update(lambda unit: unit.write("UPDATE alternatives SET is_active = 0"))
