"""A record of the third version, with a row in every table, gets the edges of busy workers, and can go back."""

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
from aeon.testing.store.rows import FIRST, ROWS, insertion, row_of

from .sqlite_world import Project

ADDED = (
    *("current_process_id", "current_step_id", "current_tool_id", "section", "options", "tags"),
    *("draining_since", "labels", "aeon_version", "operations", "language", "runs_on", "weight", "priority"),
    *("paused", "retention_days"),
)
STARTS = ("started_at", "run", "problem")
"""Columns that schedules got later; other tables had such ones before."""

SINCE = (
    *("conversations", "conversation_turns", "alternatives", "manifests", "blobs", "attachments", "erasures"),
    *("episodes", "entities", "mentions", "merges", "facts", "assertions", "active_entities"),
    *("summaries", "summary_sources", "summary_contents", "compressions", "introspections", "introspection_contents"),
    *(
        "knowledge_settings",
        "knowledge_leases",
        "word_cases",
        "vectors",
        "questions",
        "webhooks",
        "alerts",
        "span_progress",
        "large_results",
    ),
)
"""Tables that came later."""
ORDER = "SELECT * FROM {} ORDER BY 1, 2"
EDGES = "SELECT type, to_label, to_id FROM graph_edge WHERE from_label = 'Worker' ORDER BY type"
BUSY = """
UPDATE workers SET current_process_id = 'process', current_step_id = 'step', current_tool_id = 'tool'
WHERE id = 'worker'
"""
WORKER_EDGES = [
    ("EXECUTES", "Tool", "tool"),
    ("PROCESSES", "ProcessStep", "process/step"),
    ("RUNS_IN", "Executor", "executor"),
]


def fill_third(store):
    """A row in every table, without what the fourth version added."""

    def work(unit):
        for table in (each for each in ROWS if each not in SINCE):
            for changes in (*(changes for first, changes in FIRST if first == table), {}):
                row = without_added(table, row_of(table, **changes))
                unit.write(insertion(table, row), row)

    store.update(work)


def without_added(table, row):
    added = (*ADDED, *(STARTS if table == "schedules" else ()))
    return {name: value for name, value in row.items() if name not in added}


def contents(store):
    """All rows but those of the events of their changes, without the columns that later versions added."""
    tables = [table for table in ROWS if table not in ("events", *SINCE)]
    rows = {table: store.read(ORDER.format(table)) for table in tables}  # of our own tables
    return {table: [without_added(table, row) for row in found] for table, found in rows.items()}


def edges(store):
    return [tuple(row.values()) for row in store.read(EDGES)]


def verify_upgraded(store, before):
    """Nothing is lost; a worker has the edges once it says what it works for."""
    assert contents(store) == before
    assert len(before["workers"]) == 1
    assert edges(store) == WORKER_EDGES[2:]
    store.update(lambda unit: unit.write(BUSY))
    assert edges(store) == WORKER_EDGES


def test_a_sqlite_record_of_the_third_version_is_migrated(tmp_path):
    project = Project(tmp_path)
    third = SchemaVersions(3, DIGESTS, lambda: load_migrations("sqlite")[:3])
    with closing(project.open(versions=third)) as store:
        fill_third(store)
        before = contents(store)
    with closing(project.open()) as store:
        verify_upgraded(store, before)
    assert check_record(project.path) == []
    assert project.place.backup_before(4).exists()
    with closing(sqlite3.connect(project.path, isolation_level=None)) as connection:
        for later in reversed(load_migrations("sqlite")[3:]):
            apply_script(connection, project.path, later.down, later.number - 1, KNOWN_VERSIONS)
        assert schema_digest(connection) == DIGESTS[3]
    with closing(project.open(versions=third)) as store:
        assert contents(store) == before
        assert edges(store) == WORKER_EDGES[2:]


@pytest.mark.server
@pytest.mark.slow
def test_a_postgresql_record_of_the_third_version_is_migrated(postgres):
    address = postgres.create_database()
    migrator.migrate(parse_address(address), None, load_migrations("postgresql")[:3])
    third = open_schema(parse_address(address), None)
    fill_third(third)
    before = contents(third)
    third.close()
    later = [f"{each.number:04} {each.name}" for each in load_migrations("postgresql")[3:]]
    assert migrate(address) == later
    with closing(open_postgresql(address)) as store:
        verify_upgraded(store, before)
    assert roll_back(address, to=3) == later[::-1]
    third = open_schema(parse_address(address), None)
    assert contents(third) == before
    assert edges(third) == WORKER_EDGES[2:]
    third.close()
