"""Sessions with MCP servers, kept while they live. All of it runs in one event loop."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio

from aeon.adapters.operations.mcp_transports import McpEndpoint
from aeon.base.json import canonical_json

if TYPE_CHECKING:
    from mcp import Client

_PING_SECONDS = 5.0
_GOODBYE_SECONDS = 10.0
_NO_SUCH_METHOD = -32601


class McpSessionPool:
    """One session for each server and secret."""

    def __init__(self, made: Callable[[McpEndpoint], "Client"]) -> None:
        """`made` is a client that is not connected yet."""
        self._new_client = made
        self._sessions: dict[str, McpSession] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._alive: set[McpSession] = set()
        """Those kept, and those that are still saying goodbye."""

    async def client(self, reach: McpEndpoint) -> "Client":
        """A client whose server answers: the one kept, or a new one where that has died.

        Raises what connecting raises.
        """
        key = session_key(reach)
        async with self._locks[key]:
            kept = self._sessions.get(key)
            if kept is None or not await kept.is_alive():
                if kept is not None:
                    kept.request_close()
                kept = self._sessions[key] = await self._open(reach)
            return kept.client

    async def close(self) -> None:
        """End every session; processes are gone when this returns."""
        self._sessions.clear()
        ending = list(self._alive)
        for session in ending:
            session.request_close()
        if ending:
            await asyncio.wait([session.task for session in ending], timeout=_GOODBYE_SECONDS)
            for session in ending:
                session.abort()
            await asyncio.wait([session.task for session in ending])

    async def _open(self, reach: McpEndpoint) -> "McpSession":
        session = McpSession(self._new_client(reach))
        self._alive.add(session)
        session.task.add_done_callback(lambda _task: self._alive.discard(session))
        try:
            await asyncio.shield(session.ready)
        except BaseException:
            session.abort()
            raise
        return session


class McpSession:
    """One connected client, entered and left by a task of its own, as its cancel scopes demand."""

    def __init__(self, client: "Client") -> None:
        self.client = client
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once connected; raises what connecting raised."""
        self._closing = asyncio.Event()
        self._scope = anyio.CancelScope()
        self.task = asyncio.create_task(self._run())

    async def is_alive(self) -> bool:
        """Whether the server is there; a newer one does not know pings, and says so."""
        from mcp import MCPError, types

        if self.task.done():
            return False
        try:
            await self.client.session.send_request(types.PingRequest(), types.EmptyResult, _PING_SECONDS)
        except MCPError as error:
            return error.code == _NO_SUCH_METHOD
        return True

    def request_close(self) -> None:
        """Say goodbye to the server, without being waited for."""
        self._closing.set()

    def abort(self) -> None:
        """Leave at once. A process is ended all the same: the transport's own end cannot be cancelled."""
        self._scope.cancel()

    async def _run(self) -> None:
        error: Exception = ConnectionError("the connection was given up")
        try:
            with self._scope:
                async with self.client:
                    self.ready.set_result(None)
                    await self._closing.wait()
        except Exception as raised:  # noqa: BLE001  # told to whoever waits for the connection, else it is over
            error = raised
        if not self.ready.done():
            self.ready.set_exception(error)
            self.ready.exception()  # told, even where nobody waits any more


def session_key(reach: McpEndpoint) -> str:
    """What is the same for two who may share a session. The secret stands in it as a digest."""
    words = "\0".join(reach.secret.all_strings()) if reach.secret else ""
    digest = hashlib.sha256(words.encode()).hexdigest()
    return canonical_json(
        [reach.protocol, reach.connection, digest, reach.allow_private, reach.user, reach.allow_insecure]
    )
