"""Erasing messages: a page that shows what is erased and what stays, then the erasure (platform 28)."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from aeon.application.conversation_erasing import ErasureExtent
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.conversation_list import title_of
from aeon.server.web.forms import Key, key_of
from aeon.server.web.pages import language_of, page
from aeon.server.web.texts import text

router = APIRouter(route_class=QuickRoute, include_in_schema=False)


@router.get("/conversations/{conversation}/forget")
async def ask_about_conversation(conversation: str, caller: SignedIn, request: Request) -> Response:
    """What erasing a whole conversation would take."""
    language, service = language_of(request), caller.workspace.conversations

    def read() -> dict[str, object]:
        found = service.get(conversation)
        title = title_of(service, found, text(language, "empty"))
        heading = text(language, "forget_this", name=title)
        return _question(language, heading, service.erasing.measure(found.id), f"/conversations/{found.id}")

    return await page(caller, request, "confirm.html", await caller.state.call(read))


@router.post("/conversations/{conversation}/forget")
async def forget_conversation(conversation: str, caller: SignedIn, request: Request, key: Key) -> Response:
    """Erase a conversation, with its title and tags."""
    service = caller.workspace.conversations
    found = await caller.state.call(lambda: service.get(conversation))
    return await _forget(caller, request, (found.id, found.id), key)


@router.get("/messages/{message}/forget")
async def ask_about_message(message: str, caller: SignedIn, request: Request) -> Response:
    """What erasing a message or an answer would take."""
    language, service = language_of(request), caller.workspace.conversations

    def read() -> dict[str, object]:
        found = service.alternative(message)
        extent = service.erasing.measure(found.id)
        values = _question(language, text(language, "forget_message"), extent, f"/messages/{found.id}")
        return {**values, "current": found.conversation_id}

    return await page(caller, request, "confirm.html", await caller.state.call(read))


@router.post("/messages/{message}/forget")
async def forget_message(message: str, caller: SignedIn, request: Request, key: Key) -> Response:
    """Erase a message or an answer; its place in the conversation stays."""
    service = caller.workspace.conversations
    found = await caller.state.call(lambda: service.alternative(message))
    return await _forget(caller, request, (found.id, found.conversation_id), key)


async def _forget(caller: Caller, request: Request, what: tuple[str, str], key: str) -> Response:
    """Erase what has the first id, in the conversation with the second one, and say whether anything is left."""
    id_, conversation = what
    erasing = caller.workspace.conversations.erasing
    outcome = await caller.state.call(lambda: erasing.forget(id_, key=key_of(key)))
    return await page(caller, request, "erased.html", {"outcome": outcome, "current": conversation})


def _question(language: str, heading: str, extent: ErasureExtent, address: str) -> dict[str, object]:
    counts = {
        "erases_messages": extent.messages,
        "erases_answers": extent.answers,
        "erases_files": extent.files,
        "erases_runs": len(extent.runs),
        "stays_below": extent.below,
        "stays_forks": extent.forks,
    }
    lines = [text(language, key, n=count) for key, count in counts.items() if count]
    return {
        "heading": heading,
        "lines": [*lines, text(language, "erasing_is_final")],
        "action": f"{address}/forget",
        "button": text(language, "forget"),
        "back": address,
        "version": None,
    }
