"""Hears what the processes of a record announce, on a connection of its own (LISTEN, NOTIFY)."""

import select
import socket
import threading
from collections.abc import Callable
from typing import Final

import psycopg

from aeon.adapters.store.postgresql.connection import Connection
from aeon.platform.store import StoreUnavailableError

CHANNEL: Final = "aeon"
"""One channel for all records of a database: subjects are ids, and an unknown one is not looked at."""

_RETRY_SECONDS: Final = 1.0


class Listener:
    """Calls each hearer with each subject; connects when the first one comes, and again after the server was away."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._hearers: list[Callable[[str], None]] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waking: socket.socket | None = None
        self._is_closed = threading.Event()

    def add(self, hear: Callable[[str], None]) -> None:
        """Call `hear` as soon as there is a connection; does not wait for it."""
        with self._lock:
            self._hearers.append(hear)
            if self._thread is not None or self._is_closed.is_set():
                return
            self._waking, woken = socket.socketpair()
            self._thread = threading.Thread(target=self._run, args=(woken,), name="aeon-listener", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread and its connection. Calling it again does nothing."""
        with self._lock:
            if self._is_closed.is_set():
                return
            self._is_closed.set()
            if self._waking is not None:
                self._waking.close()  # which the thread sees
        if self._thread is not None:
            self._thread.join()

    def _run(self, woken: socket.socket) -> None:
        with woken:
            while not self._is_closed.is_set():
                try:
                    with self._connect() as connection:
                        connection.execute(f"LISTEN {CHANNEL}".encode())
                        self._hear(connection, woken)
                except (StoreUnavailableError, psycopg.Error):
                    self._is_closed.wait(_RETRY_SECONDS)

    def _hear(self, connection: Connection, woken: socket.socket) -> None:
        """Pass on what is announced until the listener is closed. Raises psycopg.Error if the connection is lost."""
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        poll.register(woken, select.POLLIN)
        server = connection.pgconn
        while not self._is_closed.is_set():
            while (announced := server.notifies()) is not None:
                subject = announced.extra.decode(errors="replace")
                for hear in [*self._hearers]:
                    hear(subject)
            poll.poll()
            if not self._is_closed.is_set():
                server.consume_input()
