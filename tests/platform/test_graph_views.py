"""The views of nodes and edges: made of the declarations, which say every column, and answered from indexes."""

import re
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.store.migrations import load_migrations
from aeon.base.json import parse_strict
from aeon.platform.graph_types import GRAPH_SCHEMA
from aeon.platform.store import DialectQuery, QueryTimeoutError
from aeon.testing.records import new_record

OF_THE_STORE = {
    *("meta", "consumers", "events", "pieces", "credentials", "accounts", "identities", "sqlite_sequence"),
    *("knowledge_leases", "word_cases", "vectors", "span_progress"),
}
"""Tables that are not exported: the store's own, and what is derived from others."""

DEFAULTS_IN_SQL = {
    "digest",
    "health_failures",
    "is_unmeasured",
    "is_unsent",
    "section",
    "options",
    "tags",
    "paused",
    "priority",
    "weight",
    "runs_on",
    "language",
    "aeon_version",
    "operations",
    "labels",
}

COLUMNS = DialectQuery(
    sqlite="""
        SELECT m.name AS table_name, p.name AS column_name, p.type AS type, 1 - p."notnull" AS is_nullable
        FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS p WHERE m.type = 'table'
    """,
    postgresql="""
        SELECT table_name, column_name, data_type AS type, CAST(is_nullable = 'YES' AS int) AS is_nullable
        FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
    """,
)

NODE = "SELECT properties FROM graph_node WHERE label = :label AND id = :id"
EDGES_FROM = "SELECT type, to_label, to_id, properties FROM graph_edge WHERE from_label = :label AND from_id = :id"
EDGES_TO = "SELECT type, from_label, from_id, properties FROM graph_edge WHERE to_label = :label AND to_id = :id"
NODES_AFTER = "SELECT id, properties FROM graph_node WHERE label = :label AND id > :id ORDER BY id LIMIT 10"


@pytest.fixture(scope="module")
def columns(store):
    """The columns of all tables: the type, and whether NULL is allowed, by table and column."""
    found = {}
    for row in store.read(COLUMNS):
        found.setdefault(row["table_name"], {})[row["column_name"]] = (row["type"].lower(), bool(row["is_nullable"]))
    return found


def declared(table):
    """The columns that nodes and edges say of a table."""
    of_nodes = [each for each in GRAPH_SCHEMA.nodes.values() if each.table == table]
    of_edges = [each for each in GRAPH_SCHEMA.edges.values() if each.table == table]
    found = {column for each in (*of_nodes, *of_edges) for column in each.properties.values()}
    found |= {column for each in of_edges for column in (*each.source_columns, *each.target_columns)}
    computed = {column for each in of_nodes for one in each.computed.values() for column in one.stored("")}
    return found | computed | {column for each in of_nodes for column in each.derived}


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_the_migration_holds_the_views_that_the_declarations_make(dialect):
    newest = next(each for each in reversed(load_migrations(dialect)) if "CREATE VIEW graph_node" in each.up)
    assert newest.up.endswith(GRAPH_SCHEMA.views(dialect))


def test_every_table_is_nodes_or_edges_with_all_of_its_columns(columns):
    tables = {each.table for each in (*GRAPH_SCHEMA.nodes.values(), *GRAPH_SCHEMA.edges.values())}
    assert tables == {each for each in columns.keys() - OF_THE_STORE if not each.startswith("search_")}
    assert {table: declared(table) for table in tables} == {table: set(columns[table]) for table in tables}


@pytest.mark.parametrize("label", GRAPH_SCHEMA.nodes)
def test_the_declared_types_and_defaults_are_those_of_the_table(columns, label):
    node = GRAPH_SCHEMA.nodes[label]
    there = columns[node.table]
    integers = {column for column, (kind, _) in there.items() if kind != "text"}
    edges = [each for each in GRAPH_SCHEMA.edges.values() if each.table == node.table]
    said = {column for each in edges for column in each.numbers | each.booleans}
    computed = {column for each in node.computed.values() for column in each.stored("")}
    assert node.numbers | node.booleans | said == integers - computed
    nullable = {column for column, (_, is_nullable) in there.items() if is_nullable} - computed - set(node.key)
    assert {column for column, value in node.defaults.items() if value is None} == nullable
    assert {column for column, value in node.defaults.items() if value is not None} <= DEFAULTS_IN_SQL


