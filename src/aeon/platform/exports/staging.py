"""Stages the rows of an export: reads, completes and checks them."""

import tempfile
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.exports.legacy_format import OBSOLETE_LABELS, upgrade_properties
from aeon.platform.exports.properties import row_from_properties
from aeon.platform.graph import EdgeType, GraphSchema, NodeType
from aeon.platform.store import StoreError

_IN_MEMORY: Final = 1_000_000
"""The number of characters that a spool keeps in memory."""

_MAX_PROBLEMS: Final = 50


class Spool:
    """JSON values in an unnamed temporary file, which can be read several times.

    A context manager.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # see `close`
        self._end = 0

    def refill(self, values: Iterable[Json]) -> None:
        """Replaces all values. Raises StoreError if the disk is full."""
        with _disk_errors():
            self._file.seek(0)
            self._file.truncate()
        self._end = 0
        for value in values:
            self.add(value)

    def add(self, value: Json) -> int:
        """Appends a value, and returns its place. Raises StoreError if the disk is full."""
        line, place = f"{canonical_json(value)}\n".encode(), self._end
        with _disk_errors():
            self._file.write(line)
        self._end += len(line)
        return place

    def at(self, place: int) -> Json:
        """Returns the value at a place. Nothing may be added afterwards. Raises StoreError if the disk is full."""
        with _disk_errors():
            self._file.seek(place)
        return parse_strict(self._file.readline().decode())

    def close(self) -> None:
        """Removes the file."""
        self._file.close()

    def __iter__(self) -> Iterator[Json]:
        """Iterates over all values.

        Raises StoreError if the disk is full, since it first flushes pending values.
        """
        with _disk_errors():
            self._file.seek(0)
        return (parse_strict(line.decode()) for line in self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def _disk_errors() -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"The folder for temporary files cannot be written to: {error.strerror}.",
            next_step="Set TMPDIR to a folder with more space.",
        ) from error


@dataclass(frozen=True, slots=True)
class _Node:
    """A node that edges may refer to.

    `values` are the columns of its row that edges read or write.
    """

    line: int
    label: str
    values: JsonObject
    missing: set[str]


@dataclass(frozen=True, slots=True)
class _Link:
    """An edge with its own row."""

    line: int
    source: _Node
    target: _Node
    values: JsonObject


@dataclass(slots=True)
class _Problems:
    """The first problems of an export, each with its line."""

    found: list[str] = field(default_factory=list[str])

    def add(self, line: int, text: str) -> None:
        if not self.is_full:
            self.found.append(f"line {line} {text}")

    @property
    def is_full(self) -> bool:
        return len(self.found) >= _MAX_PROBLEMS


class ExportStaging:
    """The rows of a whole record. A context manager, which removes its files."""

    def __init__(self, graph: GraphSchema) -> None:
        self._graph = graph
        self._joined = _joined_columns(graph)
        self._required = {label: _required(graph, node) for label, node in graph.nodes.items()}
        self._spools = {label: Spool() for label in graph.nodes}
        self._nodes: dict[int, _Node] = {}
        self._parents = {label: _own_columns(graph, node) for label, node in graph.nodes.items()}
        self._places = {label: list[tuple[int, int]]() for label, columns in self._parents.items() if columns}
        self._links: dict[str, list[_Link]] = {edge.table: [] for edge in graph.edges.values() if edge.key}
        self._last_number = -1
        self._has_edges = False
        self._problems = _Problems()

    def read(self, records: Iterable[JsonObject]) -> None:
        """Reads all records. Raises StoreError with their problems, each with its line."""
        for line, record in enumerate(records, 1):
            self._read_record(line, record)
            if self._problems.is_full:
                break
        else:
            self._check_complete()
        if found := self._problems.found:
            raise StoreError(
                f"The export cannot be loaded: {'; '.join(found)}.",
                next_step="Correct these lines, or export again.",
                problems=list[Json](found),
            )

    def nodes(self, node: NodeType) -> Iterator[JsonObject]:
        """Yields the rows of a node's table; those that others of the same table refer to come before them."""
        ids = {column: self._ids_of(label) for column, label in node.part_of.items()}
        for number, values in self._staged(node):
            joined = self._nodes[number].values if number in self._nodes else {}
            row: JsonObject = {**node.defaults, **values, **joined}
            if all(row[column] in known for column, known in ids.items()):
                yield row | {column: derive(row) for column, derive in node.derived.items()}

    def _staged(self, node: NodeType) -> Iterable[tuple[int, JsonObject]]:
        """Returns the numbers and properties of a label's nodes."""
        spool = self._spools[node.label]
        if node.label not in self._places:
            return iter(spool)
        places = self._places[node.label]
        numbers = {self._nodes[number].values.get("id"): number for number, _ in places}
        parents = {
            number: {numbers.get(self._nodes[number].values.get(column)) for column in self._parents[node.label]}
            for number, _ in places
        }
        place_of = dict(places)
        return (spool.at(place_of[number]) for number in parents_first(parents))

    def links(self, edge: EdgeType) -> Iterator[JsonObject]:
        """Yields the rows of a table that holds only edges."""
        for link in self._links[edge.table]:
            ends = _reference_columns(edge.source_columns, link.source) | _reference_columns(
                edge.target_columns, link.target
            )
            yield {**edge.defaults, **ends, **link.values}

    def close(self) -> None:
        """Removes the files."""
        for spool in self._spools.values():
            spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read_record(self, line: int, record: Json) -> None:
        match record:
            case {"node": int(number), "labels": [str(label)], "properties": dict()}:
                self._read_node(line, number, label, record["properties"])
            case {"edge": str(kind), "from": int(source), "to": int(target), "properties": dict()}:
                self._read_edge(line, kind, (source, target), record["properties"])
            case _:
                self._problems.add(line, "is neither a node with one label nor an edge")

    def _read_node(self, line: int, number: int, label: str, properties: JsonObject) -> None:
        if self._has_edges or number <= self._last_number:
            self._problems.add(line, "is a node after an edge, or after a node with the same or a larger number")
        self._last_number = max(number, self._last_number)
        if label in OBSOLETE_LABELS:
            return
        if label not in self._graph.nodes:
            self._problems.add(line, f"has the unknown label {label!r}")
            return
        node = self._graph.nodes[label]
        row = row_from_properties(
            node, upgrade_properties(label, properties), lambda text: self._problems.add(line, text)
        )
        place = self._spools[label].add([number, row])
        if label in self._places:
            self._places[label].append((number, place))
        missing = self._required[label].keys() - row.keys()
        joins = self._joined.get(label, set[str]())
        self._report_missing(line, label, self._required[label], missing - joins)
        if joins:
            joined = {column: row[column] for column in joins if column in row}
            self._nodes[number] = _Node(line, label, joined, missing & joins)

    def _read_edge(self, line: int, kind: str, numbers: tuple[int, int], properties: JsonObject) -> None:
        self._has_edges = True
        source, target = (self._nodes.get(number) for number in numbers)
        if source is None or target is None:
            self._problems.add(line, f"is an edge {kind!r} of a node that does not exist, or that has no edges")
            return
        edge = self._graph.edges.get((kind, source.label, target.label))
        if edge is None:
            self._problems.add(line, f"is an edge {kind!r} from {source.label} to {target.label}, which is unknown")
            return
        values = row_from_properties(edge, properties, lambda text: self._problems.add(line, text))
        if edge.key:
            sources_by_column = {column: f"the property {name!r}" for name, column in edge.properties.items()}
            missing = sources_by_column.keys() - values.keys() - edge.defaults.keys()
            self._report_missing(line, kind, sources_by_column, missing)
            self._links[edge.table].append(_Link(line, source, target, values))
        elif edge.source_columns:
            self._complete(line, edge, target, _reference_columns(edge.source_columns, source) | values)
        else:
            self._complete(line, edge, source, _reference_columns(edge.target_columns, target) | values)

    def _complete(self, line: int, edge: EdgeType, node: _Node, values: JsonObject) -> None:
        """Adds an edge's columns to a node's row."""
        contradictions = sorted(
            column for column, value in values.items() if node.values.setdefault(column, value) != value
        )
        if contradictions:
            self._problems.add(
                line, f"is an edge {edge.type} that contradicts line {node.line} in {', '.join(contradictions)}"
            )
        node.missing.difference_update(values)

    def _check_complete(self) -> None:
        for node in self._nodes.values():
            self._report_missing(node.line, node.label, self._required[node.label], node.missing)
        for edge in self._graph.edges.values():
            shared = edge.source_columns.keys() & edge.target_columns.keys()
            for link in self._links.get(edge.table, ()):
                source, target = (
                    _reference_columns(edge.source_columns, link.source),
                    _reference_columns(edge.target_columns, link.target),
                )
                if any(source.get(column) != target.get(column) for column in shared):
                    self._problems.add(link.line, f"is an edge {edge.type} between parts of two things")

    def _report_missing(self, line: int, kind: str, descriptions: Mapping[str, str], columns: Collection[str]) -> None:
        for column in sorted(columns):
            self._problems.add(line, f"is a {kind} without {descriptions[column]}")

    def _ids_of(self, label: str) -> set[Json]:
        return {node.values.get("id") for node in self._nodes.values() if node.label == label}


