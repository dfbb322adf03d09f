"""Looks after idle streams, all of them at once, so that each of them can sleep (platform 32)."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from threading import Event
from typing import Final, NamedTuple, Protocol

from starlette.requests import Request

from aeon.base.errors import AeonError

LOOK_INTERVAL: Final = 0.5
"""Seconds between two looks at the credentials of idle streams, and whether the server stops."""

_ASK_AGAIN_AFTER: Final = 1.0
"""Seconds after which a stream whose reader has gone is interrupted again, if it has not ended."""


class Sleeper(Protocol):
    """A stream that sleeps until it has something to send."""

    def interrupt(self) -> None:
        """Let it see whether it must end."""
        ...


class _Stream(NamedTuple):
    """An idle stream, and the credential of its reader."""

    credential: str
    sleeper: Sleeper


class IdleStreams:
    """Interrupts the streams that must end, with one look for all of them.

    Only the server's event loop uses it. One task looks while there are streams.
    """

    def __init__(self, valid_among: Callable[[set[str]], Awaitable[set[str]]], stopping: Event) -> None:
        """`valid_among` returns the credentials that let their users in; `stopping` is set when the server stops."""
        self._valid_among = valid_among
        self._stopping = stopping
        self._streams: list[_Stream] = []
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def opened(self, credential: str, request: Request, sleeper: Sleeper) -> Generator[None]:
        """The time in which a stream sleeps, and is interrupted if it must end."""
        stream = _Stream(credential, sleeper)
        self._streams.append(stream)
        gone = asyncio.create_task(_interrupt_when_gone(request, sleeper))
        if self._task is None:
            self._task = asyncio.create_task(self._look_until_alone())
        try:
            yield
        finally:
            gone.cancel()
            self._streams = [each for each in self._streams if each is not stream]

    async def _look_until_alone(self) -> None:
        try:
            while self._streams:
                await asyncio.sleep(LOOK_INTERVAL)
                await self._look_at_credentials()
        finally:
            self._task = None

    async def _look_at_credentials(self) -> None:
        valid = await self._list_valid({each.credential for each in self._streams})
        for each in self._streams:
            if each.credential not in valid:
                each.sleeper.interrupt()

    async def _list_valid(self, credentials: set[str]) -> set[str]:
        """Return the credentials whose streams go on; without a record none, so that each meets the error itself."""
        if self._stopping.is_set():
            return set()
        try:
            return await self._valid_among(credentials)
        except AeonError:
            return set()


async def _interrupt_when_gone(request: Request, sleeper: Sleeper) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    while True:
        sleeper.interrupt()
        await asyncio.sleep(_ASK_AGAIN_AFTER)
