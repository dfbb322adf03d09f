"""The database of DBOS, set up to be fast, durable, and correct on all versions."""

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
    """DBOS's database, which can be closed before DBOS, so that DBOS writes nothing more.

    Otherwise DBOS would record an error for a workflow that its process stops, and never resume it.
    """

    def __init__(self, address: str, *, is_durable: bool = True) -> None:
        """`address` is `sqlite:///FILE`, or a URL of Postgres.

        Commits survive a power cut (platform 42). With `is_durable` false, a power cut may lose the last commits, and
        nothing else: SQLite does not sync, and Postgres follows its own settings.
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
        """Refuse all reads and writes from now on; a connection in use is closed when it is returned."""
        self._is_open = False

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _refuse_when_closed(self, *_connection: object) -> None:
        if not self._is_open:
            raise HaltError("The engine is closed.")

    def _invalidate_when_closed(self, _connection: object, record: "ConnectionPoolEntry") -> None:
        if not self._is_open:
            record.invalidate()


def create_table(engine: "Engine", table: "Table") -> None:
    """Create a table of Aeon's unless it exists. Concurrent calls are safe."""
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
    """Convert operational errors, such as a full disk, to EngineUnavailableError."""
    from sqlalchemy.exc import OperationalError

    try:
        yield
    except OperationalError as away:
        why = str(away.orig).partition("\n")[0].rstrip(".")  # after it Postgres asks whether its server runs
        raise EngineUnavailableError(
            f"The database of the runs is unavailable: {why}.",
            next_step="Free some space on its disk, or start its server. Accepted runs continue after that.",
        ) from None


def _prepare_sqlite(connection: Any, _record: object) -> None:  # a connection of whichever driver
    """Set up WAL and serialized writers, which wait for each other instead of failing."""
    connection.isolation_level = "IMMEDIATE"
    for pragma in ("busy_timeout=30000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    retry_while_locked(
        lambda: connection.execute("PRAGMA journal_mode=WAL")
    )  # the first of several processes changes the file
    connection.create_function("unixepoch", -1, _unixepoch)


def _set_full_sync(connection: Any, _record: object) -> None:  # as above
    """Sync each commit to the disk before it returns."""
    connection.execute("PRAGMA synchronous=FULL")


def _set_relaxed_sync(connection: Any, _record: object) -> None:  # as above
    """Let commits survive a killed process; a power cut may lose the last ones."""
    connection.execute("PRAGMA synchronous=NORMAL")


def _set_synchronous_commit(connection: Any, _record: object) -> None:  # as above
    """Make Postgres sync before it acknowledges a commit; stronger settings stay."""
    connection.execute(_WAIT_FOR_SYNC)
    connection.commit()


def _unixepoch(*_modifiers: object) -> float:
    """Return the time with fractions, which SQLite before 3.42 lacks and DBOS requires."""
    return time.time()