def parents_first(parents: Mapping[int, set[int | None]]) -> Iterator[int]:
    """Yields all keys, each after its parents; those of a circle come last, in their own order."""
    waiting = {key: len(each & parents.keys()) for key, each in parents.items()}
    children: dict[int | None, list[int]] = {}
    for key, each in parents.items():
        for parent in each:
            children.setdefault(parent, []).append(key)
    ready = [key for key, count in waiting.items() if not count]
    for key in ready:
        yield key
        del waiting[key]
        for child in children.get(key, ()):
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    yield from waiting


def _own_columns(graph: GraphSchema, node: NodeType) -> list[str]:
    """Returns the columns of a node's row that refer to another node of the same label."""
    own = (edge for edge in graph.edges.values() if edge.source == edge.target == node.label and not edge.key)
    return [column for edge in own for column in edge.target_columns]


def _reference_columns(columns: Mapping[str, str], end: _Node) -> JsonObject:
    """Returns the columns that refer to an end of an edge, if its row is known."""
    return {column: end.values[end_column] for column, end_column in columns.items() if end_column in end.values}


def _joined_columns(graph: GraphSchema) -> dict[str, set[str]]:
    """Returns, by label, the columns of a node's row that edges read or write."""
    columns_by_label: dict[str, set[str]] = {}
    for edge in graph.edges.values():
        written = {*edge.source_columns, *edge.target_columns, *edge.properties.values()}
        for label, referenced in ((edge.source, edge.source_columns), (edge.target, edge.target_columns)):
            columns_by_label.setdefault(label, set()).update(referenced.values() or written)
    return columns_by_label


def _required(graph: GraphSchema, node: NodeType) -> dict[str, str]:
    """Returns the required columns of a node's row, each with its source in an export."""
    sources_by_column: dict[str, str] = {}
    for edge in graph.edges.values():
        if edge.table == node.table:
            sources_by_column |= dict.fromkeys((*edge.source_columns, *edge.target_columns), f"the edge {edge.type}")
            sources_by_column |= {
                column: f"the edge {edge.type} with {name!r}" for name, column in edge.properties.items()
            }
    sources_by_column |= {column: f"the property {name!r}" for name, column in node.properties.items()}
    sources_by_column |= {each.column: f"the property {name!r}" for name, each in node.computed.items()}
    return {column: description for column, description in sources_by_column.items() if column not in node.defaults}
