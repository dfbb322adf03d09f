"""A graph's store in trouble, on demand: full, so that it takes no writes; away, so that it answers nothing; or slow.

store = TroubledStore(real)
with store.in_trouble("full"):
    ...                     # writes raise GraphUnavailableError, as where the disk is full; store.refused counts them
with store.held(run) as reached:
    assert reached.wait(20)  # somebody asks after that run, and gets no answer before this block ends
"""

import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from aeon.base.json import JsonObject
from aeon.platform.graph import GraphStore, GraphUnavailableError, Params, Row, Schema

Trouble = Literal["", "full", "away"]

_HELD_AT_MOST = 30.0
"""Seconds, so that a test which fails ends."""


class TroubledStore:
    """A `GraphStore` over another one. What it refuses has not happened."""

    def __init__(self, store: GraphStore) -> None:
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

    def read(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        if self._held and params is not None and params.get("run") == self._held:
            self._reached.set()
            self._lets_go.wait(_HELD_AT_MOST)
        if self._trouble == "away" and self._is_troubled(params):
            self._refuse("The graph's server does not answer.")
        return self._store.read(query, params, timeout=timeout)

    def write(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        if self._trouble and self._is_troubled(params):
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

    def _is_troubled(self, params: Params | None) -> bool:
        return not self._troubled or (params is not None and params.get("run") == self._troubled)

    def _refuse(self, why: str) -> None:
        self.refused += 1
        raise GraphUnavailableError(why, next_step="Wait until it is there again.")
