"""Migrations: whole or not at all, up and down on data, by one process of many, with a backup first."""

import shutil
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from aeon.adapters.store.migrations import DIGESTS, LATEST, Migration, load_migrations
from aeon.adapters.store.sqlite.maintenance import check_record, restore
from aeon.adapters.store.sqlite.migrator import apply_script, create_tables, statements
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, META_ROW, READ_SCHEMA, SchemaVersions, schema_digest
from aeon.platform.store import DamagedStoreError, StoreError, StoreUnavailableError

from .sqlite_world import Project, add_user, fill_record, together, users

ADD_NOTES = Migration(
    LATEST + 1,
    "notes",
    """
    ALTER TABLE users ADD COLUMN note TEXT NOT NULL DEFAULT ';';
    CREATE TABLE folders (id TEXT PRIMARY KEY, extra TEXT) STRICT;
    CREATE TABLE papers (id TEXT PRIMARY KEY, folder TEXT NOT NULL REFERENCES folders (id)) STRICT;
    INSERT INTO folders SELECT id, 'more' FROM users;
    INSERT INTO papers SELECT id, id FROM users;
    """,
    "DROP TABLE papers; DROP TABLE folders; ALTER TABLE users DROP COLUMN note;",
)
MAKE_ANEW = Migration(
    LATEST + 2,
    "anew",
    """
    -- A table that another refers to, made anew; a trigger with ; in its body
    CREATE TABLE new_folders (id TEXT PRIMARY KEY) STRICT;
    INSERT INTO new_folders SELECT id FROM folders;
    DROP TABLE folders;
    ALTER TABLE new_folders RENAME TO folders;
    CREATE TRIGGER folders_kept BEFORE DELETE ON folders
    BEGIN SELECT CASE WHEN OLD.id = ';' THEN 1 ELSE 2 END; SELECT RAISE(ABORT, 'kept; folders'); END;
    """,
    "DROP TRIGGER folders_kept; ALTER TABLE folders ADD COLUMN extra TEXT;",
)
BAD = Migration(LATEST + 2, "bad", "CREATE TABLE fine (a TEXT) STRICT; INSERT INTO not_there VALUES (1);", "")


def versions(*more):
    """The versions of an Aeon that knows these migrations too."""
    migrations = [*load_migrations("sqlite"), *more]
    digests = dict(DIGESTS)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for migration in migrations:
            if migration is not BAD:
                run(connection, migration.up)
            digests[migration.number] = schema_digest(connection)
    return SchemaVersions(len(migrations), digests, lambda: migrations)


def run(connection, *scripts):
    for script in scripts:
        for statement in statements(script):
            connection.execute(statement)


@pytest.fixture
def project(tmp_path):
    """A project whose record has the newest version, and rows."""
    project = Project(tmp_path)
    with closing(project.open()) as store:
        fill_record(store, runs=3)
    return project


def rows(path, table="users"):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()  # a name of this test's


def version(path):
    return dict(rows(path, "meta"))["version"]


