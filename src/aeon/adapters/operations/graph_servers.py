"""Graph servers other than Aeon's own: which one an endpoint means, and as whom it is asked."""

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlsplit

from aeon.adapters.operations.addresses import HostResolver, allowed_addresses, first_listening_address
from aeon.adapters.operations.graph_falkordb import FalkorQueryClient
from aeon.adapters.operations.graph_neo4j import Neo4jQueryClient
from aeon.adapters.operations.graph_rows import GraphEndpoint, GraphQueryResult, login_of
from aeon.base.json import JsonObject
from aeon.platform.catalog.calling import OperationError, OperationRequest
from aeon.platform.catalog.operations import GraphQuery

__all__ = ["GraphQueryFunction", "GraphQueryResult", "query_client"]

GraphQueryFunction: TypeAlias = Callable[[GraphQuery, JsonObject], GraphQueryResult]
"""Asks a server a query with its parameters. Raises OperationError without a parameter's value in it."""

_PORTS = {"bolt": 7687, "bolt+s": 7687, "falkordb": 6379}
_ADVICE = "Give bolt://host:port, bolt+s://host:port or falkordb://host:port, and the password as a secret."


def query_client(work: OperationRequest, resolve: HostResolver) -> GraphQueryFunction:
    """How to ask the server that a work's connection means, by the official clients of the two kinds of server.

    The address that was checked is the one connected to; over bolt+s the name is, since the certificate is held against
    it: what a name leads to later can answer for it only with the key of its certificate. Raises OperationError.
    """
    place = _endpoint(work)
    kind, who = FalkorQueryClient if place.scheme == "falkordb" else Neo4jQueryClient, login_of(work.secret)
    port = place.port or _PORTS[place.scheme]
    addresses = allowed_addresses(place.host, port, resolve, allow_private=work.operation.allow_private)
    if place.scheme == "bolt+s":
        return kind(place, who)
    return kind(place._replace(host=first_listening_address(addresses, port)), who)


def _endpoint(work: OperationRequest) -> GraphEndpoint:
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
    return GraphEndpoint(parts.scheme, host, port, None if database is None else str(database))
