"""Queries of graphs: Aeon's own record by named queries alone, other servers in the words of the tool's owner."""

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
"""Asks a server a query with its parameters. Raises OperationError without a parameter's value in it."""

_PORTS = {"bolt": 7687, "bolt+s": 7687, "falkordb": 6379}
_ADVICE = "Give bolt://host:port, bolt+s://host:port or falkordb://host:port, and the password as a secret."


def query_client(work: OperationRequest, resolve: HostResolver) -> GraphQueryFunction:
    """How to ask the server that a work's connection means, by the official clients of the two kinds of server.

    The address that was checked is the one connected to; over bolt+s the name is, since the certificate is held against
    it: what a name leads to later can answer for it only with the key of its certificate. Raises OperationError.
    """
    place = _endpoint(work)
    kind, who = FalkorQueryClient if place.scheme == "falkordb" else Neo4jQueryClient, login_of(work.secret)
    port = place.port or _PORTS[place.scheme]
    addresses = allowed_addresses(place.host, port, resolve, allow_private=work.operation.allow_private)
    if place.scheme == "bolt+s":
        return kind(place, who)
    return kind(place._replace(host=first_listening_address(addresses, port)), who)


def _endpoint(work: OperationRequest) -> GraphEndpoint:
    endpoint = str(work.connection.get("endpoint", ""))
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise OperationError("the endpoint has no valid port", next_step=_ADVICE) from None
    if parts.username is not None or parts.password is not None:
        raise OperationError("the endpoint holds a user or a password", next_step=_ADVICE)
    if parts.scheme not in (work.protocol, "falkordb") or not host or parts.path.strip("/") or parts.query:
        raise OperationError(f"the endpoint is not the address of a {work.protocol} server", next_step=_ADVICE)
    database = work.connection.get("database")
    return GraphEndpoint(parts.scheme, host, port, None if database is None else str(database))


class GraphExecutor:
    """Carries out `graph_query`: the output is `{"rows": [...], "truncated": bool}`.

    A row is an object by column; a node or an edge is the object of its properties. `truncated` says that there were
    more rows than the operation's `row_limit`, and that those are not here.
    """

    def __init__(self, own: Store, resolve: HostResolver = resolve_host) -> None:
        self._store = own
        self._resolve = resolve

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(GraphQuery, work.operation)
        if work.connection.get("endpoint") == OWN_RECORD_ENDPOINT:
            return OperationResult(_result(self._named_query_rows(work, operation), operation.row_limit))
        given: JsonObject = {name: work.arguments.get(name) for name in sorted(operation.variables())}
        found: GraphQueryResult = query_client(work, self._resolve)(operation, given)
        return OperationResult({"rows": list[Json](found.rows), "truncated": found.is_truncated})

    def _named_query_rows(self, work: OperationRequest, operation: GraphQuery) -> list[Row]:
        """The rows of a named query, one more than the limit where there are more (platform 2)."""
        named = _named(operation)
        given = _given(named, work)
        try:
            return run_named_query(self._store, named, work.user, given, operation.row_limit + 1, operation.timeout)
        except StoreError as error:
            is_transient = isinstance(error, StoreUnavailableError | QueryTimeoutError)
            raise OperationError(error.message, next_step=error.advice, is_transient=is_transient) from None


def _named(operation: GraphQuery) -> NamedQuery:
    name = operation.query.strip()
    if operation.mode != "read":
        raise OperationError("Aeon's own record is only read by tools", next_step="Set the operation's mode to read.")
    if not name.startswith("@") or name[1:] not in NAMED_QUERIES:
        raise OperationError(
            "of Aeon's own record only named queries are asked",
            next_step=f"Set the operation's query to one of {', '.join(f'@{known}' for known in NAMED_QUERIES)}.",
        )
    return NAMED_QUERIES[name[1:]]


def _given(named: NamedQuery, work: OperationRequest) -> JsonObject:
    """What a named query takes of the input; all of it are texts."""
    if wrong := [name for name in named.parameters if not isinstance(work.arguments.get(name), str)]:
        raise OperationError(
            f"the query takes {', '.join(wrong)} from the input, a text each",
            next_step="Require it in the tool's inputSchema.",
        )
    return {name: work.arguments[name] for name in named.parameters}


def _result(rows: list[Row], limit: int) -> JsonObject:
    return {"rows": list[Json](rows[:limit]), "truncated": len(rows) > limit}
