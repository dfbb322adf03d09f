"""The graph store on one database of a Neo4j server."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aeon.adapters.graph.neo4j import queries, transfer
from aeon.adapters.graph.neo4j.failures import TurnedDownError
from aeon.adapters.graph.neo4j.schema import ensure, present, require_unique
from aeon.adapters.graph.neo4j.session import Session, Transaction
from aeon.adapters.graph.schemas import union
from aeon.adapters.graph.snapshots import opened_snapshot, write_snapshot
from aeon.base.json import JsonObject
from aeon.platform.graph import GraphError, Params, Row, Schema


class Neo4jGraph:
    """`GraphStore` on one database. Its errors hold no parameter's value, and none of the data's.

    A query's own time is watched by the server, which looks about every two seconds: one that is a little late may
    be carried out all the same. A server that stops answering in the middle is given up after the time that it names
    itself, two minutes unless it was told otherwise.
    """

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name

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
        ensure(self._session, schema)

    def export(self) -> Iterator[JsonObject]:
        return transfer.export(self._session)

    def load(self, records: Iterable[JsonObject]) -> None:
        """As the port says; all of it or nothing appears, since it is one transaction.

        The server holds that in its memory (`db.memory.transaction.max`, a part of its heap).
        """
        with self._alone() as transaction:
            transfer.require_empty(transaction)
            transfer.fill(transaction, records)

    def snapshot(self, target: Path) -> None:
        write_snapshot(target, present(self._session), self.export())

    def restore(self, source: Path) -> None:
        """As the port says, in one transaction as `load`. What the server enforces already, it goes on to enforce.

        The snapshot's own schema follows in the next one, since the server takes no schema together with data.
        """
        with opened_snapshot(source) as snapshot:
            schema = union(snapshot.schema, present(self._session))
            with self._alone() as transaction:
                transaction.rows(queries.DELETE_ALL)
                transfer.fill(transaction, snapshot.records())
                require_unique(transaction, schema.unique)
            ensure(self._session, schema)

    def close(self) -> None:
        self._session.close()

    @contextmanager
    def _alone(self) -> Generator[Transaction]:
        """One transaction that is not repeated: what fills the graph is read once."""
        try:
            with self._session.transaction(transfer.SECONDS, is_write=True) as transaction:
                transaction.take_turn()
                yield transaction
        except TurnedDownError:
            raise GraphError(
                "Somebody writes to the graph while it is filled.", next_step="Stop them, and try again."
            ) from None
