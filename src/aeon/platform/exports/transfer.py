"""Exports a record as JSON lines, loads it, and copies it between stores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.exports.properties import properties_from_row
from aeon.platform.exports.staging import ExportStaging, Spool
from aeon.platform.graph import EdgeType, NodeType, node_id_sql
from aeon.platform.graph_types import GRAPH_SCHEMA
from aeon.platform.store import (
    DuplicateError,
    GuardError,
    InvariantError,
    QueryError,
    Row,
    Store,
    StoreError,
    UnitOfWork,
)

_PAGE: Final = 200
"""The number of rows that are read at once."""

_BATCH: Final = 500
"""The number of rows that are written at once."""


def export(store: Store) -> Iterator[JsonObject]:
    """Yields a snapshot of the record without secret values; equal records yield equal lines.

    Nodes `{"node": n, "labels": [...], "properties": {...}}`, then edges
    `{"edge": type, "from": n, "to": n, "properties": {...}}`, where n numbers the nodes. Raises StoreError.
    """
    with Spool() as spool:
        store.view(lambda unit: spool.refill(_records(unit)))
        yield from spool


def load(store: Store, records: Iterable[JsonObject]) -> None:
    """Loads an export into an empty record, which keeps its own id, atomically.

    Accepts the output of `export`, and exports of the former graph stores. Raises StoreError with every problem and its
    line, and if the record is not empty.
    """
    with ExportStaging(GRAPH_SCHEMA) as staging:
        staging.read(records)
        try:
            store.update(lambda unit: _fill(unit, staging))
        except (GuardError, InvariantError) as error:  # what is only seen in the whole
            raise StoreError(
                f"The record refuses the export as a whole: {error.message}",
                next_step="Nothing was loaded. A turn of a conversation in it shows no answer, or a row refers to one "
                "that is not there: export again, or mend what was changed by hand.",
            ) from error


def copy(source: Store, target: Store) -> None:
    """Copies a whole record into an empty one. Raises like `load`."""
    load(target, export(source))


def counts(store: Store) -> dict[str, int]:
    """Returns the number of nodes by label, without labels that have none.

    It scans whole tables.
    """
    selects = (
        f"SELECT '{node.label}' AS label, count(*) AS nodes FROM {node.table}"  # noqa: S608  # declared
        for node in GRAPH_SCHEMA.nodes.values()
    )
    rows = store.read(" UNION ALL ".join(selects))
    return {row["label"]: row["nodes"] for row in rows if row["nodes"]}


@dataclass(frozen=True, slots=True)
class _Selection:
    """Rows to read page by page, in the order of a key."""

    columns: Mapping[str, str]
    rows: str
    where: str
    key: Sequence[str]

    def pages(self, unit: UnitOfWork) -> Iterator[Row]:
        """Yields all rows."""
        named = [*self.columns.items(), *((f"key_{place}", column) for place, column in enumerate(self.key))]
        select = f"SELECT {', '.join(f'{column} AS {name}' for name, column in named)} FROM {self.rows}"  # noqa: S608  # declared
        end = f"ORDER BY {', '.join(self.key)} LIMIT {_PAGE}"
        after = f"({', '.join(self.key)}) > ({', '.join(f':key_{place}' for place in range(len(self.key)))})"
        first = f" WHERE {self.where}" if self.where else ""
        rows = unit.read(f"{select}{first} {end}")
        while rows:
            yield from rows
            last = {name: value for name, value in rows[-1].items() if name.startswith("key_")}
            where = f" WHERE {self.where} AND {after}" if self.where else f" WHERE {after}"
            rows = unit.read(f"{select}{where} {end}", last) if len(rows) == _PAGE else []


def _records(unit: UnitOfWork) -> Iterator[JsonObject]:
    joined = {label for edge in GRAPH_SCHEMA.edges.values() for label in (edge.source, edge.target)}
    numbers: dict[tuple[str, str], int] = {}
    number = 0
    for node in GRAPH_SCHEMA.nodes.values():
        for row in _nodes(node).pages(unit):
            yield {"node": number, "labels": [node.label], "properties": properties_from_row(node, row)}
            if node.label in joined:
                numbers[node.label, row["node_id"]] = number
            number += 1
    for edge in GRAPH_SCHEMA.edges.values():
        for row in _edges(edge).pages(unit):
            ends = {"from": numbers[edge.source, row["from_id"]], "to": numbers[edge.target, row["to_id"]]}
            yield {"edge": edge.type, **ends, "properties": properties_from_row(edge, row)}


def _nodes(node: NodeType) -> _Selection:
    columns = {"node_id": node_id_sql(node.key), **{column: column for column in node.properties.values()}}
    for each in node.computed.values():
        columns |= each.columns
    return _Selection(columns, node.table, "", node.key)


def _edges(edge: EdgeType) -> _Selection:
    ends = {"from_id": GRAPH_SCHEMA.source_id(edge), "to_id": GRAPH_SCHEMA.target_id(edge)}
    columns = {column: f"e.{column}" for column in edge.properties.values()}
    key = [f"e.{column}" for column in GRAPH_SCHEMA.key(edge)]
    return _Selection({**ends, **columns}, GRAPH_SCHEMA.rows(edge), edge.where, key)


def _fill(unit: UnitOfWork, staging: ExportStaging) -> None:
    for node in GRAPH_SCHEMA.nodes.values():
        if unit.read(f"SELECT 1 AS found FROM {node.table} LIMIT 1"):  # noqa: S608  # declared
            raise StoreError(
                f"The record is not empty: it has a {node.label}.", next_step="Load into a new record, or restore it."
            )
    for node in GRAPH_SCHEMA.nodes.values():
        _insert(unit, node.table, ({**row, **dict.fromkeys(node.late)} for row in staging.nodes(node)))
    for edge in GRAPH_SCHEMA.edges.values():
        if edge.key:
            _insert(unit, edge.table, staging.links(edge))
    for node in GRAPH_SCHEMA.nodes.values():
        for column in sorted(node.late):
            _set_late(unit, node, column, staging.nodes(node))


def _insert(unit: UnitOfWork, table: str, rows: Iterator[JsonObject]) -> None:
    while batch := list(islice(rows, _BATCH)):
        columns = sorted(batch[0])
        values = ", ".join(f":{name}" for name in columns)
        insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"  # noqa: S608  # declared
        _write(unit, table, insert, batch)


def _set_late(unit: UnitOfWork, node: NodeType, column: str, rows: Iterator[JsonObject]) -> None:
    key = " AND ".join(f"{name} = :{name}" for name in node.key)
    update = f"UPDATE {node.table} SET {column} = :{column} WHERE {key}"  # noqa: S608  # declared
    named = (row for row in rows if row[column] is not None)
    while batch := list(islice(named, _BATCH)):
        _write(unit, node.table, update, batch)


def _write(unit: UnitOfWork, table: str, query: str, batch: Sequence[JsonObject]) -> None:
    try:
        unit.write_each(query, batch)
    except (DuplicateError, GuardError, InvariantError, QueryError) as error:
        raise StoreError(f"The record refuses rows of {table}: {error.message}") from error
