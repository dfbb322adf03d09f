"""Backups of a record in use, and restoring one: checked before anything is touched, whole whatever is killed."""

import os
import random
import shutil
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from aeon.adapters.store.migrations import LATEST
from aeon.adapters.store.sqlite.file_copies import publish
from aeon.adapters.store.sqlite.maintenance import backup, check_record, restore
from aeon.platform.store import DamagedStoreError, StoreError, StoreUnavailableError

from .sqlite_world import Project, add_user, fill_record, kill, users


@pytest.fixture
def project(tmp_path):
    """A project with rows, and one user more than in its backup."""
    project = Project(tmp_path)
    with closing(project.open()) as store:
        fill_record(store, runs=5)
        backup(project.path, tmp_path / "a.bak", state=project.state)
        add_user(store, "you")
    return project


@pytest.fixture
def saved(project, tmp_path):
    return tmp_path / "a.bak"


def contents(path):
    """All rows of a file, without opening it as a record."""
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        return [line for line in connection.iterdump() if line.startswith("INSERT")]


def refused(project, source, kind=DamagedStoreError):
    """What is said when a backup is to be restored; the record is as it was."""
    before = {path.name: path.read_bytes() for path in project.place.folder.iterdir()}
    with pytest.raises(kind) as raised:
        restore(project.path, source, state=project.state)
    assert {path.name: path.read_bytes() for path in project.place.folder.iterdir()} == before
    return str(raised.value)


def test_a_backup_is_one_private_file_with_all_that_was_committed(project, saved, tmp_path):
    assert saved.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a.bak"]
    other = tmp_path / "b.bak"
    backup(project.path, other, state=project.state)
    assert contents(other) == contents(project.path)
    assert len(contents(other)) == len(contents(saved)) + 1


def test_a_backup_is_taken_while_others_write(project, tmp_path):
    """Each is of one moment: of both rows of a unit, or of none."""
    with closing(project.open()) as store:
        done = threading.Event()

        def write():
            for n in range(10_000):
                if done.is_set():
                    return
                store.update(lambda unit, n=n: [unit.write(ADD, {"id": f"{n}-{part}"}) for part in "ab"])

        writer = threading.Thread(target=write)
        writer.start()
        for n in range(5):
            time.sleep(0.02)
            backup(project.path, tmp_path / f"{n}.bak", state=project.state)
        done.set()
        writer.join()
    counts = [len(contents(tmp_path / f"{n}.bak")) for n in range(5)]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]
    assert all((count - counts[0]) % 2 == 0 for count in counts)


ADD = "INSERT INTO users VALUES (:id, 0, '', '')"


def test_a_backup_does_not_replace_a_file(project, saved):
    before = saved.read_bytes()
    with pytest.raises(StoreUnavailableError, match=r"already exists\. Name a new file"):
        backup(project.path, saved, state=project.state)
    assert saved.read_bytes() == before


def test_a_backup_into_a_folder_that_is_not_there_says_so(project, tmp_path):
    with pytest.raises(StoreUnavailableError, match="cannot be used: No such file"):
        backup(project.path, tmp_path / "none" / "b.bak", state=project.state)


def test_a_damaged_record_gives_no_backup(project, tmp_path):
    damage(project.path)
    with pytest.raises(DamagedStoreError):
        backup(project.path, tmp_path / "b.bak", state=project.state)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bak", "project", "state"]


def damage(path, table="run_entries"):
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(random.Random(0).randbytes(4096))


