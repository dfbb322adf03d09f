"""Scripts work in the user's folder: they read there, and write where it was granted (skills 15)."""

import os
import shutil
from pathlib import Path

import pytest

NEEDS_BUBBLEWRAP = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed: apt-get install bubblewrap"
)
LEVELS = [pytest.param("bubblewrap", marks=NEEDS_BUBBLEWRAP), "landlock"]
COPIES = """import sys
text = open(sys.argv[1]).read()
open(sys.argv[2], "w").write(text.upper())
print("saved to", sys.argv[2])
"""
READS = """import sys
print(open(sys.argv[1]).read())
"""
LISTS = """import os
print(sorted(os.listdir(".")), os.environ["AEON_SKILL_DATA"], os.listdir("."[:1]))
"""


@pytest.fixture
def worker() -> Path:
    scripts = Path("skills/worker/scripts")
    scripts.mkdir(parents=True)
    (scripts.parent / "SKILL.md").write_text("---\nname: worker\ndescription: Works on files.\n---\nRun it.")
    for name, source in (("copy.py", COPIES), ("read.py", READS), ("list.py", LISTS)):
        (scripts / name).write_text(source)
    Path("notes.txt").write_text("hello")
    return scripts.parent


@pytest.mark.parametrize("level", LEVELS)
def test_relative_paths_are_the_user_s_and_writing_is_granted_skills_15(aeon, worker, level):
    Path("results").mkdir()
    command = ("worker/copy.py", "notes.txt", "results/out.txt")
    refused = aeon("skill", "run", "--sandbox", level, *command)
    assert refused.code == 1
    assert f"aeon skill run --allow-write {Path('results').absolute()}" in " ".join(refused.err.split())
    assert not Path("results/out.txt").exists()

    granted = aeon("skill", "run", "--sandbox", level, "--allow-write", "results", *command)
    assert (granted.code, granted.out) == (0, "saved to results/out.txt\n"), granted.err
    assert Path("results/out.txt").read_text() == "HELLO"


@NEEDS_BUBBLEWRAP
def test_the_whole_folder_is_granted_in_bubblewrap_skills_15(aeon, worker):
    command = ("--sandbox", "bubblewrap", "--allow-write", ".", "worker/copy.py", "notes.txt", "out.txt")
    granted = aeon("skill", "run", *command)

    assert (granted.code, granted.out) == (0, "saved to out.txt\n"), granted.err
    assert Path("out.txt").read_text() == "HELLO"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("granted", [".", "..", ".aeon"])
def test_what_aeon_keeps_is_not_written_in_a_granted_folder_skills_15(aeon, worker, level, granted):
    """The record and the trust are in `.aeon`; a script with `--allow-write .` must not change them."""
    aeon("skill", "run", "worker/read.py", "notes.txt")
    kept = Path(".aeon/record.txt")
    kept.write_text("the record")
    command = ("worker/copy.py", "notes.txt", ".aeon/record.txt")
    aeon("skill", "run", "--sandbox", level, "--allow-write", granted, *command)

    assert kept.read_text() == "the record"


def test_landlock_says_why_the_whole_folder_is_not_granted_skills_15(aeon, worker):
    """Landlock only grants, so a folder cannot be granted without the `.aeon` in it."""
    refused = aeon("skill", "run", "--sandbox", "landlock", "--allow-write", ".", "worker/copy.py", "notes.txt", "o")

    said = " ".join(refused.err.split())
    assert refused.code == 1
    assert f"Landlock cannot grant {Path.cwd()} without its .aeon" in said
    assert "Install bubblewrap, or grant a folder inside it" in said
    assert not Path("o").exists()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("where", ["above", "kept"])
def test_what_is_outside_and_what_aeon_keeps_is_not_read_skills_15(aeon, worker, tmp_path, level, where):
    """A script that reads outside of what is granted: the folder above, and the record and logs in `.aeon`."""
    (tmp_path / "secret.txt").write_text("the diary")
    assert aeon("skill", "run", "--sandbox", level, "worker/read.py", "notes.txt").out == "hello\n", "it makes .aeon"
    Path(".aeon/secret.txt").write_text("the diary")
    path = {"above": "../secret.txt", "kept": ".aeon/secret.txt"}[where]
    ended = aeon("skill", "run", "--sandbox", level, "worker/read.py", path)

    assert ended.code == 1
    assert "[read] failed" in ended.err
    assert "the diary" not in ended.out + ended.err


@pytest.mark.parametrize("level", LEVELS)
def test_the_folder_can_be_listed_and_data_has_a_variable_skills_15(aeon, worker, level):
    ended = aeon("skill", "run", "--sandbox", level, "worker/list.py")
    ended = aeon("skill", "run", "--sandbox", level, "worker/list.py")  # now there is an .aeon to hide

    assert ended.code == 0, ended.err
    assert "'notes.txt'" in ended.out
    assert str(worker.absolute() / "data") in ended.out


@NEEDS_BUBBLEWRAP
def test_a_script_cannot_change_its_own_skill_in_a_granted_folder(aeon, worker):
    """`--allow-write .` contains the skill's folder; its own files stay as they were trusted."""
    target = "skills/worker/SKILL.md"
    before = Path(target).read_text()
    ended = aeon("skill", "run", "--sandbox", "bubblewrap", "--allow-write", ".", "worker/copy.py", "notes.txt", target)

    assert ended.code == 1
    assert Path(target).read_text() == before


@NEEDS_BUBBLEWRAP
def test_a_home_folder_is_not_opened_to_scripts_skills_15(aeon, worker, monkeypatch):
    """Where the user's folder is their home, scripts work in their data folder: keys and mail lie there."""
    monkeypatch.setenv("HOME", str(Path.cwd()))
    ended = aeon("skill", "run", "--sandbox", "bubblewrap", "worker/read.py", "notes.txt")

    assert ended.code == 1


def test_what_failed_is_said_also_from_stdout_skills_16(aeon, worker):
    (worker / "scripts" / "fail.py").write_text("print('pandas is missing'); raise SystemExit(1)")
    ended = aeon("skill", "run", "worker/fail.py")

    assert ended.code == 1
    assert "pandas is missing" in ended.err


def test_old_temporary_files_are_removed(aeon, worker):
    old, new = worker / "data/tmp/old", worker / "data/tmp/new"
    old.mkdir(parents=True)
    new.touch()
    os.utime(old, (1, 1))
    aeon("skill", "run", "worker/list.py")

    assert (old.exists(), new.exists()) == (False, True)
