"""Sessions with MCP servers, kept while they live. All of it runs in one event loop."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio

from aeon.adapters.operations.mcp_transports import Reach
from aeon.base.json import canonical

if TYPE_CHECKING:
    from mcp import Client

_PING_SECONDS = 5.0
_GOODBYE_SECONDS = 10.0
_NO_SUCH_METHOD = -32601


class Sessions:
    """One session for each server and secret."""

    def __init__(self, made: Callable[[Reach], "Client"]) -> None:
        """`made` is a client that is not connected yet."""
        self._made = made
        self._kept: dict[str, Session] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._alive: set[Session] = set()
        """Those kept, and those that are still saying goodbye."""

    async def client(self, reach: Reach) -> "Client":
        """A client whose server answers: the one kept, or a new one where that has died.

        Raises what connecting raises.
        """
        key = reach_key(reach)
        async with self._locks[key]:
            kept = self._kept.get(key)
            if kept is None or not await kept.answers():
                if kept is not None:
                    kept.leave()
                kept = self._kept[key] = await self._opened(reach)
            return kept.client

    async def close(self) -> None:
        """End every session; processes are gone when this returns."""
        self._kept.clear()
        ending = list(self._alive)
        for session in ending:
            session.leave()
        if ending:
            await asyncio.wait([session.task for session in ending], timeout=_GOODBYE_SECONDS)
            for session in ending:
                session.give_up()
            await asyncio.wait([session.task for session in ending])

    async def _opened(self, reach: Reach) -> "Session":
        session = Session(self._made(reach))
        self._alive.add(session)
        session.task.add_done_callback(lambda _task: self._alive.discard(session))
        try:
            await asyncio.shield(session.is_ready)
        except BaseException:
            session.give_up()
            raise
        return session


class Session:
    """One connected client, entered and left by a task of its own, as its cancel scopes demand."""

    def __init__(self, client: "Client") -> None:
        self.client = client
        self.is_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once connected; raises what connecting raised."""
        self._ending = asyncio.Event()
        self._scope = anyio.CancelScope()
        self.task = asyncio.create_task(self._live())

    async def answers(self) -> bool:
        """Whether the server is there; a newer one does not know pings, and says so."""
        from mcp import MCPError, types

        if self.task.done():
            return False
        try:
            await self.client.session.send_request(types.PingRequest(), types.EmptyResult, _PING_SECONDS)
        except MCPError as error:
            return error.code == _NO_SUCH_METHOD
        return True

    def leave(self) -> None:
        """Say goodbye to the server, without being waited for."""
        self._ending.set()

    def give_up(self) -> None:
        """Leave at once. A process is ended all the same: the transport's own end cannot be cancelled."""
        self._scope.cancel()

    async def _live(self) -> None:
        error: Exception = ConnectionError("the connection was given up")
        try:
            with self._scope:
                async with self.client:
                    self.is_ready.set_result(None)
                    await self._ending.wait()
        except Exception as raised:  # noqa: BLE001  # told to whoever waits for the connection, else it is over
            error = raised
        if not self.is_ready.done():
            self.is_ready.set_exception(error)
            self.is_ready.exception()  # told, even where nobody waits any more


def reach_key(reach: Reach) -> str:
    """What is the same for two who may share a session. The secret stands in it as a digest."""
    words = "\0".join(reach.secret.words()) if reach.secret else ""
    digest = hashlib.sha256(words.encode()).hexdigest()
    return canonical([reach.protocol, reach.connection, digest, reach.allow_private, reach.user, reach.allow_insecure])
