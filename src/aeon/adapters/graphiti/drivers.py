"""Graphiti's drivers for the two kinds of servers, on connections of ours, and what their errors mean.

On FalkorDB, Graphiti keeps each group in a graph of its own name, so a program that uses its stock driver finds the
groups there. On Neo4j, all groups are in one database.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final, Protocol

from graphiti_core.driver.driver import GraphDriver
from graphiti_core.driver.falkordb_driver import FalkorDriver
from graphiti_core.driver.neo4j_driver import Neo4jDriver

from aeon.adapters.graph_clients import falkordb, neo4j
from aeon.adapters.projection.addresses import GraphServerAddress
from aeon.platform.projection import ProjectionError, TargetUnavailableError

_CONNECT_SECONDS: Final = 5.0
_TIMEOUT_SECONDS: Final = 60.0


class GraphitiServer(Protocol):
    """A graph server on which Graphiti's driver works."""

    @property
    def name(self) -> str:
        """The kind of server and its location, without credentials."""
        ...

    def connect(self, group: str) -> AbstractAsyncContextManager[GraphDriver]:
        """Opens a driver for one group; closes it at the end. Both are cheap."""
        ...

    async def has_group(self, driver: GraphDriver, group: str) -> bool:
        """Returns whether a group may be there; a query of a graph that is not there would make it."""
        ...

    def failure_of(self, error: Exception) -> ProjectionError | None:
        """Returns what an error of the server means; None for any other error."""
        ...


class FalkorServer:
    """A `GraphitiServer` on FalkorDB."""

    def __init__(self, place: GraphServerAddress, password: str | None) -> None:
        self._place = place
        self._password = password

    @property
    def name(self) -> str:
        return f"FalkorDB server at {self._place.host_and_port}"

    @asynccontextmanager
    async def connect(self, group: str) -> AsyncGenerator[GraphDriver]:
        client = _FalkorClient(self._place, self._password)
        driver = FalkorDriver(falkor_db=client, database=group)  # pyright: ignore[reportArgumentType]  # what it uses
        await _cancel_index_building(driver)
        try:
            yield driver
        finally:
            await client.aclose()

    async def has_group(self, driver: GraphDriver, group: str) -> bool:
        client: _FalkorClient = vars(driver)["client"]
        return await client.has_key(group)

    def failure_of(self, error: Exception) -> ProjectionError | None:
        import redis.exceptions as wire

        if not isinstance(error, wire.RedisError | OSError):
            return None
        message, advice, is_transient = falkordb.failure_of(error, self._place.host_and_port)
        return (TargetUnavailableError if is_transient else ProjectionError)(message, next_step=advice)


class _FalkorClient:
    """What Graphiti's driver uses of FalkorDB's client, which itself probes the server by a blocking connection."""

    def __init__(self, place: GraphServerAddress, password: str | None) -> None:
        import redis.asyncio as redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        self._client: Any = redis.Redis(
            host=place.host,
            port=place.port,
            username=place.user or None,
            password=password,
            decode_responses=True,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_TIMEOUT_SECONDS,
        )

    def select_graph(self, name: str) -> Any:
        """Returns a graph."""
        from falkordb.asyncio.graph import AsyncGraph

        return AsyncGraph(self._client, name)

    async def has_key(self, name: str) -> bool:
        """Returns whether the server has something of that name."""
        return bool(await self._client.exists(name))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()


class Neo4jServer:
    """A `GraphitiServer` on Neo4j."""

    def __init__(self, place: GraphServerAddress, password: str | None) -> None:
        self._place = place
        self._password = password

    @property
    def name(self) -> str:
        return f"Neo4j server at {self._place.host_and_port}, database {self._place.database}"

    @asynccontextmanager
    async def connect(self, group: str) -> AsyncGenerator[GraphDriver]:  # noqa: ARG002  # a property of each node
        client: Any = neo4j.load_client()
        uri = f"{self._place.scheme}://{self._place.host_and_port}"
        driver = Neo4jDriver(uri, self._place.user, self._password, self._place.database)
        await _cancel_index_building(driver)
        await driver.client.close()
        driver.client = client.AsyncGraphDatabase.driver(
            uri,
            auth=client.basic_auth(self._place.user, self._password) if self._password else None,
            connection_timeout=_CONNECT_SECONDS,
            max_transaction_retry_time=_CONNECT_SECONDS,
            **neo4j.OPTIONS,
        )
        try:
            yield driver
        finally:
            await driver.client.close()

    async def has_group(self, driver: GraphDriver, group: str) -> bool:  # noqa: ARG002  # all are in one database
        return True

    def failure_of(self, error: Exception) -> ProjectionError | None:
        from neo4j.exceptions import DriverError, Neo4jError

        if isinstance(error, Neo4jError):
            message, advice, is_transient = neo4j.failure_of_code(error.code or "")
            return (TargetUnavailableError if is_transient else ProjectionError)(message, next_step=advice)
        if isinstance(error, DriverError | OSError):
            return TargetUnavailableError(f"The {self.name} does not answer: {type(error).__name__}.")
        return None


async def _cancel_index_building(driver: FalkorDriver | Neo4jDriver) -> None:
    """Stop the task that a driver starts when it is made: indices are built when a graph is written."""
    task: asyncio.Task[Any] | None = vars(driver)["_init_task"]
    if task is not None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
