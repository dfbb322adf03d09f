"""Every node and edge type of the record, in an order that satisfies the foreign keys."""

from typing import Final

from aeon.platform.catalog import graph as catalog
from aeon.platform.conversations import graph as conversations
from aeon.platform.graph import GraphSchema, NodeType, published_columns
from aeon.platform.knowledge import graph as knowledge
from aeon.platform.metrics import graph as metrics
from aeon.platform.processes import graph as processes
from aeon.platform.workers import graph as workers

_NODES: Final = (
    NodeType(
        "User",
        "users",
        ("id",),
        properties=published_columns("id", "audit_seq", "audit_hash", "created_at"),
        numbers=frozenset({"audit_seq"}),
    ),
    NodeType(
        "AuditEntry",
        "audit_entries",
        ("user_id", "seq"),
        properties=published_columns(
            "user_id", "seq", "at", "action", "subject", "actor_id", "owner_id", "details", "previous", "hash"
        ),
        numbers=frozenset({"seq"}),
    ),
    NodeType("Request", "requests", ("id",), properties=published_columns("id", "at", "body", "answer")),
)

GRAPH_SCHEMA: Final = GraphSchema(
    (
        *_NODES,
        *catalog.NODES,
        *processes.NODES,
        *conversations.NODES,
        *knowledge.NODES,
        *workers.NODES,
        *metrics.NODES,
    ),
    (*catalog.EDGES, *processes.EDGES, *conversations.EDGES, *knowledge.EDGES, *workers.EDGES),
)
