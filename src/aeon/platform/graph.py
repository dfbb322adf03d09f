"""The port to the graph: queries in one subset of Cypher, each atomic, on whichever store holds the data.

The subset (decision 19): MATCH, OPTIONAL MATCH, bounded `*0..n`, MERGE on a unique key, CREATE, UNWIND $rows,
SET += $map, DELETE, CASE, WITH, collect, FOREACH, ORDER BY, SKIP, LIMIT. Never EXISTS{}, COUNT{}, datetime(), map
properties, APOC, ids or times made by the database.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject

Params: TypeAlias = Mapping[str, Json]
"""Bound to a query's `$names`: strings without NUL, 64-bit integers, finite floats, booleans, None, lists, objects.

A store keeps at least 15 significant digits of a float: FalkorDB answers with no more.
"""

Row: TypeAlias = JsonObject
"""A row of an answer by column. A node or an edge is the object of its properties."""


class GraphError(AeonError):
    """The graph could not be asked."""


class GraphUnavailableError(GraphError):
    """The graph does not answer.

    `may_have_happened` is True when a write was sent and its answer lost: whoever repeats it needs an idempotency key.
    """

    next_step = "See `aeon up`; the data are safe."

    def __init__(self, message: str = "", *, next_step: str = "", may_have_happened: bool = False) -> None:
        super().__init__(message, next_step=next_step, may_have_happened=may_have_happened)
        self.may_have_happened = may_have_happened


class QueryError(GraphError):
    """The query is not one that the graph accepts."""


class QueryTimeoutError(GraphError):
    """The query took longer than it was given. A write that did has changed nothing."""


class ReadOnlyError(GraphError):
    """A query that was to read wants to write."""


class GuardError(GraphError):
    """What the query demands before it writes does not hold; nothing was written."""


class DuplicateError(GraphError):
    """A value that must be unique is there already; nothing was written."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What a store must enforce and index: pairs of label and property. A missing value is unique to nobody."""

    unique: tuple[tuple[str, str], ...] = ()
    indexed: tuple[tuple[str, str], ...] = ()


class GraphStore(Protocol):
    """One graph. Threads may share it, and several processes may have the same one open.

    Every query is one transaction: it happens whole or not at all, and what was acknowledged survives the store being
    killed. A *guard* is `1/(CASE WHEN condition THEN 1 ELSE 0 END)` in a WITH before the first write; where the
    condition does not hold, the query raises GuardError. Queries are constants; all that varies is a parameter. All
    raise GraphError and its kinds.
    """

    @property
    def name(self) -> str:
        """The kind of store, and where it is, without credentials."""
        ...

    def read(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        """The rows of a query that changes nothing; the store itself refuses one that would (ReadOnlyError).

        `timeout` is in seconds (QueryTimeoutError).
        """
        ...

    def write(self, query: str, params: Params | None = None, *, timeout: float | None = None) -> list[Row]:
        """Carry out a query, whole or not at all; repeated where it met another and was turned down.

        Raises GuardError, DuplicateError, and GraphUnavailableError with `may_have_happened`.
        """
        ...

    def explain(self, query: str, params: Params | None = None) -> str:
        """How the store would carry out the query, in its own words."""
        ...

    def ensure(self, schema: Schema) -> None:
        """Have the store enforce and index all of it, from when this returns; what is there already stays.

        Raises DuplicateError when the data contradict it.
        """
        ...

    def export(self) -> Iterator[JsonObject]:
        """Everything, as records that `load` takes.

        Nodes `{"node": n, "labels": [...], "properties": {...}}`, then edges
        `{"edge": type, "from": n, "to": n, "properties": {...}}`, where n numbers nodes within one export.
        """
        ...

    def load(self, records: Iterable[JsonObject]) -> None:
        """Fill an empty graph with what `export` gave, from whatever store. Raises GraphError when it is not empty."""
        ...

    def snapshot(self, target: Path) -> None:
        """Write a copy from which `restore` makes the same graph again; `target` appears whole or not at all."""
        ...

    def restore(self, source: Path) -> None:
        """Replace everything by a snapshot. Raises GraphError, with nothing changed, when it is none."""
        ...

    def close(self) -> None:
        """Give back what was opened. Twice is once."""
        ...
