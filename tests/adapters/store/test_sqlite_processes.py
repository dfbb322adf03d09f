"""Several processes on one record, and processes that are killed: what was acknowledged is there, and nothing else."""

import os
import random
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from aeon.adapters.store.sqlite import factory as openings
from aeon.adapters.store.sqlite.maintenance import check_record
from aeon.adapters.store.sqlite.record_lock import RecordLock, lock_holders
from aeon.platform.store import DamagedStoreError, GuardError, StoreError, StoreUnavailableError

from .sqlite_world import Project, add_user, ended, fill_record, kill, together, users

WRITER = """
store = open_sqlite(path, state=state)
number = 0
while True:
    number += 1
    def work(unit):
        for part in "ab":
            unit.write("INSERT INTO users VALUES (:id, 0, '', '')", {"id": f"{given[0]}-{number}-{part}"})
    store.update(work)
    say(number)
"""


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path).make()


@pytest.fixture
def checks(monkeypatch):
    """Counts the checks of records that were not closed."""
    done, real = [], openings.require_sound

    def counted(connection, path):
        done.append(path)
        real(connection, path)

    monkeypatch.setattr(openings, "require_sound", counted)
    return done


def interrupt(project, *names):
    """A process that adds users and is killed while it has the record open."""
    process = project.start(
        "store = open_sqlite(path, state=state); [add(store, n) for n in given]; say('x'); time.sleep(60)", *names
    )
    assert process.stdout.readline() == "x\n", process.communicate()
    kill(process)


@pytest.mark.slow
def test_units_of_several_processes_at_once_are_all_there(project):
    script = "store = open_sqlite(path, state=state); [add(store, f'{given[0]}-{n}') for n in range(50)]; store.close()"
    together(project, 4, script)
    assert len(project.users()) == 200
    assert check_record(project.path) == []


@pytest.mark.slow
def test_a_unit_that_reads_what_it_writes_loses_nothing_to_another_process(project):
    """Each adds one to what it has read; two that read the same would lose one."""
    with closing(project.open()) as store:
        add_user(store, "me")
    script = """
store = open_sqlite(path, state=state)
def work(unit):
    (row,) = unit.read("SELECT audit_seq AS seq FROM users WHERE id = 'me'")
    unit.write("UPDATE users SET audit_seq = :seq WHERE id = 'me'", {"seq": row["seq"] + 1})
for _ in range(50):
    store.update(work)
store.close()
"""
    together(project, 4, script)
    with closing(project.open()) as store:
        assert store.read("SELECT audit_seq AS seq FROM users") == [{"seq": 200}]


