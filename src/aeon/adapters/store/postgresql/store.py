"""The record in a PostgreSQL schema: units of work at READ COMMITTED, with retries."""

import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import psycopg

from aeon.adapters.store.parameters import bind_parameters
from aeon.adapters.store.postgresql.connection import Connection, consume_input
from aeon.adapters.store.postgresql.dialect import statement_of
from aeon.adapters.store.postgresql.errors import (
    ConnectionLostError,
    WriteConflictError,
    as_store_error,
    as_store_errors,
)
from aeon.adapters.store.postgresql.listener import CHANNEL, Listener
from aeon.adapters.store.postgresql.pool import ConnectionPool
from aeon.base.json import Json
from aeon.platform.store import (
    Dialect,
    DialectQuery,
    Params,
    Query,
    QueryError,
    Row,
    StoreError,
    StoreUnavailableError,
    UnitOfWork,
)

T = TypeVar("T")

_RETRY_SECONDS = 10.0
"""Seconds during which work is retried after a conflict or a lost connection."""

_MIN_PAUSE, _MAX_PAUSE = 0.001, 0.05
"""The range of the random seconds between two attempts."""

_BEGIN_UPDATE = b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

_BEGIN_VIEW = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0"
"""The caller may pass on the rows slowly; the transaction holds no locks."""

_BEGIN_READ = b"BEGIN READ ONLY"

_OTHERS_TABLES = """
SELECT c.relname AS name FROM pg_class AS c
WHERE c.relname IN (SELECT value FROM json_each(:tables)) AND c.relnamespace = CAST(current_schema() AS regnamespace)
  AND NOT pg_has_role(c.relowner, 'USAGE')
"""
"""The server only warns, and does nothing, where somebody else's table is to be rewritten."""

_ANNOUNCE = f"SELECT pg_notify('{CHANNEL}', :subject)"

_MANY_ROWS = 500
"""From this number on, foreign keys are planned again: one made for a small table reads all its rows each time."""

_BY_KEY = b"DISCARD PLANS; SET LOCAL enable_seqscan = off"
"""What a foreign key names is found by an index, even if the server believes the table to be nearly empty."""

_SET_TIMEOUT = "SELECT set_config('statement_timeout', CAST(:milliseconds AS text), true)"


