"""What Aeon keeps of a project is its user's alone, and goes into no repository (platform 21)."""

import os

import pytest

from aeon.base.project_folder import make_folder
from aeon.bootstrap.tracked_files import find_tracked_files


@pytest.fixture
def repository(tmp_path, git):
    git(tmp_path, "init", "-q")
    return tmp_path


def mode(path):
    return path.stat().st_mode & 0o777


def test_a_projects_folder_is_its_users_alone(tmp_path):
    make_folder(tmp_path / ".aeon" / "logs")
    assert (mode(tmp_path / ".aeon"), mode(tmp_path / ".aeon" / "logs")) == (0o700, 0o700)
    assert (tmp_path / ".aeon" / ".gitignore").read_text() == "*\n"


def test_a_folder_elsewhere_is_as_its_maker_wants(tmp_path):
    make_folder(tmp_path / "logs" / "of")
    make_folder(tmp_path / "own", 0o700)
    assert mode(tmp_path / "own") == 0o700
    assert not list(tmp_path.rglob(".gitignore"))


def test_what_is_there_stays(tmp_path):
    make_folder(tmp_path / ".aeon")
    (tmp_path / ".aeon" / ".gitignore").write_text("mine\n")
    make_folder(tmp_path / ".aeon")
    assert (tmp_path / ".aeon" / ".gitignore").read_text() == "mine\n"


def test_nothing_is_written_through_a_link_that_came_with_the_folder(tmp_path):
    (tmp_path / ".aeon").mkdir()
    (tmp_path / ".aeon" / ".gitignore").symlink_to(tmp_path / "elsewhere")
    make_folder(tmp_path / ".aeon" / "logs")
    assert not (tmp_path / "elsewhere").exists()


def test_git_add_takes_nothing_of_it(repository, git):
    make_folder(repository / ".aeon")
    for name in ("master.key", "vault.db", "aeon.db"):
        (repository / ".aeon" / name).write_text("x")
    git(repository, "add", ".")
    assert git(repository, "ls-files") == ""
    assert find_tracked_files(repository) == ([], [])


@pytest.mark.parametrize("place", ["", "deep/project"])
def test_what_is_tracked_is_told(repository, git, place):
    project = repository / place
    (project / ".aeon" / "logs").mkdir(parents=True)
    for name in ("master.key", "vault.db", "logs/run.jsonl", ".gitignore"):
        (project / ".aeon" / name).write_text("x")
    other = repository / "other" / place / ".aeon"
    other.mkdir(parents=True)
    (other / "vault.db").write_text("another project's")
    git(repository, "add", "-f", ".")
    assert find_tracked_files(project) == ([".aeon/master.key", ".aeon/vault.db"], [".aeon/logs/run.jsonl"])


def test_a_worktree_is_looked_up_in_its_repository(repository, git, tmp_path_factory):
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    tree = tmp_path_factory.mktemp("tree") / "work"
    git(repository, "worktree", "add", "-q", str(tree))
    (tree / ".aeon").mkdir()
    (tree / ".aeon" / "vault.db").write_text("x")
    git(tree, "add", "-f", ".")
    assert find_tracked_files(tree).secret == [".aeon/vault.db"]


@pytest.mark.parametrize("index", [b"", b"DIRC", b"\0" * 300, b"....aeon/vault.db"])
def test_an_index_that_is_none_tells_nothing(tmp_path, index):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_bytes(index)
    assert find_tracked_files(tmp_path) == ([], [])


def test_pipes_in_place_of_a_repository_are_not_read(tmp_path):
    """A folder from elsewhere does not hang who looks at it."""
    os.mkfifo(tmp_path / ".git")
    assert find_tracked_files(tmp_path) == ([], [])
    (tmp_path / ".git").unlink()
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "index")
    assert find_tracked_files(tmp_path) == ([], [])


def test_no_repository_tracks_nothing(tmp_path):
    assert find_tracked_files(tmp_path) == ([], [])
