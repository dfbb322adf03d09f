"""Finds files of a project's `.aeon` that git tracks: everyone with access to the repository can read them."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from aeon.base.project_folder import PROJECT_FOLDER

SECRET_FILES: Final = frozenset({"master.key", "vault.db"})
"""Files in `.aeon`. Both together decrypt every secret."""

_MAX_PATH_LENGTH = 0xFFF
"""The length in an index entry's flags for a path that is as long, or longer."""

_MAX_INDEX_BYTES = 256 * 1024 * 1024
"""The size limit of a repository's index. A larger one is not read."""

_MAX_GIT_FILE = 8192
"""The size limit of a `.git` file that names the repository's folder."""


class TrackedFiles(NamedTuple):
    """Names of tracked files, relative to the project's folder."""

    secret: list[str]
    other: list[str]


def find_tracked_files(project: Path) -> TrackedFiles:
    """Return the files of a project's `.aeon` that the enclosing repository tracks, read from its index.

    Git itself is not called, because it runs programs that a repository's configuration names. An index of version 4,
    which git writes only if configured to, is read as empty.
    """
    folder = project.resolve() / PROJECT_FOLDER
    names: list[str] = []
    for root in folder.parents:
        with suppress(OSError):
            names = _in_index(_index_of(root / ".git"), folder.relative_to(root).as_posix())
            break
    tracked = [f"{PROJECT_FOLDER}/{name}" for name in names if name != ".gitignore"]
    secret = [name for name in tracked if Path(name).name in SECRET_FILES]
    return TrackedFiles(secret, [name for name in tracked if name not in secret])


def _index_of(git: Path) -> Path:
    """Return the index of the repository. Raises FileNotFoundError if there is none."""
    if git.is_dir():
        return git / "index"
    if not git.is_file() or git.stat().st_size > _MAX_GIT_FILE:
        raise FileNotFoundError
    text = git.read_text("utf-8", "replace")  # a worktree's or submodule's: "gitdir: PATH"
    return git.parent / text.removeprefix("gitdir:").strip() / "index"


def _in_index(index: Path, folder: str) -> list[str]:
    """Return the paths in an index below a folder, relative to it. An entry has the full path, after its length."""
    if not index.is_file() or index.stat().st_size > _MAX_INDEX_BYTES:  # a pipe would never end
        return []
    path = re.compile(rb"(.{4})" + re.escape(folder.encode()) + rb"/([^\0]+)\0", re.DOTALL)
    matches = (each for each in path.finditer(index.read_bytes()) if _is_entry(each, len(folder.encode()) + 1))
    return sorted({each[2].decode("utf-8", "replace") for each in matches})


def _is_entry(match: re.Match[bytes], before: int) -> bool:
    """Return whether the match is a full path, not the end of a path in another folder."""
    length = min(before + len(match[2]), _MAX_PATH_LENGTH)
    return any(int.from_bytes(match[1][at : at + 2], "big") & _MAX_PATH_LENGTH == length for at in (0, 2))
