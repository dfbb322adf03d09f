"""Advisory locks on files (flock): they end with whoever holds them, however that ends, so none is ever stale."""

import fcntl
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from aeon.platform.graph import GraphUnavailableError

_PAUSE_SECONDS = 0.01


def locked(path: Path, kind: int, seconds: float, *, pause: Callable[[float], None] = time.sleep) -> int:
    """An open file, locked (`fcntl.LOCK_SH` or `LOCK_EX`); closing it ends the lock.

    Raises GraphUnavailableError when another process does not let go within `seconds`.
    """
    file = _opened(path)
    try:
        for _ in range(max(1, int(seconds / _PAUSE_SECONDS))):
            if attempt(file, kind):
                return file
            pause(_PAUSE_SECONDS)
    except BaseException:
        os.close(file)
        raise
    os.close(file)
    raise GraphUnavailableError(
        f"Another process holds {path} and does not let go.", next_step="End the processes that use this graph."
    )


@contextmanager
def alone(path: Path, seconds: float) -> Generator[None]:
    """Nobody else is in here meanwhile."""
    file = locked(path, fcntl.LOCK_EX, seconds)
    try:
        yield
    finally:
        os.close(file)


def attempt(file: int, kind: int) -> bool:
    """Lock without waiting; whether that worked."""
    with suppress(BlockingIOError):
        fcntl.flock(file, kind | fcntl.LOCK_NB)
        return True
    return False


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock alone. Makes no file, so that a folder can be removed meanwhile."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not attempt(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise GraphUnavailableError(
            f"The graph's lock {path} cannot be used: {error.strerror}.", next_step="See who owns its folder."
        ) from error
