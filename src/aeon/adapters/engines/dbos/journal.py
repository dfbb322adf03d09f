"""Stores results of attempts in a table beside those of DBOS (decision 28).

A result is stored once, before its run continues.
"""

import asyncio
import inspect
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Insert,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    Text,
    bindparam,
    delete,
    select,
    true,
)
from sqlalchemy.dialects import postgresql, sqlite

from aeon.adapters.engines.dbos.database import Database, as_unavailable_errors, create_table
from aeon.adapters.engines.dbos.queues import workflow_table
from aeon.adapters.engines.retry import OutageLog
from aeon.adapters.engines.run_host import AttemptFunction
from aeon.base.json import canonical_json, parse_strict
from aeon.base.long_calls import in_long_call
from aeon.platform.runs.claim_check import ResultStore, check_in, check_out
from aeon.platform.runs.lease import HaltError, LeaseLostError
from aeon.platform.runs.model import JobResult
from aeon.platform.runs.ports import EngineUnavailableError

T = TypeVar("T")

_ATTEMPTS: Final = Table(
    "aeon_attempts",
    MetaData(),
    Column("run", String, primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("done", Text, nullable=False),
)
_OF_RUN = _ATTEMPTS.c.run == bindparam("run")
_OF_ATTEMPT = _OF_RUN & (_ATTEMPTS.c.step == bindparam("step")) & (_ATTEMPTS.c.attempt == bindparam("attempt"))
_SELECT_COMPLETED = select(_ATTEMPTS.c.step, _ATTEMPTS.c.attempt).where(_OF_RUN)
_SELECT_RESULT = select(_ATTEMPTS.c.done).where(_OF_ATTEMPT)
_DELETE_RUN = delete(_ATTEMPTS).where(_OF_RUN)

_PENDING_STATUS: Final = "PENDING"

_MAX_SQLITE_WRITERS, _MAX_WRITERS = 1, 4
"""Concurrent writers of this process; SQLite makes concurrent writers wait by sleeping."""

_MIN_PAUSE, _MAX_PAUSE = 0.1, 5.0
"""Seconds between two attempts while the database is unavailable."""

AttemptKey = tuple[int, int]
"""A step's position, and the number of the attempt at it."""


_Row: TypeAlias = dict[str, str | int | None]


class _PendingAttempt(NamedTuple):
    """A result to store, and whether it was written."""

    row: _Row
    is_written: Future[bool]


class Journal:
    """The results of all attempts in one database. Thread-safe; all methods block.

    While the database is unavailable, reads and writes are retried, until it is closed: HaltError.
    """

    def __init__(self, database: Database, results: ResultStore) -> None:
        """Create the table if it does not exist. Large results are stored by reference."""
        self._engine = database.engine
        self._results = results
        is_sqlite = self._engine.dialect.name == "sqlite"
        self._write_slots = threading.BoundedSemaphore(_MAX_SQLITE_WRITERS if is_sqlite else _MAX_WRITERS)
        self._pending: list[_PendingAttempt] = []
        self._lock = threading.Lock()
        self._outages = OutageLog()
        workflows = workflow_table(self._engine)
        self._owner = _select_owner(workflows)
        self._insert_statement, self._insert_owned_statement = (
            _insert_attempt(self._engine),
            _insert_owned_attempt(self._engine, workflows),
        )
        create_table(self._engine, _ATTEMPTS)

    def completed_attempts(self, run: str) -> set[AttemptKey]:
        """Return all attempts of a run that are stored."""
        return {
            (row.step, row.attempt)
            for row in self._in_transaction(lambda c: c.execute(_SELECT_COMPLETED, {"run": run}).all())
        }

    def load(self, run: str, key: AttemptKey) -> JobResult:
        """Return the result of a stored attempt. Raises LostResultError."""
        return JobResult.parsed(parse_strict(check_out(self._results, self._text(run, key))))

    def owner_token(self, run: str, executor: str) -> str:
        """Return DBOS's token for that executor's execution of a run. Raises LeaseLostError."""
        params = {"run": run, "executor": executor}
        owner: str | None = self._in_transaction(lambda connection: connection.execute(self._owner, params).scalar())
        if owner is None:
            raise LeaseLostError(f"The run {run} is now executed by another executor.")
        return owner

    def save(self, run: str, key: AttemptKey, result: JobResult, owner: str | None = None) -> None:
        """Store the result of an attempt, if the execution with that token still owns the run.

        Without a token the first caller wins. Raises LeaseLostError if another executor owns the run, or stored a
        result.
        """
        text = check_in(self._results, canonical_json(result.as_dict()))
        pending = _PendingAttempt({**_params(run, key), "done": text, "owner": owner}, Future())
        with self._lock:
            self._pending.append(pending)
        with self._write_slots:
            self._write_pending()
        if not pending.is_written.result():
            self._require_same(run, key, text)

    def delete_runs(self, runs: Sequence[str]) -> None:
        """Delete all attempts of runs that have ended. Raises EngineUnavailableError."""
        if runs:
            with self._write_slots, as_unavailable_errors(), self._engine.begin() as connection:
                connection.execute(_DELETE_RUN, [{"run": run} for run in runs])

    def _write_pending(self) -> None:
        """Write all results that wait by now: they share a transaction and its sync (platform 42)."""
        with self._lock:
            waiting, self._pending = self._pending, []
        if waiting:
            self._write(waiting)

    def _write(self, rows: "list[_PendingAttempt]") -> None:
        """Write rows in one transaction; a row that cannot be written fails alone."""
        try:
            written = self._in_transaction(lambda connection: [self._insert(connection, each.row) for each in rows])
        except Exception as error:  # noqa: BLE001  # reported to the waiting callers
            if len(rows) == 1 or isinstance(error, HaltError):
                for each in rows:
                    each.is_written.set_exception(error)
            else:
                for each in rows:
                    self._write([each])
        else:
            for each, is_written in zip(rows, written, strict=True):
                each.is_written.set_result(is_written)

    def _insert(self, connection: Connection, row: "_Row") -> bool:
        """Insert a row; False if it exists, or if another executor owns the run."""
        insert = self._insert_statement if row["owner"] is None else self._insert_owned_statement
        return connection.execute(insert, row).rowcount == 1

    def _require_same(self, run: str, key: AttemptKey, text: str) -> None:
        """Raise LeaseLostError if another result is stored.

        An earlier call whose connection was lost may have stored this one.
        """
        stored = self._in_transaction(lambda connection: connection.execute(_SELECT_RESULT, _params(run, key)).scalar())
        if stored != text:
            step, attempt = key
            message = (
                f"The run {run} is now executed by another executor: step {step}, attempt {attempt} is not stored."
            )
            raise LeaseLostError(message)

    def _text(self, run: str, key: AttemptKey) -> str:
        return self._in_transaction(
            lambda connection: connection.execute(_SELECT_RESULT, _params(run, key)).scalar_one()
        )

    def _in_transaction(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction, and retry it while the database is unavailable."""
        pause = _MIN_PAUSE
        while True:
            try:
                with as_unavailable_errors(), self._engine.begin() as connection:
                    return work(connection)
            except EngineUnavailableError as away:
                self._outages.warn(away.message)
                time.sleep(pause)
                pause = min(pause * 2, _MAX_PAUSE)


def _select_owner(workflows: Table) -> Select[Any]:  # its columns vary
    is_there = (workflows.c.workflow_uuid == bindparam("run")) & (workflows.c.executor_id == bindparam("executor"))
    return select(workflows.c.owner_xid).where(is_there, workflows.c.status == _PENDING_STATUS)


def _insert_attempt(engine: Engine) -> Insert:
    values = [bindparam(column.name, type_=column.type) for column in _ATTEMPTS.c]
    return _insert_if_absent(engine, select(*values).where(true()))


def _insert_owned_attempt(engine: Engine, workflows: Table) -> Insert:
    """Build an insert that keeps the run's owner until the commit (platform 43)."""
    values = [bindparam(column.name, type_=column.type) for column in _ATTEMPTS.c]
    is_owned = (workflows.c.workflow_uuid == bindparam("run")) & (workflows.c.owner_xid == bindparam("owner"))
    owned = select(*values).select_from(workflows).where(is_owned, workflows.c.status == _PENDING_STATUS)
    return _insert_if_absent(engine, owned.with_for_update(read=True))


def _insert_if_absent(engine: Engine, rows: Select[Any]) -> Insert:
    """Build an insert that ignores conflicts; on Postgres they would abort the transaction."""
    insert = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert
    return insert(_ATTEMPTS).from_select(list(_ATTEMPTS.c), rows).on_conflict_do_nothing()


def _params(run: str, key: AttemptKey) -> dict[str, str | int]:
    step, attempt = key
    return {"run": run, "step": step, "attempt": attempt}


_LOG = logging.getLogger("aeon.engine")


class RunCheckpoints:
    """The checkpoints of one run while this process executes it."""

    def __init__(self, journal: Journal, run: str, executor: str | None = None) -> None:
        """Results are stored only while `executor` owns the run; None needs no owner."""
        self._journal = journal
        self._run = run
        self._executor = executor
        self._owner: str | None = None
        self._completed: set[AttemptKey] | None = None
        self._lock = threading.Lock()

    def acquire(self) -> None:
        """Get the token of the execution that owns the run. Raises LeaseLostError."""
        if self._executor is not None and self._owner is None:
            self._owner = self._journal.owner_token(self._run, self._executor)

    def is_owner(self) -> bool:
        """Return whether the execution that owned the run still does; False if none of ours did."""
        if self._owner is None or self._executor is None:
            return False
        try:
            return self._journal.owner_token(self._run, self._executor) == self._owner
        except LeaseLostError:
            return False

    async def __call__(self, position: int, attempt: int, make: AttemptFunction) -> JobResult:
        """Return the stored result of an attempt, or make the attempt and store its result.

        Blocking functions run in the thread that stores the result: a thread switch costs as much as either. Raises
        HaltError, and LeaseLostError if another executor stored a result first.
        """
        key = (position, attempt)
        if not inspect.iscoroutinefunction(make):
            return await in_long_call(partial(self._run_blocking, key, cast(Callable[[], JobResult], make)))
        earlier = await asyncio.to_thread(self._load_earlier, key)
        if earlier is not None:
            return earlier
        result = await cast(Callable[[], Awaitable[JobResult]], make)()
        await asyncio.to_thread(self._save, key, result)
        return result

    def _run_blocking(self, key: AttemptKey, make: Callable[[], JobResult]) -> JobResult:
        earlier = self._load_earlier(key)
        if earlier is not None:
            return earlier
        result = make()
        self._save(key, result)
        return result

    def _load_earlier(self, key: AttemptKey) -> JobResult | None:
        try:
            with self._lock:
                if self._completed is None:
                    self.acquire()
                    self._completed = self._journal.completed_attempts(self._run)
            return self._journal.load(self._run, key) if key in self._completed else None
        except HaltError:
            raise
        except Exception as error:
            raise HaltError(f"The result of a step could not be read: {error}") from error

    def _save(self, key: AttemptKey, result: JobResult) -> None:
        try:
            self._journal.save(self._run, key, result, self._owner)
        except LeaseLostError as lost:  # the caller may have gone
            _LOG.warning("%s", lost.message)
            raise
        except HaltError:
            raise
        except Exception as error:
            raise HaltError(f"The result of a step could not be stored: {error}") from error
