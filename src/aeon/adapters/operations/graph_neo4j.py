"""A Neo4j server over Bolt: explicit transactions in an explicit access mode, limited in rows and in time."""

import asyncio
from dataclasses import dataclass
from typing import Any

from aeon.adapters.graph_clients.neo4j import OPTIONS, PORT, load_client
from aeon.adapters.operations.graph_results import GraphEndpoint, GraphQueryResult, graph_value_as_json, without_values
from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import GraphQuery
from aeon.platform.catalog.tool_calls import OperationError

_CONNECT_SECONDS = 5.0
_GRACE_SECONDS = 2.0
"""Beyond connecting and the query's own time, what an answer may need to arrive."""


@dataclass(frozen=True, slots=True)
class Neo4jQueryClient:
    """Asks one database of a server. Every question has a connection of its own, and nothing is sent twice."""

    endpoint: GraphEndpoint
    login: tuple[str, str] | None

    def __call__(self, operation: GraphQuery, params: JsonObject) -> GraphQueryResult:
        """Not from within a running event loop: it runs one of its own, so that a server that hangs is left in time."""
        return asyncio.run(self._run(operation, params))

    async def _run(self, operation: GraphQuery, params: JsonObject) -> GraphQueryResult:
        load_client()
        from neo4j.exceptions import DriverError, Neo4jError

        is_repeatable = operation.mode == "read"  # a write whose answer was lost may have happened
        try:
            async with asyncio.timeout(operation.timeout + _CONNECT_SECONDS + _GRACE_SECONDS):
                return await self._fetch(operation, params)
        except TimeoutError:
            raise OperationError(f"no answer within {operation.timeout:g} s", is_transient=is_repeatable) from None
        except Neo4jError as error:
            raise _refusal(error.code or "", error.message or "", params, is_transient=error.is_retryable()) from None
        except (DriverError, OSError) as error:
            where = f"{self.endpoint.host}:{self.endpoint.port or PORT}"
            raise OperationError(
                f"the Neo4j server at {where} could not be asked: {type(error).__name__}",
                next_step="See that the server runs and the endpoint is right.",
                is_transient=is_repeatable,
            ) from None

    async def _fetch(self, operation: GraphQuery, params: JsonObject) -> GraphQueryResult:
        neo4j = load_client()
        mode = neo4j.WRITE_ACCESS if operation.mode == "write" else neo4j.READ_ACCESS
        limit = operation.row_limit
        async with (
            self._driver() as driver,
            driver.session(database=self.endpoint.database, default_access_mode=mode, fetch_size=limit + 1) as session,
            await session.begin_transaction(timeout=operation.timeout) as transaction,
        ):
            answer = await transaction.run(operation.query, params)
            columns = answer.keys()
            rows = [
                dict(zip(columns, map(graph_value_as_json, record), strict=True))
                for record in await answer.fetch(limit + 1)
            ]
            await transaction.commit()
            return GraphQueryResult(rows[:limit], len(rows) > limit)

    def _driver(self) -> Any:
        host = f"[{self.endpoint.host}]" if ":" in self.endpoint.host else self.endpoint.host
        database: Any = load_client().AsyncGraphDatabase
        return database.driver(
            f"{self.endpoint.scheme}://{host}:{self.endpoint.port or PORT}",
            auth=self.login,
            connection_timeout=_CONNECT_SECONDS,
            connection_acquisition_timeout=_CONNECT_SECONDS,
            **OPTIONS,
        )


def _refusal(code: str, message: str, params: JsonObject, *, is_transient: bool) -> OperationError:
    """The server's refusal; what it says of data, which may quote values, is its code alone."""
    said = "" if "Schema.Constraint" in code else f": {without_values(message, params)}"
    advice = "Correct the secret." if "Security" in code else "Correct the query."
    return OperationError(f"the Neo4j server refuses, {code}{said}", next_step=advice, is_transient=is_transient)
