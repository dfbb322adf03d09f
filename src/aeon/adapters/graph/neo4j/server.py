"""A Neo4j server by its address."""

from collections.abc import Callable
from typing import Any

from aeon.adapters.graph.neo4j.address import Address, parsed
from aeon.adapters.graph.neo4j.driver import OPTIONS, client
from aeon.adapters.graph.neo4j.schema import ensure_turns
from aeon.adapters.graph.neo4j.session import Session
from aeon.adapters.graph.neo4j.store import Neo4jGraph

_CONNECT_SECONDS = 5.0
_QUEUE_SECONDS = 30.0


def open_neo4j(address: str, password: Callable[[], str] | None = None) -> Neo4jGraph:
    """The graph of a database, `bolt://user@host:port/database` or `bolt+s://...`; `password` is asked at every query.

    Raises ConfigError for another address, MissingExtraError without the client, and GraphUnavailableError when the
    server does not answer or let us in.
    """
    place = parsed(address)
    driver = _driver(place, password)
    try:
        session = Session(driver, place.database, place.name)
        ensure_turns(session)
        return Neo4jGraph(session, place.name)
    except BaseException:
        driver.close()
        raise


def _driver(place: Address, password: Callable[[], str] | None) -> Any:
    neo4j = client()
    from neo4j.auth_management import AuthManager

    class Login(AuthManager):
        """What the client asks for a user and a password; it opens a new connection where they have changed."""

        def get_auth(self) -> Any:
            return neo4j.basic_auth(place.user, password()) if password else None

        def handle_security_exception(self, auth: Any, error: Any) -> bool:  # noqa: ARG002  # the client's signature
            return False

    database: Any = neo4j.GraphDatabase
    return database.driver(
        place.uri,
        auth=Login(),
        connection_timeout=_CONNECT_SECONDS,
        connection_acquisition_timeout=_QUEUE_SECONDS,
        **OPTIONS,
    )
