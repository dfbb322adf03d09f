"""The connection pool of a store, shared by its threads."""

import random
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from aeon.adapters.store.postgresql.connection import Connection, is_alive, roll_back_open
from aeon.platform.store import QueryError, StoreUnavailableError

SIZE = 10
"""The maximum number of connections of a process."""

_WAIT_SECONDS = 30.0
"""Seconds that a thread waits for a connection while all are in use."""

_MIN_PAUSE, _MAX_PAUSE = 0.05, 0.25
"""The range of the random seconds between two attempts to reach the server, so that clients do not retry at once."""


class ConnectionPool:
    """Up to SIZE connections, each used by one thread at a time.

    psycopg's own pool is not used (decision 2): it pauses 1, 2, 4 ... seconds for each idle connection that a restart
    broke, and does not report why no connection is available.
    """

    def __init__(self, connect: Callable[[], Connection], name: str) -> None:
        self._connect = connect
        self._name = name
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(SIZE)
        self._is_closed = False

    @contextmanager
    def connection(self, until: float) -> Generator[Connection]:
        """Yields an open connection.

        Retries an unavailable server until that monotonic time, at least once. Raises StoreUnavailableError, and
        QueryError if the pool is closed.
        """
        if not self._free.acquire(timeout=_WAIT_SECONDS):
            raise StoreUnavailableError(f"All {SIZE} connections to {self._name} are in use.")
        try:
            connection = self._acquire(until)
            try:
                yield connection
            finally:
                self._release(connection)
        finally:
            self._free.release()

    def add(self, connection: Connection) -> None:
        """Adds an idle connection for the next thread that needs one."""
        with self._lock:
            if not self._is_closed:
                self._idle.append(connection)
                return
        connection.close()

    def discard_idle(self) -> None:
        """Closes all idle connections, because one of them was broken."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Closes all connections; those in use close when they are released.

        Calling it again does nothing.
        """
        self._is_closed = True
        self.discard_idle()

    def _acquire(self, until: float) -> Connection:
        while True:
            if (idle := self._idle_connection()) is not None:
                return idle
            try:
                return self._connect()
            except StoreUnavailableError:
                if time.monotonic() > until:
                    raise
            time.sleep(random.uniform(_MIN_PAUSE, _MAX_PAUSE))  # noqa: S311  # jitter, not a secret

    def _idle_connection(self) -> Connection | None:
        """Returns an idle connection that is still open, if any."""
        while True:
            with self._lock:
                if self._is_closed:
                    raise QueryError(f"{self._name} is closed.")
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if is_alive(connection):
                return connection
            connection.close()

    def _release(self, connection: Connection) -> None:
        roll_back_open(connection)
        if not connection.closed:
            self.add(connection)
