"""Graph servers other than Aeon's own: which one an endpoint means, and as whom it is asked."""

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlsplit

from aeon.adapters.operations.graph_falkordb import FalkorServer
from aeon.adapters.operations.graph_neo4j import Neo4jServer
from aeon.adapters.operations.graph_rows import Found, Place, login
from aeon.base.json import JsonObject
from aeon.platform.catalog.calling import OperationError, Work
from aeon.platform.catalog.operations import GraphQuery

__all__ = ["Connect", "Found", "connected"]

Ask: TypeAlias = Callable[[GraphQuery, JsonObject], Found]
"""Asks a server a query with its parameters. Raises OperationError without a parameter's value in it."""

Connect: TypeAlias = Callable[[Work], Ask]
"""How to ask the server that a work's connection means. Raises OperationError where it means none."""

_ADVICE = "Give bolt://host:port, bolt+s://host:port or falkordb://host:port, and the password as a secret."


def connected(work: Work) -> Ask:
    """By the official clients of the two kinds of server."""
    place = _place(work)
    kind = FalkorServer if place.scheme == "falkordb" else Neo4jServer
    return kind(place, login(work.secret))


def _place(work: Work) -> Place:
    endpoint = str(work.connection.get("endpoint", ""))
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise OperationError("the endpoint has no valid port", next_step=_ADVICE) from None
    if parts.username is not None or parts.password is not None:
        raise OperationError("the endpoint holds a user or a password", next_step=_ADVICE)
    if parts.scheme not in (work.protocol, "falkordb") or not host or parts.path.strip("/") or parts.query:
        raise OperationError(f"the endpoint is not the address of a {work.protocol} server", next_step=_ADVICE)
    database = work.connection.get("database")
    return Place(parts.scheme, host, port, None if database is None else str(database))