def test_the_constants_are_those_of_the_migrations():
    """After a change of a migration, this names the digest to write into migrations/__init__.py."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yielded = {}
        for migration in load_migrations("sqlite"):
            run(connection, migration.up)
            yielded[migration.number] = schema_digest(connection)
    assert yielded == DIGESTS
    assert max(yielded) == LATEST


def test_a_new_record_is_what_all_migrations_make_one_after_another(tmp_path):
    """After a change of a migration: python docs/make_schema.py."""
    dumps = []
    for known in (KNOWN_VERSIONS, versions()):
        with closing(sqlite3.connect(tmp_path / f"{len(dumps)}.db", isolation_level=None)) as connection:
            create_tables(connection, tmp_path, known)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            dumps.append((schema_digest(connection), sorted(connection.iterdump())))
    assert dumps[0] == dumps[1]
    assert len(dumps[0][1]) > 1000


def test_the_table_that_tells_the_version_is_the_one_that_is_read():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for migration in load_migrations("sqlite"):
            run(connection, migration.up)
        assert META_ROW in connection.execute(READ_SCHEMA).fetchall()


def test_both_dialects_have_the_same_migrations():
    lists = [[(each.number, each.name) for each in load_migrations(dialect)] for dialect in ("sqlite", "postgresql")]
    assert lists[0] == lists[1] == [(number, lists[0][number - 1][1]) for number in range(1, LATEST + 1)]
    assert all(each.up and each.down for dialect in ("sqlite", "postgresql") for each in load_migrations(dialect))


def test_the_first_version_can_be_taken_back(project):
    with closing(sqlite3.connect(project.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for migration in reversed(load_migrations("sqlite")):
            run(connection, migration.down)
        left = connection.execute("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").fetchall()
    assert left == []


def test_a_statement_ends_where_sqlite_says():
    assert [each.strip() for each in statements("SELECT ';'; -- a ; b\nSELECT 2;\n-- the end; \n")] == [
        "SELECT ';';",
        "-- a ; b\nSELECT 2;",
    ]
    assert len(list(statements(MAKE_ANEW.up))) == 5


def test_an_older_record_is_migrated_with_its_data_and_a_backup_before(project):
    before = rows(project.path)
    with closing(project.open(versions=versions(ADD_NOTES, MAKE_ANEW))) as store:
        add_user_with_note = "INSERT INTO users VALUES ('you', 0, 'none', '2026-01-01', 'a note')"
        store.update(lambda unit: unit.write(add_user_with_note))
        assert [row["note"] for row in store.read("SELECT note FROM users ORDER BY id")] == [";", "a note"]
    assert version(project.path) == str(LATEST + 2)
    backup = project.place.backup_before(LATEST + 1)
    assert backup.name == f"aeon.db.before-{LATEST + 1:04}.bak"
    assert backup.stat().st_mode & 0o777 == 0o600
    assert (rows(backup), version(backup)) == (before, str(LATEST))


def test_the_backup_before_a_migration_can_be_restored(project):
    project.open(versions=versions(ADD_NOTES)).close()
    restore(project.path, project.place.backup_before(LATEST + 1), state=project.state)
    assert project.users() == ["me"]


def test_data_survive_up_and_down(project):
    known = versions(ADD_NOTES, MAKE_ANEW)
    tables = ("users", "runs", "run_entries", "definitions", "metric_values")
    tables += ("episodes", "entities", "mentions", "facts", "assertions")
    before = {table: rows(project.path, table) for table in tables}
    project.open(versions=known).close()
    assert rows(project.path, "papers") == [("me", "me")]
    digests = down_digests(MAKE_ANEW, ADD_NOTES)
    with closing(sqlite3.connect(project.path, isolation_level=None)) as connection:
        for migration in (MAKE_ANEW, ADD_NOTES):
            number = migration.number - 1
            apply_script(connection, project.path, migration.down, number, replace(known, digests=digests))
            assert version(project.path) == str(number)
    assert {table: rows(project.path, table) for table in tables} == before


def down_digests(*migrations):
    """The digests on the way back. A column that was dropped comes back as the last one, so they are others."""
    digests = {}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        run(connection, *(each.up for each in (*load_migrations("sqlite"), *reversed(migrations))))
        for migration in migrations:
            run(connection, migration.down)
            digests[migration.number - 1] = schema_digest(connection)
    return digests


def test_a_migration_that_fails_changes_nothing_and_the_ones_before_stay(project):
    known = versions(ADD_NOTES, BAD)
    with pytest.raises(StoreError, match=f"to version {LATEST + 2} .bad.: no such table: not_there"):
        project.open(versions=known)
    assert version(project.path) == str(LATEST + 1)
    assert check_record(project.path, versions=known) == []
    project.open(versions=versions(ADD_NOTES)).close()


def test_a_migration_that_leads_elsewhere_than_it_should_is_taken_back(project):
    known = versions(ADD_NOTES)
    with pytest.raises(StoreError, match="did not create the expected tables"):
        project.open(versions=replace(known, digests={**known.digests, LATEST + 1: "another"}))
    assert project.users() == ["me"]


def test_a_migration_that_leaves_references_to_nothing_is_taken_back(project):
    loses = Migration(LATEST + 1, "loses", "DROP TRIGGER definitions_kept; DELETE FROM definitions;", "")
    with pytest.raises(DamagedStoreError, match=r"cannot be migrated .* refers to a row of definitions"):
        project.open(versions=versions(loses))
    assert project.users() == ["me"]


def test_an_older_aeon_does_not_open_what_a_newer_one_has_migrated(project):
    project.open(versions=versions(ADD_NOTES)).close()
    before = project.path.read_bytes()
    with pytest.raises(StoreError, match=f"has version {LATEST + 1}; this Aeon knows {LATEST} at most") as raised:
        project.open()
    assert raised.value.advice == "Use the newer Aeon."
    assert project.path.read_bytes() == before


def test_a_record_that_is_open_is_not_migrated(project, monkeypatch):
    """So an older Aeon never writes to a record that was migrated under it."""
    monkeypatch.setattr("aeon.adapters.store.sqlite.record_lock._EXCLUSIVE_WAIT", 0.1)
    process = project.start(
        "store = open_sqlite(path, state=state); say('open'); sys.stdin.readline(); add(store, 'you')"
    )
    assert process.stdout.readline() == "open\n"
    with pytest.raises(StoreUnavailableError, match=f"is open in process {process.pid}, so it cannot be migrated"):
        project.open(versions=versions(ADD_NOTES))
    process.communicate("\n", timeout=60)
    assert process.returncode == 0
    assert not project.place.backup_before(LATEST + 1).exists()
    with closing(project.open(versions=versions(ADD_NOTES))) as store:
        assert users(store) == ["me", "you"]


def test_threads_that_open_an_older_record_at_once_migrate_it_once(project):
    known, opened, barrier = versions(ADD_NOTES), [], threading.Barrier(8)

    def open_at_once():
        barrier.wait()
        opened.append(project.open(versions=known))

    threads = [threading.Thread(target=open_at_once) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [users(store) for store in opened] == [["me"]] * 8
    for store in opened:
        store.close()


MIGRATING = """
import aeon.adapters.store.sqlite.schema as schema
from aeon.adapters.store.migrations import Migration, load_migrations
from dataclasses import replace
more = Migration(int(given[1]), "notes", given[2], "")
calls = []
def migrations():
    say("migrates")
    return [*load_migrations("sqlite"), more]
