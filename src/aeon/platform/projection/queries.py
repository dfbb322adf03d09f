"""Queries of the projection: events, nodes and edges, and the positions of consumers."""

from typing import Final

from aeon.platform.store import DialectQuery

# Consumers

LOCK_CONSUMERS: Final = DialectQuery(
    sqlite="SELECT 1 AS locked",
    postgresql="LOCK TABLE consumers IN ACCESS EXCLUSIVE MODE",
)
"""Waits for transactions that have checked whether a consumer exists. SQLite has only one writer at a time."""

MARK: Final = "INSERT INTO events (micros, label, subject) VALUES (:micros, :label, :subject) RETURNING seq"

REGISTER: Final = """
INSERT INTO consumers (name, position) VALUES (:name, :seq)
ON CONFLICT (name) DO UPDATE SET position = excluded.position
"""

POSITION: Final = "SELECT position FROM consumers WHERE name = :name"

ADVANCE: Final = "UPDATE consumers SET position = :seq WHERE name = :name AND position < :seq"

PRUNE: Final = "DELETE FROM events WHERE seq < (SELECT min(position) FROM consumers)"
"""Keeps the event at each consumer's position, which proves that a graph continues this record."""

RETIRE: Final = "DELETE FROM consumers WHERE name = :name"

FORGET_EVENTS: Final = "DELETE FROM events WHERE NOT EXISTS (SELECT 1 FROM consumers)"

# Events

LAST_EVENT: Final = "SELECT max(seq) AS seq FROM events"

HORIZON: Final = DialectQuery(
    sqlite="SELECT max(seq) AS seq, 0 AS xid FROM events",
    postgresql="""
        SELECT max(seq) AS seq, CAST(CAST(pg_current_xact_id() AS text) AS bigint) AS xid FROM events
    """,
)
"""The last event, and a transaction id greater than those of all transactions that wrote events up to it."""

OLDEST_TRANSACTION: Final = DialectQuery(
    sqlite="SELECT 0 AS xid",
    postgresql="SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS xid",
)
"""All transactions with smaller ids have ended."""

EVENTS: Final = """
SELECT seq, micros, label, subject FROM events WHERE seq > :after AND seq <= :until ORDER BY seq LIMIT :limit
"""

EVENT: Final = "SELECT micros FROM events WHERE seq = :seq"

BEHIND: Final = "SELECT count(*) AS events, min(micros) AS oldest FROM events WHERE seq > :after"

# Nodes and edges

_TABLES: Final = (
    ("User", "users", "id"),
    ("Service", "services", "id"),
    ("Secret", "secrets", "id"),
    ("Tool", "tools", "id"),
    ("Binding", "bindings", "id"),
    ("Trust", "trusts", "id"),
    ("ServiceTemplate", "service_templates", "id"),
    ("ToolTemplate", "tool_templates", "id"),
    ("Definition", "definitions", "digest"),
    ("Process", "processes", "id"),
    ("ProcessStep", "process_steps", "CAST(process_id || '/' || id AS text)"),
    ("Schedule", "schedules", "id"),
    ("Webhook", "webhooks", "id"),
    ("Alert", "alerts", "id"),
    ("Run", "runs", "id"),
    ("Conversation", "conversations", "id"),
    ("ConversationTurn", "conversation_turns", "id"),
    ("Alternative", "alternatives", "id"),
    ("Episode", "episodes", "id"),
    ("Entity", "entities", "id"),
    ("Merge", "merges", "id"),
    ("Fact", "facts", "id"),
    ("Summary", "summaries", "id"),
    ("Introspection", "introspections", "id"),
    ("Worker", "workers", "id"),
    ("MetricDefinition", "metric_definitions", "id"),
    ("MetricValue", "metric_values", "id"),
)

IDS_AFTER: Final = {
    label: f"SELECT {key} AS id FROM {table} WHERE {key} > :after ORDER BY {key} LIMIT :limit"  # noqa: S608  # constants
    for label, table, key in _TABLES
}
"""The ids of a label's nodes, for the labels whose changes the record stores as events."""

ID_NAMES: Final = tuple(f"id{number}" for number in range(50))
"""Parameters for several ids: both databases push a list of them into the views, but not a subquery."""

_IDS: Final = ", ".join(f":{name}" for name in ID_NAMES)
_EDGE: Final = "SELECT type, from_label, from_id, to_label, to_id, properties FROM graph_edge"

NODES: Final = f"SELECT id, properties FROM graph_node WHERE label = :label AND id IN ({_IDS})"  # noqa: S608  # constants
EDGES_FROM: Final = f"{_EDGE} WHERE from_label = :label AND from_id IN ({_IDS})"
EDGES_TO: Final = f"{_EDGE} WHERE to_label = :label AND to_id IN ({_IDS})"

NODES_BETWEEN: Final = "SELECT id, properties FROM graph_node WHERE label = :label AND id > :after AND id <= :last"
EDGES_BETWEEN: Final = f"{_EDGE} WHERE from_label = :label AND from_id > :after AND from_id <= :last"
