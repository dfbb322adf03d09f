"""A disk that is full or read-only, and files that are damaged: clear words, nothing wrong that looks right."""

import os
import random
import shutil
import subprocess
from collections import Counter
from contextlib import closing

import pytest

from aeon.adapters.store.sqlite.maintenance import backup, check_record
from aeon.base.json import parse_strict
from aeon.platform.store import DamagedStoreError, QueryError, StoreError, StoreFullError, StoreUnavailableError

from .sqlite_world import Project, add_user, ended, fill, fill_record, small_disk, users

PAGE = 4096


@pytest.fixture
def full(tmp_path):
    """A project on a disk of 3 MB."""
    with small_disk(tmp_path / "disk", "3m") as disk:
        yield Project(disk)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path).make()


def add_until_refused(store, kind=StoreFullError):
    """How many large users fit, and what was said of the next one."""
    for number in range(10_000):
        try:
            store.update(lambda unit, number=number: unit.write(LARGE, {"id": f"{number:04}", "text": "x" * 20_000}))
        except kind as error:
            return number, str(error)
    raise AssertionError("the disk is never full")


LARGE = "INSERT INTO users VALUES (:id, 0, :text, '')"


def test_a_full_disk_refuses_writes_and_not_reads_and_writing_goes_on_when_there_is_room(full):
    with closing(full.open()) as store:
        add_user(store, "me")
        filling = fill(full.place.folder.parent)
        count, said = add_until_refused(store)
        assert "the disk is full: database or disk is full. Free some space and try again; reading still works." in said
        assert len(users(store)) == count + 1
        filling.unlink()
        add_user(store, "you")
        assert len(users(store)) == count + 2
    assert len(full.users()) == count + 2
    assert check_record(full.path) == []


def test_a_process_that_begins_to_read_on_a_full_disk_is_told_what_it_needs(full):
    with closing(full.open()) as store:
        add_user(store, "me")
    filling = fill(full.place.folder.parent)
    with closing(full.open()) as store:
        with pytest.raises(StoreFullError, match="Free some space and try again: SQLite needs 32 KB"):
            users(store)
        filling.unlink()
        assert users(store) == ["me"]


def test_a_record_is_not_made_on_a_full_disk_and_is_when_there_is_room(full):
    filling = fill(full.state.parent)
    with pytest.raises(StoreFullError, match="Free some space"):
        full.open()
    assert not full.path.exists()
    filling.unlink()
    assert full.users() == []


def test_a_backup_that_does_not_fit_leaves_nothing(full, tmp_path):
    with closing(full.open()) as store:
        add_until_refused(store)
        with pytest.raises(StoreFullError, match=r"b\.bak"):
            backup(full.path, full.state.parent / "b.bak", state=full.state)
    assert sorted(path.name for path in full.state.parent.iterdir()) == ["project", "state"]


def test_a_limit_on_the_size_of_files_is_a_full_disk(project):
    """RLIMIT_FSIZE, as quotas of containers and shells set it."""
    script = """
import resource, signal
from aeon.platform.store import StoreFullError
store = open_sqlite(path, state=state)
add(store, "me")
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
try:
    for n in range(100):
        store.update(lambda unit: unit.write("INSERT INTO users VALUES (:id, 0, :t, '')", {"id": str(n), "t": "x" * 20_000}))
except StoreFullError as error:
    say(len(store.read("SELECT id FROM users")) == n + 1)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
add(store, "you")
say(len(store.read("SELECT id FROM users")) == n + 2)
store.close()
"""
    assert ended(project.start(script)) == ["True", "True"]
    assert check_record(project.path) == []


def remount(disk, option):
    subprocess.run([shutil.which("mount"), "-o", f"remount,{option}", disk], check=True, capture_output=True)


