"""A new skill works as it is (skills 1, 8 to 10)."""

import json
import os
import shutil
import subprocess

import pytest
from skills_ref import validate

from aeon.base.errors import InputError, SkillError
from aeon.base.json_schema import compile_schema
from aeon.skills.authoring.linter import check_skill
from aeon.skills.authoring.scaffold import new_skill
from aeon.skills.discovery.skill_reader import read_skill
from aeon.skills.launch.preparation import prepare_invocation

LANGUAGES = [("python", "python3"), ("bash", "bash"), ("javascript", "node")]


@pytest.mark.parametrize(("language", "program"), LANGUAGES)
def test_a_new_skill_passes_every_check_and_runs(tmp_path, language, program):
    """Skills 1: it speaks the protocol; skills 9: strict to the standard; skills 10: its setting is used."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    folder = new_skill("my-greeter2", tmp_path, language)
    skill = read_skill(folder).skill
    assert check_skill(folder) == []
    assert validate(folder) == []
    (folder / "config.json").write_text('{"greeting": "Servus"}')

    invocation = prepare_invocation(skill, skill.scripts[0], {"name": 'Ada "the" \\ é'}, "r", environ=os.environ)
    done = subprocess.run(
        invocation.command,
        input=invocation.stdin,
        cwd=invocation.cwd,
        env=invocation.env,
        capture_output=True,
        check=True,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(event["version"], event["type"]) for event in events] == [
        ("0", "log"),
        ("0", "state_patch"),
        ("0", "done"),
    ]
    assert events[1]["patch"] == {"greeting": 'Servus, Ada "the" \\ é!'}
    assert events[2]["ok"] is True
    assert compile_schema(skill.scripts[0].output_schema).problems(events[1]["patch"]) == []


@pytest.mark.parametrize("name", ["", "Big", "a b", "-a", "a--b", "../x", "x" * 65, "ünï", "a\n"])
def test_a_name_that_is_none_is_refused_with_a_better_one(tmp_path, name):
    """Skills 8 and 9: written strictly."""
    with pytest.raises(InputError, match=r"Try [a-z]"):
        new_skill(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_language_is_refused(tmp_path):
    with pytest.raises(InputError, match="python, bash, javascript"):
        new_skill("a", tmp_path, "cobol")


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(SkillError, match="already exists"):
        new_skill("a", tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(SkillError, match="cannot be written"):
        new_skill("a", tmp_path / "file")
