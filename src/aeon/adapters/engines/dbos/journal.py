"""What attempts came to, in a table beside those of DBOS (decision 28): kept before a run goes on, made once."""

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
"""How many of this process write at the same time; SQLite has writers that meet wait by sleeping."""

_MIN_PAUSE, _MAX_PAUSE = 0.1, 5.0
"""Seconds between two tries while the database takes nothing: its disk is full, or its server away."""

AttemptKey = tuple[int, int]
"""A step's position, and the number of the attempt at it."""


_Row: TypeAlias = dict[str, str | int | None]


class _PendingAttempt(NamedTuple):
    """An attempt that is to be kept, and whether it was written."""

    row: _Row
    is_written: Future[bool]


class Journal:
    """The attempts of all runs in one database. Threads share it; all of it blocks.

    While the database takes nothing, reading and keeping are tried again, until that is closed: HaltError.
    """

    def __init__(self, database: Database, results: ResultStore) -> None:
        """Makes its table, if need be. Large results go by reference."""
        self._engine = database.engine
        self._results = results
        is_sqlite = self._engine.dialect.name == "sqlite"
        self._write_slots = threading.BoundedSemaphore(_MAX_SQLITE_WRITERS if is_sqlite else _MAX_WRITERS)
        self._waiting: list[_PendingAttempt] = []
        self._lock = threading.Lock()
        self._outages = OutageLog()
        workflows = workflow_table(self._engine)
        self._owner = _select_owner(workflows)
        self._keep, self._keep_owned = _insert_attempt(self._engine), _insert_owned_attempt(self._engine, workflows)
        create_table(self._engine, _ATTEMPTS)

    def completed_attempts(self, run: str) -> set[AttemptKey]:
        """All attempts of a run that are kept."""
        return {
            (row.step, row.attempt)
            for row in self._in_transaction(lambda c: c.execute(_SELECT_COMPLETED, {"run": run}).all())
        }

    def load(self, run: str, key: AttemptKey) -> JobResult:
        """What a known attempt came to. Raises LostResultError."""
        return JobResult.parsed(parse_strict(check_out(self._results, self._text(run, key))))

    def owner_token(self, run: str, executor: str) -> str:
        """The token that DBOS gave to the execution of a run by that executor. Raises LeaseLostError if it has none."""
        asked = {"run": run, "executor": executor}
        owner: str | None = self._in_transaction(lambda connection: connection.execute(self._owner, asked).scalar())
        if owner is None:
            raise LeaseLostError(f"The run {run} is carried out by another executor now.")
        return owner

    def save(self, run: str, key: AttemptKey, done: JobResult, owner: str | None = None) -> None:
        """Write down what an attempt came to, if the execution with that token still has the run.

        Without a token whoever comes first writes. Raises LeaseLostError when somebody else has the run, or wrote.
        """
        text = check_in(self._results, canonical_json(done.as_dict()))
        mine = _PendingAttempt({**_params(run, key), "done": text, "owner": owner}, Future())
        with self._lock:
            self._waiting.append(mine)
        with self._write_slots:
            self._write_pending()
        if not mine.is_written.result():
            self._require_same(run, key, text)

    def delete_runs(self, runs: Sequence[str]) -> None:
        """Remove all attempts of runs that have ended. Raises EngineUnavailableError: it is not urgent."""
        if runs:
            with self._write_slots, as_unavailable_errors(), self._engine.begin() as connection:
                connection.execute(_DELETE_RUN, [{"run": run} for run in runs])

    def _write_pending(self) -> None:
        """Whoever has its turn writes for all that wait by then: they share a transaction, and its sync (platform 42)."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if waiting:
            self._write(waiting)

    def _write(self, rows: "list[_PendingAttempt]") -> None:
        """In one transaction; what cannot be written at all fails alone."""
        try:
            written = self._in_transaction(lambda connection: [self._insert(connection, each.row) for each in rows])
        except Exception as error:  # noqa: BLE001  # told to whoever waits for it
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
        """Not where it is there already, or the run is another's."""
        keep = self._keep if row["owner"] is None else self._keep_owned
        return connection.execute(keep, row).rowcount == 1

    def _require_same(self, run: str, key: AttemptKey, text: str) -> None:
        """A try whose connection was lost may have written it. Raises LeaseLostError where that is not so."""
        found = self._in_transaction(lambda connection: connection.execute(_SELECT_RESULT, _params(run, key)).scalar())
        if found != text:
            step, attempt = key
            told = f"The run {run} is carried out by another executor now: step {step}, attempt {attempt} is not kept."
            raise LeaseLostError(told)

    def _text(self, run: str, key: AttemptKey) -> str:
        return self._in_transaction(
            lambda connection: connection.execute(_SELECT_RESULT, _params(run, key)).scalar_one()
        )

    def _in_transaction(self, act: Callable[[Connection], T]) -> T:
        """In one transaction, as often as it takes."""
        pause = _MIN_PAUSE
        while True:
            try:
                with as_unavailable_errors(), self._engine.begin() as connection:
                    return act(connection)
            except EngineUnavailableError as away:
                self._outages.warn(away.message)
                time.sleep(pause)
                pause = min(pause * 2, _MAX_PAUSE)


