"""The rows of an export before they are written: read from its lines, completed by its edges, and checked."""

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
"""Characters that a spool keeps before it goes to the disk."""

_MOST_PROBLEMS: Final = 50


class Spool:
    """JSON values in a temporary file without a name, which can be read several times. A context manager."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8")  # noqa: SIM115  # see `close`

    def refill(self, values: Iterable[Json]) -> None:
        """Replace what it holds. Raises StoreError when the disk is full."""
        with _disk_errors():
            self._file.seek(0)
            self._file.truncate()
        for value in values:
            self.add(value)

    def add(self, value: Json) -> None:
        """Add a value at the end. Raises StoreError when the disk is full."""
        line = f"{canonical_json(value)}\n"
        with _disk_errors():
            self._file.write(line)

    def close(self) -> None:
        """Remove the file."""
        self._file.close()

    def __iter__(self) -> Iterator[Json]:
        """All values, from the first. Raises StoreError when the disk is full: the last ones are written now."""
        with _disk_errors():
            self._file.seek(0)
        return map(parse_strict, self._file)

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
    """A node that edges may join. `values` are the columns of its row that they read or write."""

    line: int
    label: str
    values: JsonObject
    missing: set[str]


@dataclass(frozen=True, slots=True)
class _Link:
    """An edge with a row of its own."""

    line: int
    source: _Node
    target: _Node
    values: JsonObject


@dataclass(slots=True)
class _Problems:
    """What is wrong with an export, each with its line; the first of it where it is much."""

    found: list[str] = field(default_factory=list[str])

    def add(self, line: int, text: str) -> None:
        if not self.is_full:
            self.found.append(f"line {line} {text}")

    @property
    def is_full(self) -> bool:
        return len(self.found) >= _MOST_PROBLEMS


class ExportStaging:
    """The rows of a whole record. A context manager: its files go with it."""

    def __init__(self, graph: GraphSchema) -> None:
        self._graph = graph
        self._joined = _joined_columns(graph)
        self._required = {label: _required(graph, node) for label, node in graph.nodes.items()}
        self._spools = {label: Spool() for label in graph.nodes}
        self._nodes: dict[int, _Node] = {}
        self._links: dict[str, list[_Link]] = {edge.table: [] for edge in graph.edges.values() if edge.key}
        self._last_number = -1
        self._has_edges = False
        self._problems = _Problems()

    def read(self, records: Iterable[JsonObject]) -> None:
        """Take all records. Raises StoreError with what is wrong with them, each with its line."""
        for line, record in enumerate(records, 1):
            self._take(line, record)
            if self._problems.is_full:
                break
        else:
            self._check_whole()
        if found := self._problems.found:
            raise StoreError(
                f"The export cannot be loaded: {'; '.join(found)}.",
                next_step="Correct these lines, or export again.",
                problems=list[Json](found),
            )

    def nodes(self, node: NodeType) -> Iterator[JsonObject]:
        """The rows of a node's table."""
        ids = {column: self._ids_of(label) for column, label in node.part_of.items()}
        for number, said in self._spools[node.label]:
            joined = self._nodes[number].values if number in self._nodes else {}
            row: JsonObject = {**node.defaults, **said, **joined}
            if all(row[column] in known for column, known in ids.items()):
                yield row | {column: derive(row) for column, derive in node.derived.items()}

    def links(self, edge: EdgeType) -> Iterator[JsonObject]:
        """The rows of a table that holds edges alone."""
        for link in self._links[edge.table]:
            ends = _referred(edge.source_columns, link.source) | _referred(edge.target_columns, link.target)
            yield ends | link.values

    def close(self) -> None:
        """Remove the files."""
        for spool in self._spools.values():
            spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, line: int, record: Json) -> None:
        match record:
            case {"node": int(number), "labels": [str(label)], "properties": dict()}:
                self._take_node(line, number, label, record["properties"])
            case {"edge": str(kind), "from": int(source), "to": int(target), "properties": dict()}:
                self._take_edge(line, kind, (source, target), record["properties"])
            case _:
                self._problems.add(line, "is neither a node with one label nor an edge")

    def _take_node(self, line: int, number: int, label: str, properties: JsonObject) -> None:
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
        self._spools[label].add([number, row])
        missing = self._required[label].keys() - row.keys()
        joins = self._joined.get(label, set[str]())
        self._tell_missing(line, label, self._required[label], missing - joins)
        if joins:
            joined = {column: row[column] for column in joins if column in row}
            self._nodes[number] = _Node(line, label, joined, missing & joins)

    def _take_edge(self, line: int, kind: str, numbers: tuple[int, int], properties: JsonObject) -> None:
        self._has_edges = True
        source, target = (self._nodes.get(number) for number in numbers)
        if source is None or target is None:
            self._problems.add(line, f"is an edge {kind!r} of a node that is not there, or that has no edges")
            return
        edge = self._graph.edges.get((kind, source.label, target.label))
        if edge is None:
            self._problems.add(line, f"is an edge {kind!r} from {source.label} to {target.label}, which is unknown")
            return
        values = row_from_properties(edge, properties, lambda text: self._problems.add(line, text))
        if edge.key:
            said = {column: f"the property {name!r}" for name, column in edge.properties.items()}
            self._tell_missing(line, kind, said, said.keys() - values.keys())
            self._links[edge.table].append(_Link(line, source, target, values))
        elif edge.source_columns:
            self._complete(line, edge, target, _referred(edge.source_columns, source) | values)
        else:
            self._complete(line, edge, source, _referred(edge.target_columns, target) | values)

    def _complete(self, line: int, edge: EdgeType, node: _Node, values: JsonObject) -> None:
        """Add to a node's row what an edge says."""
        wrong = sorted(column for column, value in values.items() if node.values.setdefault(column, value) != value)
        if wrong:
            self._problems.add(line, f"is an edge {edge.type} that contradicts line {node.line} in {', '.join(wrong)}")
        node.missing.difference_update(values)

    def _check_whole(self) -> None:
        for node in self._nodes.values():
            self._tell_missing(node.line, node.label, self._required[node.label], node.missing)
        for edge in self._graph.edges.values():
            shared = edge.source_columns.keys() & edge.target_columns.keys()
            for link in self._links.get(edge.table, ()):
                source, target = (
                    _referred(edge.source_columns, link.source),
                    _referred(edge.target_columns, link.target),
                )
                if any(source.get(column) != target.get(column) for column in shared):
                    self._problems.add(link.line, f"is an edge {edge.type} between parts of two things")

    def _tell_missing(self, line: int, kind: str, words: Mapping[str, str], columns: Collection[str]) -> None:
        for column in sorted(columns):
            self._problems.add(line, f"is a {kind} without {words[column]}")

    def _ids_of(self, label: str) -> set[Json]:
        return {node.values.get("id") for node in self._nodes.values() if node.label == label}


