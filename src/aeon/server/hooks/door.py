"""`POST /hooks/{webhook}`: takes a signed event and answers with the id of its run (platform 47).

What costs least is looked at first: headers, then the signature, then the rate; only then is anything parsed or
written. A caller that cannot sign always gets the same answer, and no log has anything of an event.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeVar

import anyio
import anyio.to_thread
from anyio import CapacityLimiter
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from aeon.application.audit import set_change_origin
from aeon.application.webhook_events import EventRefusedError, SignatureError, SignedEvent
from aeon.base.errors import AeonError
from aeon.base.loggers import room_logger
from aeon.server.edge.guard import MAX_BODY
from aeon.server.edge.problems import HttpError
from aeon.server.edge.state import address_of, correlation_of, state_of

T = TypeVar("T")

_LOG = room_logger("server")

_MAX_AT_ONCE: Final = 64
"""Events that are under way at once, which bounds the memory for their bodies."""

_THREADS: Final = 8
"""Events that are looked at or stored at once, so that other doors keep their threads."""

_BODY_SECONDS: Final = 10
"""Seconds that a sender has for its body."""

_SOON: Final = {"retry-after": "1"}


class _EventQueue:
    """The events that one server process has under way. Only its event loop uses it."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(_THREADS)
        self._under_way = 0

    @contextmanager
    def place(self) -> Generator[None]:
        """The time in which one more event is under way. Raises HttpError with status 429 if there are too many."""
        if self._under_way >= _MAX_AT_ONCE:
            raise HttpError(429, "Too many events are under way.", next_step="Send it again soon.", headers=_SOON)
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    async def call(self, work: Callable[[], T]) -> T:
        """Return what `work` returns; it runs in a thread."""
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


def mount_hooks(app: FastAPI) -> None:
    """Add the route of events, which is not in the description of the API: senders know their own form."""
    queue = _EventQueue()

    async def take(webhook: str, request: Request) -> JSONResponse:
        _require_plain_json(request)
        with queue.place():
            event = SignedEvent(_headers_of(request), await _body_of(request))
            return JSONResponse({"run": await _started(queue, webhook, event, request)}, 202)

    app.add_api_route("/hooks/{webhook}", take, methods=["POST"], include_in_schema=False)


async def _started(queue: _EventQueue, id_: str, event: SignedEvent, request: Request) -> str:
    """Return the id of the run of an event. Raises HttpError."""
    state = state_of(request)
    receiver = state.webhook_events
    with _refusals(request):
        webhook = await queue.call(lambda: receiver.authenticate(id_, event))
        state.limit_events(webhook.id)
        set_change_origin(None, address_of(request))
        return (await queue.call(lambda: receiver.start(webhook, event))).id


@contextmanager
def _refusals(request: Request) -> Generator[None]:
    """Turn every error into an answer that tells a sender no more than it has to know."""
    try:
        yield
    except SignatureError as error:
        _log_refusal(request, str(error))
        raise HttpError(
            401,
            "The event is refused.",
            next_step="Check the address, the signing secret and the clock.",
            headers={"www-authenticate": "Signature"},
        ) from None
    except EventRefusedError as error:
        raise HttpError(error.status, "The event starts nothing; the webhook's owner sees why.") from None
    except HttpError:
        raise
    except AeonError as error:
        _log_refusal(request, type(error).__name__)
        raise HttpError(
            503, "The event could not be taken.", next_step="Send it again.", headers={"retry-after": "60"}
        ) from None


def _require_plain_json(request: Request) -> None:
    """Raise HttpError for a body that is not JSON as it is: what is compressed may be of any size."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise HttpError(415, "An event is JSON.", next_step="Send it as application/json.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise HttpError(415, "An event is not compressed.", next_step="Send it without Content-Encoding.")


def _headers_of(request: Request) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]


async def _body_of(request: Request) -> bytes:
    """Return the whole body. Raises HttpError for one that is too large or comes too slowly."""
    body = bytearray()
    try:
        with anyio.fail_after(_BODY_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_BODY:
                    raise HttpError(413, f"The event has more than {MAX_BODY:,} bytes.")
    except TimeoutError:
        raise HttpError(408, f"The event did not arrive within {_BODY_SECONDS} s.") from None
    return bytes(body)


def _log_refusal(request: Request, reason: str) -> None:
    about = {"address": address_of(request), "correlation_id": correlation_of(request)}
    values = about["address"], about["correlation_id"], reason
    _LOG.warning("event refused, from %s, request %s: %s", *values, extra=about)
