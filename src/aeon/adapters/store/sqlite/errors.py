"""Translates errors of SQLite to errors of the port."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from aeon.platform.store import (
    DamagedStoreError,
    DuplicateError,
    GuardError,
    InvariantError,
    QueryError,
    QueryTimeoutError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)

_FAILURES: dict[str, type[StoreError]] = {
    "SQLITE_CONSTRAINT_UNIQUE": DuplicateError,
    "SQLITE_CONSTRAINT_PRIMARYKEY": DuplicateError,
    "SQLITE_CONSTRAINT_FOREIGNKEY": GuardError,
    "SQLITE_CONSTRAINT": InvariantError,
    "SQLITE_BUSY": StoreUnavailableError,
    "SQLITE_LOCKED": StoreUnavailableError,
    "SQLITE_CANTOPEN": StoreUnavailableError,
    "SQLITE_PERM": StoreUnavailableError,
    "SQLITE_PROTOCOL": StoreUnavailableError,
    "SQLITE_IOERR": StoreUnavailableError,
    "SQLITE_IOERR_WRITE": StoreFullError,
    "SQLITE_IOERR_TRUNCATE": StoreFullError,
    "SQLITE_IOERR_SHMSIZE": StoreFullError,
    "SQLITE_IOERR_SHMOPEN": StoreFullError,
    "SQLITE_FULL": StoreFullError,
    "SQLITE_READONLY": StoreFullError,
    "SQLITE_CORRUPT": DamagedStoreError,
    "SQLITE_NOTADB": DamagedStoreError,
    "SQLITE_IOERR_SHORT_READ": DamagedStoreError,
    "SQLITE_IOERR_CORRUPTFS": DamagedStoreError,
    "SQLITE_INTERRUPT": QueryTimeoutError,
}
"""By SQLite's extended or primary result code. All other codes are faults of the query."""

SQLITE_ERRORS = (sqlite3.Error, UnicodeError, OverflowError)
"""Errors that Python's sqlite3 raises: its own, and those for values that it cannot pass on."""

_NEEDS_SPACE = "Free some space and try again: SQLite needs 32 KB beside the file even to read."

_REFUSALS = (DuplicateError, GuardError, InvariantError)


@contextmanager
def as_store_errors(where: Path | str) -> Generator[None]:
    """Raises SQLite's errors as a StoreError that names the file or the operation."""
    try:
        yield
    except SQLITE_ERRORS as error:
        raise as_store_error(error, where) from error


@contextmanager
def as_commit_errors(path: Path) -> Generator[None]:
    """Adds `may_have_happened` to disk errors of a commit that may take effect later."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _name(error) == "SQLITE_IOERR_WRITE" or not _name(error).startswith("SQLITE_IOERR"):
            raise
        raise StoreUnavailableError(f"{path}: {error} in a commit.", may_have_happened=True) from error


def as_store_error(error: Exception, where: Path | str) -> StoreError:
    """Returns the port's error for one of `SQLITE_ERRORS`."""
    if isinstance(error, (OverflowError, UnicodeEncodeError)):
        return QueryError(f"A parameter cannot be stored: {error}.")
    if isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error):
        return DamagedStoreError(f"{where} is damaged: it contains text that is not UTF-8.")
    name = _name(error)
    primary = "_".join(name.split("_")[:2])
    kind = _FAILURES.get(name) or _FAILURES.get(primary, QueryError)
    if kind in _REFUSALS:
        return kind(f"The store refuses the change: {error}.")
    if kind is StoreFullError:
        message = f"{where} cannot be written to, most likely because the disk is full: {error}."
        return StoreFullError(message, next_step=_NEEDS_SPACE if name.startswith("SQLITE_IOERR_SHM") else "")
    return kind(f"{where}: {error}.")


def _name(error: Exception) -> str:
    """Returns SQLite's extended result code; "" for errors of the Python module itself."""
    return getattr(error, "sqlite_errorname", "")