known = schema.SchemaVersions(more.number, {**schema.DIGESTS, more.number: given[3]}, migrations)
store = open_sqlite(path, state=state, versions=known)
store.update(lambda unit: unit.write("INSERT INTO users VALUES (:id, 0, '', '', 'a note')", {"id": given[0]}))
store.close()
"""


@pytest.mark.slow
def test_of_eight_processes_that_open_an_older_record_at_once_one_migrates(project, tmp_path):
    known = versions(ADD_NOTES)
    old = tmp_path / "old"
    shutil.copytree(project.place.folder, old)
    for _ in range(3):
        digest_ = known.digests[LATEST + 1]
        said = together(project, 8, MIGRATING, LATEST + 1, ADD_NOTES.up, digest_)
        assert sorted(said) == [[]] * 7 + [["migrates"]]
        assert sorted(row[0] for row in rows(project.path)) == [*map(str, range(8)), "me"]
        assert len(rows(project.place.backup_before(LATEST + 1))) == 1
        shutil.rmtree(project.place.folder)
        shutil.copytree(old, project.place.folder)


@pytest.mark.slow
def test_a_migration_that_is_killed_at_any_moment_is_whole_or_not_begun(project, tmp_path):
    known = versions(ADD_NOTES)
    old = tmp_path / "old"
    shutil.copytree(project.place.folder, old)
    for moment in range(1, 16):
        killed = "import signal; signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))\n"
        timer = f"signal.setitimer(signal.ITIMER_REAL, {moment} * 0.002)\nstore = open_sqlite"
        script = killed + MIGRATING.replace("store = open_sqlite", timer) + "time.sleep(60)"
        project.start(script, "x", LATEST + 1, ADD_NOTES.up, known.digests[LATEST + 1]).communicate(timeout=60)
        with closing(project.open(versions=known)) as store:
            assert users(store)[0] == "me"
        assert check_record(project.path, versions=known) == []
        shutil.rmtree(project.place.folder)
        shutil.copytree(old, project.place.folder)


def test_the_newest_version_of_this_aeon_is_the_one_that_is_known():
    assert (KNOWN_VERSIONS.latest, KNOWN_VERSIONS.digests) == (LATEST, DIGESTS)
    assert [each.number for each in KNOWN_VERSIONS.migrations()] == list(range(1, LATEST + 1))


def test_a_new_record_gets_every_migration(tmp_path):
    project = Project(tmp_path)
    with closing(project.open(versions=versions(ADD_NOTES))) as store:
        assert store.read("SELECT note FROM users") == store.read("SELECT id FROM papers") == []
    assert not project.place.backup_before(1).exists()
    assert version(project.path) == str(LATEST + 1)


def test_a_store_that_is_not_migrated_goes_on(project):
    with closing(project.open()) as store:
        add_user(store, "you")
        assert users(store) == ["me", "you"]
