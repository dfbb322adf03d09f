"""The record as a property graph: declarations of which rows are nodes and edges, and the views made of them. Pure.

`graph_node(label, id, properties)` and `graph_edge(type, from_label, from_id, to_label, to_id, properties)` hold
properties as JSON text. A filter by `label` and `id`, or by the label and the id of an edge's end, reads by an index.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Final

from pydantic.alias_generators import to_camel

from aeon.base.json import Json, JsonObject
from aeon.platform.store import Dialect, DialectQuery, Row

SEPARATOR: Final = "/"
"""Between the columns of a key in the id of a node."""

_NONE: Final[frozenset[str]] = frozenset()
_WIDTH: Final = 120

_ESCAPED: Final = r"""(SELECT CASE WHEN said GLOB '*[' || char(1) || '-' || char(31) || ']*' THEN (
    WITH RECURSIVE escaped (n, text) AS (
        SELECT 0, said
        UNION ALL SELECT n + 1, replace(text, char(n + 1), printf('\u%04x', n + 1)) FROM escaped WHERE n < 31
    ) SELECT text FROM escaped WHERE n = 31) ELSE said END FROM (SELECT properties AS said))"""
"""JSON text with its control characters escaped: they stand only inside of its texts."""


@dataclass(frozen=True, slots=True)
class ComputedProperty:
    """A property that several columns make up."""

    sql: DialectQuery
    """Its value in the views, as JSON."""
    columns: Mapping[str, str]
    """What an export selects to make it, by the name in the row."""
    value: Callable[[Row], Json]
    """The property's value of such a row."""
    stored: Callable[[Json], JsonObject]
    """The columns that hold a value."""
    column: str
    """One that is always among these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowType:
    """What a table's rows publish as properties."""

    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns by the published name."""
    json: frozenset[str] = _NONE
    """Columns that hold JSON text. A column that is in none of these sets holds a text."""
    booleans: frozenset[str] = _NONE
    numbers: frozenset[str] = _NONE
    computed: Mapping[str, ComputedProperty] = field(default_factory=dict[str, ComputedProperty])


@dataclass(frozen=True, slots=True)
class NodeType(RowType):
    """Nodes of one label: a node for each row of a table.

    A node's id is its key's columns with `/` between them. What the properties leave out, edges say.
    """

    label: str
    table: str
    key: tuple[str, ...]
    defaults: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What a column holds where an export says nothing of it; it must say the other columns."""
    derived: Mapping[str, Callable[[JsonObject], Json]] = field(default_factory=dict[str, Callable[[JsonObject], Json]])
    """Columns that no property publishes, made of the row's other columns."""
    part_of: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns that hold the id of a node of a label. A row without that node is not loaded."""


@dataclass(frozen=True, slots=True)
class EdgeType(RowType):
    """Edges of one type between nodes of two labels: an edge for each row of a table, which refers to both ends."""

    type: str
    source: str
    target: str
    table: str
    source_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The source's columns by the columns that refer to them. Empty: the row is the source's own."""
    target_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for the target."""
    where: str = ""
    """Which rows are edges, where not all are; the table is `e`."""
    key: tuple[str, ...] = ()
    """The primary key of a table that holds edges alone."""


class GraphSchema:
    """All types of nodes and edges. The order of the nodes satisfies the foreign keys between their tables."""

    def __init__(self, nodes: Sequence[NodeType], edges: Sequence[EdgeType]) -> None:
        self.nodes = {each.label: each for each in nodes}
        self.edges = {(each.type, each.source, each.target): each for each in edges}

    def views(self, dialect: Dialect) -> str:
        """The statements that create both views."""
        nodes = "\nUNION ALL\n".join(_node_branch(each, dialect) for each in self.nodes.values())
        edges = "\nUNION ALL\n".join(self._edge_branch(each, dialect) for each in self.edges.values())
        if dialect == "sqlite":
            nodes = f"SELECT label, id, {_ESCAPED}\nFROM (\n{nodes}\n)"
            edges = f"SELECT type, from_label, from_id, to_label, to_id, {_ESCAPED}\nFROM (\n{edges}\n)"
        return (
            f"CREATE VIEW graph_node (label, id, properties) AS\n{nodes};\n\n"
            f"CREATE VIEW graph_edge (type, from_label, from_id, to_label, to_id, properties) AS\n{edges};\n"
        )

    def rows(self, edge: EdgeType) -> str:
        """The rows `e` of an edge, with its ends `s` and `t` where their ids need them, for a FROM."""
        ends = (("s", edge.source, edge.source_columns), ("t", edge.target, edge.target_columns))
        joins = [_join(alias, self.nodes[label], columns) for alias, label, columns in ends]
        return f"{edge.table} AS e{''.join(joins)}"

    def source_id(self, edge: EdgeType) -> str:
        """The id of an edge's source, of its `rows`."""
        return _end_id("s", self.nodes[edge.source], edge.source_columns)

    def target_id(self, edge: EdgeType) -> str:
        """The id of an edge's target, of its `rows`."""
        return _end_id("t", self.nodes[edge.target], edge.target_columns)

    def key(self, edge: EdgeType) -> tuple[str, ...]:
        """The columns that tell the rows of an edge from each other."""
        if edge.key:
            return edge.key
        return self.nodes[edge.target if edge.source_columns else edge.source].key

    def _edge_branch(self, edge: EdgeType, dialect: Dialect) -> str:
        columns = {
            "type": f"'{edge.type}'",
            "from_label": f"'{edge.source}'",
            "from_id": self.source_id(edge),
            "to_label": f"'{edge.target}'",
            "to_id": self.target_id(edge),
            "properties": _object(edge, dialect, "e."),
        }
        return _select(columns, self.rows(edge), edge.where)


