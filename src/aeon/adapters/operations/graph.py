"""Queries of graphs: Aeon's own record by named queries alone, other servers in the words of the tool's owner."""

from typing import cast

from aeon.adapters.operations.addresses import Resolve, resolved
from aeon.adapters.operations.graph_servers import Found, connected
from aeon.adapters.operations.own_record import NAMED, Named, ask
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.calling import OperationError, Outcome, Work
from aeon.platform.catalog.operations import OWN_RECORD, GraphQuery
from aeon.platform.store import QueryTimeoutError, Row, Store, StoreError, StoreUnavailableError


class GraphExecutor:
    """Carries out `graph_query`: the output is `{"rows": [...], "truncated": bool}`.

    A row is an object by column; a node or an edge is the object of its properties. `truncated` says that there were
    more rows than the operation's `row_limit`, and that those are not here.
    """

    def __init__(self, own: Store, resolve: Resolve = resolved) -> None:
        self._own = own
        self._resolve = resolve

    def execute(self, work: Work) -> Outcome:
        operation = cast(GraphQuery, work.operation)
        if work.connection.get("endpoint") == OWN_RECORD:
            return Outcome(_result(self._own_rows(work, operation), operation.row_limit))
        given: JsonObject = {name: work.given.get(name) for name in sorted(operation.variables())}
        found: Found = connected(work, self._resolve)(operation, given)
        return Outcome({"rows": list[Json](found.rows), "truncated": found.is_truncated})

    def _own_rows(self, work: Work, operation: GraphQuery) -> list[Row]:
        """The rows of a named query, one more than the limit where there are more (platform 2)."""
        named = _named(operation)
        given = _given(named, work)
        try:
            return ask(self._own, named, work.user, given, operation.row_limit + 1, operation.timeout)
        except StoreError as error:
            is_transient = isinstance(error, StoreUnavailableError | QueryTimeoutError)
            raise OperationError(error.message, next_step=error.advice, is_transient=is_transient) from None


def _named(operation: GraphQuery) -> Named:
    name = operation.query.strip()
    if operation.mode != "read":
        raise OperationError("Aeon's own record is only read by tools", next_step="Set the operation's mode to read.")
    if not name.startswith("@") or name[1:] not in NAMED:
        raise OperationError(
            "of Aeon's own record only named queries are asked",
            next_step=f"Set the operation's query to one of {', '.join(f'@{known}' for known in NAMED)}.",
        )
    return NAMED[name[1:]]


def _given(named: Named, work: Work) -> JsonObject:
    """What a named query takes of the input; all of it are texts."""
    if wrong := [name for name in named.takes if not isinstance(work.given.get(name), str)]:
        raise OperationError(
            f"the query takes {', '.join(wrong)} from the input, a text each",
            next_step="Require it in the tool's inputSchema.",
        )
    return {name: work.given[name] for name in named.takes}


def _result(rows: list[Row], limit: int) -> JsonObject:
    return {"rows": list[Json](rows[:limit]), "truncated": len(rows) > limit}
