"""The pages of conversations: asking, reading, branches, search."""

from typing import Annotated, Final

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from fastapi.responses import Response
from markupsafe import Markup

from aeon.application.conversations import ANSWER_INPUTS, AttachmentSource, MessageHit
from aeon.application.workspace import Workspace
from aeon.base.json import JsonObject
from aeon.platform.conversations.model import ConversationStatus
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.conversation_list import list_shown, title_of
from aeon.server.web.errors import shown_error
from aeon.server.web.forms import Key, Said, key_of, normalized
from aeon.server.web.markdown import show_directions
from aeon.server.web.pages import go_to, language_of, page
from aeon.server.web.texts import text
from aeon.server.web.thread import read_thread
from aeon.server.web.tree import depth_first

router = APIRouter(route_class=QuickRoute, include_in_schema=False)

_MAX_PROCESSES: Final = 100
_HITS: Final = 50

Files = Annotated[list[UploadFile], File()]


@router.get("/")
async def home(caller: SignedIn, request: Request, link: Annotated[str, Query(max_length=20)] = "") -> Response:
    """A new conversation; without a model that can answer it, what to do about that.

    `link=used`: the browser came by a sign-in link that is not valid any more.
    """

    def read() -> dict[str, object]:
        obstacle = caller.state.owned.models.find_obstacle()
        return {
            "obstacle": obstacle,
            "is_link_used": link == "used",
            "problem": None if obstacle is None else shown_error(obstacle.error),
            "manages_folder": caller.may("manage_folder"),
        }

    return await page(caller, request, "home.html", await caller.state.call(read))


@router.post("/conversations")
async def ask(caller: SignedIn, content: Said, key: Key, files: Files | None = None) -> Response:
    """Begin a conversation with a message, and its answer."""
    text, attached = normalized(content), await _read(files)
    service = caller.workspace.conversations
    begun = await caller.state.call(lambda: service.ask(None, text, attachments=attached, key=key_of(key, text)))
    return go_to(f"/conversations/{begun.result.conversation_id}?sent={key}#{begun.result.id}")


@router.get("/conversations")
async def list_more(
    caller: SignedIn, request: Request, status: ConversationStatus = "active", after: str | None = None
) -> Response:
    """Conversations further down in the list, or the archived ones."""
    empty, service = text(language_of(request), "empty"), caller.workspace.conversations
    found = await caller.state.call(lambda: list_shown(service, empty, status=status, after=after))
    return await page(caller, request, "conversations.html", {"current": None, "found": found, "status": status})


@router.get("/conversations/{conversation}")
async def show(
    conversation: str,
    caller: SignedIn,
    request: Request,
    at: str | None = None,
    beside: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """A window of a conversation: what is visible, or the path that ends at a message.

    `beside` is the message of another tab beside which the newest one was said.
    """
    workspace, empty = caller.workspace, text(language_of(request), "empty")

    def read() -> dict[str, object]:
        service = workspace.conversations
        thread = read_thread(service, conversation, at)
        origin = thread.conversation.origin_alternative_id
        return {
            "current": conversation,
            "thread": thread,
            "title": title_of(service, thread.conversation, empty),
            "origin": origin,
            "before": service.before_fork(thread.conversation),
            "processes": _answering(workspace),
            "beside": service.alternative(beside) if beside else None,
        }

    return await page(caller, request, "conversation.html", await caller.state.call(read))


@router.post("/conversations/{conversation}/messages")
async def say(
    conversation: str,
    caller: SignedIn,
    content: Said,
    key: Key,
    after: Annotated[str | None, Form()] = None,
    files: Files | None = None,
) -> Response:
    """Add a message after the one that the page showed last, and begin its answer.

    If the conversation has gone on from there meanwhile, the message is an alternative, and the next page says so.
    """
    text, attached = normalized(content), await _read(files)
    service = caller.workspace.conversations

    def work() -> str:
        once = key_of(key, text)
        message = service.say(conversation, text, after=after or None, attachments=attached, key=once)
        answer = service.reply(message.id, key=f"{once}:answer").result.id
        earlier = [each.id for each in service.siblings(message.id) if each.sequence < message.sequence]
        beside = f"&beside={earlier[0]}" if earlier else ""  # the newest comes first
        return f"/conversations/{conversation}?sent={key}{beside}#{answer}"

    return go_to(await caller.state.call(work))


@router.post("/conversations/{conversation}/change")
async def change(
    conversation: str,
    caller: SignedIn,
    title: Annotated[str | None, Form(max_length=200)] = None,
    pinned: Annotated[bool | None, Form()] = None,
    status: Annotated[ConversationStatus | None, Form()] = None,
) -> Response:
    """Rename, pin or archive a conversation."""
    given: JsonObject = {"title": title, "pinned": pinned, "status": status}
    wanted: JsonObject = {name: value for name, value in given.items() if value is not None}
    await caller.state.call(lambda: caller.workspace.conversations.change(conversation, wanted))
    return go_to(f"/conversations/{conversation}")


@router.get("/conversations/{conversation}/tree")
async def show_tree(conversation: str, caller: SignedIn, request: Request, after: str | None = None) -> Response:
    """All messages and answers of a conversation as a tree, in windows by depth."""
    service, empty = caller.workspace.conversations, text(language_of(request), "empty")

    def read() -> dict[str, object]:
        found = service.get(conversation)
        title = title_of(service, found, empty)
        window = service.tree(conversation, after=after)
        lines = list(depth_first(window.items))
        return {"current": conversation, "title": title, "lines": lines, "next": window.next_cursor}

    return await page(caller, request, "tree.html", await caller.state.call(read))


@router.get("/search")
async def search(caller: SignedIn, request: Request, q: Annotated[str, Query(max_length=500)] = "") -> Response:
    """The titles, messages and answers with these words."""
    service = caller.workspace.conversations
    found = await caller.state.call(lambda: service.search(q, limit=_HITS)) if q.strip() else []
    hits = [(hit, _marked(hit)) for hit in found]
    return await page(caller, request, "search.html", {"current": None, "hits": hits, "q": q})


def _answering(workspace: Workspace) -> list[str]:
    """The names of Processes that can answer in a conversation."""
    found = workspace.processes.list(limit=_MAX_PROCESSES).items
    fitting = [each for each in found if each.enabled and ANSWER_INPUTS.issuperset(each.required_inputs)]
    return sorted({each.name for each in fitting if each.input_names})


def _marked(hit: MessageHit) -> Markup:
    """The snippet of a hit, in which the found words are marked."""
    snippet, parts, end = hit.snippet, list[Markup](), 0
    for start, stop in snippet.marks:
        parts += [Markup("{}").format(show_directions(snippet.text[end:start]))]
        parts += [Markup("<mark>{}</mark>").format(show_directions(snippet.text[start:stop]))]
        end = stop
    return Markup("").join([*parts, Markup("{}").format(show_directions(snippet.text[end:]))])


async def _read(files: list[UploadFile] | None) -> list[AttachmentSource]:
    """The files of a form; a field without a file has one without a name."""
    return [(each.filename, await each.read()) for each in files or [] if each.filename]
