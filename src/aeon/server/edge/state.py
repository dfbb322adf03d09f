"""What the doors of one server share: the workspaces of its users, limits, counters, and threads for what blocks."""

import asyncio
import time
from collections.abc import Callable
from threading import Event
from typing import Final, NamedTuple, TypeVar, cast

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request

from aeon.application.embeddings import EmbeddingService
from aeon.application.folder_owner import OwnerServices
from aeon.application.webhook_events import WebhookReceiver
from aeon.application.workspace import Workspace, Workspaces
from aeon.base.errors import AeonError
from aeon.server.edge.counters import RequestCounters
from aeon.server.edge.idle_streams import IdleStreams
from aeon.server.edge.open_streams import OpenStreams
from aeon.server.edge.rates import EVENTS, SIGN_INS, Quota, RequestLimiter

T = TypeVar("T")

_THREADS: Final = 40
"""Calls that are under way at once; more wait."""

_VALID_FOR: Final = 0.35
"""Seconds for which a stream takes a credential for valid without another look."""


class _Look(NamedTuple):
    """A look at the record that began at a time of the monotonic clock, and what it finds."""

    began: float
    found: asyncio.Future[bool]

    def counts(self, now: float) -> bool:
        """Whether it is recent, and has not failed."""
        has_failed = self.found.done() and (self.found.cancelled() or self.found.exception() is not None)
        return now - self.began <= _VALID_FOR and not has_failed


class ServerState:
    """The shared state of one server's doors; nothing in it must survive the process."""

    def __init__(
        self,
        workspaces: Workspaces,
        owner: str,
        *,
        is_local: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`owner` is the user to whom the project's folder belongs; on a local server, they have no rate limit.

        Raises ConfigError if the settings of an OpenID provider are not complete.
        """
        workspaces.own_machine(owner)
        self._workspaces = workspaces
        self._limiter = CapacityLimiter(_THREADS)
        self._rates = RequestLimiter(monotonic)
        self._unlimited = {owner} if is_local else set[str]()
        self._looks: dict[str, _Look] = {}
        self.owner = owner
        self.provider = workspaces.sign_in
        """How people sign in by an OpenID provider; None if the settings name none."""
        self.counters = RequestCounters()
        self.streams = OpenStreams()
        self.stopping = Event()
        """Set when the server stops: every stream ends then."""
        self.idle_streams = IdleStreams(self._valid_among, self.stopping)

    @property
    def owned(self) -> OwnerServices:
        """What only the owner of the project's folder may use."""
        return self._workspaces.owned

    async def call(self, work: Callable[[], T]) -> T:
        """Return what `work` returns; it runs in a thread, and goes on if the caller goes away."""
        return await anyio.to_thread.run_sync(work, limiter=self._limiter, abandon_on_cancel=False)

    async def workspace(self, user: str) -> Workspace:
        """Return the workspace of a user."""
        return self._workspaces.opened(user) or await self.call(lambda: self._workspaces.of(user))

    def embeddings(self) -> EmbeddingService:
        """Return the embedding model. Raises ConfigError, MissingExtraError."""
        return self._workspaces.embeddings()

    def limit(self, quota: Quota, user: str) -> None:
        """Count a request of a user. Raises HttpError with status 429 for one too many."""
        if user not in self._unlimited:
            self._rates.take(quota, user)

    def limit_sign_ins(self, address: str) -> None:
        """Count an attempt to sign in from an address. Raises HttpError with status 429 for one too many."""
        self._rates.take(SIGN_INS, address)

    def limit_events(self, webhook: str) -> None:
        """Count a signed event of a webhook. Raises HttpError with status 429 for one too many."""
        self._rates.take(EVENTS, webhook)

    @property
    def webhook_events(self) -> WebhookReceiver:
        """What takes the events of webhooks."""
        return self._workspaces.webhook_events

    async def is_valid(self, credential: str) -> bool:
        """Return whether a credential still lets its user in; all streams of one have the same look at the record."""
        now = time.monotonic()
        look = self._looks.get(credential)
        if look is None or not look.counts(now):
            self._looks = {key: each for key, each in self._looks.items() if each.counts(now)}
            look = self._looks[credential] = _Look(now, asyncio.ensure_future(self._look_for(credential)))
        return await asyncio.shield(look.found)  # a stream that ends leaves the look to the others

    async def _valid_among(self, credentials: set[str]) -> set[str]:
        access = (await self.workspace(self.owner)).access
        return await self.call(lambda: {each for each in credentials if access.is_valid(each)})

    async def _look_for(self, credential: str) -> bool:
        access = (await self.workspace(self.owner)).access
        return await self.call(lambda: access.is_valid(credential))

    def is_ready(self) -> bool:
        """Whether the record and the engine answer. Blocks."""
        try:
            self._workspaces.check()
        except AeonError:
            return False
        return True


def state_of(request: Request) -> ServerState:
    """Return the state of the server that got a request."""
    return cast(ServerState, request.app.state.server)


def address_of(request: Request) -> str:
    """Return the address of the client, as a trusted proxy reports it."""
    return "" if request.client is None else request.client.host


def correlation_of(request: Request) -> str:
    """Return the id under which logs and errors name a request."""
    return cast(str, request.state.correlation_id)
