"""A graph on a FalkorDB server, as the target of the projection."""

from collections.abc import Sequence
from typing import Any

from aeon.adapters.graph_clients.falkordb import PORT, connect, failure_of, open_graph
from aeon.adapters.projection.addresses import GraphServerAddress, falkordb_address
from aeon.adapters.projection.cypher import CypherGraph, CypherStatement
from aeon.adapters.projection.queries import FALKORDB_INDEX, with_names
from aeon.base.json import JsonObject
from aeon.platform.projection import GraphScalar, ProjectionError, TargetUnavailableError

_TIMEOUT_SECONDS = 60.0

_DIGITS = 15
"""The significant digits of floats in responses. The server stores more."""

_EMPTY_GRAPH = "Invalid graph operation on empty key"
_ALREADY_INDEXED = "already indexed"


def open_falkordb(address: str, password: str | None = None) -> CypherGraph:
    """Returns the graph at `falkordb://user@host:port`, without connecting yet.

    Raises ConfigError for an invalid address, and MissingExtraError without the client.
    """
    place = falkordb_address(address, PORT)
    return CypherGraph(FalkorConnection(connect(place.host, place.port, place.user, password, _TIMEOUT_SECONDS), place))


class FalkorConnection:
    """A `CypherConnection` over a `redis.Redis`. Each statement is its own transaction."""

    def __init__(self, client: Any, place: GraphServerAddress) -> None:
        self._client = client
        self._graph = open_graph(client, place.database)
        self._place = place.host_and_port

    @property
    def name(self) -> str:
        return f"FalkorDB server at {self._place}"

    def read(self, statement: CypherStatement) -> list[JsonObject]:
        return self._rows("GRAPH.RO_QUERY", statement, harmless=_EMPTY_GRAPH)

    def write(self, statements: Sequence[CypherStatement]) -> list[JsonObject]:
        return [self._rows("GRAPH.QUERY", statement) for statement in statements][-1]

    def index(self, label: str) -> None:
        self._rows(
            "GRAPH.QUERY", CypherStatement(with_names(FALKORDB_INDEX, LABEL=label), {}), harmless=_ALREADY_INDEXED
        )

    def round_trip(self, value: GraphScalar) -> GraphScalar:
        return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value

    def close(self) -> None:
        self._client.close()

    def _rows(self, command: str, statement: CypherStatement, *, harmless: str | None = None) -> list[JsonObject]:
        """Returns the rows of a query; none if the server reports the `harmless` error."""
        import redis.exceptions as wire

        try:
            return _rows_of(
                self._graph, self._client.execute_command(command, self._graph.name, *_arguments(statement))
            )
        except (wire.RedisError, OSError) as error:
            if harmless is not None and harmless in str(error):
                return []
            message, advice, is_transient = failure_of(error, self._place)
            kind = TargetUnavailableError if is_transient else ProjectionError
            raise kind(message, next_step=advice) from None


def _arguments(statement: CypherStatement) -> tuple[str, str]:
    from falkordb.helpers import stringify_param_value as encode  # pyright: ignore[reportUnknownVariableType]

    params = " ".join(f"{name}={encode(value)}" for name, value in statement.params.items())
    return f"CYPHER {params} {statement.query}", "--compact"


def _rows_of(graph: Any, response: Any) -> list[JsonObject]:
    """Returns the rows of a response. Raises a redis.ResponseError contained in it."""
    from falkordb.query_result import QueryResult

    result: Any = QueryResult(graph, response)
    columns = [column[1] for column in result.header]
    return [dict(zip(columns, row, strict=True)) for row in result.result_set]
