"""A door that opens at its first request."""

from collections.abc import Callable

from aeon.server.edge.guard import AsgiApp, Message, Receive, Send
from aeon.server.edge.state import ServerState


class LazyDoor:
    """An ASGI application that is made at its first request: importing what it needs would delay every start."""

    def __init__(self, state: ServerState, make: Callable[[], AsgiApp]) -> None:
        """`make` runs in a thread; first requests at the same time may call it more than once."""
        self._state = state
        self._make = make
        self._door: AsgiApp | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._door is None:
            made = await self._state.call(self._make)
            self._door = self._door or made  # another first request may have been quicker
        await self._door(scope, receive, send)
