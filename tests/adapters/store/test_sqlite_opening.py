"""Opening a record in SQLite: made where there is none, quick where there is one, and refused with clear words."""

import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import pytest

from aeon.adapters.store.migrations import LATEST
from aeon.adapters.store.sqlite.factory import old_graph_folder
from aeon.adapters.store.sqlite.maintenance import restore
from aeon.adapters.store.sqlite.schema import APPLICATION_ID
from aeon.base.next_steps import NextStep
from aeon.platform.store import DamagedStoreError, QueryError, StoreError, StoreUnavailableError

from .sqlite_world import Project, add_user, ended, together, users


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def altered(path, *statements):
    """Change a record's file as another program would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def refused(project, kind=DamagedStoreError):
    """What is said when the record is opened; its file is as it was, and nothing new is beside it but the lock."""
    before = project.path.read_bytes() if project.path.is_file() else None
    files = {*project.place.folder.iterdir(), project.place.lock}
    with pytest.raises(kind) as raised:
        project.open()
    assert before is None or project.path.read_bytes() == before
    assert {*project.place.folder.iterdir()} == files
    return str(raised.value)


def test_a_record_is_made_where_there_is_none(project):
    with closing(project.open()) as store:
        assert users(store) == []
    assert stat.S_IMODE(project.place.folder.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in project.place.folder.iterdir()} == {
        ".gitignore": 0o600,
        "aeon.db": 0o600,
        "aeon.db.lock": 0o600,
        "origin": 0o600,
    }


def test_what_was_written_is_there_when_the_record_is_opened_again(project):
    with closing(project.open()) as store:
        add_user(store, "me")
    assert project.users() == ["me"]


def test_a_record_has_aeons_number_and_a_write_ahead_log(project):
    project.make()
    with closing(sqlite3.connect(project.path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_files_that_sqlite_makes_beside_the_record_are_private_too(project):
    with closing(project.open()) as store:
        add_user(store, "me")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in project.place.folder.iterdir()}
    assert modes == {0o600}


def test_a_record_of_the_newest_version_is_opened_without_reading_migrations(project):
    project.make()
    script = """
from aeon.adapters.store import migrations
migrations.load_migrations = None
opened = set(sys.modules)
open_sqlite(path, state=state).close()
say("importlib.resources" in set(sys.modules) - opened)
"""
    assert ended(project.start(script)) == ["False"]


def test_several_stores_of_one_process_share_a_record(project):
    with closing(project.open()) as one, closing(project.open()) as other:
        add_user(one, "me")
        assert users(other) == ["me"]
        other.close()
        add_user(one, "you")
    assert project.users() == ["me", "you"]


def test_a_closed_store_says_so(project):
    store = project.open()
    store.close()
    store.close()
    with pytest.raises(QueryError, match="is closed"):
        users(store)


@pytest.mark.slow
def test_eight_processes_that_open_a_new_record_at_once_all_succeed(project):
    script = "store = open_sqlite(path, state=state); add(store, given[0]); say('done'); store.close()"
    for _ in range(4):
        assert together(project, 8, script) == [["done"]] * 8
        assert project.users() == [str(number) for number in range(8)]
        project.path.unlink()


@pytest.mark.slow
def test_a_record_whose_making_was_killed_is_made_again(project):
    for moment in range(1, 12):
        script = f"""
