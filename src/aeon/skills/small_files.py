"""Files of skills read with a limit: nothing on disk is ever read whole without one, or waited for."""

import os
import stat
from pathlib import Path
from typing import Any, cast

from aeon.base.json import JsonObject, faults, parse_strict

LARGEST_FILE = 1024 * 1024
"""Bytes of a SKILL.md, manifest or schema that are read; nothing published comes near."""


class UnreadableError(ValueError):
    """A file that cannot be used, with the line that is at fault."""

    def __init__(self, line: int | None, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(message)


def read_capped(path: Path, limit: int = LARGEST_FILE) -> bytes:
    """The whole of a small file. Raises UnreadableError for one that is no file, larger, or cannot be read."""
    try:
        # Opening a pipe would wait for somebody to write into it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableError(None, "is no file")
            data = b"" if status.st_size > limit else file.read(limit + 1)
    except FileNotFoundError:
        raise UnreadableError(None, "does not exist") from None
    except IsADirectoryError:
        raise UnreadableError(None, "is no file") from None
    except OSError as error:
        raise UnreadableError(None, f"cannot be read ({error.strerror})") from None
    if status.st_size > limit or len(data) > limit:
        raise UnreadableError(None, f"is larger than {limit // 1024} KiB")
    return data


def read_json_object(path: Path) -> JsonObject:
    """A small file that holds one JSON object. Raises UnreadableError that says what is wrong with it."""
    data = read_capped(path)
    try:
        value: Any = parse_strict(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UnreadableError(None, "is not UTF-8") from None
    except ValueError as error:
        raise UnreadableError(getattr(error, "lineno", None), f"is no JSON ({error})") from None
    if not isinstance(value, dict):
        raise UnreadableError(1, "must hold a JSON object")
    if wrong := faults(value):
        raise UnreadableError(None, wrong[0])
    return cast(JsonObject, value)
