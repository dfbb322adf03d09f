"""What was read before is not read again until a file that matters changes (skills 9)."""

import os
import time
from pathlib import Path

import pytest

from aeon.skills.discovery import skill_reader
from aeon.skills.discovery.cache import DiscoveryCache, cache_folder
from aeon.skills.discovery.search import SkillRoot, discover


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "skills" / "greet"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: greet\ndescription: Greets: all.\n---\nRun scripts/gone.py\n")
    (folder / "scripts" / "run.py").write_text("print(1)")
    settle(tmp_path / "skills")
    return SkillRoot(tmp_path / "skills", "project")


def settle(top):
    """As if everything had been written a while ago."""
    before = time.time() - 60
    for folder, _, files in os.walk(top):
        for name in [*files, "."]:
            os.utime(Path(folder) / name, (before, before))


@pytest.fixture
def readings(monkeypatch):
    """The folders that were really read."""
    read, names = skill_reader.read_skill, []

    def counted(folder, home):
        names.append(folder.name)
        return read(folder, home)

    monkeypatch.setattr(skill_reader, "read_skill", counted)
    return names


def test_another_process_finds_what_the_first_read(root, tmp_path, readings):
    first = discover([root], environ={}, cache=DiscoveryCache(tmp_path / "cache"))
    second = discover([root], environ={}, cache=DiscoveryCache(tmp_path / "cache"))

    assert readings == ["greet"]
    assert (second.skills, second.notes) == (first.skills, first.notes)
    assert len(first.notes) == 2


@pytest.mark.parametrize(
    "change", ["SKILL.md", "skill.json", "scripts/new.py", "scripts/gone.py", "config-schema.json", "chmod"]
)
def test_a_change_of_what_matters_is_seen(root, tmp_path, readings, change):
    cache = DiscoveryCache(None)
    discover([root], environ={}, cache=cache)
    folder = root.path / "greet"
    if change == "chmod":
        (folder / "scripts" / "run.py").chmod(0o755)
    else:
        (folder / change).write_text("x")
    discover([root], environ={}, cache=cache)

    assert readings == ["greet", "greet"]


def test_settings_are_never_remembered(root, tmp_path):
    """Skills 10: they are checked anew each time, and secrets stay out of the cache."""
    folder = root.path / "greet"
    (folder / "config-schema.json").write_text('{"properties": {"k": {"type": "string", "writeOnly": true}}}')
    (folder / "config.json").write_text('{"k": "geheim"}')
    settle(root.path)
    cache = DiscoveryCache(tmp_path / "cache")
    assert discover([root], environ={}, cache=cache).skills[0].user_config == {"k": "geheim"}
    (folder / "config.json").write_text('{"k": 1}')
    assert not discover([root], environ={}, cache=cache).skills[0].can_be_planned
    stored = list((tmp_path / "cache").iterdir())
    assert all(b"geheim" not in path.read_bytes() for path in stored)
    assert [path.stat().st_mode & 0o777 for path in stored] == [0o600]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x": {"signatures": {}, "reading": 3}}', "[" * 10_000])
def test_a_corrupt_cache_is_ignored(root, tmp_path, readings, text):
    discover([root], environ={}, cache=DiscoveryCache(tmp_path / "cache"))
    for path in (tmp_path / "cache").iterdir():
        path.write_text(text)
    assert len(discover([root], environ={}, cache=DiscoveryCache(tmp_path / "cache")).skills) == 1
    assert readings == ["greet", "greet"]


def test_a_cache_that_cannot_be_written_is_no_error(root, tmp_path):
    (tmp_path / "file").touch()
    assert len(discover([root], environ={}, cache=DiscoveryCache(tmp_path / "file")).skills) == 1


def test_a_file_just_written_is_read_again(root, readings):
    """File systems count time in steps: a change in the same step could not be told."""
    (root.path / "greet" / "SKILL.md").write_text("---\nname: greet\ndescription: x\n---\n")
    cache = DiscoveryCache(None)
    for _ in range(2):
        discover([root], environ={}, cache=cache)
    assert readings == ["greet", "greet"]


def test_the_cache_lies_in_the_users_cache_folder():
    assert str(cache_folder({"HOME": "/h"})) == "/h/.cache/aeon/skills"
    assert str(cache_folder({"HOME": "/h", "XDG_CACHE_HOME": "/c"})) == "/c/aeon/skills"
    assert cache_folder({}) is None
