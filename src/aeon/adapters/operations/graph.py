"""Queries of graphs: Aeon's own record by named queries alone, other servers in the words of the tool's owner."""

from typing import cast

from aeon.adapters.operations.addresses import HostResolver, resolve_host
from aeon.adapters.operations.graph_servers import GraphQueryResult, query_client
from aeon.adapters.operations.own_record import NAMED_QUERIES, NamedQuery, run_named_query
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.calling import OperationError, OperationRequest, OperationResult
from aeon.platform.catalog.operations import OWN_RECORD_ENDPOINT, GraphQuery
from aeon.platform.store import QueryTimeoutError, Row, Store, StoreError, StoreUnavailableError


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