def test_threads_of_one_store_write_at_once(project):
    with closing(project.open()) as store:
        threads = [
            threading.Thread(target=lambda t=t: [add_user(store, f"{t}-{n}") for n in range(10)]) for t in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(users(store)) == 80


@pytest.mark.slow
def test_what_a_killed_writer_has_acknowledged_is_there(project):
    chance = random.Random(0)
    for turn in range(12):
        writers = [project.start(WRITER, f"{turn}-{number}") for number in range(2)]
        assert all(writer.stdout.readline() == "1\n" for writer in writers)
        time.sleep(chance.random() * 0.2)
        acknowledged = [max([1, *map(int, kill(writer))]) for writer in writers]
        there = set(project.users())
        for number, last in enumerate(acknowledged):
            for n in range(1, last + 1):
                assert {f"{turn}-{number}-{n}-a", f"{turn}-{number}-{n}-b"} <= there
            assert f"{turn}-{number}-{last + 2}-a" not in there
    assert all((f"{name[:-1]}b" in there) for name in there if name.endswith("a"))
    assert check_record(project.path) == []


def test_a_record_that_was_not_closed_is_checked_when_it_is_next_opened(project, checks):
    interrupt(project, "me")
    assert project.place.was_not_closed()
    assert project.users() == ["me"]
    assert checks == [project.path]
    assert project.users() == ["me"]
    assert checks == [project.path]


def test_a_record_that_is_open_elsewhere_is_not_checked(project, checks):
    with closing(project.open()) as store:
        add_user(store, "me")
        assert project.users() == ["me"]
    assert checks == []


def test_damage_after_an_unclean_end_is_found_before_anything_is_read(project):
    with closing(project.open()) as store:
        fill_record(store, runs=4)
    with closing(sqlite3.connect(project.path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'run_entries'").fetchone()
    interrupt(project, "you")
    with project.path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    before = project.path.read_bytes(), project.place.wal.read_bytes()
    with pytest.raises(DamagedStoreError, match=f"{project.path} is damaged") as raised:
        project.open()
    assert raised.value.advice == "Restore a backup."
    assert (project.path.read_bytes(), project.place.wal.read_bytes()) == before


def test_a_reference_to_nothing_after_an_unclean_end_is_found(project):
    with closing(sqlite3.connect(project.path)) as connection, connection:
        connection.execute("INSERT INTO bindings VALUES ('b', 'nobody', 'no tool', 'no secret', '')")
    interrupt(project, "me")
    with pytest.raises(DamagedStoreError, match="of bindings refers to a row of"):
        project.open()


def test_the_lock_ends_with_its_process(project):
    interrupt(project, "me")
    lock = RecordLock(project.place)
    assert lock.acquire()
    lock.release()


def test_the_lock_is_released_with_the_last_reader(project):
    store, begun, goes_on = project.open(), threading.Event(), threading.Event()

    def read(unit):
        begun.set()
        goes_on.wait(10)
        return unit.read("SELECT id FROM users")

    reader = threading.Thread(target=lambda: store.view(read))
    reader.start()
    begun.wait(10)
    store.close()
    lock = RecordLock(project.place)
    assert not lock.acquire()
    goes_on.set()
    reader.join()
    lock.acquire_exclusive()
    lock.release()


def test_a_record_that_is_held_alone_is_waited_for(project, monkeypatch):
    monkeypatch.setattr("aeon.adapters.store.sqlite.record_lock.MAX_WAIT_SECONDS", 0.1)
    lock = RecordLock(project.place)
    lock.acquire_exclusive()
    with pytest.raises(StoreUnavailableError, match=f"is being checked, migrated or restored in process {os.getpid()}"):
        project.open()
    lock.release()
    assert project.users() == []


def test_processes_that_hold_a_lock_are_named_where_the_system_tells(tmp_path):
    locks = tmp_path / "locks"
    locks.write_text(
        "1: FLOCK  ADVISORY  READ 34 fe:00:7 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 35 fe:00:7 0 EOF\n"
        "2: POSIX  ADVISORY  READ 36 fe:00:7 0 EOF\n3: FLOCK  ADVISORY  READ 12 fe:00:7 0 EOF\n"
        "4: FLOCK  ADVISORY  READ 37 fe:00:77 0 EOF\n"
    )
    assert lock_holders(7, locks) == [12, 34]
    assert lock_holders(7, tmp_path / "none") == []


def test_a_reader_sees_one_moment_while_another_process_writes(project):
    with closing(project.open()) as store:
        add_user(store, "me")

        def twice(unit):
            before = unit.read("SELECT id FROM users")
            ended(project.start("store = open_sqlite(path, state=state); add(store, 'you'); store.close()"))
            return before == unit.read("SELECT id FROM users")

        assert store.view(twice)
        assert users(store) == ["me", "you"]


def test_a_unit_that_failed_leaves_nothing_and_its_connection_can_be_used(project):
    with closing(project.open()) as store:

        def fails(unit):
            unit.write("INSERT INTO users VALUES ('me', 0, '', '')")
            raise GuardError

        with pytest.raises(GuardError):
            store.update(fails)
        add_user(store, "you")
        assert users(store) == ["you"]


def test_a_unit_whose_transaction_was_taken_back_goes_no_further(project):
    """SQLite takes some back by itself, as when the disk is full; what came after would be committed on its own."""
    with closing(project.open()) as store:

        def goes_on(unit):
            unit.write("INSERT OR ROLLBACK INTO users VALUES ('me', 0, '', '')")
            with pytest.raises(StoreError):
                unit.write("INSERT OR ROLLBACK INTO users VALUES ('me', 0, '', '')")
            unit.write("INSERT INTO users VALUES ('you', 0, '', '')")

        with pytest.raises(StoreError, match="was rolled back"):
            store.update(goes_on)
        assert users(store) == []


@pytest.mark.slow
def test_processes_that_open_and_close_at_once_do_not_disturb_each_other(project):
    """The last one to close removes the log, while others are just opening."""
    script = """
for n in range(15):
    store = open_sqlite(path, state=state)
    add(store, f"{given[0]}-{n}")
    store.close()
"""
    together(project, 4, script)
    assert len(project.users()) == 60
    assert check_record(project.path) == []
