"""Queries a user's FalkorDB server; reads use GRAPH.RO_QUERY, with which the server refuses writes."""

import math
from dataclasses import dataclass
from typing import Any

from aeon.adapters.graph_clients.falkordb import PORT, connect, failure_of, open_graph
from aeon.adapters.graph_clients.falkordb_parameters import RefusedParameterError, parameter_header
from aeon.adapters.operations.graph_results import GraphEndpoint, GraphQueryResult, graph_value_as_json
from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import GraphQuery
from aeon.platform.catalog.tool_calls import OperationError

_GRACE_SECONDS = 2.0
"""Seconds beyond the query's timeout for its response to arrive."""


@dataclass(frozen=True, slots=True)
class FalkorQueryClient:
    """Queries one graph of a server. Every query has its own connection, and nothing is sent twice."""

    endpoint: GraphEndpoint
    login: tuple[str, str] | None

    def __call__(self, operation: GraphQuery, params: JsonObject) -> GraphQueryResult:
        if self.endpoint.database is None:
            raise OperationError(
                "a FalkorDB server has no default graph", next_step="Name the graph as connection `database`."
            )
        user, password = self.login or (None, None)
        host, port = self.endpoint.host, self.endpoint.port or PORT
        with connect(host, port, user, password, operation.timeout + _GRACE_SECONDS) as client:
            answer = self._answer(client, operation, params)
        return _limited_result(answer, operation.row_limit)

    def _answer(self, client: Any, operation: GraphQuery, params: JsonObject) -> Any:
        import redis.exceptions as wire

        graph = open_graph(client, str(self.endpoint.database))
        query = graph.query if operation.mode == "write" else graph.ro_query
        try:
            return query(parameter_header(params) + operation.query, timeout=math.ceil(operation.timeout * 1000))
        except RefusedParameterError as error:
            raise OperationError(error.message, next_step=error.next) from None
        except (wire.RedisError, OSError) as error:
            message, advice, is_passing = failure_of(
                error, f"{self.endpoint.host}:{self.endpoint.port or PORT}", params
            )
            is_transient = is_passing and operation.mode == "read"  # a write may have happened
            raise OperationError(message, next_step=advice, is_transient=is_transient) from None


def _limited_result(answer: Any, limit: int) -> GraphQueryResult:
    """Return the rows up to the limit; the server sends all rows at once."""
    columns = [str(column[1]) for column in answer.header]
    rows = [dict(zip(columns, map(graph_value_as_json, row), strict=True)) for row in answer.result_set[:limit]]
    return GraphQueryResult(rows, len(answer.result_set) > limit)
