"""Queries a Neo4j server over Bolt: explicit transactions and access modes, with limits on rows and time."""

import asyncio
from dataclasses import dataclass
from typing import Any

from aeon.adapters.graph_clients.neo4j import OPTIONS, PORT, load_client
from aeon.adapters.operations.graph_results import GraphEndpoint, GraphQueryResult, graph_value_as_json, without_values
from aeon.adapters.operations.timeouts import timeout_error
from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import GraphQuery
from aeon.platform.catalog.tool_calls import OperationError

_CONNECT_SECONDS = 5.0
_GRACE_SECONDS = 2.0
"""Seconds beyond connecting and the query's timeout for its response to arrive."""


@dataclass(frozen=True, slots=True)
class Neo4jQueryClient:
    """Queries one database of a server. Every query has its own connection, and nothing is sent twice."""

    endpoint: GraphEndpoint
    login: tuple[str, str] | None

    def __call__(self, operation: GraphQuery, params: JsonObject) -> GraphQueryResult:
        """Run a query in a new event loop, so that a hanging server is abandoned. Not callable inside a loop."""
        return asyncio.run(self._run(operation, params))

    async def _run(self, operation: GraphQuery, params: JsonObject) -> GraphQueryResult:
        load_client()
        from neo4j.exceptions import DriverError, Neo4jError

        is_repeatable = operation.mode == "read"  # a write whose answer was lost may have happened
        try:
            async with asyncio.timeout(operation.timeout + _CONNECT_SECONDS + _GRACE_SECONDS):
                return await self._fetch(operation, params)
        except TimeoutError:
            raise timeout_error(operation.timeout, is_transient=is_repeatable) from None
        except Neo4jError as error:
            raise _refusal(error.code or "", error.message or "", params, is_transient=error.is_retryable()) from None
        except (DriverError, OSError) as error:
            where = f"{self.endpoint.host}:{self.endpoint.port or PORT}"
            raise OperationError(
                f"the Neo4j server at {where} could not be queried: {type(error).__name__}",
                next_step="Check that the server is running and that the endpoint is correct.",
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
    """Return the server's refusal; for constraint errors, which may quote values, only its code."""
    detail = "" if "Schema.Constraint" in code else f": {without_values(message, params)}"
    advice = "Correct the secret." if "Security" in code else "Correct the query."
    return OperationError(
        f"the Neo4j server refused the query, {code}{detail}", next_step=advice, is_transient=is_transient
    )
