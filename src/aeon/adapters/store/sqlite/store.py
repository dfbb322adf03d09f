"""The record in a SQLite file: WAL, one writer at a time, synced at every commit."""

import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

from aeon.adapters.store.parameters import bind_parameters
from aeon.adapters.store.sqlite.connection import connect
from aeon.adapters.store.sqlite.errors import SQLITE_ERRORS, as_commit_errors, as_store_error, as_store_errors
from aeon.adapters.store.sqlite.record_lock import RecordLock
from aeon.adapters.store.sqlite.write_queue import WriteQueue
from aeon.base.json import JsonObject
from aeon.base.sqlite_locks import MAX_WAIT_SECONDS, retry_while_locked, sleep_with_jitter
from aeon.platform.store import (
    Dialect,
    DialectQuery,
    Params,
    Query,
    QueryError,
    Row,
    StoreUnavailableError,
    UnitOfWork,
)

T = TypeVar("T")

_MAX_IDLE = 8
"""The number of unused connections that stay open."""

_PROGRESS_INSTRUCTIONS = 10_000
"""The number of SQLite's virtual machine instructions between two checks of a query's timeout."""


class SqliteStore:
    """A `Store` in one file. Each calling thread has its own connection during a call."""

    def __init__(self, path: Path, held: RecordLock | None = None, *, is_durable: bool = True) -> None:
        """`path` is a checked file of this version. `held` is a record's lock, which `close` releases.

        With `is_durable` false, a power cut may lose the last commits.
        """
        self._path = path
        self._is_durable = is_durable
        self._record_lock = held
        self._queue = WriteQueue(path) if held else None
        self._idle: list[sqlite3.Connection] = []
        self._in_use = 0
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._is_closed = False

    @property
    def name(self) -> str:
        return f"SQLite in {self._path}"

    @property
    def dialect(self) -> Dialect:
        return "sqlite"

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def read(self, query: Query, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        bound = bind_parameters(params)
        connection = self._acquire()
        try:
            if timeout is None:
                return retry_while_locked(lambda: _rows(connection, query, bound))
            with _with_timeout(connection, timeout):
                return retry_while_locked(lambda: _rows(connection, query, bound))
        except SQLITE_ERRORS as error:
            raise as_store_error(error, self._path) from error
        finally:
            self._release(connection)

    def view(self, work: Callable[[UnitOfWork], T]) -> T:
        with self._connection() as connection:
            return SqliteUnit(connection, self._path).run(work, begin="BEGIN")

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        with self._writing, self._connection() as connection:
            if self._record_lock is not None:
                self._record_lock.check()
            with self._queue.turn() if self._queue else nullcontext():
                return SqliteUnit(connection, self._path).run(work, begin="BEGIN IMMEDIATE")

    def compact(self, tables: Sequence[str]) -> bool:  # noqa: ARG002  # all tables are in one file
        with self._writing, self._connection() as connection, as_store_errors(self._path):
            if self._record_lock is not None:
                self._record_lock.check()
            retry_while_locked(lambda: connection.execute("VACUUM"))
            _empty_wal(connection, self._path)
        return True

    def listen(self, hear: Callable[[str], None]) -> None:
        """Does nothing: SQLite does not tell one process what another one has written."""

    def explain(self, query: Query, params: Params | None = None) -> str:
        rows = self.read(f"EXPLAIN QUERY PLAN {_text(query)}", params)
        return "\n".join(str(row["detail"]) for row in rows)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._close_idle()

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        connection = self._acquire()
        try:
            yield connection
        finally:
            self._release(connection)

    def _acquire(self) -> sqlite3.Connection:
        with self._lock:
            if self._is_closed:
                raise QueryError(f"{self.name} is closed.")
            self._in_use += 1
            if self._idle:
                return self._idle.pop()
        try:
            with as_store_errors(self._path):
                return retry_while_locked(self._connect)
        except BaseException:
            self._release(None)
            raise

    def _connect(self) -> sqlite3.Connection:
        return connect(self._path, is_durable=self._is_durable)

    def _release(self, connection: sqlite3.Connection | None) -> None:
        with self._lock:
            is_kept = connection is not None and self._is_reusable(connection)
            if connection is not None and is_kept:
                self._idle.append(connection)
        if connection is not None and not is_kept:
            connection.close()
        with self._lock:
            self._in_use -= 1
            if self._is_closed:
                self._close_idle()

    def _is_reusable(self, connection: sqlite3.Connection) -> bool:
        """Whether a connection may be kept for the next caller. The lock is held."""
        return not connection.in_transaction and len(self._idle) < _MAX_IDLE

    def _close_idle(self) -> None:
        """Closes the unused connections, and releases the lock with the last one."""
        while self._idle:
            self._idle.pop().close()
        if self._record_lock is not None and not self._in_use:
            self._record_lock.release()


class SqliteUnit:
    """A `UnitOfWork` on a connection, in one transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def run(self, work: Callable[[UnitOfWork], T], *, begin: str) -> T:
        """Returns the result of `work` in a transaction: committed, or rolled back on errors."""
        connection = self._connection
        with as_store_errors(self._path):
            retry_while_locked(lambda: connection.execute(begin))
        try:
            result = work(self)
            with as_store_errors(self._path), as_commit_errors(self._path):
                retry_while_locked(lambda: connection.execute("COMMIT"))
        except BaseException:
            if connection.in_transaction:
                with suppress(sqlite3.Error):  # the original error is more useful
                    connection.execute("ROLLBACK")
            raise
        return result

    def read(self, query: Query, params: Params | None = None) -> list[Row]:
        bound = bind_parameters(params)
        return self._execute(lambda: retry_while_locked(lambda: _rows(self._connection, query, bound)))

    def write(self, query: Query, params: Params | None = None) -> int:
        bound = bind_parameters(params)
        return self._execute(lambda: self._connection.execute(_text(query), bound).rowcount)

    def write_each(self, query: Query, rows: Iterable[Params]) -> None:
        bound = [bind_parameters(row) for row in rows]
        self._execute(lambda: self._connection.executemany(_text(query), bound))

    def announce(self, subject: str) -> None:
        """Does nothing: nobody can listen."""

    def _execute(self, statement: Callable[[], T]) -> T:
        """Refuses statements after a rollback: they would be committed separately."""
        if not self._connection.in_transaction:
            raise QueryError("The unit of work was rolled back after a failure; it accepts no more queries.")
        try:
            return statement()
        except SQLITE_ERRORS as error:
            raise as_store_error(error, self._path) from error


def _empty_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Moves the whole write-ahead log to the file and truncates it. Raises StoreUnavailableError while it is read."""
    end = time.monotonic() + MAX_WAIT_SECONDS
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() > end:
            raise StoreUnavailableError(
                f"{path} is being read, so its write-ahead log cannot be emptied.",
                next_step="Let the other programs that read it end, and try again.",
            )
        sleep_with_jitter()


def _text(query: Query) -> str:
    return query.sqlite if isinstance(query, DialectQuery) else query


def _rows(connection: sqlite3.Connection, query: Query, bound: JsonObject) -> list[Row]:
    cursor = connection.execute(_text(query), bound)
    try:
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor]
    finally:
        cursor.close()


@contextmanager
def _with_timeout(connection: sqlite3.Connection, timeout: float) -> Generator[None]:
    """Interrupts a query that takes longer than `timeout` seconds."""
    end = time.monotonic() + timeout
    connection.set_progress_handler(lambda: time.monotonic() > end, _PROGRESS_INSTRUCTIONS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
