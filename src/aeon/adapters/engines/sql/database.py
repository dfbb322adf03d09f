"""The engine's database: a SQLite file or a schema of PostgreSQL, which can be closed before the engine."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

from aeon.adapters.engines.retry import OutageLog, pauses
from aeon.adapters.engines.sql import queries
from aeon.base.errors import ConfigError
from aeon.base.next_steps import NextStep
from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.store import (
    DamagedStoreError,
    Params,
    Query,
    QueryError,
    Row,
    Store,
    StoreUnavailableError,
    UnitOfWork,
)

T = TypeVar("T")

SQLITE: Final = "sqlite:///"

_TABLES_OF_RESULTS: Final = ("attempts", "jobs")


class RunDatabase:
    """The database of the engine. Thread-safe. Once it is closed, every method raises HaltError.

    Methods raise EngineUnavailableError while it cannot be read or written.
    """

    def __init__(self, address: str, password: str | None = None, *, is_durable: bool = True) -> None:
        """Open or create the database at `address`: `sqlite:///FILE`, or a URL of PostgreSQL.

        Commits survive a power cut (platform 42). With `is_durable` false, a power cut may lose the last commits, and
        nothing else. Raises ConfigError for an invalid address, a damaged file, and tables of another version or that
        cannot be created, MissingExtraError, EngineUnavailableError.
        """
        self._closed = threading.Event()
        self._outages = OutageLog()
        try:
            self._store = _open_store(address, password, is_durable=is_durable)
        except StoreUnavailableError as away:
            raise _unavailable(away) from None
        except DamagedStoreError as damaged:
            raise ConfigError(
                damaged.message,
                next_step=NextStep("runs.adopt", first="Move the file away, and"),
            ) from None
        try:
            self._create_tables()
        except BaseException:
            self.close()
            raise

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a SQLite file, which has one writer at a time."""
        return self._store.dialect == "sqlite"

    @property
    def name(self) -> str:
        """The kind of database and its location, without credentials."""
        return self._store.name

    @property
    def id(self) -> str:
        """The database's own id, which never changes."""
        return self._meta("database")

    def claim(self, record: str) -> None:
        """Claim the database for the runs of a record; the first claim is permanent.

        Workers drop jobs of unknown runs, so two records never share a database. Raises ConfigError if it holds the
        runs of another record.
        """
        self.update(lambda unit: unit.write(queries.SET_META, {"key": "record", "value": record}))
        owner = self._meta("record")
        if owner != record:
            raise ConfigError(
                f"engine.address: the database holds the runs of another record ({owner}), and yours is {record}.",
                next_step="Give each record a database of its own: CREATE DATABASE, and name that one in "
                "engine.address.",
            )

    def transfer(self, record: str, to: str) -> None:
        """Give the database from the record that claimed it to the record into which that one was copied."""
        self.update(lambda unit: unit.write(queries.TRANSFER, {"record": record, "to": to}))

    def forget_executions(self) -> None:
        """Forget which executions own runs, and what is queued: the record was restored, and does not know them.

        No process may execute runs. The results of attempts stay.
        """
        self.update(lambda unit: [unit.write(query) for query in queries.FORGET_EXECUTIONS])

    def read(self, query: Query, params: Params | None = None) -> list[Row]:
        """Return the rows of one reading query."""
        return self._guarded(lambda: self._store.read(query, params))

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        """Run `work` in one transaction, and return its result.

        The answer to a commit may be lost: `work` must have the same effect when it is repeated.
        """
        return self._guarded(lambda: self._store.update(work))

    def compact(self) -> None:
        """Rewrite the tables that hold results, so that nothing that was deleted is left in their files."""
        self._guarded(lambda: self._store.compact(_TABLES_OF_RESULTS))

    def until_available(self, act: Callable[[], T]) -> T:
        """Return the result of `act`, which is repeated while the database is unavailable. Blocks."""
        for pause in pauses():
            try:
                return act()
            except EngineUnavailableError as away:
                self._outages.warn(away.message)
            if self._closed.wait(pause):
                break
        raise _closed()

    def close(self) -> None:
        """Refuse all reads and writes from now on. Calling it again does nothing."""
        self._closed.set()
        self._store.close()

    def _guarded(self, act: Callable[[], T]) -> T:
        if self._closed.is_set():
            raise _closed()
        try:
            return act()
        except StoreUnavailableError as away:
            raise _unavailable(away) from None
        except QueryError:
            if self._closed.is_set():
                raise _closed() from None
            raise

    def _meta(self, key: str) -> str:
        (row,) = self.read(queries.GET_META, {"key": key})
        return row["value"]

    def _create_tables(self) -> None:
        if not self.read(queries.HAS_TABLES):
            if self.read(queries.HAS_EARLIER_TABLES):
                raise ConfigError(
                    f"{self.name} holds runs of an earlier development version, which this Aeon cannot read.",
                    next_step=NextStep(
                        "runs.adopt",
                        first="Let them end with that version. Then move the file away, or use an empty database, and",
                    ),
                )
            try:
                self.update(_create_tables)
            except QueryError as refused:
                raise ConfigError(
                    f"The tables of the runs cannot be created. {refused.message}",
                    next_step=f"Let an administrator run CREATE SCHEMA {queries.SCHEMA} AUTHORIZATION <user>.",
                ) from None
        if self._meta("version") != queries.VERSION:
            self.update(_upgrade)
        if (version := self._meta("version")) != queries.VERSION:
            raise ConfigError(
                f"{self.name} has version {version}; this Aeon knows {queries.VERSION}.",
                next_step="Use the newer Aeon.",
            )


