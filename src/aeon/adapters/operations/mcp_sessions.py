"""A pool of sessions with MCP servers. Everything here runs in one event loop."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio

from aeon.adapters.operations.mcp_transports import McpEndpoint
from aeon.base.json import canonical_json

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import Tool

_MAX_PAGES = 50
_PING_SECONDS = 5.0
_CLOSE_SECONDS = 10.0
_NO_SUCH_METHOD = -32601


class McpSessionPool:
    """Keeps one session for each server and secret."""

    def __init__(self, new_client: Callable[[McpEndpoint], "Client"]) -> None:
        """`new_client` returns a client that is not connected yet."""
        self._new_client = new_client
        self._sessions: dict[str, McpSession] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._alive: set[McpSession] = set()
        """All sessions that have not ended: pooled ones, and those that are closing."""

    async def client(self, endpoint: McpEndpoint) -> "Client":
        """Return a client whose server answers: the pooled one, or a new one if that has died.

        Raises what connecting raises.
        """
        key = session_key(endpoint)
        async with self._locks[key]:
            session = self._sessions.get(key)
            if session is None or not await session.is_alive():
                if session is not None:
                    session.request_close()
                session = self._sessions[key] = await self._open(endpoint)
            return session.client

    async def close(self) -> None:
        """End every session; their processes have ended when this returns."""
        self._sessions.clear()
        ending = list(self._alive)
        for session in ending:
            session.request_close()
        if ending:
            await asyncio.wait([session.task for session in ending], timeout=_CLOSE_SECONDS)
            for session in ending:
                session.abort()
            await asyncio.wait([session.task for session in ending])

    async def _open(self, endpoint: McpEndpoint) -> "McpSession":
        session = McpSession(self._new_client(endpoint))
        self._alive.add(session)
        session.task.add_done_callback(lambda _task: self._alive.discard(session))
        try:
            await asyncio.shield(session.ready)
        except BaseException:
            session.abort()
            raise
        return session


class McpSession:
    """One connected client, entered and exited in its own task, as anyio's cancel scopes require."""

    def __init__(self, client: "Client") -> None:
        self.client = client
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once connected; raises the error of connecting."""
        self._closing = asyncio.Event()
        self._scope = anyio.CancelScope()
        self.task = asyncio.create_task(self._run())

    async def is_alive(self) -> bool:
        """Return whether the server answers a ping; a newer server answers that it does not know pings."""
        from mcp import MCPError, types

        if self.task.done():
            return False
        try:
            await self.client.session.send_request(types.PingRequest(), types.EmptyResult, _PING_SECONDS)
        except MCPError as error:
            return error.code == _NO_SUCH_METHOD
        return True

    def request_close(self) -> None:
        """Start closing the session, without waiting for it."""
        self._closing.set()

    def abort(self) -> None:
        """Close at once. A server process is still ended: the transport's cleanup cannot be cancelled."""
        self._scope.cancel()

    async def _run(self) -> None:
        error: Exception = ConnectionError("the connection was closed")
        try:
            with self._scope:
                async with self.client:
                    await _learn_tools(self.client)
                    self.ready.set_result(None)
                    await self._closing.wait()
        except Exception as raised:  # noqa: BLE001  # set on `ready` for the waiting task, if there is one
            error = raised
        if not self.ready.done():
            self.ready.set_exception(error)
            self.ready.exception()  # marks the exception as retrieved


async def all_tools(client: "Client") -> "AsyncGenerator[Tool]":
    """Yield a server's tools, page by page. The client keeps their schemas, and checks results by them."""
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            yield tool
        cursor = page.next_cursor
        if not cursor:
            return


async def _learn_tools(client: "Client") -> None:
    """List the tools once, so that results can be checked. A server that cannot list them may still call them."""
    from mcp import MCPError

    with suppress(MCPError, ValueError):
        async for _ in all_tools(client):
            pass


def session_key(endpoint: McpEndpoint) -> str:
    """Return the key of sessions that may be shared. It contains the secret only as a digest."""
    words = "\0".join(endpoint.secret.all_strings()) if endpoint.secret else ""
    digest = hashlib.sha256(words.encode()).hexdigest()
    return canonical_json(
        [endpoint.protocol, endpoint.connection, digest, endpoint.allow_private, endpoint.user, endpoint.allow_insecure]
    )
