"""The graph store on a FalkorDB engine, wherever that runs."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from aeon.adapters.graph.falkordb import schema as schema_of
from aeon.adapters.graph.falkordb import transfer
from aeon.adapters.graph.falkordb.link import Link
from aeon.adapters.graph.falkordb.session import NO_LIMIT_MS, Session
from aeon.adapters.graph.schemas import union
from aeon.adapters.graph.snapshots import opened_snapshot, write_snapshot
from aeon.base.json import JsonObject
from aeon.platform.graph import GraphError, Params, Row, Schema

GRAPH = "aeon"
"""The one graph key; Graphiti's groups are told apart by property, not by key."""


class FalkorGraph:
    """`GraphStore` on one engine. Its errors hold no parameter's value."""

    def __init__(
        self, link: Link, name: str, *, most_ms: int = NO_LIMIT_MS, on_close: Callable[[], None] = lambda: None
    ) -> None:
        """`on_close` gives back what the engine's address was had from."""
        self._link = link
        self._name = name
        self._most_ms = most_ms
        self._on_close = on_close
        self._session = Session(link, GRAPH, most_ms)

    @property
    def name(self) -> str:
        return self._name

    def read(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        return self._session.read(query, params, timeout)

    def write(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        return self._session.write(query, params, timeout)

    def explain(self, query: str, params: Params | None = None) -> str:
        return self._session.explain(query, params)

    def ensure(self, schema: Schema) -> None:
        schema_of.ensure(self._session, GRAPH, schema)

    def export(self) -> Iterator[JsonObject]:
        return transfer.export(self._session)

    def load(self, records: Iterable[JsonObject]) -> None:
        """As the port says; all of it or nothing appears, since it is loaded beside the graph and then renamed."""
        self._require_empty()
        with transfer.incoming(self._link, self._most_ms) as incoming:
            incoming.fill(records, schema_of.present(self._session))
            self._require_empty()
            incoming.become(GRAPH)

    def snapshot(self, target: Path) -> None:
        write_snapshot(target, schema_of.present(self._session), self.export())

    def restore(self, source: Path) -> None:
        """As the port says. What the store enforces already, it goes on to enforce."""
        with opened_snapshot(source) as snapshot, transfer.incoming(self._link, self._most_ms) as incoming:
            incoming.fill(snapshot.records(), union(snapshot.schema, schema_of.present(self._session)))
            incoming.become(GRAPH)

    def close(self) -> None:
        self._link.close()
        self._on_close()

    def _require_empty(self) -> None:
        if transfer.count(self._session):
            raise GraphError("The graph is not empty.", next_step="Load into an empty one, or restore a snapshot.")
