"""Everything out of a database, page by page, and everything into one, in one transaction."""

from collections.abc import Iterable, Iterator
from typing import cast

from aeon.adapters.graph.neo4j import queries
from aeon.adapters.graph.neo4j.session import Session, Transaction
from aeon.adapters.graph.records import Tally, checked
from aeon.adapters.graph.schemas import quoted
from aeon.base.json import JsonObject
from aeon.platform.graph import GraphError

SECONDS = 3600.0
"""What a load, and a page of an export, may take."""

_PAGE = 1000
_BATCH = 5000
_BATCH_CHARS = 8_000_000


def export(session: Session) -> Iterator[JsonObject]:
    """The records of `GraphStore.export`, labels in the order of the alphabet.

    Read in pages by the server's numbers. A node made meanwhile may be missing, and then its edges are, too.
    """
    last = session.read(queries.LAST_NODE, timeout=SECONDS)[0]["last"]
    pages = range(0, 0 if last is None else last + 1, _PAGE)
    numbers: dict[int, int] = {}
    for row in _paged(session, queries.NODES, pages):
        numbers[row["id"]] = len(numbers)
        yield {"node": numbers[row["id"]], "labels": sorted(row["labels"]), "properties": row["properties"]}
    for row in _paged(session, queries.EDGES, pages):
        if row["source"] in numbers and row["target"] in numbers:
            ends = {"from": numbers[row["source"]], "to": numbers[row["target"]]}
            yield {"edge": row["type"], **ends, "properties": row["properties"]}


def fill(transaction: Transaction, records: Iterable[JsonObject]) -> None:
    """All records in. Raises GraphError for records that are none, and where others write at the same time."""
    ids: dict[int, int] = {}
    for batch in _batches(checked(records, Tally())):
        if "node" in batch[0]:
            ids.update(_put_nodes(transaction, batch))
        else:
            _put_edges(transaction, batch, ids)
    if transaction.rows(queries.COUNT)[0]["nodes"] != len(ids):
        raise GraphError("Somebody writes to the graph while it is filled.", next_step="Stop them, and try again.")


def require_empty(transaction: Transaction) -> None:
    if transaction.rows(queries.COUNT)[0]["nodes"]:
        raise GraphError("The graph is not empty.", next_step="Load into an empty one, or restore a snapshot.")


def _paged(session: Session, query: str, pages: range) -> Iterator[JsonObject]:
    for start in pages:
        yield from session.read(query, {"start": start, "end": start + pages.step}, SECONDS)


def _put_nodes(transaction: Transaction, batch: list[JsonObject]) -> dict[int, int]:
    for label in {label for record in batch for label in record["labels"]}:
        quoted(label)  # the server could take any name; what loads into one store is to load into every other
    made = transaction.rows(queries.CREATE_NODES, {"rows": batch})
    return {row["node"]: row["id"] for row in made}


def _put_edges(transaction: Transaction, batch: list[JsonObject], ids: dict[int, int]) -> None:
    of_type: dict[str, list[JsonObject]] = {}
    for record in batch:
        ends = {"source": ids[record["from"]], "target": ids[record["to"]]}
        of_type.setdefault(record["edge"], []).append({**ends, "properties": record["properties"]})
    for kind, rows in of_type.items():
        transaction.rows(queries.CREATE_EDGES.format(type=quoted(kind)), {"rows": rows})


def _batches(records: Iterable[JsonObject]) -> Iterator[list[JsonObject]]:
    """As many records as a query takes, in their order; never a node and an edge together."""
    batch: list[JsonObject] = []
    chars = 0
    for record in records:
        is_full = len(batch) == _BATCH or chars > _BATCH_CHARS
        if batch and (is_full or ("node" in record) != ("node" in batch[0])):
            yield batch
            batch, chars = [], 0
        batch.append(record)
        chars += _weight(record)
    if batch:
        yield batch


def _weight(record: JsonObject) -> int:
    """About how many characters a record takes; what is short anyway does not count."""
    return sum(len(cast("str", value)) for value in record["properties"].values() if isinstance(value, str | list))
