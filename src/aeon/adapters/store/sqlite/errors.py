"""Errors of SQLite in the terms of the port."""

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
"""By SQLite's extended result code, or by its primary one. What is not here is a fault of the query."""

SQLITE_ERRORS = (sqlite3.Error, UnicodeError, OverflowError)
"""What Python's sqlite3 raises: its own errors, and those of values that it cannot hand over."""

_NEEDS_ROOM = "Free some space and try again: SQLite needs 32 KB beside the file even to read."

_REFUSALS = (DuplicateError, GuardError, InvariantError)


@contextmanager
def as_store_errors(where: Path | str) -> Generator[None]:
    """Raise what SQLite raises as a StoreError that says where it was: in a file, or in the middle of what."""
    try:
        yield
    except SQLITE_ERRORS as error:
        raise as_store_error(error, where) from error


@contextmanager
def as_commit_errors(path: Path) -> Generator[None]:
    """Say of a commit that the disk failed whether it may have happened: once all was written, it may be read later."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _name(error) == "SQLITE_IOERR_WRITE" or not _name(error).startswith("SQLITE_IOERR"):
            raise
        raise StoreUnavailableError(f"{path}: {error} in a commit.", may_have_happened=True) from error


def as_store_error(error: Exception, where: Path | str) -> StoreError:
    """The port's error for one of `RAISED`."""
    if isinstance(error, (OverflowError, UnicodeEncodeError)):
        return QueryError(f"A parameter cannot be stored: {error}.")
    if isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error):
        return DamagedStoreError(f"{where} is damaged: it holds text that is not UTF-8.")
    name = _name(error)
    primary = "_".join(name.split("_")[:2])
    kind = _FAILURES.get(name) or _FAILURES.get(primary, QueryError)
    if kind in _REFUSALS:
        return kind(f"The store refuses it: {error}.")
    if kind is StoreFullError:
        said = f"{where} cannot be written to, most likely because the disk is full: {error}."
        return StoreFullError(said, next_step=_NEEDS_ROOM if name.startswith("SQLITE_IOERR_SHM") else "")
    return kind(f"{where}: {error}.")


def _name(error: Exception) -> str:
    """SQLite's extended result code, such as SQLITE_IOERR_WRITE; "" for an error of the Python module's own."""
    return getattr(error, "sqlite_errorname", "")
