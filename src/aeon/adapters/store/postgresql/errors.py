"""Errors of PostgreSQL in the terms of the port. Their texts hold no values, and nothing of the password."""

import re
from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg.rows import DictRow

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


class WriteConflictError(StoreUnavailableError):
    """Other units of work keep writing to the same rows; nothing was written."""

    next_step = "Try again; the data are safe."


class ConnectionLostError(StoreUnavailableError):
    """The connection to PostgreSQL broke; nothing was written."""


_KINDS: dict[str, type[StoreError]] = {
    "40001": WriteConflictError,  # serialization failure
    "40P01": WriteConflictError,  # deadlock
    "55P03": StoreUnavailableError,  # another session kept a lock for too long
    "57014": QueryTimeoutError,  # statement_timeout
    "23505": DuplicateError,
    "23503": GuardError,  # foreign key
    "23001": GuardError,  # foreign key that restricts
    "22P05": InvariantError,  # a character that the database's encoding has not
    "53100": StoreFullError,
    "XX001": DamagedStoreError,
    "XX002": DamagedStoreError,
}

_CLASSES: dict[str, type[StoreError]] = {
    "08": StoreUnavailableError,
    "23": InvariantError,
    "53": StoreUnavailableError,
    "57": StoreUnavailableError,
    "58": StoreUnavailableError,
}
"""By the first two characters of SQLSTATE. What is not here is a fault of the query."""

_ENDED = {"57P01", "57P02", "57P05", "25P03", "25P04"}
"""The server's last words to a session: ended by hand, by a crash of another, or because it took too long."""

_ADVICE = re.compile(r"\s*Is the server running [^?]*\?")
"""What libpq asks the reader when no server listens."""

_TELLS_VALUES = "22"
"""The class whose messages quote the values that do not fit."""


@contextmanager
def as_store_errors(connection: psycopg.Connection[DictRow], name: str) -> Generator[None]:
    """Raise what psycopg raises as a StoreError that names the store."""
    try:
        yield
    except psycopg.Error as error:
        raise as_store_error(error, connection, name) from error


def unavailable_error(error: psycopg.Error, name: str) -> StoreUnavailableError:
    """The error of a connection that could not be opened."""
    told = _ADVICE.sub("", str(error))
    return StoreUnavailableError(f"{name} does not answer: {_in_one_line(told)}.")


def as_store_error(error: psycopg.Error, connection: psycopg.Connection[DictRow], name: str) -> StoreError:
    """The port's error for one of psycopg's. A connection that is of no more use is closed."""
    code = error.sqlstate or ""
    if _is_lost(error, connection):
        connection.close()
        return ConnectionLostError(f"{name} ended the connection: {_server_message(error)}.")
    kind = _KINDS.get(code) or _CLASSES.get(code[:2], QueryError)
    advice = "Restore a backup: docs/postgresql.md says how." if kind is DamagedStoreError else ""
    return kind(f"{name}: {_server_message(error)}.", next_step=advice)


def _is_lost(error: psycopg.Error, connection: psycopg.Connection[DictRow]) -> bool:
    """Whether nothing more can be asked on the connection, also where psycopg has not seen its end yet.

    An OperationalError without a code is libpq's own: it speaks of the connection. A server that ends the session
    between two answers of a pipeline gives "cannot exit pipeline mode while busy".
    """
    is_of_the_connection = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    return connection.closed or is_of_the_connection or error.sqlstate in _ENDED


def _server_message(error: psycopg.Error) -> str:
    """The server's own words, without the values that stand in them."""
    code = error.sqlstate or ""
    if code.startswith(_TELLS_VALUES):
        return f"a value does not suit the query ({type(error).__name__})"
    return _in_one_line(error.diag.message_primary or str(error))


def _in_one_line(text: str) -> str:
    return " ".join(text.split()).removesuffix(".")
