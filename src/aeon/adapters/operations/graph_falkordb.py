"""A FalkorDB server of somebody's own: reads by GRAPH.RO_QUERY, which the server refuses to write by."""

import math
from dataclasses import dataclass
from typing import Any

from aeon.adapters.graph.falkordb.encoding import header
from aeon.adapters.graph.falkordb.failures import failure
from aeon.adapters.operations.graph_rows import Found, Place
from aeon.adapters.operations.graph_values import as_json
from aeon.base.errors import MissingExtraError
from aeon.base.json import JsonObject
from aeon.platform.catalog.calling import OperationError
from aeon.platform.catalog.operations import GraphQuery
from aeon.platform.graph import GraphError, GraphUnavailableError, QueryTimeoutError

_PORT = 6379
_CONNECT_SECONDS = 5.0
_GRACE_SECONDS = 2.0
"""Beyond the query's own time, what its answer may need to arrive."""


@dataclass(frozen=True, slots=True)
class FalkorServer:
    """Asks one graph of a server. Every question has a connection of its own, and nothing is sent twice."""

    place: Place
    login: tuple[str, str] | None

    def __call__(self, operation: GraphQuery, params: JsonObject) -> Found:
        if self.place.database is None:
            raise OperationError(
                "a FalkorDB server has no graph of its own choice", next_step="Name the graph as connection `database`."
            )
        with self._client(operation.timeout) as client:
            try:
                return _found(self._answer(client, operation, params), operation.row_limit)
            except GraphError as error:
                is_passing = isinstance(error, GraphUnavailableError | QueryTimeoutError)
                is_transient = is_passing and operation.mode == "read"  # a write may have happened
                raise OperationError(error.message, next_step=error.advice, is_transient=is_transient) from None

    def _client(self, seconds: float) -> Any:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError as missing:
            raise MissingExtraError(
                "A FalkorDB server needs redis and falkordb.", next_step="Install aeon-orchestrator[platform]."
            ) from missing
        user, password = self.login or (None, None)
        return redis.Redis(
            host=self.place.host,
            port=self.place.port or _PORT,
            username=user or None,
            password=password,
            decode_responses=True,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=seconds + _GRACE_SECONDS,
        )

    def _answer(self, client: Any, operation: GraphQuery, params: JsonObject) -> Any:
        """Raises GraphError without a parameter's value in it."""
        import redis.exceptions as wire

        graph = _graph(client, str(self.place.database))
        ask = graph.query if operation.mode == "write" else graph.ro_query
        text = header(params) + operation.query
        try:
            return ask(text, timeout=math.ceil(operation.timeout * 1000))
        except wire.TimeoutError:
            raise QueryTimeoutError(next_step="Ask for less at once, or give it more time.") from None
        except (wire.AuthenticationError, wire.ResponseError) as error:
            raise failure(str(error), params) from None
        except (wire.RedisError, OSError) as error:
            where = f"{self.place.host}:{self.place.port or _PORT}"
            raise GraphUnavailableError(
                f"the FalkorDB server at {where} does not answer: {type(error).__name__}",
                next_step="See that the server runs and the endpoint is right.",
            ) from None


def _graph(client: Any, name: str) -> Any:
    from falkordb import Graph

    return Graph(client, name)


def _found(answer: Any, limit: int) -> Found:
    """The engine answers with all rows at once; what is over the limit is left out here."""
    columns = [str(column[1]) for column in answer.header]
    rows = [dict(zip(columns, map(as_json, row), strict=True)) for row in answer.result_set[:limit]]
    return Found(rows, len(answer.result_set) > limit)
