"""The record as a property graph: types of nodes and edges, and their views. Pure.

The views are `graph_node(label, id, properties)` and `graph_edge(type, from_label, from_id, to_label, to_id,
properties)`, with properties as JSON text. A filter by `label` and `id`, or by the label and id of an edge's end, uses
an index.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Final

from pydantic.alias_generators import to_camel

from aeon.base.json import Json, JsonObject
from aeon.platform.store import Dialect, DialectQuery, Row

SEPARATOR: Final = "/"
"""Separates the columns of a key in a node's id."""

_NONE: Final[frozenset[str]] = frozenset()
_WIDTH: Final = 120

_ESCAPED: Final = r"""(SELECT CASE WHEN said GLOB '*[' || char(1) || '-' || char(31) || ']*' THEN (
    WITH RECURSIVE escaped (n, text) AS (
        SELECT 0, said
        UNION ALL SELECT n + 1, replace(text, char(n + 1), printf('\u%04x', n + 1)) FROM escaped WHERE n < 31
    ) SELECT text FROM escaped WHERE n = 31) ELSE said END FROM (SELECT properties AS said))"""
"""SQL that escapes the control characters of JSON text, which occur only inside its strings."""


@dataclass(frozen=True, slots=True)
class ComputedProperty:
    """A property computed from several columns."""

    sql: DialectQuery
    """Its value in the views, as JSON."""
    columns: Mapping[str, str]
    """The SQL that an export selects to compute it, by column name of the row."""
    value: Callable[[Row], Json]
    """Computes the property's value from such a row."""
    stored: Callable[[Json], JsonObject]
    """Computes the columns that store a value."""
    column: str
    """A column that `stored` always returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowType:
    """The properties that a table's rows publish."""

    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns by published name."""
    json: frozenset[str] = _NONE
    """Columns that hold JSON text. A column in none of these sets holds a string."""
    booleans: frozenset[str] = _NONE
    numbers: frozenset[str] = _NONE
    computed: Mapping[str, ComputedProperty] = field(default_factory=dict[str, ComputedProperty])
    defaults: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Values of columns that an export does not mention. An export must give all other columns."""


@dataclass(frozen=True, slots=True)
class NodeType(RowType):
    """Nodes of one label: one node for each row of a table.

    A node's id is its key columns joined by `/`. Edges express the columns that the properties leave out.
    """

    label: str
    table: str
    key: tuple[str, ...]
    derived: Mapping[str, Callable[[JsonObject], Json]] = field(default_factory=dict[str, Callable[[JsonObject], Json]])
    """Columns that no property publishes, computed from the row's other columns."""
    part_of: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns that hold the id of another node, with its label. A row without that node is not loaded."""
    late: frozenset[str] = _NONE
    """Columns that name a row which is written after this one. They are loaded when all rows are there."""


@dataclass(frozen=True, slots=True)
class EdgeType(RowType):
    """Edges of one type: one for each row of a table that refers to both ends."""

    type: str
    source: str
    target: str
    table: str
    source_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The source's columns by the columns that refer to them. Empty if the row is the source's own."""
    target_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for the target."""
    where: str = ""
    """An SQL condition that selects the rows that are edges, if not all are; the table's alias is `e`."""
    key: tuple[str, ...] = ()
    """The primary key of a table that holds only edges."""


class GraphSchema:
    """All node and edge types.

    The order of the nodes satisfies the foreign keys between their tables.
    """

    def __init__(self, nodes: Sequence[NodeType], edges: Sequence[EdgeType]) -> None:
        self.nodes = {each.label: each for each in nodes}
        self.edges = {(each.type, each.source, each.target): each for each in edges}

    def views(self, dialect: Dialect) -> str:
        """Returns the statements that create both views."""
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
        """Returns a FROM clause: an edge's rows `e`, and its ends `s` and `t` if needed."""
        ends = (("s", edge.source, edge.source_columns), ("t", edge.target, edge.target_columns))
        joins = [_join(alias, self.nodes[label], columns) for alias, label, columns in ends]
        return f"{edge.table} AS e{''.join(joins)}"

    def source_id(self, edge: EdgeType) -> str:
        """Returns the SQL for the id of an edge's source, over its `rows`."""
        return _end_id("s", self.nodes[edge.source], edge.source_columns)

    def target_id(self, edge: EdgeType) -> str:
        """Returns the SQL for the id of an edge's target, over its `rows`."""
        return _end_id("t", self.nodes[edge.target], edge.target_columns)

    def key(self, edge: EdgeType) -> tuple[str, ...]:
        """Returns the columns that identify a row of an edge."""
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
    """Returns columns by their published names: in camel case, or as given."""
    return {**{to_camel(column): column for column in columns}, **renamed}


