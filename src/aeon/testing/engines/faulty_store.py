"""A store in trouble, on demand: full, so that it takes no writes; away, so that it answers nothing; or slow.

store = FaultyStore(real)
with store.in_trouble("full"):
    ...                     # writes raise StoreUnavailableError, as where the disk is full; store.refused counts them
with store.held(run) as reached:
    assert reached.wait(20)  # somebody asks after that run, and gets no answer before this block ends
"""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Literal, TypeVar

from aeon.platform.store import Dialect, Params, Query, Row, Store, StoreUnavailableError, UnitOfWork

T = TypeVar("T")

StoreFault = Literal["", "full", "away"]

_MAX_BLOCK_SECONDS = 60.0
"""Seconds, so that a test which fails ends."""


class FaultyStore:
    """A `Store` over another one. What it refuses has not happened."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fault: StoreFault = ""
        self._failing_run = ""
        self._blocked_run = ""
        self._reached, self._unblock = threading.Event(), threading.Event()
        self.refused_count = 0

    @contextmanager
    def failing(self, trouble: StoreFault, run: str = "") -> Generator[None]:
        """While inside it refuses, what is about that run alone if there is one; `refused` counts from here."""
        self.refused_count, self._failing_run, self._fault = 0, run, trouble
        try:
            yield
        finally:
            self._fault = ""

    @contextmanager
    def blocking_reads(self, run: str) -> Generator[threading.Event]:
        """While inside whoever reads of that run waits; the event is set when the first one does."""
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

    def explain(self, query: Query, params: Params | None = None) -> str:
        return self._store.explain(query, params)

    def close(self) -> None:
        self._store.close()

    def check_read(self, params: Params | None) -> None:
        """Raise StoreUnavailableError where a read with these parameters is refused."""
        if self._fault == "away" and self._is_affected(params):
            self._refuse("The store's server does not answer.")

    def check_write(self, params: Params | None) -> None:
        """Raise StoreUnavailableError where a write with these parameters is refused."""
        if self._fault and self._is_affected(params):
            self._refuse("The disk of the store is full.")

    def _is_affected(self, params: Params | None) -> bool:
        return not self._failing_run or (params is not None and params.get("run") == self._failing_run)

    def _refuse(self, why: str) -> None:
        self.refused_count += 1
        raise StoreUnavailableError(why, next_step="Wait until it is there again.")


class _FaultyUnit:
    """A `UnitOfWork` that gets into its store's trouble."""

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
