"""What attempts came to, in a table beside those of DBOS (decision 28): kept before a run goes on, made once."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

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

from aeon.adapters.engine.dbos.database import Database, ensure, told_when_away
from aeon.adapters.engine.dbos.standing import workflows_of
from aeon.adapters.engine.patience import Trouble
from aeon.base.json import canonical, parse_strict
from aeon.platform.processes.runs.claims import Results, checked_in, checked_out
from aeon.platform.processes.runs.engine import EngineUnavailableError
from aeon.platform.processes.runs.lease import HaltError, TakenOverError
from aeon.platform.processes.runs.model import Done

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
_KNOWN = select(_ATTEMPTS.c.step, _ATTEMPTS.c.attempt).where(_OF_RUN)
_KEPT = select(_ATTEMPTS.c.done).where(_OF_ATTEMPT)
_FORGET = delete(_ATTEMPTS).where(_OF_RUN)

_CARRIED_OUT: Final = "PENDING"

_AT_ONCE_ON_SQLITE, _AT_ONCE = 1, 4
"""How many of this process write at the same time; SQLite has writers that meet wait by sleeping."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds between two tries while the database takes nothing: its disk is full, or its server away."""

Key = tuple[int, int]
"""A step's position, and the number of the attempt at it."""


_Row: TypeAlias = dict[str, str | int | None]


class _Waiting(NamedTuple):
    """An attempt that is to be kept, and whether it was written."""

    row: _Row
    is_written: Future[bool]


class Journal:
    """The attempts of all runs in one database. Threads share it; all of it blocks.

    While the database takes nothing, reading and keeping are tried again, until that is closed: HaltError.
    """

    def __init__(self, database: Database, results: Results) -> None:
        """Makes its table, if need be. Large results go by reference."""
        self._engine = database.engine
        self._results = results
        is_sqlite = self._engine.dialect.name == "sqlite"
        self._turn = threading.BoundedSemaphore(_AT_ONCE_ON_SQLITE if is_sqlite else _AT_ONCE)
        self._waiting: list[_Waiting] = []
        self._looking = threading.Lock()
        self._trouble = Trouble()
        workflows = workflows_of(self._engine)
        self._owner = _owner(workflows)
        self._keep, self._keep_owned = _keep(self._engine), _keep_owned(self._engine, workflows)
        ensure(self._engine, _ATTEMPTS)

    def known(self, run: str) -> set[Key]:
        """All attempts of a run that are kept."""
        return {(row.step, row.attempt) for row in self._asked(lambda c: c.execute(_KNOWN, {"run": run}).all())}

    def kept(self, run: str, key: Key) -> Done:
        """What a known attempt came to. Raises LostResultError."""
        return Done.parsed(parse_strict(checked_out(self._results, self._text(run, key))))

    def owner(self, run: str, executor: str) -> str:
        """The token that DBOS gave to the execution of a run by that executor. Raises TakenOverError if it has none."""
        asked = {"run": run, "executor": executor}
        owner: str | None = self._asked(lambda connection: connection.execute(self._owner, asked).scalar())
        if owner is None:
            raise TakenOverError(f"The run {run} is carried out by another executor now.")
        return owner

    def keep(self, run: str, key: Key, done: Done, owner: str | None = None) -> None:
        """Write down what an attempt came to, if the execution with that token still has the run.

        Without a token whoever comes first writes. Raises TakenOverError when somebody else has the run, or wrote.
        """
        text = checked_in(self._results, canonical(done.as_dict()))
        mine = _Waiting({**_params(run, key), "done": text, "owner": owner}, Future())
        with self._looking:
            self._waiting.append(mine)
        with self._turn:
            self._write_what_waits()
        if not mine.is_written.result():
            self._require_same(run, key, text)

    def forget(self, runs: Sequence[str]) -> None:
        """Remove all attempts of runs that have ended. Raises EngineUnavailableError: it is not urgent."""
        if runs:
            with self._turn, told_when_away(), self._engine.begin() as connection:
                connection.execute(_FORGET, [{"run": run} for run in runs])

    def _write_what_waits(self) -> None:
        """Whoever has its turn writes for all that wait by then: they share a transaction, and its sync (rule 42)."""
        with self._looking:
            waiting, self._waiting = self._waiting, []
        if waiting:
            self._write(waiting)

    def _write(self, rows: "list[_Waiting]") -> None:
        """In one transaction; what cannot be written at all fails alone."""
        try:
            written = self._asked(lambda connection: [self._is_written(connection, each.row) for each in rows])
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

    def _is_written(self, connection: Connection, row: "_Row") -> bool:
        """Not where it is there already, or the run is another's."""
        keep = self._keep if row["owner"] is None else self._keep_owned
        return connection.execute(keep, row).rowcount == 1

    def _require_same(self, run: str, key: Key, text: str) -> None:
        """A try whose connection was lost may have written it. Raises TakenOverError where that is not so."""
        found = self._asked(lambda connection: connection.execute(_KEPT, _params(run, key)).scalar())
        if found != text:
            step, attempt = key
            told = f"The run {run} is carried out by another executor now: step {step}, attempt {attempt} is not kept."
            raise TakenOverError(told)

    def _text(self, run: str, key: Key) -> str:
        return self._asked(lambda connection: connection.execute(_KEPT, _params(run, key)).scalar_one())

    def _asked(self, act: Callable[[Connection], T]) -> T:
        """In one transaction, as often as it takes."""
        pause = _SHORTEST_PAUSE
        while True:
            try:
                with told_when_away(), self._engine.begin() as connection:
                    return act(connection)
            except EngineUnavailableError as away:
                self._trouble.tell(away.message)
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)


def _owner(workflows: Table) -> Select[Any]:  # of whatever columns
    is_there = (workflows.c.workflow_uuid == bindparam("run")) & (workflows.c.executor_id == bindparam("executor"))
    return select(workflows.c.owner_xid).where(is_there, workflows.c.status == _CARRIED_OUT)


def _keep(engine: Engine) -> Insert:
    values = [bindparam(column.name, type_=column.type) for column in _ATTEMPTS.c]
    return _unless_there(engine, select(*values).where(true()))


def _keep_owned(engine: Engine, workflows: Table) -> Insert:
    """Nobody takes the run over between the look at its owner and the end of the transaction (rule 43)."""
    values = [bindparam(column.name, type_=column.type) for column in _ATTEMPTS.c]
    is_owned = (workflows.c.workflow_uuid == bindparam("run")) & (workflows.c.owner_xid == bindparam("owner"))
    owned = select(*values).select_from(workflows).where(is_owned, workflows.c.status == _CARRIED_OUT)
    return _unless_there(engine, owned.with_for_update(read=True))


def _unless_there(engine: Engine, found: Select[Any]) -> Insert:
    """In a transaction with others nothing may fail: Postgres would take none of them."""
    insert = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert
    return insert(_ATTEMPTS).from_select(list(_ATTEMPTS.c), found).on_conflict_do_nothing()


def _params(run: str, key: Key) -> dict[str, str | int]:
    step, attempt = key
    return {"run": run, "step": step, "attempt": attempt}
