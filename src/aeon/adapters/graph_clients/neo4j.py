"""Neo4j's own client: loaded where it is used, with its telemetry, its notifications and its wire log off."""

import logging
from types import ModuleType
from typing import Any

from aeon.adapters.graph_clients.errors import GraphServerFailure
from aeon.base.errors import MissingExtraError

PORT = 7687

OPTIONS: dict[str, Any] = {"telemetry_disabled": True, "notifications_min_severity": "OFF"}
"""What every driver of ours is opened with."""

_LOG, _WIRE_LOG = "neo4j", "neo4j.io"

_LATER = "Ask for less at once, or give it more time."
_SERVER_FAILURES: tuple[tuple[str, str, str], ...] = (
    ("Transaction.TransactionTimedOut", "took longer than its timeout for a query", _LATER),
    ("Transaction.Terminated", "took longer than its timeout for a query", _LATER),
    ("Transaction.LockClientStopped", "took longer than its timeout for a query", _LATER),
    ("Security.Forbidden", "does not allow this user the query", "Give the address of a user who may write."),
    ("Security.", "refuses the user or the password", "Give the right user in the address, and the password."),
    ("Database.", "has no such database, or it is not online", "Name another database in the address."),
    ("OutOfMemory", "has not enough memory for one query", "Ask for less at once, or give it more memory."),
    ("MemoryLimit", "has not enough memory for one query", "Ask for less at once, or give it more memory."),
    ("ReadOnly", "is a copy that takes no writes", "Give the address of the server that takes them."),
    ("TransientError.", "cannot serve the query now", "Wait a little and ask again."),
    ("DatabaseError.", "has failed at the query", "See the server's own log."),
)
"""What is wrong with the server, by what its code contains: what it does, and what to do next."""

_UNIQUE = "Schema.ConstraintValidationFailed"


def load_client() -> ModuleType:
    """The client's module. Raises MissingExtraError without it.

    Its log of the wire shows each query's parameters where a program logs everything, so that it is never more than
    what it calls information (platform 3). Where a program logs nothing, the client's log does not go to the terminal.
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
    """What a `code` of the server means. What it says of a value is not quoted: it may be one of the data's."""
    if _UNIQUE in code:
        return GraphServerFailure(
            "A value that must be unique is already there.", "Use what is there, or another value.", False
        )
    for part, trouble, advice in _SERVER_FAILURES:
        if part in code:
            return GraphServerFailure(f"The graph's server {trouble} ({code}).", advice, True)
    return GraphServerFailure(f"The graph refuses the query, {code}.", "Correct the query.", False)
