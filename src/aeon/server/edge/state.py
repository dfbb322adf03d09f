"""What the doors of one server share: the workspaces of its users, and threads for what blocks."""

from collections.abc import Callable
from threading import Event
from typing import Final, TypeVar, cast

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request

from aeon.application.folder_owner import OwnerServices
from aeon.application.workspace import Workspace, Workspaces

T = TypeVar("T")

_THREADS: Final = 40
"""Calls that are under way at once; more wait."""


class ServerState:
    """The shared state of one server's doors; nothing in it must survive the process."""

    def __init__(self, workspaces: Workspaces, owner: str) -> None:
        """`owner` is the user to whom the project's folder belongs."""
        self._workspaces = workspaces
        self._limiter = CapacityLimiter(_THREADS)
        self.owner = owner
        self.stopping = Event()
        """Set when the server stops: every stream ends then."""

    @property
    def owned(self) -> OwnerServices:
        """What only the owner of the project's folder may use."""
        return self._workspaces.owned

    async def call(self, work: Callable[[], T]) -> T:
        """Return what `work` returns; it runs in a thread, and goes on if the caller goes away."""
        return await anyio.to_thread.run_sync(work, limiter=self._limiter, abandon_on_cancel=False)

    async def workspace(self, user: str) -> Workspace:
        """Return the workspace of a user."""
        return await self.call(lambda: self._workspaces.of(user))


def state_of(request: Request) -> ServerState:
    """Return the state of the server that got a request."""
    return cast(ServerState, request.app.state.server)


def correlation_of(request: Request) -> str:
    """Return the id under which logs and errors name a request."""
    return cast(str, request.state.correlation_id)