def reach_server(address: str, password: str | None) -> str:
    """Connect to a PostgreSQL server, create nothing there, and return its name.

    Raises ConfigError for an invalid address, MissingExtraError, StoreUnavailableError.
    """
    with closing(_open_store(address, password, is_durable=True)) as store:
        return store.name


def _open_store(address: str, password: str | None, *, is_durable: bool) -> Store:
    if address.startswith(SQLITE):
        from aeon.adapters.store.sqlite.factory import open_plain_file

        return open_plain_file(Path(address.removeprefix(SQLITE)), is_durable=is_durable)
    from aeon.adapters.store.postgresql import open_schema, parse_address

    place = parse_address(address, section="engine", schema=queries.SCHEMA)
    return open_schema(place, password, is_durable=is_durable)


def _create_tables(unit: UnitOfWork) -> None:
    """Create the schema and the tables, unless another process was faster."""
    unit.read(queries.LOCK_TABLES)
    if unit.read(queries.HAS_TABLES):
        return
    if not unit.read(queries.HAS_SCHEMA):
        unit.write(queries.CREATE_SCHEMA)
    for table in queries.CREATE_TABLES:
        unit.write(table)
    for key, value in (("version", queries.VERSION), ("database", str(uuid4()))):
        unit.write(queries.SET_META, {"key": key, "value": value})


def _upgrade(unit: UnitOfWork) -> None:
    """Upgrade the tables from an earlier version, unless another process was faster."""
    unit.read(queries.LOCK_TABLES)
    for version, changes in (("1", queries.FROM_VERSION_1), ("2", queries.FROM_VERSION_2)):
        (row,) = unit.read(queries.GET_META, {"key": "version"})
        for change in changes if row["value"] == version else ():
            unit.write(change)


def _closed() -> HaltError:
    return HaltError("The engine is closed.")


def _unavailable(away: StoreUnavailableError) -> EngineUnavailableError:
    """Convert an outage, such as a full disk, to the error of the port."""
    return EngineUnavailableError(
        f"The database of the runs is unavailable: {away.message}",
        next_step="Free some space on its disk, or start its server. Accepted runs continue after that.",
    )
