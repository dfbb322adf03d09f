"""Server-sent events: numbered, resumed by `Last-Event-ID`, kept alive, and ended by an event (platform 32)."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from aeon.base.json import Json, encodable_text
from aeon.server.edge.problems import HttpError
from aeon.server.edge.state import ServerState

HEARTBEAT: Final = 15.0
"""Seconds without an event, after which a stream says that it still lives."""

_EARLY: Final = 0.5
"""Seconds by which a stream may say so before: one that sleeps for so long wakes about then."""

CHECK_EVERY: Final = 0.6
"""The longest that a stream waits before it says that nothing is new, if nobody else sees whether it has to end."""

SIGNED_OUT: Final = "signed_out"
"""The name of the last event of a stream whose session has ended, or whose token was revoked."""

END: Final = "end"
"""The name of the last event of a stream."""

_LOOK_FOR_READER_EVERY: Final = 2.0
"""Seconds between two looks whether the reader of an idle stream is still there."""

_RETRY: Final = "retry: 1000\n\n"
_MAX_ID: Final = 15


class StreamEvent(NamedTuple):
    """An event of a stream. `id` is what a reader resumes after; None if it cannot."""

    name: str
    data: Json
    id: int | None = None

    def encode(self) -> str:
        """The event as a reader gets it."""
        number = "" if self.id is None else f"id: {self.id}\n"
        return f"{number}event: {self.name}\ndata: {encodable_text(json.dumps(self.data, ensure_ascii=False))}\n\n"


def resume_point(request: Request, after: int) -> int:
    """The number after which a stream begins: of the header, which a browser sends when it reconnects, else `after`.

    Raises HttpError if the header is not a number.
    """
    given = request.headers.get("last-event-id")
    if given is None:
        return after
    if not (given.isascii() and given.isdecimal() and len(given) <= _MAX_ID):
        raise HttpError(422, f"Last-Event-ID is {given[:50]!r}, not a number of this stream.")
    return int(given)


class EventStream(StreamingResponse):
    """An answer that is sent piece by piece, and counts as an open stream of a user until it ends.

    Of `lines`, an empty one is not sent: it says that nothing is new, so that it can be seen whether the reader is
    still there. Raises HttpError where it is sent, before its first byte, if the user or the server has too many.
    """

    def __init__(
        self, state: ServerState, user: str, lines: AsyncGenerator[str], headers: Mapping[str, str] | None = None
    ) -> None:
        own = {"cache-control": "no-store", "x-accel-buffering": "no", **(headers or {})}
        super().__init__(lines, media_type="text/event-stream", headers=own)
        self._lines = lines
        self._streams = state.streams
        self._user = user

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream. Starlette's own way has two more tasks for each stream that is open."""
        request, looked_at = Request(scope, receive), time.monotonic()
        with self._streams.opened(self._user):
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async with aclosing(self._lines) as lines:  # else what it watches is watched until it is collected
                async for line in lines:
                    if line:
                        await send({"type": "http.response.body", "body": line.encode(), "more_body": True})
                    if (now := time.monotonic()) - looked_at > _LOOK_FOR_READER_EVERY:
                        looked_at = now
                        if await request.is_disconnected():
                            return
            await send({"type": "http.response.body", "body": b"", "more_body": False})


class Reader(NamedTuple):
    """The user who reads a stream, and the id of the credential that was shown."""

    user: str
    credential: str


def stream(state: ServerState, reader: Reader, events: AsyncGenerator[StreamEvent | None]) -> EventStream:
    """The answer that sends a user events; None of `events` says that nothing is new.

    It ends with the events; or, within a second, with `stopping` when the server stops, and with `signed_out` when the
    reader's credential does not let them in any more.
    """
    return EventStream(state, reader.user, _lines(state, reader.credential, events))


class Waker:
    """Lets one coroutine wait until another thread has news. Made in a running event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._has_news = False

    def tell(self) -> None:
        """Say that there is news. Any thread may call it, also after the loop has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell)

    def interrupt(self) -> None:
        """End the wait without news. Only the event loop may call it."""
        self._woken.set()

    async def wait(self, seconds: float) -> bool:
        """Return whether there was news since the last call, for which it waits up to `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        self._woken.clear()
        has_news, self._has_news = self._has_news, False
        return has_news

    def _tell(self) -> None:
        self._has_news = True
        self._woken.set()


async def _lines(
    state: ServerState, credential: str, events: AsyncGenerator[StreamEvent | None]
) -> AsyncGenerator[str]:
    yield _RETRY
    last_sent = time.monotonic()
    async with aclosing(events):  # else what it watches is watched until it is collected
        async for event in events:
            if state.stopping.is_set():
                yield StreamEvent("stopping", {}).encode()
                return
            if not await state.is_valid(credential):
                yield StreamEvent(SIGNED_OUT, {}).encode()
                return
            if event is not None:
                last_sent = time.monotonic()
                yield event.encode()
            elif time.monotonic() - last_sent > HEARTBEAT - _EARLY:
                last_sent = time.monotonic()
                yield ": still here\n\n"
            else:
                yield ""
