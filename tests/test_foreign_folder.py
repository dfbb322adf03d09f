"""A project's `.aeon` that came from elsewhere is not opened by any command until it is taken over (platform 21, P1)."""

import os
import shutil
import subprocess
import threading
import zipfile
from pathlib import Path

import pytest

from aeon.adapters.results.files import FileResultStore
from aeon.adapters.vault import MasterKey, open_vault
from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError
from aeon.base.project_folder import ForeignFolderError, is_own_folder, make_folder, read_folder_id, require_ownership
from aeon.bootstrap.store_maintenance import StoreMaintenance
from aeon.bootstrap.vaults import open_project_vault, project_key_file
from aeon.memory.sqlite import SQLiteMemory
from aeon.observability.log import read_log
from aeon.platform.vault import SecretKey
from aeon.settings import StoreSettings

KEY = SecretKey("s", "me", "api_key", 1)

SECRET = {"key": "canary-77c1"}


@pytest.fixture
def project(tmp_path):
    """A project of somebody's with a memory, a result, a log and a vault."""
    project = tmp_path / "project"
    folder = project / ".aeon"
    memory = SQLiteMemory(folder / "memory.db")
    memory.write("password", "theirs")
    memory.close()
    FileResultStore(folder / "results").put("ab" + "0" * 62, "theirs")
    (folder / "logs").mkdir()
    (folder / "logs" / "run.jsonl").write_text("{}\n")
    vault = open_project_vault(project, os.environ).vault
    vault.put(KEY, SECRET)
    vault.close()
    return project


@pytest.fixture
def as_other(monkeypatch, tmp_path):
    """Another user's state folder stands for another user or machine."""
    return lambda: monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other state"))


def by_git(project, clone, git):
    git(project, "init", "-q")
    git(project, "add", "-f", ".aeon")
    git(project, "commit", "-qm", "all of it")
    git(project, "clone", "-q", str(project), str(clone))


def by_zip(project, clone, git):
    with zipfile.ZipFile(project.parent / "all.zip", "w") as packed:
        for path in project.rglob("*"):
            packed.write(path, path.relative_to(project))
    with zipfile.ZipFile(project.parent / "all.zip") as packed:
        packed.extractall(clone)


def by_copying(project, clone, git):
    subprocess.run([shutil.which("cp"), "-a", str(project), str(clone)], check=True)


def openers(project):
    """Everything that opens something in `.aeon`."""
    folder = project / ".aeon"
    return {
        "memory": lambda: SQLiteMemory(folder / "memory.db").close(),
        "results": lambda: FileResultStore(folder / "results"),
        "log": lambda: read_log(folder / "logs" / "run.jsonl"),
        "vault": lambda: open_project_vault(project, os.environ),
        "the vault's file": lambda: open_vault(folder / "vault.db", [MasterKey.new(os.urandom)], SystemClock()),
        "new logs": lambda: make_folder(folder / "logs"),
        "data of skills": lambda: make_folder(folder / "skills" / "dice"),
        "another user's memory": lambda: SQLiteMemory(folder / "users" / "00" / "memory.db"),
    }


def refusal(act):
    """What is said when it is refused; empty when it is not."""
    try:
        act()
    except AeonError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("copied", [by_git, by_zip, by_copying])
def test_platform_21_what_came_with_a_folder_is_not_opened(project, copied, git, as_other, tmp_path):
    clone = tmp_path / "clone"
    copied(project, clone, git)
    as_other()
    before = {path: path.stat().st_mtime_ns for path in clone.rglob("*")}
    for name, act in openers(clone).items():
        assert "came with a folder from elsewhere" in refusal(act), name
        assert "take it over" in refusal(act), name
    assert {path: path.stat().st_mtime_ns for path in clone.rglob("*")} == before


MAINTENANCE = {
    "open": lambda record, _target: record.open(),
    "backup": lambda record, target: record.backup(target),
    "restore": lambda record, target: record.restore(target),
    "check": lambda record, _target: record.check(),
    "migrate": lambda record, _target: record.migrate(None),
    "move": lambda record, _target: record.move("postgresql://me@127.0.0.1:1/x", None, print, print),
}


@pytest.mark.parametrize("command", MAINTENANCE)
def test_platform_21_a_record_that_came_with_a_folder_is_not_maintained_either(tmp_path, as_other, command):
    """Measured P1: `aeon store backup` and `check` opened its database before they refused it."""
    saved = tmp_path / "saved.db"
    mine = StoreMaintenance(tmp_path, StoreSettings(), os.environ)
    mine.open().close()
    mine.backup(saved)
    as_other()
    record, target = StoreMaintenance(tmp_path, StoreSettings(), os.environ), tmp_path / "new.db"
    before = {path: path.read_bytes() for path in (tmp_path / ".aeon").iterdir()}

    with pytest.raises(ForeignFolderError):
        MAINTENANCE[command](record, saved if command == "restore" else target)

    assert {path: path.read_bytes() for path in (tmp_path / ".aeon").iterdir()} == before
    assert not target.exists()


