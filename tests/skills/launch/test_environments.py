"""Packages that scripts declare: found, installed only by the user's word, into environments of their own (skills 16)."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.wheels import offline_uv, write_wheel

from aeon.base.errors import SkillError
from aeon.skills.discovery.skill_reader import read_skill
from aeon.skills.invocation import Invocation
from aeon.skills.launch.environments import EnvironmentStore, find_uv
from aeon.skills.launch.grants import Grants, NotGrantedError
from aeon.skills.launch.interpreters import interpreter_for
from aeon.skills.launch.requirements import ScriptRequirements, requirements_of, with_packages

OWN = '# /// script\n# requires-python = ">=3.9"\n# dependencies = [\n#   "tinypack",\n# ]\n# ///\n'
SHOWS = "import tinypack\nprint(tinypack.WORD)\n"


@pytest.fixture
def written(tmp_path: Path):
    def write(source: str, requirements: str | None = None):
        folder = tmp_path / "packed"
        (folder / "scripts").mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text("---\nname: packed\ndescription: Needs packages.\n---\nRun it.")
        (folder / "scripts" / "show.py").write_text(source)
        if requirements is not None:
            (folder / "requirements.txt").write_text(requirements)
        skill = read_skill(folder).skill
        assert skill is not None
        return skill, skill.scripts[0]

    return write


@pytest.fixture
def store(tmp_path: Path) -> EnvironmentStore:
    own = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **offline_uv(write_wheel(tmp_path / "wheels"))}
    return EnvironmentStore(tmp_path / "environments", own)


def invocation_of(skill, script) -> Invocation:
    return Invocation([*interpreter_for(script.path), str(script.path)], b"", skill.directory_path, {})


@pytest.mark.parametrize(
    ("source", "requirements", "found"),
    [
        (OWN + SHOWS, None, (("tinypack",), ">=3.9", True)),
        (OWN + SHOWS, "other\n", (("tinypack",), ">=3.9", True)),
        (
            SHOWS,
            "# all\ntinypack>=1  # small\n-r more.txt\n\nb==1 --hash=sha256:0\n",
            (("tinypack>=1", "b==1"), "", False),
        ),
        (SHOWS, None, None),
        (SHOWS, "", None),
        ("# /// script\n# dependencies = []\n# ///\n", None, None),
    ],
)
def test_a_block_of_the_script_comes_before_the_skill_s_file_skills_16(written, source, requirements, found):
    assert requirements_of(*written(source, requirements)) == (found and ScriptRequirements(*found))


def test_a_block_that_is_no_toml_is_said(written):
    with pytest.raises(SkillError, match="script block is not TOML"):
        requirements_of(*written("# /// script\n# dependencies = [\n# ///\n"))


def test_nothing_is_installed_without_the_user_s_word_skills_16(written, store, tmp_path):
    skill, script = written(OWN + SHOWS)
    with pytest.raises(NotGrantedError, match=r"not installed: tinypack\. --allow-install"):
        store.apply(skill, script, invocation_of(skill, script), Grants())
    assert not (tmp_path / "environments").exists()


def test_granted_packages_are_installed_once_apart_from_aeon_skills_16(written, store, tmp_path):
    skill, script = written(OWN + SHOWS)
    granted = store.apply(skill, script, invocation_of(skill, script), Grants(install=True))
    shown = subprocess.run(granted.command, capture_output=True, check=True)

    assert shown.stdout == b"from the package\n"
    assert (tmp_path / "environments") in granted.access.read[0].parents
    shutil.rmtree(tmp_path / "wheels")
    assert store.apply(skill, script, invocation_of(skill, script), Grants()) == granted, "it is kept"
    with pytest.raises(ImportError):
        __import__("tinypack")


def test_packages_of_the_whole_skill_are_used_where_granted_and_else_done_without(written, store):
    skill, script = written(SHOWS, "tinypack\n")
    plain = invocation_of(skill, script)

    assert store.apply(skill, script, plain, Grants()) == plain
    assert store.apply(skill, script, plain, Grants(install=True)).command[0] != sys.executable


def test_what_uv_says_is_in_the_message_skills_16(written, store):
    """Offline: the error names what is missing."""
    skill, script = written(OWN.replace("tinypack", "absent-package") + SHOWS)
    with pytest.raises(SkillError, match="absent-package"):
        store.apply(skill, script, invocation_of(skill, script), Grants(install=True))


def test_without_uv_it_is_said_what_to_do_skills_16(uninstall):
    uninstall("uv")
    with pytest.raises(SkillError, match=r"needs uv") as missing:
        find_uv({"PATH": "/nowhere"})
    assert "aeon-orchestrator[packages]" in missing.value.advice


def test_a_shebang_of_uv_run_is_python_skills_16(tmp_path):
    file = tmp_path / "tool"
    file.write_text("#!/usr/bin/env -S uv run --script\nprint(1)\n")
    assert interpreter_for(file)[0] == sys.executable


def test_a_package_that_the_user_names_is_installed_for_a_script_that_declares_none_skills_16(written, store):
    skill, script = written(SHOWS)
    named = store.apply(skill, script, invocation_of(skill, script), Grants(packages=("tinypack",)))

    assert subprocess.run(named.command, capture_output=True, check=True).stdout == b"from the package\n"
    assert with_packages(ScriptRequirements(("a",), ">=3.9"), ["b", "a"]) == ScriptRequirements(("a", "b"), ">=3.9")


def test_what_is_installed_is_said_before_once_skills_16(written, store):
    skill, script = written(SHOWS)
    said: list[list[str]] = []
    for _ in range(2):
        named = Grants(packages=("tinypack",))
        store.apply(skill, script, invocation_of(skill, script), named, lambda packages: said.append(list(packages)))

    assert said == [["tinypack"]]
