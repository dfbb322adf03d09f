"""A store that fails on demand: full (writes fail), away (reads and writes fail), or blocked.

store = FaultyStore(real)
with store.failing("full"):
    ...                     # writes raise StoreUnavailableError, as with a full disk; store.refused_count counts them
with store.blocking_reads(run) as reached:
    assert reached.wait(20)  # a caller reads that run, and gets no answer before this block ends
"""

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Literal, TypeVar

from aeon.platform.store import Dialect, Params, Query, Row, Store, StoreUnavailableError, UnitOfWork

T = TypeVar("T")

StoreFault = Literal["", "full", "away"]

_MAX_BLOCK_SECONDS = 60.0
"""Seconds; it ends a test that fails."""


class FaultyStore:
    """A `Store` over another one. A refused write has no effect."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fault: StoreFault = ""
        self._failing_run = ""
        self._blocked_run = ""
        self._reached, self._unblock = threading.Event(), threading.Event()
        self.refused_count = 0

    @contextmanager
    def failing(self, trouble: StoreFault, run: str = "") -> Generator[None]:
        """Refuse calls inside the context, only those of `run` if given; reset `refused_count`."""
        self.refused_count, self._failing_run, self._fault = 0, run, trouble
        try:
            yield
        finally:
            self._fault = ""

    @contextmanager
    def blocking_reads(self, run: str) -> Generator[threading.Event]:
        """Block reads of that run inside the context; the event is set by the first of them."""
        self._reached, self._unblock, self._blocked_run = threading.Event(), threading.Event(), run
        try:
            yield self._reached
        finally:
            self._blocked_run = ""
            self._unblock.set()

    @property
    def name(self) -> str:
        return self._store.name

    @property
    def dialect(self) -> Dialect:
        return self._store.dialect

    def read(self, query: Query, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        if self._blocked_run and params is not None and params.get("run") == self._blocked_run:
            self._reached.set()
            self._unblock.wait(_MAX_BLOCK_SECONDS)
        self.check_read(params)
        return self._store.read(query, params, timeout=timeout)

    def view(self, work: Callable[[UnitOfWork], T]) -> T:
        return self._store.view(lambda unit: work(_FaultyUnit(unit, self)))

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        return self._store.update(lambda unit: work(_FaultyUnit(unit, self)))

    def compact(self, tables: Sequence[str]) -> bool:
        self.check_write(None)
        return self._store.compact(tables)

    def listen(self, hear: Callable[[str], None]) -> None:
        self._store.listen(hear)

    def explain(self, query: Query, params: Params | None = None) -> str:
        return self._store.explain(query, params)

    def close(self) -> None:
        self._store.close()

    def check_read(self, params: Params | None) -> None:
        """Raise StoreUnavailableError if a read with these parameters fails."""
        if self._fault == "away" and self._is_affected(params):
            self._refuse("The store's server does not answer.")

    def check_write(self, params: Params | None) -> None:
        """Raise StoreUnavailableError if a write with these parameters fails."""
        if self._fault and self._is_affected(params):
            self._refuse("The disk of the store is full.")

    def _is_affected(self, params: Params | None) -> bool:
        return not self._failing_run or (params is not None and params.get("run") == self._failing_run)

    def _refuse(self, why: str) -> None:
        self.refused_count += 1
        raise StoreUnavailableError(why, next_step="Wait until it is available again.")


class _FaultyUnit:
    """A `UnitOfWork` that fails as its store does."""

    def __init__(self, unit: UnitOfWork, store: FaultyStore) -> None:
        self._unit = unit
        self._store = store

    def read(self, query: Query, params: Params | None = None) -> list[Row]:
        self._store.check_read(params)
        return self._unit.read(query, params)

    def write(self, query: Query, params: Params | None = None) -> int:
        self._store.check_write(params)
        return self._unit.write(query, params)

    def write_each(self, query: Query, rows: Iterable[Params]) -> None:
        self._store.check_write(None)
        self._unit.write_each(query, rows)

    def announce(self, subject: str) -> None:
        self._unit.announce(subject)
