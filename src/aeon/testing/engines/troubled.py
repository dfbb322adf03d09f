"""A graph's store in trouble, on demand: full, so that it takes no writes, or away, so that it answers nothing.

store = TroubledStore(real)
with store.in_trouble("full"):
    ...                     # writes raise GraphUnavailableError, as where the disk is full; store.refused counts them
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from aeon.base.json import JsonObject
from aeon.platform.graph import GraphStore, GraphUnavailableError, Params, Row, Schema

Trouble = Literal["", "full", "away"]


class TroubledStore:
    """A `GraphStore` over another one. What it refuses has not happened."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._trouble: Trouble = ""
        self.refused = 0

    @contextmanager
    def in_trouble(self, trouble: Trouble) -> Generator[None]:
        """While inside it refuses; `refused` counts from here."""
        self.refused, self._trouble = 0, trouble
        try:
            yield
        finally:
            self._trouble = ""

    @property
    def name(self) -> str:
        return self._store.name

    def read(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        if self._trouble == "away":
            self._refuse("The graph's server does not answer.")
        return self._store.read(query, params, timeout=timeout)

    def write(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        if self._trouble:
            self._refuse("The disk of the graph is full.")
        return self._store.write(query, params, timeout=timeout)

    def explain(self, query: str, params: Params | None = None) -> str:
        return self._store.explain(query, params)

    def ensure(self, schema: Schema) -> None:
        self._store.ensure(schema)

    def export(self) -> Iterator[JsonObject]:
        return self._store.export()

    def load(self, records: Iterable[JsonObject]) -> None:
        self._store.load(records)

    def snapshot(self, target: Path) -> None:
        self._store.snapshot(target)

    def restore(self, source: Path) -> None:
        self._store.restore(source)

    def close(self) -> None:
        self._store.close()

    def _refuse(self, why: str) -> None:
        self.refused += 1
        raise GraphUnavailableError(why, next_step="Wait until it is there again.")