def published_columns(*columns: str, **renamed: str) -> dict[str, str]:
    """Columns by their published names: in camel case, or as given."""
    return {**{to_camel(column): column for column in columns}, **renamed}


def node_id_sql(columns: Iterable[str]) -> str:
    """The SQL of a node's id, of its key's columns. SQLite searches views only by columns that are all of one type."""
    parts = tuple(columns)
    joined = f" || '{SEPARATOR}' || ".join(parts)
    return joined if len(parts) == 1 else f"CAST({joined} AS text)"


def json_text_sql(text: str) -> str:
    """The SQL of a text as JSON in SQLite, but for control characters, which the view escapes."""
    return f"""coalesce('"' || replace(replace({text}, '\\', '\\\\'), '"', '\\"') || '"', 'null')"""


def _node_branch(node: NodeType, dialect: Dialect) -> str:
    columns = {"label": f"'{node.label}'", "id": node_id_sql(node.key), "properties": _object(node, dialect)}
    return _select(columns, node.table)


def _select(columns: Mapping[str, str], rows: str, where: str = "") -> str:
    """In lines of readable length: no text in the columns holds a blank."""
    said = ", ".join(f"{value} AS {name}" for name, value in columns.items())
    lines = fill(f"SELECT {said}", _WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    return f"{lines}\nFROM {rows}" + (f"\nWHERE {where}" if where else "")


def _object(kind: RowType, dialect: Dialect, prefix: str = "") -> str:
    """The properties as JSON text.

    Without SQLite's JSON functions: some versions refuse them in views where `trusted_schema` is OFF, such as 3.40.
    """
    values = {name: _value(kind, column, dialect, f"{prefix}{column}") for name, column in kind.properties.items()}
    values |= {name: getattr(each.sql, dialect) for name, each in kind.computed.items()}
    if dialect == "postgresql":
        pairs = (f"'{name}', {value}" for name, value in values.items())
        return f"CAST(json_build_object({', '.join(pairs)}) AS text)"
    members = " || ',' || ".join(f"'\"{name}\":' || {value}" for name, value in values.items())
    return f"'{{' || {members} || '}}'" if members else "'{}'"


def _value(kind: RowType, column: str, dialect: Dialect, said: str) -> str:
    """A column's value as JSON."""
    if column in kind.booleans:
        return f"CASE {said} WHEN 1 THEN 'true' ELSE 'false' END" if dialect == "sqlite" else f"({said} = 1)"
    if dialect == "sqlite":
        return f"coalesce({said}, 'null')" if column in kind.json | kind.numbers else json_text_sql(said)
    return f"CAST({said} AS json)" if column in kind.json else said


def _refers_by_key(node: NodeType, columns: Mapping[str, str]) -> bool:
    return not columns or set(node.key) <= set(columns.values())


def _join(alias: str, node: NodeType, columns: Mapping[str, str]) -> str:
    """The end's own row, where the row of the edge refers to it by other columns than its key."""
    if _refers_by_key(node, columns):
        return ""
    same = " AND ".join(f"{alias}.{theirs} = e.{column}" for column, theirs in columns.items())
    return f"\nJOIN {node.table} AS {alias} ON {same}"


def _end_id(alias: str, node: NodeType, columns: Mapping[str, str]) -> str:
    if not _refers_by_key(node, columns):
        return node_id_sql(f"{alias}.{column}" for column in node.key)
    theirs = {theirs: column for column, theirs in columns.items()}
    return node_id_sql(f"e.{theirs.get(column, column)}" for column in node.key)
