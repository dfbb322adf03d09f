"""The database of DBOS, opened as it must be to be fast, durable, and right on every SQLite and Python."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aeon.base.sqlite_locks import retry_while_locked
from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.ports import EngineUnavailableError

if TYPE_CHECKING:
    from sqlalchemy import Engine, Table
    from sqlalchemy.pool import ConnectionPoolEntry

SQLITE = "sqlite:///"

_WAIT_FOR_SYNC = """
SELECT set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)
"""


class Database:
    """DBOS's database, which can be closed before DBOS itself: nothing that it still wants to write then is written.

    DBOS writes an error for a workflow that its process stops, and would never go on with it.
    """

    def __init__(self, address: str, *, is_durable: bool = True) -> None:
        """`address` is `sqlite:///FILE`, or a URL of Postgres.

        What is committed survives a power cut (platform 42). Where it is not to be durable, a power cut may take what was
        committed last, and nothing else: SQLite does not sync, and Postgres does what its own settings say.
        """
        from sqlalchemy import create_engine
        from sqlalchemy.event import listen

        self._is_open = True
        if address.startswith(SQLITE):
            self.engine: Engine = create_engine(address)
            listen(self.engine, "connect", _prepare_sqlite)
            listen(self.engine, "connect", _set_full_sync if is_durable else _set_relaxed_sync)
        else:
            self.engine = create_engine(address.replace("postgresql://", "postgresql+psycopg://", 1))
            if is_durable:
                listen(self.engine, "connect", _set_synchronous_commit)
        listen(self.engine, "checkout", self._refuse_when_closed)
        listen(self.engine, "checkin", self._invalidate_when_closed)

    def close(self) -> None:
        """From now on nothing is read or written; a connection that is in use is closed as soon as it comes back."""
        self._is_open = False

    def dispose(self) -> None:
        """Give the connections back."""
        self.engine.dispose()

    def _refuse_when_closed(self, *_connection: object) -> None:
        if not self._is_open:
            raise HaltError("The engine is closed.")

    def _invalidate_when_closed(self, _connection: object, record: "ConnectionPoolEntry") -> None:
        if not self._is_open:
            record.invalidate()


def create_table(engine: "Engine", table: "Table") -> None:
    """Make a table of ours, unless it is there. Whoever else makes it at the same moment does no harm."""
    from sqlalchemy.exc import IntegrityError, ProgrammingError
    from sqlalchemy.schema import CreateTable

    try:
        with engine.begin() as connection:
            connection.execute(CreateTable(table, if_not_exists=True))
    except (IntegrityError, ProgrammingError):  # Postgres: two at once
        with engine.begin() as connection:
            connection.execute(CreateTable(table, if_not_exists=True))


@contextmanager
def as_unavailable_errors() -> Generator[None]:
    """What the database cannot do for now is EngineUnavailableError: its disk is full, or its server away."""
    from sqlalchemy.exc import OperationalError

    try:
        yield
    except OperationalError as away:
        why = str(away.orig).partition("\n")[0].rstrip(".")  # then Postgres asks whether its server runs
        raise EngineUnavailableError(
            f"The database of the runs takes nothing: {why}.",
            next_step="Free some space on its disk, or start its server. What was accepted goes on after that.",
        ) from None


def _prepare_sqlite(connection: Any, _record: object) -> None:  # a connection of whichever driver
    """WAL, writers one after another, waiting for each other instead of failing."""
    connection.isolation_level = "IMMEDIATE"
    for pragma in ("busy_timeout=30000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    retry_while_locked(
        lambda: connection.execute("PRAGMA journal_mode=WAL")
    )  # the first of several processes changes the file
    connection.create_function("unixepoch", -1, _unixepoch)


def _set_full_sync(connection: Any, _record: object) -> None:  # as above
    """Each commit is on the disk before it returns."""
    connection.execute("PRAGMA synchronous=FULL")


def _set_relaxed_sync(connection: Any, _record: object) -> None:  # as above
    """A commit survives the process being killed; of a power cut it may lose the last ones."""
    connection.execute("PRAGMA synchronous=NORMAL")


def _set_synchronous_commit(connection: Any, _record: object) -> None:  # as above
    """A server or role that is set to acknowledge before it syncs does not here; stronger settings stay."""
    connection.execute(_WAIT_FOR_SYNC)
    connection.commit()


def _unixepoch(*_modifiers: object) -> float:
    """SQLite before 3.42 knows no parts of seconds, and DBOS asks for them: it would not start, or count wrongly."""
    return time.time()
