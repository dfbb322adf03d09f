"""A graph in a database of a Neo4j server, as the target of the projection."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from aeon.adapters.graph_clients.neo4j import OPTIONS, PORT, failure_of_code, load_client
from aeon.adapters.projection import queries
from aeon.adapters.projection.addresses import GraphServerAddress, neo4j_address
from aeon.adapters.projection.cypher import CypherGraph, CypherStatement
from aeon.adapters.projection.queries import with_names
from aeon.base.json import JsonObject
from aeon.platform.projection import GraphScalar, ProjectionError, TargetUnavailableError

_CONNECT_SECONDS = 5.0
_ACQUIRE_SECONDS = 30.0
_TIMEOUT_SECONDS = 60.0

_ALREADY_EXISTS = "AlreadyExists"


def open_neo4j(address: str, password: str | None = None) -> CypherGraph:
    """Returns the graph at `bolt[+s]://user@host:port/database`, without connecting yet.

    Raises ConfigError for an invalid address, and MissingExtraError without the client.
    """
    place = neo4j_address(address, PORT)
    return CypherGraph(Neo4jConnection(_driver(place, password), place))


def _driver(place: GraphServerAddress, password: str | None) -> Any:
    neo4j = load_client()
    database: Any = neo4j.GraphDatabase
    return database.driver(
        f"{place.scheme}://{place.host_and_port}",
        auth=neo4j.basic_auth(place.user, password) if password else None,
        connection_timeout=_CONNECT_SECONDS,
        connection_acquisition_timeout=_ACQUIRE_SECONDS,
        **OPTIONS,
    )


class Neo4jConnection:
    """A `CypherConnection` over the official driver.

    The statements of a batch are one explicit transaction.
    """

    def __init__(self, driver: Any, place: GraphServerAddress) -> None:
        self._driver = driver
        self._place = place

    @property
    def name(self) -> str:
        return f"Neo4j server at {self._place.host_and_port}, database {self._place.database}"

    def read(self, statement: CypherStatement) -> list[JsonObject]:
        with self._transaction() as transaction:
            return _rows(transaction, statement)

    def write(self, statements: Sequence[CypherStatement]) -> list[JsonObject]:
        rows: list[JsonObject] = []
        with self._transaction() as transaction:
            for statement in statements:
                rows = _rows(transaction, statement)
            if rows:
                transaction.commit()
        return rows

    def index(self, label: str) -> None:
        """Creates the constraint.

        A server killed during that leaves an index of its name, which must be dropped.
        """
        constraint = CypherStatement(with_names(queries.NEO4J_CONSTRAINT, LABEL=label), {})
        try:
            self._define(constraint)
        except ProjectionError as error:
            if _ALREADY_EXISTS not in error.message:
                raise
            for row in self.read(CypherStatement(queries.NEO4J_INDEXES, {"label": label})):
                self._define(CypherStatement(with_names(queries.NEO4J_DROP_INDEX, INDEX_NAME=row["name"]), {}))
            self._define(constraint)

    def round_trip(self, value: GraphScalar) -> GraphScalar:
        return value

    def close(self) -> None:
        self._driver.close()

    def _define(self, statement: CypherStatement) -> None:
        with self._transaction() as transaction:
            _rows(transaction, statement)
            transaction.commit()

    @contextmanager
    def _transaction(self) -> Generator[Any]:
        """Yields a transaction, which is rolled back at the end unless it was committed."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with self._driver.session(database=self._place.database, fetch_size=-1) as session:
                # Not a `with` block: after a failure it could use a connection that another thread has by then. The
                # session rolls back uncommitted work.
                yield session.begin_transaction(timeout=_TIMEOUT_SECONDS)
        except Neo4jError as error:
            message, advice, is_transient = failure_of_code(error.code or "")
            kind = TargetUnavailableError if is_transient else ProjectionError
            raise kind(message, next_step=advice) from None
        except (DriverError, OSError) as error:
            raise TargetUnavailableError(f"The {self.name} does not answer: {type(error).__name__}.") from None


def _rows(transaction: Any, statement: CypherStatement) -> list[JsonObject]:
    return [dict(record) for record in transaction.run(*statement)]
