"""The Python packages that a script declares (skills 16): a PEP 723 block, or a requirements.txt beside it."""

import hashlib
import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from aeon.base.errors import SkillError
from aeon.base.json import canonical_json
from aeon.skills.bounded_files import UnreadableFileError, read_bounded
from aeon.skills.models import Skill, SkillScript

REQUIREMENTS_TXT = "requirements.txt"

SCRIPT_BLOCK = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
"""The regular expression of PEP 723."""


class ScriptRequirements(NamedTuple):
    """The packages of a script, one line each as pip writes them.

    `is_own`: the script itself declares them; otherwise they are those of the whole skill, and the script may do
    without.
    """

    packages: tuple[str, ...]
    python: str = ""
    """A version specifier, such as `>=3.12`; empty for the Python that runs Aeon."""
    is_own: bool = True

    @property
    def digest(self) -> str:
        """Names the environment: the same packages for the same Python share one."""
        written = canonical_json([sorted(self.packages), self.python, sys.version.split()[0]])
        return hashlib.sha256(written.encode()).hexdigest()[:32]


def requirements_of(skill: Skill, script: SkillScript) -> ScriptRequirements | None:
    """Returns the packages that a Python script needs, or None if it declares none.

    Raises SkillError for a declaration that cannot be read.
    """
    if script.path.suffix.lower() not in (".py", ""):
        return None
    try:
        own = _own_block(script.path)
        return own or _skill_file(skill, script.path.parent)
    except UnreadableFileError as error:
        raise SkillError(f"The requirements of {script.tool_path} cannot be read: {error.message}.") from None


def with_packages(declared: ScriptRequirements | None, packages: Sequence[str]) -> ScriptRequirements | None:
    """Returns the requirements with packages that the user names, for scripts that declare too few or none."""
    if not packages:
        return declared
    known = declared or ScriptRequirements(())
    return known._replace(packages=tuple(dict.fromkeys((*known.packages, *packages))), is_own=True)


def _own_block(path: Path) -> ScriptRequirements | None:
    text = read_bounded(path).decode(errors="replace").replace("\r\n", "\n")
    block = SCRIPT_BLOCK.search(text)
    if block is None:
        return None
    lines = (line[2:] if line.startswith("# ") else line[1:] for line in block["content"].splitlines())
    try:
        declared = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFileError(None, f"its script block is not TOML: {error}") from None
    packages = tuple(each for each in cast(list[Any], declared.get("dependencies") or []) if isinstance(each, str))
    python = declared.get("requires-python", "")
    return ScriptRequirements(packages, python if isinstance(python, str) else "") if packages else None


def _skill_file(skill: Skill, folder: Path) -> ScriptRequirements | None:
    """Returns the nearest requirements.txt between the script and its skill's folder."""
    for place in (folder, *folder.parents):
        file = place / REQUIREMENTS_TXT
        if file.is_file() and file.resolve().is_relative_to(skill.directory_path.resolve()):
            lines = read_bounded(file).decode(errors="replace").splitlines()
            written = (re.split(r"\s(?:#|--)", line)[0].strip() for line in lines)
            packages = tuple(line for line in written if line and not line.startswith(("#", "-")))
            return ScriptRequirements(packages, is_own=False) if packages else None
        if place == skill.directory_path:
            return None
    return None
