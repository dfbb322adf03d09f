"""Files of skills read with a limit: nothing on disk is ever read whole without one, or waited for."""

import os
import stat
from pathlib import Path
from typing import Any, cast

from aeon.base.json import JsonObject, json_problems, parse_strict

MAX_FILE_BYTES = 1024 * 1024
"""Bytes of a SKILL.md, manifest or schema that are read; nothing published comes near."""


class UnreadableFileError(ValueError):
    """A file that cannot be used, with the line that is at fault."""

    def __init__(self, line: int | None, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(message)


def read_bounded(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """The whole of a small file. Raises UnreadableFileError for one that is no file, larger, or cannot be read."""
    try:
        # Opening a pipe would wait for somebody to write into it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFileError(None, "is no file")
            data = b"" if status.st_size > limit else file.read(limit + 1)
    except FileNotFoundError:
        raise UnreadableFileError(None, "does not exist") from None
    except IsADirectoryError:
        raise UnreadableFileError(None, "is no file") from None
    except OSError as error:
        raise UnreadableFileError(None, f"cannot be read ({error.strerror})") from None
    if status.st_size > limit or len(data) > limit:
        raise UnreadableFileError(None, f"is larger than {limit // 1024} KiB")
    return data


def read_json_object(path: Path) -> JsonObject:
    """A small file that holds one JSON object. Raises UnreadableFileError that says what is wrong with it."""
    data = read_bounded(path)
    try:
        value: Any = parse_strict(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UnreadableFileError(None, "is not UTF-8") from None
    except ValueError as error:
        raise UnreadableFileError(getattr(error, "lineno", None), f"is no JSON ({error})") from None
    if not isinstance(value, dict):
        raise UnreadableFileError(1, "must hold a JSON object")
    if wrong := json_problems(value):
        raise UnreadableFileError(None, wrong[0])
    return cast(JsonObject, value)