def test_a_restored_record_is_as_its_backup(project, saved):
    replaced = restore(project.path, saved, state=project.state)
    assert replaced.name.startswith("aeon.db.replaced-")
    assert project.users() == ["me"]
    assert contents(project.path) == contents(saved)
    assert check_record(project.path) == []
    assert project.path.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(project.path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_what_a_backup_replaces_is_kept(project, saved):
    replaced = restore(project.path, saved, state=project.state)
    restore(project.path, replaced, state=project.state)
    assert project.users() == ["me", "you"]


def test_who_restores_the_wrong_backup_and_then_another_still_has_what_was_there_first(project, saved):
    first = restore(project.path, saved, state=project.state)
    second = restore(project.path, saved, state=project.state)
    assert first != second
    restore(project.path, first, state=project.state)
    assert project.users() == ["me", "you"]


def test_what_was_not_closed_is_kept_with_its_log(project, saved):
    process = project.start("store = open_sqlite(path, state=state); add(store, 'third'); say('x'); time.sleep(60)")
    process.stdout.readline()
    kill(process)
    replaced = restore(project.path, saved, state=project.state)
    assert project.users() == ["me"]
    assert not project.place.wal.exists()
    restore(project.path, replaced, state=project.state)
    assert project.users() == ["me", "third", "you"]


def test_a_damaged_record_can_be_replaced(project, saved):
    damage(project.path)
    restore(project.path, saved, state=project.state)
    assert check_record(project.path) == []
    assert project.users() == ["me"]


def test_a_record_that_is_lost_can_be_restored(project, saved):
    shutil.rmtree(project.place.folder)
    assert restore(project.path, saved, state=project.state) is None
    assert project.users() == ["me"]


def test_a_file_that_was_copied_with_its_log_can_be_restored(project, tmp_path):
    with closing(project.open()) as store:
        add_user(store, "third")
        for path in (project.path, project.place.wal):
            shutil.copy(path, tmp_path / path.name.replace("aeon.db", "copy.db"))
    restore(project.path, tmp_path / "copy.db", state=project.state)
    assert project.users() == ["me", "third", "you"]


def test_a_backup_from_another_machine_can_be_restored_and_gets_a_new_id(saved, tmp_path):
    (tmp_path / "other").mkdir()
    other = Project(tmp_path / "other")
    restore(other.path, saved, state=other.state)
    assert other.users() == ["me"]
    ids = [line for path in (saved, other.path) for line in contents(path) if "'record'" in line]
    assert len(set(ids)) == 2


def test_a_record_that_is_open_is_not_replaced(project, saved, monkeypatch):
    monkeypatch.setattr("aeon.adapters.store.sqlite.record_lock._EXCLUSIVE_WAIT", 0.1)
    with closing(project.open()) as store:
        assert f"is open in process {os.getpid()}" in refused(project, saved, StoreUnavailableError)
        add_user(store, "third")
    assert project.users() == ["me", "third", "you"]


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (damage, "is damaged"),
        (lambda path: path.write_bytes(b"hello " * 5000), "file is not a database"),
        (lambda path: path.write_bytes(path.read_bytes()[: 4096 * 20]), "a.bak"),
        (
            lambda path: sql(path, "CREATE TRIGGER evil AFTER INSERT ON users BEGIN DELETE FROM events; END"),
            "Aeon did not create",
        ),
        (lambda path: sql(path, "INSERT INTO users VALUES ('x', 0, CAST(x'ff41' AS TEXT), '')"), "not UTF-8"),
        (lambda path: sql(path, "INSERT INTO bindings VALUES ('b', 'n', 'n', 'n', '')"), "refers to a row"),
    ],
    ids=["damaged", "no database", "cut off", "hostile", "no text", "references"],
)
def test_a_backup_that_is_not_whole_is_refused_and_nothing_is_touched(project, saved, alter, reason):
    alter(saved)
    said = refused(project, saved)
    assert reason in said
    assert "se a backup that Aeon made" in said
    assert str(saved) in said
    assert project.users() == ["me", "you"]