def test_a_read_only_file_system_is_told_when_the_record_is_opened(full):
    full.make()
    remount(full.state.parent, "ro")
    with pytest.raises(StoreUnavailableError, match=f"{full.place.folder} cannot be written to"):
        full.open()
    remount(full.state.parent, "rw")
    assert full.users() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_a_file_that_its_user_may_only_read_is_told_when_the_record_is_opened(project):
    """As a user who is not root, whom modes do not stop."""
    for path in (project.path, project.place.lock, project.place.folder, project.state, project.state / "records"):
        os.chown(path, 12345, 12345)
    for path in (project.state / "records").iterdir():
        os.chown(path, 12345, 12345)
    project.path.chmod(0o400)
    script = """
from aeon.platform.store import StoreError
try:
    open_sqlite(path, state=state)
except StoreError as error:
    say(error)
"""
    for folder in list(project.path.parents)[1:-2]:
        folder.chmod(folder.stat().st_mode | 0o055)
    import sys

    from . import sqlite_world

    code = f"import os\nfrom aeon.adapters.store.sqlite.factory import open_sqlite\nos.setuid(12345)\n{sqlite_world._PRELUDE}{script}"
    command = [sys.executable, "-c", code, str(project.path), str(project.state)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == f"{project.path} may not be written to. Run: chmod 600 {project.path}\n"


class Damaged:
    """A record with rows, of which one page at a time is damaged, and everything that is asked of it."""

    RUNS = 40

    def __init__(self, project):
        self.project, self.right = project, {}
        with closing(project.open()) as store:
            fill_record(store, runs=self.RUNS)
        self.data = project.path.read_bytes()
        self.right = self.answers()
        assert not [answer for answer in self.right.values() if isinstance(answer, StoreError)]

    def pages(self):
        return len(self.data) // PAGE

    def with_page(self, number, content):
        """Whether damage of a page was told. Fails if an answer was wrong and not told."""
        self._write(number, content)
        try:
            answers = self.answers()
        except DamagedStoreError:
            return "refused"
        finally:
            self._write(number, self.data[number * PAGE :][:PAGE])
        told = {name for name, answer in answers.items() if isinstance(answer, StoreError)}
        wrong = [name for name, answer in answers.items() if name not in told and answer != self.right[name]]
        assert not wrong, (number, [(self.right[name], answers[name]) for name in wrong[:2]])
        return "told" if told else "no effect"

    def answers(self):
        """By question: the rows, or the error that was raised."""
        with closing(self.project.open()) as store:
            return {question: self._answer(store, question) for question in self._questions()}

    def _write(self, number, content):
        with self.project.path.open("r+b") as file:
            file.seek(number * PAGE)
            file.write(content)

    def _questions(self):
        for n in range(self.RUNS):
            yield RUN, f"run-{n}"
            yield RUN_TEXTS, f"run-{n}"
            yield DEFINITION, f"digest-{n}"
            yield ENTRIES, f"run-{n}"
        for n in range(4):
            yield VALUES, f"tool-{n}"
        for query in (OPEN, ALL_USERS, SUM):
            yield query, ""

    def _answer(self, store, question):
        """As rooms read it: what is JSON is parsed."""
        try:
            rows = store.read(question[0], {"id": question[1]})
        except (DamagedStoreError, QueryError) as error:
            return error
        if rows != self.right.get(question):
            try:
                for row in rows:
                    for text in {"text", "plan", "inputs"} & row.keys():
                        parse_strict(row[text])
            except (ValueError, TypeError) as error:
                return DamagedStoreError(str(error))
        return rows


RUN = "SELECT id, phase, events, tokens, accepted_at, executor, ended_micros, is_unsent FROM runs WHERE id = :id"
RUN_TEXTS = "SELECT plan, inputs, pins FROM runs WHERE id = :id"
DEFINITION = "SELECT digest, text, created_at FROM definitions WHERE digest = :id"
ENTRIES = "SELECT n, text, reference FROM run_entries WHERE run_id = :id ORDER BY n"
VALUES = "SELECT id, number, at FROM metric_values WHERE metric_id = 'm' AND entity_id = :id ORDER BY micros"
OPEN = "SELECT id, phase, tokens FROM runs WHERE ended_at IS NULL AND :id = '' ORDER BY accepted_at, id"
ALL_USERS = "SELECT id, audit_seq FROM users WHERE :id = ''"
SUM = "SELECT count(*) AS n, sum(number) AS sum FROM metric_values WHERE metric_id = 'm' AND :id = ''"


@pytest.mark.slow
@pytest.mark.parametrize("content", ["random", "zeros", "ones"])
def test_a_damaged_page_gives_an_error_or_the_right_answer(tmp_path, content):
    """Never an answer that is wrong and looks right, at 300 places."""
    damaged, chance = Damaged(Project(tmp_path)), random.Random(content)
    make = {"random": chance.randbytes, "zeros": bytes, "ones": lambda size: b"\xff" * size}[content]
    seen = Counter(damaged.with_page(chance.randrange(damaged.pages()), make(PAGE)) for _ in range(300))
    assert seen["told"] > 120  # the rest are mostly pages of tables and indexes that have no rows here
