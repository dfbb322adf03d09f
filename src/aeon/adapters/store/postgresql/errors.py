"""Translates errors of PostgreSQL to errors of the port.

Their texts contain no values and no password.
"""

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
    """Other units of work repeatedly wrote to the same rows; nothing was written."""

    next_step = "Try again; the data are safe."


class ConnectionLostError(StoreUnavailableError):
    """The connection to PostgreSQL broke; nothing was written."""


_KINDS: dict[str, type[StoreError]] = {
    "40001": WriteConflictError,  # serialization failure
    "40P01": WriteConflictError,  # deadlock
    "55P03": StoreUnavailableError,  # another session held a lock for too long
    "57014": QueryTimeoutError,  # statement_timeout
    "23505": DuplicateError,
    "23503": GuardError,  # foreign key
    "23001": GuardError,  # foreign key that restricts
    "22P05": InvariantError,  # a character missing in the database's encoding
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
"""By the first two characters of SQLSTATE. All other codes are faults of the query."""

_SESSION_ENDED = {"57P01", "57P02", "57P05", "25P03", "25P04"}
"""The codes of a session's end: by an administrator, by a crash of another session, or by a timeout."""

_ADVICE = re.compile(r"\s*Is the server running [^?]*\?")
"""The question that libpq adds if no server listens."""

_REFUSAL = "FATAL:"
"""The severity in the message of a server that answers, and refuses the connection."""

_CORRECT_LOGIN = (
    "Check the user in the address and the password: the setting `password_env` beside the address names its variable."
)

_NOT_OWNER = "Connect as the owner of the schema, or let the owner grant this user its rights: see docs/postgresql.md."
_ADVICE_OF = {"42501": _NOT_OWNER, "3F000": _NOT_OWNER}
"""What to do, by SQLSTATE: of a lacking permission, and of a schema that this user may not see."""

_QUOTES_VALUES = "22"
"""The error class whose messages quote the invalid values."""


@contextmanager
def as_store_errors(connection: psycopg.Connection[DictRow], name: str) -> Generator[None]:
    """Raises psycopg's errors as a StoreError that names the store."""
    try:
        yield
    except psycopg.Error as error:
        raise as_store_error(error, connection, name) from error


def unavailable_error(error: psycopg.Error, name: str) -> StoreUnavailableError:
    """Returns the error for a connection that could not be opened."""
    message = _in_one_line(_ADVICE.sub("", str(error)))
    if _REFUSAL not in message:
        return StoreUnavailableError(f"{name} does not answer: {message}.")
    advice = _CORRECT_LOGIN if _asks_for_password(error) else ""
    return StoreUnavailableError(f"{name} refused the connection: {message}.", next_step=advice)


def _asks_for_password(error: psycopg.Error) -> bool:
    """Returns whether the server asked for a password, and so refused the one that it got, or that none came."""
    return error.pgconn is not None and (error.pgconn.used_password or error.pgconn.needs_password)


def as_store_error(error: psycopg.Error, connection: psycopg.Connection[DictRow], name: str) -> StoreError:
    """Returns the port's error for psycopg's. Closes an unusable connection."""
    code = error.sqlstate or ""
    if _is_lost(error, connection):
        connection.close()
        return ConnectionLostError(f"{name} ended the connection: {server_message(error)}.")
    kind = _KINDS.get(code) or _CLASSES.get(code[:2], QueryError)
    advice = "Restore a backup: see docs/postgresql.md." if kind is DamagedStoreError else _ADVICE_OF.get(code, "")
    return kind(f"{name}: {server_message(error)}.", next_step=advice)


def _is_lost(error: psycopg.Error, connection: psycopg.Connection[DictRow]) -> bool:
    """Returns whether the connection is unusable, even if psycopg has not noticed its end yet.

    An OperationalError without a code comes from libpq, and concerns the connection. A server that ends the session
    between two answers of a pipeline gives "cannot exit pipeline mode while busy".
    """
    concerns_connection = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    return connection.closed or concerns_connection or error.sqlstate in _SESSION_ENDED


def server_message(error: psycopg.Error) -> str:
    """Returns the server's message without the values in it."""
    code = error.sqlstate or ""
    if code.startswith(_QUOTES_VALUES):
        return f"a value does not fit the query ({type(error).__name__})"
    return _in_one_line(error.diag.message_primary or str(error))


def _in_one_line(text: str) -> str:
    return " ".join(text.split()).removesuffix(".")
