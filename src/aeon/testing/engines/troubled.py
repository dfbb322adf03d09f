"""A store in trouble, on demand: full, so that it takes no writes; away, so that it answers nothing; or slow.

store = TroubledStore(real)
with store.in_trouble("full"):
    ...                     # writes raise StoreUnavailableError, as where the disk is full; store.refused counts them
with store.held(run) as reached:
    assert reached.wait(20)  # somebody asks after that run, and gets no answer before this block ends
"""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Literal, TypeVar

from aeon.platform.store import Dialect, Params, Query, Row, Store, StoreUnavailableError, Unit

T = TypeVar("T")

Trouble = Literal["", "full", "away"]

_HELD_AT_MOST = 60.0
"""Seconds, so that a test which fails ends."""


class TroubledStore:
    """A `Store` over another one. What it refuses has not happened."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._trouble: Trouble = ""
        self._troubled = ""
        self._held = ""
        self._reached, self._lets_go = threading.Event(), threading.Event()
        self.refused = 0

    @contextmanager
    def in_trouble(self, trouble: Trouble, run: str = "") -> Generator[None]:
        """While inside it refuses, what is about that run alone if there is one; `refused` counts from here."""
        self.refused, self._troubled, self._trouble = 0, run, trouble
        try:
            yield
        finally:
            self._trouble = ""

    @contextmanager
    def held(self, run: str) -> Generator[threading.Event]:
        """While inside whoever reads of that run waits; the event is set when the first one does."""
        self._reached, self._lets_go, self._held = threading.Event(), threading.Event(), run
        try:
            yield self._reached
        finally:
            self._held = ""
            self._lets_go.set()

    @property
    def name(self) -> str:
        return self._store.name

    @property
    def dialect(self) -> Dialect:
        return self._store.dialect

    def read(self, query: Query, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        if self._held and params is not None and params.get("run") == self._held:
            self._reached.set()
            self._lets_go.wait(_HELD_AT_MOST)
        self.check_read(params)
        return self._store.read(query, params, timeout=timeout)

    def view(self, work: Callable[[Unit], T]) -> T:
        return self._store.view(lambda unit: work(_TroubledUnit(unit, self)))

    def update(self, work: Callable[[Unit], T]) -> T:
        return self._store.update(lambda unit: work(_TroubledUnit(unit, self)))

    def explain(self, query: Query, params: Params | None = None) -> str:
        return self._store.explain(query, params)

    def close(self) -> None:
        self._store.close()

    def check_read(self, params: Params | None) -> None:
        """Raise StoreUnavailableError where a read with these parameters is refused."""
        if self._trouble == "away" and self._is_troubled(params):
            self._refuse("The store's server does not answer.")

    def check_write(self, params: Params | None) -> None:
        """Raise StoreUnavailableError where a write with these parameters is refused."""
        if self._trouble and self._is_troubled(params):
            self._refuse("The disk of the store is full.")

    def _is_troubled(self, params: Params | None) -> bool:
        return not self._troubled or (params is not None and params.get("run") == self._troubled)

    def _refuse(self, why: str) -> None:
        self.refused += 1
        raise StoreUnavailableError(why, next_step="Wait until it is there again.")


class _TroubledUnit:
    """A `Unit` that gets into its store's trouble."""

    def __init__(self, unit: Unit, store: TroubledStore) -> None:
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