def node_id_sql(columns: Iterable[str]) -> str:
    """Returns the SQL of a node's id from its key columns.

    SQLite searches views by index only if all of the view's columns have one type.
    """
    parts = tuple(columns)
    joined = f" || '{SEPARATOR}' || ".join(parts)
    return joined if len(parts) == 1 else f"CAST({joined} AS text)"


def json_text_sql(text: str) -> str:
    """Returns the SQLite expression of a text as JSON.

    The view escapes control characters.
    """
    return f"""coalesce('"' || replace(replace({text}, '\\', '\\\\'), '"', '\\"') || '"', 'null')"""


def _node_branch(node: NodeType, dialect: Dialect) -> str:
    columns = {"label": f"'{node.label}'", "id": node_id_sql(node.key), "properties": _object(node, dialect)}
    return _select(columns, node.table)


def _select(columns: Mapping[str, str], rows: str, where: str = "") -> str:
    """Returns a SELECT in lines of readable length: no string in the columns contains a blank."""
    selected = ", ".join(f"{value} AS {name}" for name, value in columns.items())
    lines = fill(f"SELECT {selected}", _WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    return f"{lines}\nFROM {rows}" + (f"\nWHERE {where}" if where else "")


def _object(kind: RowType, dialect: Dialect, prefix: str = "") -> str:
    """Returns the SQL of the properties as JSON text.

    Does not use SQLite's JSON functions: some versions, such as 3.40, refuse them in views if `trusted_schema` is OFF.
    """
    values = {name: _value(kind, column, dialect, f"{prefix}{column}") for name, column in kind.properties.items()}
    values |= {name: getattr(each.sql, dialect) for name, each in kind.computed.items()}
    if dialect == "postgresql":
        pairs = (f"'{name}', {value}" for name, value in values.items())
        return f"CAST(json_build_object({', '.join(pairs)}) AS text)"
    members = " || ',' || ".join(f"'\"{name}\":' || {value}" for name, value in values.items())
    return f"'{{' || {members} || '}}'" if members else "'{}'"


def _value(kind: RowType, column: str, dialect: Dialect, expression: str) -> str:
    """Returns the SQL of a column's value as JSON."""
    if column in kind.booleans:
        return (
            f"CASE {expression} WHEN 1 THEN 'true' ELSE 'false' END" if dialect == "sqlite" else f"({expression} = 1)"
        )
    if dialect == "sqlite":
        return f"coalesce({expression}, 'null')" if column in kind.json | kind.numbers else json_text_sql(expression)
    return f"CAST({expression} AS json)" if column in kind.json else expression


def _refers_by_key(node: NodeType, columns: Mapping[str, str]) -> bool:
    return not columns or set(node.key) <= set(columns.values())


def _join(alias: str, node: NodeType, columns: Mapping[str, str]) -> str:
    """Joins the end's own row if the edge's row refers to it by columns other than its key."""
    if _refers_by_key(node, columns):
        return ""
    same = " AND ".join(f"{alias}.{end_column} = e.{column}" for column, end_column in columns.items())
    return f"\nJOIN {node.table} AS {alias} ON {same}"


def _end_id(alias: str, node: NodeType, columns: Mapping[str, str]) -> str:
    if not _refers_by_key(node, columns):
        return node_id_sql(f"{alias}.{column}" for column in node.key)
    edge_columns = {edge_columns: column for column, edge_columns in columns.items()}
    return node_id_sql(f"e.{edge_columns.get(column, column)}" for column in node.key)