import signal
signal.setitimer(signal.ITIMER_REAL, {moment} * 0.003)
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
open_sqlite(path, state=state)
time.sleep(60)
"""
        project.start(script).communicate(timeout=60)
        assert project.users() == []
        assert not project.place.draft.exists()
        project.path.unlink()


def test_a_folder_in_its_place_is_refused(project):
    project.place.path.mkdir(parents=True, mode=0o700)
    project.place.folder.chmod(0o700)
    assert "is not a plain file" in refused(project, StoreUnavailableError)


def test_an_empty_file_is_refused(project):
    put(project, b"")
    assert "is an empty file, not a record" in refused(project)


@pytest.mark.parametrize("content", [b"x", b"hello " * 5000, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_file_that_is_no_database_is_refused(project, content):
    put(project, content)
    said = refused(project)
    assert str(project.path) in said
    assert "restore a backup" in said.lower()


def test_another_programs_database_is_refused(project):
    put(project, b"")
    project.path.unlink()
    altered(project.path, "CREATE TABLE a (b)")
    project.path.chmod(0o600)
    assert "a SQLite file of another program" in refused(project)


def test_a_database_in_another_encoding_is_refused(project):
    put(project, b"")
    project.path.unlink()
    altered(
        project.path, "PRAGMA encoding = 'UTF-16le'", "CREATE TABLE a (b)", f"PRAGMA application_id = {APPLICATION_ID}"
    )
    project.path.chmod(0o600)
    assert "UTF-16le" in refused(project)


def test_a_newer_version_is_refused(project):
    project.make()
    altered(project.path, "CREATE TABLE newer (a)", "UPDATE meta SET value = '9999' WHERE key = 'version'")
    said = refused(project, StoreError)
    assert f"has version 9999; this Aeon knows {LATEST} at most. Nothing was changed. Use the newer Aeon." in said


def test_a_file_that_says_another_version_than_its_tables_is_refused(project):
    project.make()
    altered(project.path, f"UPDATE meta SET value = '{LATEST + 1}' WHERE key = 'version'")
    assert f"states version {LATEST + 1}, but its tables are those of version {LATEST}" in refused(project)


def test_statistics_of_the_query_planner_may_be_there(project):
    with closing(project.open()) as store:
        add_user(store, "me")
    altered(project.path, "ANALYZE")
    assert project.users() == ["me"]


HOSTILE = {
    "trigger": "CREATE TRIGGER evil AFTER INSERT ON users BEGIN DELETE FROM meta; END",
    "view": "CREATE VIEW evil AS SELECT load_extension('evil')",
    "virtual table": "CREATE VIRTUAL TABLE evil USING fts5 (a)",
    "index": "CREATE INDEX evil ON users (abs(length(id)))",
    "table": "CREATE TABLE evil (a)",
    "column": "ALTER TABLE users ADD COLUMN evil TEXT DEFAULT 'x'",
    "missing trigger": "DROP TRIGGER users_kept",
    "missing index": "DROP INDEX requests_at",
}


@pytest.mark.parametrize("statement", HOSTILE.values(), ids=HOSTILE)
def test_a_schema_that_is_not_aeons_is_refused(project, statement):
    project.make()
    altered(project.path, statement)
    assert "that this version of Aeon did not create" in refused(project)


def test_a_record_of_an_unfinished_version_is_refused_with_the_way_out(project):
    """Such a record was called another program's, and its backup no backup: it is Aeon's, with other tables."""
    project.make()
    altered(project.path, "DROP TABLE pieces")
    with pytest.raises(DamagedStoreError, match="another, perhaps unfinished version did") as opened:
        project.open()
    assert opened.value.next == NextStep("store.carry_over")
    kept = project.path.with_name("kept.db")
    project.path.rename(kept)
    with pytest.raises(DamagedStoreError, match="another, perhaps unfinished version did") as restored:
        restore(project.path, kept, state=project.state)
    assert restored.value.next == NextStep("store.carry_backup_over")


@pytest.mark.parametrize("name", ["sqlite_evil", "sqlite_stat1", "meta", "Meta"])
def test_a_schema_that_hides_a_view_or_trigger_under_a_name_of_sqlites_is_refused(project, name):
    project.make()
    row = f"('view', '{name}', '{name}', 0, 'CREATE VIEW {name} AS SELECT 9 AS value, ''version'' AS key')"
    insert = f"INSERT INTO sqlite_schema VALUES {row}"  # a name of this test's
    altered(project.path, "PRAGMA writable_schema = ON", insert)
    refused(project)


def test_the_version_is_not_asked_of_a_view(project):
    """Only of the table that Aeon makes: a view runs what its maker wrote."""
    project.make()
    view = "CREATE VIEW meta AS SELECT 'version' AS key, '7' AS value"
    altered(project.path, "DROP TABLE meta", view)
    assert "that this version of Aeon did not create" in refused(project)


def test_a_missing_file_with_its_log_still_there_is_not_made_anew(project):
    with closing(project.open()) as store:
        add_user(store, "me")
        log = project.place.wal.read_bytes()
    project.path.unlink()
    project.place.wal.write_bytes(log)
    said = refused(project)
    assert "is missing, but its aeon.db-wal exists" in said
    assert "Restore aeon.db" in said


@pytest.mark.parametrize("move", ["moved", "replaced", "lock deleted"])
def test_a_store_whose_file_was_taken_away_writes_no_more(project, move, tmp_path):
    """Without that, it would go on writing to a file that nobody opens again."""
    with closing(project.open()) as store:
        add_user(store, "me")
        if move == "lock deleted":
            project.place.lock.unlink()
        else:
            project.path.rename(tmp_path / "elsewhere.db")
        if move == "replaced":
            project.path.write_bytes((tmp_path / "elsewhere.db").read_bytes())
        with pytest.raises(StoreUnavailableError, match="was moved, deleted or replaced while it was open"):
            add_user(store, "you")


def test_a_graph_of_an_older_aeon_is_seen_beside_where_the_record_will_be(project):
    (project.place.folder / "graph").mkdir(parents=True)
    project.place.folder.chmod(0o700)
    assert old_graph_folder(project.path) == project.place.folder / "graph"
    project.make()
    assert old_graph_folder(project.path) is None


def put(project, content):
    project.place.prepare_folder()
    project.path.touch(0o600)
    project.path.write_bytes(content)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/fd")
def test_closing_leaves_no_file_open(project):
    with closing(project.open()) as store:
        add_user(store, "me")
    opened = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.exists()]
    assert not [path for path in opened if str(project.place.folder) in path]
