"""Neo4j's own client: imported on use, with telemetry, notifications and wire log disabled."""

import logging
from types import ModuleType
from typing import Any

from aeon.adapters.graph_clients.errors import GraphServerFailure
from aeon.base.errors import MissingExtraError

PORT = 7687

OPTIONS: dict[str, Any] = {"telemetry_disabled": True, "notifications_min_severity": "OFF"}
"""Options of every driver that Aeon opens."""

_LOG, _WIRE_LOG = "neo4j", "neo4j.io"

_RETRY_ADVICE = "Request less at once, or allow more time."
_SERVER_FAILURES: tuple[tuple[str, str, str], ...] = (
    ("Transaction.TransactionTimedOut", "took longer than its timeout for a query", _RETRY_ADVICE),
    ("Transaction.Terminated", "took longer than its timeout for a query", _RETRY_ADVICE),
    ("Transaction.LockClientStopped", "took longer than its timeout for a query", _RETRY_ADVICE),
    ("Security.Forbidden", "does not allow this user the query", "Give the address of a user who may write."),
    ("Security.", "refuses the user or the password", "Give the right user in the address, and the password."),
    ("Database.", "has no such database, or it is not online", "Name another database in the address."),
    ("OutOfMemory", "does not have enough memory for one query", "Request less at once, or give it more memory."),
    ("MemoryLimit", "does not have enough memory for one query", "Request less at once, or give it more memory."),
    ("ReadOnly", "is a replica that accepts no writes", "Give the address of the server that accepts them."),
    ("TransientError.", "cannot serve the query now", "Wait a little and try again."),
    ("DatabaseError.", "failed on the query", "See the server's own log."),
)
"""Failures of the server, by text in its code: the failure, and what to do next."""

_UNIQUE = "Schema.ConstraintValidationFailed"


def load_client() -> ModuleType:
    """Returns the client's module. Raises MissingExtraError without it.

    The client's wire log would show each query's parameters in a program that logs everything, so it is limited to the
    level INFO (platform 3). In a program without logging, the client's log does not reach the terminal.
    """
    try:
        import neo4j
    except ImportError as missing:
        raise MissingExtraError(
            "A Neo4j server needs neo4j.", next_step="Install aeon-orchestrator[graph]."
        ) from missing
    if not (log := logging.getLogger(_LOG)).handlers:
        log.addHandler(logging.NullHandler())
    logging.getLogger(_WIRE_LOG).setLevel(logging.INFO)
    return neo4j


def failure_of_code(code: str) -> GraphServerFailure:
    """Returns the failure for a `code` of the server.

    The server's text is not quoted: it may contain data.
    """
    if _UNIQUE in code:
        return GraphServerFailure(
            "A value that must be unique already exists.", "Use the existing one, or another value.", False
        )
    for part, trouble, advice in _SERVER_FAILURES:
        if part in code:
            return GraphServerFailure(f"The graph's server {trouble} ({code}).", advice, True)
    return GraphServerFailure(f"The graph refuses the query, {code}.", "Correct the query.", False)