class PostgresStore:
    """A `Store` on a PostgreSQL server."""

    def __init__(self, pool: ConnectionPool, name: str, listener: Listener) -> None:
        """`pool` connects to a schema that is a checked record of this version."""
        self._pool = pool
        self._listener = listener
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def dialect(self) -> Dialect:
        return "postgresql"

    def read(self, query: Query, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        if timeout is None:
            return self._retry(lambda connection: PostgresUnit(connection, self._name).read(query, params))
        return self._retry(lambda connection: self._read_with_timeout(timeout, connection, query, params))

    def view(self, work: Callable[[UnitOfWork], T]) -> T:
        return self._retry(lambda connection: self._view(connection, work))

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        return self._retry(lambda connection: self._update(connection, work))

    def compact(self, tables: Sequence[str]) -> bool:
        if self.read(_OTHERS_TABLES, {"tables": list[Json](tables)}):
            return False
        self._retry(lambda connection: self._compact(connection, tables))
        return True

    def explain(self, query: Query, params: Params | None = None) -> str:
        text = query.postgresql if isinstance(query, DialectQuery) else query
        return "\n".join(row["QUERY PLAN"] for row in self.read(f"EXPLAIN {text}", params))

    def listen(self, hear: Callable[[str], None]) -> None:
        self._listener.add(hear)

    def close(self) -> None:
        self._listener.close()
        self._pool.close()

    def _retry(self, act: Callable[[Connection], T]) -> T:
        """Returns the result of `act`, retried after conflicts and lost connections.

        It is not retried if the connection was lost during a commit.
        """
        end = time.monotonic() + _RETRY_SECONDS
        while True:
            try:
                with self._pool.connection(end) as connection:
                    return act(connection)
            except (WriteConflictError, ConnectionLostError) as error:
                if isinstance(error, ConnectionLostError):
                    self._pool.discard_idle()
                if time.monotonic() > end:
                    raise
            time.sleep(random.uniform(_MIN_PAUSE, _MAX_PAUSE))  # noqa: S311  # jitter, not a secret

    def _read_with_timeout(
        self, timeout: float, connection: Connection, query: Query, params: Params | None
    ) -> list[Row]:
        self._begin(connection, _BEGIN_READ)
        unit = PostgresUnit(connection, self._name)
        unit.read(_SET_TIMEOUT, {"milliseconds": max(1, math.ceil(timeout * 1000))})
        return unit.read(query, params)

    def _view(self, connection: Connection, work: Callable[[UnitOfWork], T]) -> T:
        """Returns the result of `work`.

        It is not retried, since it may already have passed on what it read.
        """
        self._begin(connection, _BEGIN_VIEW)
        unit = PostgresUnit(connection, self._name)
        try:
            return work(unit)
        except (WriteConflictError, ConnectionLostError) as error:
            raise StoreUnavailableError(error.message) from error

    def _update(self, connection: Connection, work: Callable[[UnitOfWork], T]) -> T:
        self._begin(connection, _BEGIN_UPDATE)
        unit = PostgresUnit(connection, self._name)
        result = work(unit)
        unit.commit()
        return result

    def _compact(self, connection: Connection, tables: Sequence[str]) -> None:
        """Writes each table into a new file; the server removes the old one."""
        with as_store_errors(connection, self._name):
            for table in tables:
                connection.execute(f'VACUUM (FULL) "{table}"'.encode())

    def _begin(self, connection: Connection, statement: bytes) -> None:
        try:
            with as_store_errors(connection, self._name):
                connection.execute(statement)
        except QueryError as error:  # the server, which was the primary, is now a standby
            connection.close()
            raise ConnectionLostError(error.message) from error


class PostgresUnit:
    """A `UnitOfWork` on a connection.

    It refuses work after an error: PostgreSQL has aborted the transaction.
    """

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._name = name
        self._failure: StoreError | None = None

    def read(self, query: Query, params: Params | None = None) -> list[Row]:
        self._execute(query, params)
        return self._cursor.fetchall() if self._cursor.description else []

    def write(self, query: Query, params: Params | None = None) -> int:
        self._execute(query, params)
        return self._cursor.rowcount

    def write_each(self, query: Query, rows: Iterable[Params]) -> None:
        statement = statement_of(query)
        values = [statement.values(bind_parameters(row)) for row in rows]
        if len(values) >= _MANY_ROWS:
            self._guard(lambda: self._cursor.execute(_BY_KEY))
        self._guard(lambda: self._cursor.executemany(statement.text, values))

    def announce(self, subject: str) -> None:
        self._execute(_ANNOUNCE, {"subject": subject})

    def commit(self) -> None:
        """Commits.

        Raises the error of an earlier query, since PostgreSQL has rolled back the transaction. ConnectionLostError
        means that no commit was sent; `may_have_happened` that its response was lost.
        """
        if self._failure is not None:
            raise self._failure
        with as_store_errors(self._connection, self._name):
            consume_input(self._connection)
        try:
            with as_store_errors(self._connection, self._name):
                self._connection.execute(b"COMMIT")
        except ConnectionLostError as error:
            message = f"The connection to {self._name} was lost during a commit."
            raise StoreUnavailableError(message, may_have_happened=True) from error

    def _execute(self, query: Query, params: Params | None) -> None:
        statement = statement_of(query)
        values = statement.values(bind_parameters(params))
        self._guard(lambda: self._cursor.execute(statement.text, values))

    def _guard(self, act: Callable[[], object]) -> None:
        """Runs `act`, and raises and remembers the first error of the server."""
        try:
            act()
        except psycopg.Error as error:
            failure = as_store_error(error, self._connection, self._name)
            self._failure = self._failure or failure
            raise failure from error
