"""The packages that a published skill's scripts import, and an environment with them for the run by hand."""

import ast
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from aeon.skills.launch.environments import find_uv
from aeon.skills.launch.requirements import requirements_of
from aeon.skills.models import Skill, SkillScript

_PACKAGES = {"PIL": "pillow", "yaml": "pyyaml", "docx": "python-docx", "pptx": "python-pptx", "cv2": "opencv-python"}


def imported_packages(skill: Skill) -> list[str]:
    """Returns the packages of PyPI that the skill's Python files import, declared or not."""
    files = sorted(skill.directory_path.rglob("*.py"))
    own = {each for file in files for each in (file.stem, *file.relative_to(skill.directory_path).parts)}
    named = {name for file in files for name in _imports(file)}
    found = named - own - set(sys.stdlib_module_names)
    return sorted({_PACKAGES.get(name, name) for name in found})


def undeclared_packages(skill: Skill, script: SkillScript) -> list[str]:
    """Returns what the user has to name with `--with`: packages that the skill imports and does not declare."""
    declared = requirements_of(skill, script)
    listed = " ".join(declared.packages).lower() if declared else ""
    return [each for each in imported_packages(skill) if each.lower() not in listed]


def _imports(file: Path) -> set[str]:
    try:
        tree = ast.parse(file.read_text(errors="replace"))
    except SyntaxError:
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def python_with(packages: Sequence[str], place: Path, python: str = "") -> Path:
    """Returns a Python with these packages, in an environment below `place`. Raises CalledProcessError."""
    wanted = python or sys.executable
    folder = place / hashlib.sha256(repr((wanted, sorted(packages))).encode()).hexdigest()[:16]
    if not (folder / "ready").exists():
        uv = find_uv(os.environ)
        _run([uv, "venv", "--quiet", "--clear", "--python", wanted, str(folder)])
        if packages:
            target = ["--python", str(folder / "bin/python")]
            _run([uv, "pip", "install", "--quiet", "--only-binary", ":all:", *target, *packages])
        (folder / "ready").touch()
    return folder / "bin" / "python"


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)