LINKS = [each for each in GRAPH_SCHEMA.edges.values() if each.key]


@pytest.mark.parametrize("edge", LINKS, ids=lambda edge: f"{edge.source} {edge.type} {edge.target}")
def test_the_declared_types_and_defaults_of_a_table_of_edges_are_those_of_the_table(columns, edge):
    there = columns[edge.table]
    ends = {*edge.source_columns, *edge.target_columns}
    integers = {column for column, (kind, _) in there.items() if kind != "text"}
    assert (edge.numbers | edge.booleans) - ends == integers - ends
    nullable = {column for column, (_, is_nullable) in there.items() if is_nullable}
    assert dict.fromkeys(nullable) == edge.defaults
    assert set(edge.key) <= there.keys()


ON_SQLITE = pytest.mark.parametrize("new_store", ["sqlite"], indirect=True)
"""The tables are the same in both; and PostgreSQL goes through small tables anyway."""


@ON_SQLITE
def test_nodes_come_in_the_order_of_their_foreign_keys(store):
    places = {node.table: place for place, node in enumerate(GRAPH_SCHEMA.nodes.values())}
    # What a turn shows is looked for when a transaction ends, whatever the order.
    query = """SELECT "table" AS target FROM pragma_foreign_key_list(:table) WHERE "from" <> 'shows'"""
    for table, place in places.items():
        targets = {row["target"] for row in store.read(query, {"table": table})} - {table}
        assert all(places[target] < place for target in targets), table


def scanned(store, query):
    """The tables that SQLite goes through; a branch for another label is left before it begins."""
    plan = store.explain(query, {"label": "Tool", "id": "x"})
    return set(re.findall(r"SCAN (\w+)$", plan, re.MULTILINE)) - {"escaped"}


@ON_SQLITE
@pytest.mark.parametrize("query", [NODE, NODES_AFTER])
def test_a_node_and_a_page_of_nodes_are_found_by_an_index(store, query):
    """Nothing asks for a single entry of a run or of an audit trail, or for a single attachment, by its id."""
    assert scanned(store, query) == {"audit_entries", "run_entries", "attachments"}


@ON_SQLITE
@pytest.mark.parametrize("query", [EDGES_FROM, EDGES_TO])
def test_the_edges_of_a_node_are_found_by_an_index(store, query):
    assert scanned(store, query) == set()


def test_sqlite_reads_only_the_branch_of_the_label(tmp_path):
    entries = [{"seq": seq} for seq in range(1, 50_001)]
    add = """
        INSERT INTO audit_entries (user_id, seq, at, action, subject, actor_id, owner_id, details, previous, hash)
        VALUES ('x', :seq, '', '', '', '', '', '{}', '', '')
    """
    with closing(new_record(tmp_path)) as store:
        store.update(lambda unit: unit.write("INSERT INTO users VALUES ('x', 50000, '', '')"))
        store.update(lambda unit: unit.write_each(add, entries))
        assert store.read(NODE, {"label": "User", "id": "x"}, timeout=0), "it took fewer than 10,000 instructions"
        with pytest.raises(QueryTimeoutError):
            store.read(NODE, {"label": "AuditEntry", "id": "x"}, timeout=0)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_every_text_is_shown_as_it_is(store, text):
    """Quotes, backslashes and control characters too; SQLite's view puts its JSON together by itself."""

    def work(unit):
        unit.write("DELETE FROM requests WHERE id = 'law'")
        unit.write("INSERT INTO requests (id, at, body, answer) VALUES ('law', '', :text, '{}')", {"text": text})
        return unit.read(NODE, {"label": "Request", "id": "law"})

    (row,) = store.update(work)
    assert parse_strict(row["properties"]) == {"id": "law", "at": "", "body": text, "answer": "{}"}
