"""The page of what is active in a conversation, with forms to pin, hide and unpin (platform 44)."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from aeon.application.knowledge import Inclusion
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.conversation_list import title_of
from aeon.server.web.forms import Key, key_of
from aeon.server.web.knowledge import CATEGORY_WORDS
from aeon.server.web.knowledge_changes import Named
from aeon.server.web.pages import go_to, language_of, page
from aeon.server.web.texts import text

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/conversations/{conversation}/entities")

_STANDING_WORDS: Final[Mapping[str, str]] = {
    "recent": "entity_recent",
    "active": "entity_active",
    "pinned": "entity_pinned",
    "hidden": "entity_hidden",
}
"""The keys of the words for how an entity stands in a conversation."""


@router.get("")
async def show_active_entities(conversation: str, caller: SignedIn, request: Request) -> Response:
    """What is active in a conversation, the most relevant first, and last what the user hid there."""
    workspace, empty = caller.workspace, text(language_of(request), "empty")

    def read() -> dict[str, object]:
        found = workspace.conversations.get(conversation)
        return {
            "current": found.id,
            "title": title_of(workspace.conversations, found, empty),
            "active": workspace.knowledge.list_active(found.id),
            "waiting": workspace.knowledge.status().queue.waiting,
            "standings": _STANDING_WORDS,
            "categories": CATEGORY_WORDS,
        }

    return await page(caller, request, "active-entities.html", await caller.state.call(read))


@router.post("")
async def change_active_entity(
    conversation: str,
    caller: SignedIn,
    name: Named,
    key: Key,
    state: Annotated[Literal["pinned", "hidden", "undecided"], Form()],
    summary: Annotated[bool, Form()] = False,
    facets: Annotated[bool, Form()] = False,
    relationships: Annotated[bool, Form()] = False,
) -> Response:
    """Pin a name or hide it, with the parts of it that answers use, or leave that undecided again."""
    service, includes = caller.workspace.knowledge, Inclusion(summary, facets, relationships)
    once = key_of(key, f"{name} {state} {includes}")

    def work() -> None:
        if state == "undecided":
            service.reset_active(conversation, name, key=once)
        else:
            service.set_active(conversation, name, state, includes, key=once)

    await caller.state.call(work)
    return go_to(f"/conversations/{conversation}/entities")