def _referred(columns: Mapping[str, str], end: _Node) -> JsonObject:
    """The columns that refer to an end of an edge, as far as its row is known."""
    return {column: end.values[theirs] for column, theirs in columns.items() if theirs in end.values}


def _joined_columns(graph: GraphSchema) -> dict[str, set[str]]:
    """By label, the columns of a node's row that edges read or write."""
    found: dict[str, set[str]] = {}
    for edge in graph.edges.values():
        written = {*edge.source_columns, *edge.target_columns, *edge.properties.values()}
        for label, referred in ((edge.source, edge.source_columns), (edge.target, edge.target_columns)):
            found.setdefault(label, set()).update(referred.values() or written)
    return found


def _required(graph: GraphSchema, node: NodeType) -> dict[str, str]:
    """The columns of a node's row that have no default, and what of an export says each."""
    words: dict[str, str] = {}
    for edge in graph.edges.values():
        if edge.table == node.table:
            words |= dict.fromkeys((*edge.source_columns, *edge.target_columns), f"the edge {edge.type}")
            words |= {column: f"the edge {edge.type} with {name!r}" for name, column in edge.properties.items()}
    words |= {column: f"the property {name!r}" for name, column in node.properties.items()}
    words |= {each.column: f"the property {name!r}" for name, each in node.computed.items()}
    return {column: said for column, said in words.items() if column not in node.defaults}