def sql(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_a_newer_backup_is_refused(project, saved):
    sql(saved, "CREATE TABLE newer (a)")
    sql(saved, "UPDATE meta SET value = '9999' WHERE key = 'version'")
    assert f"has version 9999; this Aeon knows {LATEST} at most" in refused(project, saved, StoreError)


def test_a_backup_that_is_not_there_is_refused(project, tmp_path):
    assert "none.bak is not a file, or does not exist" in refused(project, tmp_path / "none.bak", StoreUnavailableError)


def test_a_copy_of_a_file_in_the_middle_of_a_transaction_is_refused(project, saved):
    saved.with_name("a.bak-journal").write_bytes(b"x")
    assert "was copied during a write" in refused(project, saved, StoreUnavailableError)


def test_restoring_leaves_the_backup_as_it_is(project, saved, tmp_path):
    before = saved.read_bytes()
    saved.chmod(0o400)
    restore(project.path, saved, state=project.state)
    assert saved.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bak", "project", "state"]


@pytest.mark.parametrize("done", [0, 1, 2])
def test_a_restoring_that_was_killed_in_the_middle_is_finished_when_the_record_is_opened(project, saved, done):
    """The new file waits under its name; then the log goes, then the old file, then the new one gets its name."""
    process = project.start("store = open_sqlite(path, state=state); add(store, 'third'); say('x'); time.sleep(60)")
    process.stdout.readline()
    kill(process)
    shutil.copyfile(saved, project.place.draft)
    project.place.draft.chmod(0o600)
    publish(project.place.draft, project.place.restored)
    replaced = project.place.replaced()
    if done > 0:
        project.place.wal.rename(f"{replaced}-wal")
    if done > 1:
        project.path.rename(replaced)
    assert project.users() == ["me"]
    assert check_record(project.path) == []
    restore(project.path, replaced, state=project.state)
    assert project.users() == ["me", "third", "you"]


@pytest.mark.slow
def test_a_restoring_that_is_killed_at_any_moment_leaves_the_old_record_or_the_new_one(project, saved, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(project.place.folder, old)
    script = """
import signal
from aeon.adapters.store.sqlite.maintenance import restore
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
signal.setitimer(signal.ITIMER_REAL, float(given[1]))
restore(path, Path(given[0]), state=state)
time.sleep(60)
"""
    seen = set()
    for moment in range(24):
        project.start(script, saved, 0.001 + moment * 0.0015).communicate(timeout=60)
        seen.add(tuple(project.users()))
        assert check_record(project.path) == []
        shutil.rmtree(project.place.folder)
        shutil.copytree(old, project.place.folder)
    assert seen <= {("me", "you"), ("me",)}


def test_a_whole_record_has_no_problems(project):
    assert check_record(project.path) == []


def test_check_works_while_the_record_is_in_use(project):
    with closing(project.open()) as store:
        add_user(store, "third")
        assert check_record(project.path) == []


def test_check_tells_everything_that_is_wrong(project):
    sql(project.path, "INSERT INTO bindings VALUES ('b', 'nobody', 'no tool', 'no secret', '')")
    sql(project.path, "INSERT INTO users VALUES ('x', 0, CAST(x'ff41' AS TEXT), '')")
    damage(project.path, "metric_values_of")
    found = "\n".join(check_record(project.path))
    for word in ("database disk image is malformed", "of bindings refers to a row of", "The table users:", "not UTF-8"):
        assert word in found


def test_check_tells_of_a_schema_that_is_not_aeons(project):
    sql(project.path, "DROP TRIGGER users_kept")
    assert "that this version of Aeon did not create" in check_record(project.path)[0]


def test_check_of_a_record_that_is_not_there_says_so(tmp_path):
    project = Project(tmp_path)
    project.place.prepare_folder()
    with pytest.raises(StoreUnavailableError, match="There is no record at"):
        check_record(project.path)
    assert [each.name for each in project.place.folder.iterdir() if each.name != "origin"] == [".gitignore"]


def test_the_users_of_a_backup_are_those_of_its_moment(project, saved):
    restore(project.path, saved, state=project.state)
    with closing(project.open()) as store:
        assert users(store) == ["me"]
