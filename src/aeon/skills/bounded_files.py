"""Reads a skill's files with a size limit, and never blocks on a pipe or a device."""

import os
import stat
from pathlib import Path
from typing import Any, cast

from aeon.base.json import JsonObject, json_problems, parse_strict

MAX_FILE_BYTES = 1024 * 1024
"""Maximum size of a SKILL.md, manifest or schema in bytes, far above any published one."""


class UnreadableFileError(ValueError):
    """The file cannot be used. `line` is the line with the fault, None if unknown."""

    def __init__(self, line: int | None, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(message)


def read_bounded(path: Path, limit: int = MAX_FILE_BYTES, inside: Path | None = None) -> bytes:
    """Returns a whole small file.

    Raises UnreadableFileError if it is not a file, too large or unreadable, or if a link leads it out of the folder
    `inside`. The opened file is checked, not its path: a link may be swapped meanwhile.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would block until a process writes into it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFileError(None, "is not a file")
            if inside is not None and not _opened_path(descriptor).is_relative_to(inside.resolve()):
                raise UnreadableFileError(None, "leads out of the folder by a symbolic link")
            data = b"" if status.st_size > limit else file.read(limit + 1)
    except FileNotFoundError:
        raise UnreadableFileError(None, "does not exist") from None
    except IsADirectoryError:
        raise UnreadableFileError(None, "is not a file") from None
    except OSError as error:
        raise UnreadableFileError(None, f"cannot be read ({error.strerror})") from None
    if status.st_size > limit or len(data) > limit:
        raise UnreadableFileError(None, f"is larger than {limit // 1024} KiB")
    return data


def _opened_path(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}").readlink()


def read_json_object(path: Path) -> JsonObject:
    """Returns the JSON object in a small file.

    Raises UnreadableFileError with the reason if there is none.
    """
    data = read_bounded(path)
    try:
        value: Any = parse_strict(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UnreadableFileError(None, "is not UTF-8") from None
    except ValueError as error:
        raise UnreadableFileError(getattr(error, "lineno", None), f"is not valid JSON ({error})") from None
    if not isinstance(value, dict):
        raise UnreadableFileError(1, "must hold a JSON object")
    if problems := json_problems(value):
        raise UnreadableFileError(None, problems[0])
    return cast(JsonObject, value)