def test_its_own_user_opens_all_of_it_also_where_it_was_moved(project, tmp_path):
    moved = project.rename(tmp_path / "moved")
    refused = {name: said for name, act in openers(moved).items() if (said := refusal(act))}
    assert set(refused) == {"log", "the vault's file"}  # a log without an entry, another key: told by themselves
    assert not any("elsewhere" in said for said in refused.values())


@pytest.mark.parametrize(
    ("how", "place"),
    [("link", place) for place in ("memory.db", "results", "logs", "logs/run.jsonl", "vault.db", "users")]
    + [("hard link", place) for place in ("memory.db", "logs/run.jsonl", "vault.db")],
)
def test_platform_21_nothing_is_opened_through_a_link(project, tmp_path, place, how):
    """A pull into the user's own project can bring one, too."""
    path, elsewhere = project / ".aeon" / place, tmp_path / "elsewhere"
    if path.exists():
        path.rename(elsewhere)
    else:
        elsewhere.mkdir()
    if how == "link":
        path.symlink_to(elsewhere)
    else:
        path.hardlink_to(elsewhere)
    if elsewhere.is_file():
        elsewhere.chmod(0o640)
    told = [said for act in openers(project).values() if "link" in (said := refusal(act))]
    assert told
    assert all("not used" in said for said in told)
    if elsewhere.is_file():
        assert elsewhere.stat().st_mode & 0o777 == 0o640
    else:
        assert not [each for each in elsewhere.iterdir() if each.name == "00"]


def test_the_folder_itself_is_no_link(project, tmp_path):
    (project / ".aeon").rename(tmp_path / "real")
    (project / ".aeon").symlink_to(tmp_path / "real")
    for name, act in openers(project).items():
        assert "symbolic link" in refusal(act), name


def test_a_file_in_its_place_is_told(tmp_path):
    (tmp_path / ".aeon").touch()
    for name in ("results", "log", "vault"):
        assert "is not a folder. Move it away: mv" in refusal(openers(tmp_path)[name]), name
    assert "File exists" in refusal(openers(tmp_path)["memory"])
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / ".aeon" / "logs")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_is_another_users_is_refused(project):
    os.chown(project / ".aeon" / "memory.db", 12345, 12345)
    assert "belongs to another user" in refusal(openers(project)["memory"])
    os.chown(project / ".aeon", 12345, 12345)
    for name, act in openers(project).items():
        assert "belongs to another user" in refusal(act), name


def test_who_knows_a_mark_can_not_use_it_without_the_users_own_folder(project, as_other):
    """The id alone, which anybody has who saw the folder, is nothing."""
    known = read_folder_id(project / ".aeon")
    as_other()
    assert read_folder_id(project / ".aeon") == known
    assert not is_own_folder(project / ".aeon")


def test_a_mark_in_a_folder_that_others_may_write_to_is_not_believed(project):
    marks = Path(os.environ["XDG_STATE_HOME"]) / "aeon" / "folders"
    mode = marks.stat().st_mode
    marks.chmod(0o777)
    try:
        with pytest.raises(ForeignFolderError, match="Other users may write"):
            require_ownership(project / ".aeon")
    finally:
        marks.chmod(mode)


def test_of_many_that_make_a_folder_at_once_one_marks_it(tmp_path):
    """Sixteen threads, forty times; nobody finds a folder that seems foreign."""
    for attempt in range(40):
        folder, wrong = tmp_path / str(attempt) / ".aeon", []
        barrier = threading.Barrier(16)

        def make(folder=folder, wrong=wrong, barrier=barrier):
            barrier.wait()
            try:
                make_folder(folder / "logs")
                (folder / "logs" / str(threading.get_ident())).touch()
            except (AeonError, OSError) as error:
                wrong.append(error)

        threads = [threading.Thread(target=make) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert is_own_folder(folder)
        assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "logs", "origin"]


def test_an_empty_folder_is_nobodys(tmp_path):
    folder = tmp_path / ".aeon"
    folder.mkdir()
    require_ownership(folder / "memory.db")
    make_folder(folder)
    assert is_own_folder(folder)


def test_the_master_key_lies_outside_of_the_project(project):
    assert not [path for path in project.rglob("*") if "key" in path.name]
    key_file = project_key_file(project, os.environ)
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert not key_file.is_relative_to(project)


def test_a_key_file_of_an_older_aeon_is_moved_out_of_the_project_with_a_word(project):
    key_file = project_key_file(project, os.environ)
    old = project / ".aeon" / "master.key"
    key_file.rename(old)
    opened = open_project_vault(project, os.environ)
    assert opened.vault.open(KEY).reveal() == SECRET
    opened.vault.close()
    (said,) = opened.notices
    assert str(key_file) in said
    assert (old.exists(), key_file.exists()) == (False, True)
    again = open_project_vault(project, os.environ)
    again.vault.close()
    assert again.notices == []


def test_a_vault_without_its_key_says_where_a_copy_goes(project):
    key_file = project_key_file(project, os.environ)
    key_file.unlink()
    assert str(key_file) in refusal(openers(project)["vault"])
