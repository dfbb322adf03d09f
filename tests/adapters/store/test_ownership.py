"""A record is used only by the user who made it or took it over, by a mark outside of its folder (platform 21)."""

import os
import shutil
import sqlite3
import stat
from contextlib import closing

import pytest

from aeon.adapters.store.sqlite.maintenance import adopt_record
from aeon.adapters.store.sqlite.ownership import set_record_id
from aeon.platform.store import DamagedStoreError, StoreUnavailableError

from .sqlite_world import Project, add_user


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path)
    with closing(project.open()) as store:
        add_user(store, "me")
    return project


@pytest.fixture
def foreign(project, tmp_path):
    """A project whose folder came from another machine, where other records are this user's."""
    (tmp_path / "here").mkdir()
    here = Project(tmp_path / "here")
    shutil.copytree(project.place.folder, here.place.folder)
    return here


def record_id(project):
    with closing(sqlite3.connect(project.path)) as connection:
        return connection.execute("SELECT value FROM meta WHERE key = 'record'").fetchone()[0]


def name(project, record):
    with closing(sqlite3.connect(project.path, isolation_level=None)) as connection:
        set_record_id(connection, record)


def refused(project, kind=DamagedStoreError):
    before = {path.name: path.read_bytes() for path in project.place.folder.iterdir()}
    with pytest.raises(kind) as raised:
        project.open()
    assert {path.name: path.read_bytes() for path in project.place.folder.iterdir()} == before
    return str(raised.value)


def test_making_a_record_leaves_a_mark_that_is_private(project):
    marks = project.state / "records"
    assert [path.name for path in marks.iterdir()] == [record_id(project)]
    assert stat.S_IMODE(marks.stat().st_mode) == stat.S_IMODE(project.state.stat().st_mode) == 0o700
    assert (marks / record_id(project)).read_text() == f"{project.path}\n"


def test_each_record_has_an_id_of_its_own(project, tmp_path):
    assert record_id(Project(tmp_path / "other").make()) != record_id(project)


def test_a_record_from_elsewhere_is_refused_and_left_as_it_is(foreign):
    said = refused(foreign)
    assert f"{foreign.path} is not one of this user's records on this machine" in said
    assert f"{foreign.state}/records lists" in said
    assert "take it over" in said
    assert f"mv {foreign.path} {foreign.path}.foreign" in said


def test_a_record_from_elsewhere_that_was_not_closed_is_refused_and_its_file_left_as_it_is(project, foreign):
    with closing(project.open()) as store:
        add_user(store, "you")
        for path in (project.path, project.place.wal):
            shutil.copy(path, foreign.place.folder)
    before = foreign.path.read_bytes(), foreign.place.wal.read_bytes()
    with pytest.raises(DamagedStoreError, match="is not one of this user's records"):
        foreign.open()
    assert (foreign.path.read_bytes(), foreign.place.wal.read_bytes()) == before


def test_a_project_may_be_moved(project, tmp_path):
    project.place.folder.parent.rename(tmp_path / "moved")
    moved = Project(tmp_path)
    moved.place = type(moved.place)(tmp_path / "moved" / ".aeon" / "aeon.db")
    moved.path = moved.place.path
    assert moved.users() == ["me"]


def test_a_record_from_elsewhere_can_be_taken_over_on_purpose(foreign):
    adopt_record(foreign.path, state=foreign.state)
    assert foreign.users() == ["me"]


def test_a_record_that_is_taken_over_gets_a_new_id(project, foreign):
    """Its old id is known to those who had it, who could send another record with the same one."""
    adopt_record(foreign.path, state=foreign.state)
    assert record_id(foreign) != record_id(project)
    name(foreign, record_id(project))
    assert "is not one of this user's records" in refused(foreign)


def test_taking_over_a_record_of_ones_own_changes_nothing(project):
    before = record_id(project)
    adopt_record(project.path, state=project.state)
    assert record_id(project) == before


def test_a_record_that_is_open_is_not_taken_over(project, monkeypatch):
    monkeypatch.setattr("aeon.adapters.store.sqlite.record_lock._EXCLUSIVE_WAIT", 0.1)
    with closing(project.open()), pytest.raises(StoreUnavailableError, match=f"is open in process {os.getpid()}"):
        adopt_record(project.path, state=project.state)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "CREATE TRIGGER evil AFTER INSERT ON users BEGIN DELETE FROM events; END",
            "that this version of Aeon did not create",
        ),
        ("INSERT INTO bindings VALUES ('b', 'nobody', 'no tool', 'no secret', '')", "refers to a row of"),
        ("INSERT INTO users VALUES ('other', 0, CAST(x'ff41' AS TEXT), '2026')", "not UTF-8"),
    ],
)
def test_what_is_not_whole_is_not_taken_over(foreign, statement, reason):
    with closing(sqlite3.connect(foreign.path)) as connection, connection:
        connection.execute(statement)
    before = foreign.path.read_bytes()
    with pytest.raises(DamagedStoreError, match=reason):
        adopt_record(foreign.path, state=foreign.state)
    assert foreign.path.read_bytes() == before
    assert not (foreign.state / "records").exists()


def test_there_must_be_a_record_to_take_over(tmp_path):
    project = Project(tmp_path)
    with pytest.raises(StoreUnavailableError, match="There is no record at"):
        adopt_record(project.path, state=project.state)


@pytest.mark.parametrize("record", ["", "../../evil", "x", "a" * 36, "/etc/passwd", "0" * 8 + "-0000" * 3])
def test_an_id_that_is_none_has_no_mark(project, record):
    """It becomes the name of a file, so it must be one that Aeon makes."""
    name(project, record)
    assert "is not one of this user's records" in refused(project)


@pytest.mark.parametrize("make", ["symlink", "folder"])
def test_a_mark_must_be_a_plain_file(project, make, tmp_path):
    path = project.state / "records" / record_id(project)
    path.rename(tmp_path / "elsewhere")
    if make == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "elsewhere")
    assert "is not one of this user's records" in refused(project)


@pytest.mark.parametrize("which", ["state", "records"])
def test_marks_that_others_could_write_count_for_nothing(project, which):
    folder = project.state if which == "state" else project.state / "records"
    folder.chmod(0o777)
    assert f"Other users may write to {folder}" in refused(project, StoreUnavailableError)


def test_a_record_is_not_made_where_its_mark_cannot_be(tmp_path):
    project = Project(tmp_path)
    project.state.write_bytes(b"")
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        project.open()
    assert not project.path.exists()
