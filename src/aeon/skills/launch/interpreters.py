"""Finds the program that runs a script: by its shebang, then its suffix (skills 9).

The exec bit does not matter.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from pathlib import Path
from typing import TypeAlias

from aeon.base.errors import SkillError

InterpreterCommand: TypeAlias = tuple[str, ...]

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

_PYTHON = (sys.executable, "-s", "-B")
"""The Python that runs Aeon, so that the extra's packages are available; scripts import modules beside them.

Not `-I`: the environment is already clean, and `-I` would hide the script's own folder. `-s` because the user's
packages are looked up under HOME, where the script may write; `-B` because it may not write to its own folder.
"""

_BY_SUFFIX: Mapping[str, tuple[InterpreterCommand, ...]] = {
    ".py": (_PYTHON,),
    ".sh": (("bash",), ("sh",)),
    ".bash": (("bash",),),
    ".js": (("node",),),
    ".mjs": (("node",),),
    ".cjs": (("node",),),
    ".ts": (("tsx",), ("bun", "run"), ("deno", "run", "--allow-all")),
    ".rb": (("ruby",),),
    ".pl": (("perl",),),
    ".ps1": (("pwsh", "-NoProfile", "-NonInteractive", "-File"),),
}
"""The programs for each suffix, in the order of the search."""

_PYTHON_NAME = re.compile(r"python(3(\.\d+)?)?")
_LONGEST_SHEBANG = 1024


_SHIMS = "shims"
"""The folder of a version manager (pyenv, asdf, mise, rbenv): its programs need their manager's home and fail here."""


def script_search_path(search_path: str) -> str:
    """Returns the PATH of a script: without shims, with Aeon's Python last if no other `python3` is left."""
    entries = [entry for entry in search_path.split(os.pathsep) if Path(entry).name != _SHIMS]
    kept = os.pathsep.join(entries)
    own = str(Path(sys.executable).parent)
    return kept if shutil.which("python3", path=kept) else os.pathsep.join([*entries, own])


def has_interpreter(path: Path) -> bool:
    """Whether the file's suffix or its first line names an interpreter."""
    return path.suffix.lower() in _BY_SUFFIX or bool(_shebang(path))


def interpreter_for(path: Path, search_path: str = DEFAULT_PATH) -> InterpreterCommand:
    """Returns the words before the script's path on its command line.

    The result is empty if the script is a program itself. Raises SkillError that names the missing programs, or
    states that no interpreter is known for the file.
    """
    wanted = [*_by_shebang(path), *_BY_SUFFIX.get(path.suffix.lower(), ())]
    for program, *options in wanted:
        if program_path := _find_program(program, search_path):
            return (program_path, *options)
    if not wanted and os.access(path, os.X_OK):
        return ()
    if not wanted:
        raise SkillError(
            f"No interpreter is known for the script {path}.",
            next_step="Begin it with a line such as #!/bin/sh, or give it a suffix: " + " ".join(_BY_SUFFIX) + ".",
        )
    names = list(dict.fromkeys(program for program, *_ in wanted))
    raise SkillError(
        f"The script {path} needs {' or '.join(names)}, which is not installed.",
        next_step=f"Install {names[0]}, or disable the skill.",
        missing=names,
    )


def _find_program(program: str, search_path: str) -> str | None:
    return program if program == sys.executable else shutil.which(program, path=search_path)


def _by_shebang(path: Path) -> list[InterpreterCommand]:
    """Returns the shebang's program as written and by its bare name.

    `/usr/local/bin/ruby` may be elsewhere here.
    """
    words = _shebang(path)
    if not words:
        return []
    program, options = Path(words[0]), words[1:]
    if program.name == "uv":  # `uv run --script`: Aeon installs the packages, and starts Python itself (skills 16)
        return [_PYTHON]
    if _PYTHON_NAME.fullmatch(program.name):
        return [(*_PYTHON, *options)]
    as_written = [(str(program), *options)] if program.is_absolute() else []
    return [*as_written, (program.name, *options)]


def _shebang(path: Path) -> Sequence[str]:
    """Returns the words of the first line after `#!`, without `env`.

    The result is empty if the file has no shebang.
    """
    with path.open("rb") as file:
        line = file.read(_LONGEST_SHEBANG).partition(b"\n")[0]
    if not line.startswith(b"#!"):
        return ()
    try:
        words = shlex.split(line[2:].decode("utf-8", errors="replace").replace("\0", " "))
    except ValueError:
        return ()
    if words and Path(words[0]).name == "env":
        words = list(dropwhile(lambda word: word.startswith("-") or "=" in word, words[1:]))
    return words
