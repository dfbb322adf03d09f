"""Executes graph queries: only named ones on Aeon's own record, the tool owner's on other servers."""

from collections.abc import Callable
from typing import TypeAlias, cast
from urllib.parse import urlsplit

from aeon.adapters.operations.graph_falkordb import FalkorQueryClient
from aeon.adapters.operations.graph_neo4j import Neo4jQueryClient
from aeon.adapters.operations.graph_results import GraphEndpoint, GraphQueryResult, login_of
from aeon.adapters.operations.host_addresses import (
    HostResolver,
    allowed_addresses,
    first_listening_address,
    resolve_host,
)
from aeon.adapters.operations.own_record import NAMED_QUERIES, NamedQuery, run_named_query
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import OWN_RECORD_ENDPOINT, GraphQuery
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult
from aeon.platform.store import QueryTimeoutError, Row, Store, StoreError, StoreUnavailableError

__all__ = ["GraphQueryFunction", "GraphQueryResult", "query_client"]

GraphQueryFunction: TypeAlias = Callable[[GraphQuery, JsonObject], GraphQueryResult]
"""Runs a query with parameters on a server. Raises OperationError; its message contains no parameter values."""

_PORTS = {"bolt": 7687, "bolt+s": 7687, "falkordb": 6379}
_ADVICE = "Give bolt://host:port, bolt+s://host:port or falkordb://host:port, and the password as a secret."


def query_client(work: OperationRequest, resolve: HostResolver) -> GraphQueryFunction:
    """Return a function that queries the server of the request's connection, by the official client of its kind.

    The client connects to the address that was checked. Over bolt+s it connects to the name, because the certificate is
    verified against the name: another server cannot present that certificate. Raises OperationError.
    """
    endpoint = _endpoint(work)
    client, login = FalkorQueryClient if endpoint.scheme == "falkordb" else Neo4jQueryClient, login_of(work.secret)
    port = endpoint.port or _PORTS[endpoint.scheme]
    addresses = allowed_addresses(endpoint.host, port, resolve, allow_private=work.operation.allow_private)
    if endpoint.scheme == "bolt+s":
        return client(endpoint, login)
    return client(endpoint._replace(host=first_listening_address(addresses, port)), login)


def _endpoint(work: OperationRequest) -> GraphEndpoint:
    endpoint = str(work.connection.get("endpoint", ""))
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise OperationError("the endpoint has no valid port", next_step=_ADVICE) from None
    if parts.username is not None or parts.password is not None:
        raise OperationError("the endpoint contains a user or a password", next_step=_ADVICE)
    if parts.scheme not in (work.protocol, "falkordb") or not host or parts.path.strip("/") or parts.query:
        raise OperationError(f"the endpoint is not the address of a {work.protocol} server", next_step=_ADVICE)
    database = work.connection.get("database")
    return GraphEndpoint(parts.scheme, host, port, None if database is None else str(database))


class GraphExecutor:
    """Executes `graph_query`: the output is `{"rows": [...], "truncated": bool}`.

    A row is an object by column; a node or an edge is the object of its properties. `truncated` is true if the query
    had more rows than the operation's `row_limit`; the rest is left out.
    """

    def __init__(self, own: Store, resolve: HostResolver = resolve_host) -> None:
        self._store = own
        self._resolve = resolve

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(GraphQuery, work.operation)
        if work.connection.get("endpoint") == OWN_RECORD_ENDPOINT:
            return OperationResult(_result(self._named_query_rows(work, operation), operation.row_limit))
        parameters: JsonObject = {name: work.arguments.get(name) for name in sorted(operation.variables())}
        result: GraphQueryResult = query_client(work, self._resolve)(operation, parameters)
        return OperationResult({"rows": list[Json](result.rows), "truncated": result.is_truncated})

    def _named_query_rows(self, work: OperationRequest, operation: GraphQuery) -> list[Row]:
        """Return the rows of a named query; one more than the limit if there are more (platform 2)."""
        named = _named(operation)
        parameters = _parameters(named, work)
        try:
            return run_named_query(
                self._store, named, work.user, parameters, operation.row_limit + 1, operation.timeout
            )
        except StoreError as error:
            is_transient = isinstance(error, StoreUnavailableError | QueryTimeoutError)
            raise OperationError(error.message, next_step=error.next, is_transient=is_transient) from None


def _named(operation: GraphQuery) -> NamedQuery:
    name = operation.query.strip()
    if operation.mode != "read":
        raise OperationError("tools can only read Aeon's own record", next_step="Set the operation's mode to read.")
    if not name.startswith("@") or name[1:] not in NAMED_QUERIES:
        raise OperationError(
            "Aeon's own record allows only named queries",
            next_step=f"Set the operation's query to one of {', '.join(f'@{known}' for known in NAMED_QUERIES)}.",
        )
    return NAMED_QUERIES[name[1:]]


def _parameters(named: NamedQuery, work: OperationRequest) -> JsonObject:
    """Return the parameters of a named query from the input. Raises OperationError for one that is not a string."""
    if invalid := [name for name in named.parameters if not isinstance(work.arguments.get(name), str)]:
        raise OperationError(
            f"the query needs {', '.join(invalid)} in the input, as strings",
            next_step="Require it in the tool's inputSchema.",
        )
    return {name: work.arguments[name] for name in named.parameters}


def _result(rows: list[Row], limit: int) -> JsonObject:
    return {"rows": list[Json](rows[:limit]), "truncated": len(rows) > limit}