def _select_owner(workflows: Table) -> Select[Any]:  # of whatever columns
    is_there = (workflows.c.workflow_uuid == bindparam("run")) & (workflows.c.executor_id == bindparam("executor"))
    return select(workflows.c.owner_xid).where(is_there, workflows.c.status == _PENDING_STATUS)


def _insert_attempt(engine: Engine) -> Insert:
    values = [bindparam(column.name, type_=column.type) for column in _ATTEMPTS.c]
    return _insert_if_absent(engine, select(*values).where(true()))


def _insert_owned_attempt(engine: Engine, workflows: Table) -> Insert:
    """Nobody takes the run over between the look at its owner and the end of the transaction (platform 43)."""
    values = [bindparam(column.name, type_=column.type) for column in _ATTEMPTS.c]
    is_owned = (workflows.c.workflow_uuid == bindparam("run")) & (workflows.c.owner_xid == bindparam("owner"))
    owned = select(*values).select_from(workflows).where(is_owned, workflows.c.status == _PENDING_STATUS)
    return _insert_if_absent(engine, owned.with_for_update(read=True))


def _insert_if_absent(engine: Engine, found: Select[Any]) -> Insert:
    """In a transaction with others nothing may fail: Postgres would take none of them."""
    insert = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert
    return insert(_ATTEMPTS).from_select(list(_ATTEMPTS.c), found).on_conflict_do_nothing()


def _params(run: str, key: AttemptKey) -> dict[str, str | int]:
    step, attempt = key
    return {"run": run, "step": step, "attempt": attempt}


_LOG = logging.getLogger("aeon.engine")


class RunCheckpoints:
    """Those of one run, as long as this process carries it out."""

    def __init__(self, journal: Journal, run: str, executor: str | None = None) -> None:
        """What the run comes to is kept only while `executor` has it; None for one that nobody else can take."""
        self._journal = journal
        self._run = run
        self._executor = executor
        self._owner: str | None = None
        self._completed: set[AttemptKey] | None = None
        self._lock = threading.Lock()

    def acquire(self) -> None:
        """From now on keep attempts as the execution that has the run now. Raises LeaseLostError if it is another's."""
        if self._executor is not None and self._owner is None:
            self._owner = self._journal.owner_token(self._run, self._executor)

    def is_owner(self) -> bool:
        """Whether the execution that owned the run still does; False if none of ours did."""
        if self._owner is None or self._executor is None:
            return False
        try:
            return self._journal.owner_token(self._run, self._executor) == self._owner
        except LeaseLostError:
            return False

    async def __call__(self, position: int, attempt: int, makes: AttemptFunction) -> JobResult:
        """What an attempt came to: earlier, if it came to an end and was kept, and else now, kept.

        What blocks is made in the thread that keeps it: a change of threads costs as much as either. Raises HaltError,
        and LeaseLostError when somebody else kept it first.
        """
        key = (position, attempt)
        if not inspect.iscoroutinefunction(makes):
            return await in_long_call(partial(self._run_blocking, key, cast(Callable[[], JobResult], makes)))
        earlier = await asyncio.to_thread(self._load_earlier, key)
        if earlier is not None:
            return earlier
        done = await cast(Callable[[], Awaitable[JobResult]], makes)()
        await asyncio.to_thread(self._save, key, done)
        return done

    def _run_blocking(self, key: AttemptKey, makes: Callable[[], JobResult]) -> JobResult:
        earlier = self._load_earlier(key)
        if earlier is not None:
            return earlier
        done = makes()
        self._save(key, done)
        return done

    def _load_earlier(self, key: AttemptKey) -> JobResult | None:
        try:
            with self._lock:
                if self._completed is None:
                    self.acquire()
                    self._completed = self._journal.completed_attempts(self._run)
            return self._journal.load(self._run, key) if key in self._completed else None
        except HaltError:
            raise
        except Exception as unread:
            raise HaltError(f"What a step came to could not be read: {unread}") from unread

    def _save(self, key: AttemptKey, done: JobResult) -> None:
        try:
            self._journal.save(self._run, key, done, self._owner)
        except LeaseLostError as lost:  # nobody may be waiting for it any more
            _LOG.warning("%s", lost.message)
            raise
        except HaltError:
            raise
        except Exception as unkept:
            raise HaltError(f"What a step came to could not be kept: {unkept}") from unkept
