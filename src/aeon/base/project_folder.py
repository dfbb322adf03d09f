"""A project's `.aeon` folder and its ownership: a random id in it matches a mark in the user's own folder.

See platform 21.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Final

from aeon.base.errors import AeonError
from aeon.base.next_steps import NextStep

PROJECT_FOLDER: Final = ".aeon"
"""The folder for everything that Aeon writes for a project, inside the folder in which its commands run."""

OWN_USER: Final = "me"
"""The user to whom a project's folder belongs."""

_IGNORE, _MARK = ".gitignore", "origin"

_ID = re.compile(r"[0-9a-f]{32}\n")

_OTHERS_WRITE = 0o022

_MEND = NextStep("folder.correct")


class ForeignFolderError(AeonError):
    """A project's `.aeon`, or something in it, does not belong to this user."""


def state_folder(environ: Mapping[str, str]) -> Path:
    """The user's own folder for state that must not travel with a project's folder."""
    base = Path(environ.get("XDG_STATE_HOME", ""))
    if base.is_absolute():  # a relative path is ignored: XDG Base Directory Specification
        return base / "aeon"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / ".local" / "state" / "aeon"


def find_project_folder(path: Path) -> Path | None:
    """The `.aeon` folder that `path` is or lies in, or None."""
    absolute = path.absolute()
    return next((each for each in (absolute, *absolute.parents) if each.name == PROJECT_FOLDER), None)


def read_folder_id(folder: Path) -> str | None:
    """The random id in a project's `.aeon`, whether it is this user's or not; None if there is none."""
    with suppress(OSError, UnicodeDecodeError):
        text = (folder / _MARK).read_text("ascii")
        return text.strip() if _ID.fullmatch(text) else None
    return None


def require_ownership(path: Path) -> None:
    """Raises ForeignFolderError unless the `.aeon` around `path` is marked as this user's, and no link leads out.

    A path outside any `.aeon` is not checked, and an empty `.aeon` passes.
    """
    folder = find_project_folder(path)
    if folder is None or not os.path.lexists(folder):
        return
    if not folder.is_symlink() and not folder.is_dir():
        raise ForeignFolderError(f"{folder} is not a folder.", next_step=f"Move it away: {_move_command(folder)}")
    if not folder.is_symlink() and not is_own_folder(folder) and not is_unused_folder(folder):
        raise foreign_folder_error(folder)
    for problem in path_problems(_between(folder, path.absolute())):
        raise ForeignFolderError(f"{problem} It was not used.", next_step=_MEND)


def adopt_folder(folder: Path) -> None:
    """Marks a project's `.aeon` as this user's, under a new id, because its previous owner knows the old one.

    The caller has checked the contents. Raises OSError.
    """
    folder.chmod(0o700)
    (folder / _MARK).unlink(missing_ok=True)
    mark_folder(folder)
    with suppress(FileExistsError):
        _write(folder / _IGNORE, b"*\n")


def foreign_folder_error(folder: Path) -> ForeignFolderError:
    """The error for an `.aeon` without a mark of this user."""
    marks = state_folder(os.environ) / "folders"
    return ForeignFolderError(
        f"{folder} has no mark of yours in {marks}: it came with a folder from elsewhere, or an older Aeon made it. "
        "Aeon used nothing in it.",
        next_step=NextStep("folder.adopt", move=_move_command(folder)),
    )


def _move_command(folder: Path) -> str:
    return f"mv {quote(str(folder))} {quote(f'{folder}.foreign')}"


def is_own_folder(folder: Path) -> bool:
    """Whether this user on this machine has marked a project's `.aeon`. Raises ForeignFolderError for unsafe marks."""
    number = read_folder_id(folder)
    marks = state_folder(os.environ) / "folders"
    if number is None or not os.path.lexists(marks / number):
        return False
    for problem in path_problems([marks.parent, marks, marks / number]):
        raise ForeignFolderError(f"{problem} Aeon records there which folders are yours.", next_step=_MEND)
    return True


def claim_folder(folder: Path) -> None:
    """Makes and marks a project's `.aeon` unless it exists.

    Only the user has access (0700), and it contains a `.gitignore` of `*`: `git add` must not publish a vault or a log.
    Raises OSError; ForeignFolderError as `require_ownership`.
    """
    if not folder.is_symlink():
        folder.mkdir(0o700, parents=True, exist_ok=True)
    if not folder.is_symlink() and is_unused_folder(folder) and folder.lstat().st_uid == os.geteuid():
        folder.chmod(0o700)
        with suppress(FileExistsError):
            _write(folder / _IGNORE, b"*\n")
        mark_folder(folder)
    require_ownership(folder)


def mark_folder(folder: Path) -> None:
    """Marks a project's `.aeon` without an id as this user's; of several processes one succeeds. Raises OSError."""
    number = os.urandom(16).hex()
    marks = state_folder(os.environ) / "folders"
    marks.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark, draft = marks / number, folder / f".{_MARK}-{number}"
    try:
        _write(mark, os.fsencode(folder) + b"\n")  # for people who clean up old marks
        _write(draft, f"{number}\n".encode())
        os.link(draft, folder / _MARK)
    except BaseException as error:
        mark.unlink(missing_ok=True)
        if not isinstance(error, FileExistsError):
            raise
    finally:
        draft.unlink(missing_ok=True)


def path_problems(paths: Iterable[Path]) -> list[str]:
    """The problems of those paths that exist: links, files of other users, files that others may write."""
    return [problem for path in paths if (problem := _path_problem(path))]


def _path_problem(path: Path) -> str:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return ""
    if stat.S_ISLNK(status.st_mode):
        return f"{path} is a symbolic link to {str(path.readlink())!r}."
    if status.st_uid != os.geteuid():
        return f"{path} belongs to another user."
    if status.st_mode & _OTHERS_WRITE:
        return f"Other users may write to {path}."
    if stat.S_ISREG(status.st_mode):
        return f"{path} has {status.st_nlink} names (hard links)." if status.st_nlink != 1 else ""
    return "" if stat.S_ISDIR(status.st_mode) else f"{path} is neither a file nor a folder."


def _between(folder: Path, path: Path) -> Iterator[Path]:
    """Yields the folder, and each part of the path below it."""
    yield folder
    for part in path.relative_to(folder).parts:
        folder = folder / part
        yield folder


def is_unused_folder(folder: Path) -> bool:
    """Whether a project's `.aeon` contains nothing usable, also while another process marks it."""
    return all(each.name == _IGNORE or each.name.startswith(f".{_MARK}-") for each in folder.iterdir())


def _write(path: Path, content: bytes) -> None:
    """Writes a new file (0600) and syncs it to disk. Raises OSError, also if the file exists."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Makes a folder with its parents, unless it exists. Raises OSError.

    Only the user has access to a project's `.aeon` and each folder in it (0700); it must carry the user's mark
    (platform 21). Raises ForeignFolderError for one that came from elsewhere.
    """
    project = find_project_folder(folder)
    if project is not None:
        mode = 0o700
        claim_folder(project)
        require_ownership(folder)
    folder.mkdir(mode, parents=True, exist_ok=True)
