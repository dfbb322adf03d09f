"""`UnitStore`: one unit of work as a store, so that several mutations are committed together or not at all."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from aeon.platform.store import Dialect, Params, Query, Row, Store, UnitOfWork

T = TypeVar("T")


class UnitStore:
    """A store whose reads and changes are those of one open unit of work.

    What fails in it must not be caught: PostgreSQL takes nothing more in a transaction after an error.
    """

    def __init__(self, store: Store, unit: UnitOfWork) -> None:
        """`store` is the one that runs `unit`."""
        self._store = store
        self._unit = unit

    @property
    def name(self) -> str:
        return self._store.name

    @property
    def dialect(self) -> Dialect:
        return self._store.dialect

    def read(self, query: Query, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        """The rows of a query, with what the unit has written; the unit's own time limit holds, `timeout` does not."""
        del timeout
        return self._unit.read(query, params)

    def view(self, work: Callable[[UnitOfWork], T]) -> T:
        return work(self._unit)

    def update(self, work: Callable[[UnitOfWork], T]) -> T:
        """Runs `work` in the unit, which its owner commits."""
        return work(self._unit)

    def compact(self, tables: Sequence[str]) -> bool:
        """Does nothing: tables are not rewritten within a transaction."""
        del tables
        return False

    def listen(self, hear: Callable[[str], None]) -> None:
        self._store.listen(hear)

    def explain(self, query: Query, params: Params | None = None) -> str:
        return self._store.explain(query, params)

    def close(self) -> None:
        """Does nothing: the unit is its owner's."""
