"""What can be done with a message or an answer: edit, page, regenerate, stop, fork, look at what it was made from."""

from contextlib import suppress
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Form, Request
from fastapi.responses import PlainTextResponse, Response

from aeon.application.conversations import Alternative, ConversationService
from aeon.application.knowledge import Fact, KnowledgeService
from aeon.base.json import JsonObject
from aeon.platform.errors import NotFoundError
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.forms import Key, Said, key_of, normalized
from aeon.server.web.pages import answer, fill, go_to, language_of, page
from aeon.server.web.run_view import list_steps

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/messages/{message}")


@router.get("")
async def open_message(message: str, caller: SignedIn) -> Response:
    """The conversation at a message, on whatever branch it stands; nothing is switched."""
    found = await caller.state.call(lambda: caller.workspace.conversations.alternative(message))
    return go_to(f"/conversations/{found.conversation_id}?at={found.id}#{found.id}")


@router.get("/text")
async def show_text(message: str, caller: SignedIn) -> Response:
    """The words of a message alone."""
    found = await caller.state.call(lambda: caller.workspace.conversations.alternative(message))
    return PlainTextResponse(found.content or "", headers={"cache-control": "no-store"})


@router.get("/progress")
async def show_progress(message: str, caller: SignedIn, request: Request) -> Response:
    """The steps of the run that makes an answer."""
    language, workspace = language_of(request), caller.workspace

    def make() -> str:
        made = workspace.conversations.alternative(message)
        steps = [] if made.run_id is None else list_steps(workspace.runs, workspace.runs.view(made.run_id))
        return fill("progress.html", language, {"steps": steps})

    return answer(await caller.state.call(make))


@router.post("/edit")
async def edit(
    message: str, caller: SignedIn, content: Said, key: Key, then: Annotated[str, Form()] = "answer"
) -> Response:
    """Say a message in other words; the earlier ones stay as another alternative."""
    text, service = normalized(content), caller.workspace.conversations

    def work() -> Alternative:
        once = key_of(key, text)
        edited = service.edit(message, text, key=once)
        return edited if then == "save" else service.reply(edited.id, key=f"{once}:answer").result

    made = await caller.state.call(work)
    return go_to(f"/conversations/{made.conversation_id}?sent={key}#{made.id}")


@router.post("/activate")
async def activate(message: str, caller: SignedIn) -> Response:
    """Switch to an alternative."""
    return _at(await caller.state.call(lambda: caller.workspace.conversations.activate(message)))


@router.post("/answer")
async def begin_answer(message: str, caller: SignedIn, key: Key) -> Response:
    """Begin the answer to a message."""
    service = caller.workspace.conversations
    return _at((await caller.state.call(lambda: service.reply(message, key=key_of(key)))).result)


@router.post("/regenerate")
async def regenerate(
    message: str, caller: SignedIn, key: Key, process: Annotated[str, Form(max_length=300)] = ""
) -> Response:
    """Begin another alternative of an answer, by the same Process or another one."""
    service = caller.workspace.conversations
    begun = await caller.state.call(lambda: service.regenerate(message, process=process or None, key=key_of(key)))
    return _at(begun.result)


@router.post("/stop")
async def stop(message: str, caller: SignedIn) -> Response:
    """Stop an answer; what was written is kept."""
    return _at(await caller.state.call(lambda: caller.workspace.conversations.stop(message)))


@router.post("/fork")
async def fork(message: str, caller: SignedIn, key: Key) -> Response:
    """Begin a conversation that continues from here."""
    service = caller.workspace.conversations
    made = await caller.state.call(lambda: service.fork(message, key=key_of(key)))
    return go_to(f"/conversations/{made.id}")


@router.get("/why")
async def show_why(message: str, caller: SignedIn, request: Request) -> Response:
    """What an answer was made from, with the share of the tokens of each part (platform 25)."""
    service, knowledge = caller.workspace.conversations, caller.workspace.knowledge

    def read() -> dict[str, object]:
        manifest = service.why(message)
        made = service.alternative(message)
        total = manifest["tokens"]["total"]
        preface = _preface(service, manifest, total)
        parts = _messages(service, manifest, total)
        recalled = [_recalled(service, each, total) for each in manifest.get("recalled", [])]
        system = manifest["system"]
        requests = manifest.get("prompts", [{"text": system["text"], "tokens": system["tokens"]}])
        return {
            "current": made.conversation_id,
            "made": made,
            "manifest": manifest,
            "preface": preface,
            "parts": parts,
            "recalled": [(each, _facts_of(knowledge, each)) for each in recalled],
            "back": f"/messages/{made.id}/why",
            "requests": [Part(None, each["text"], _share(each.get("tokens", 0), total)) for each in requests],
            "uses_tools": "prompts" in manifest,
            "left_out": [_part(service, each, total) for each in manifest["leftOut"]],
        }

    return await page(caller, request, "why.html", await caller.state.call(read))


class Part(NamedTuple):
    """A part of a prompt: the entry of the manifest, its words, its share of all tokens in percent."""

    entry: JsonObject | None
    words: str
    share: int


def _part(service: ConversationService, entry: JsonObject, total: int) -> Part:
    try:
        words = service.alternative(entry["alternative"]).content or ""
    except NotFoundError:
        words = ""
    return Part(entry, words, _share(entry["tokens"], total))


def _messages(service: ConversationService, manifest: JsonObject, total: int) -> list[Part]:
    """The messages and answers of a prompt, each without what stands before it and is counted with it."""
    entries: list[JsonObject] = manifest["entries"]
    counted = [each["tokens"] for each in entries]
    counted[0] -= sum(each["tokens"] for each in _named_before(manifest))
    counted[-1] -= sum(each["tokens"] for each in manifest.get("recalled", []))
    own = [{**each, "tokens": max(0, n)} for each, n in zip(entries, counted, strict=True)]
    return [_part(service, each, total) for each in own]


def _preface(service: ConversationService, manifest: JsonObject, total: int) -> list[Part]:
    """The notes and summaries that stood before the oldest message, with their words; empty if they were erased."""
    texts = service.preface_texts(manifest)
    return [
        Part(each, texts.get(each["episode"]) or "", _share(each["tokens"], total)) for each in _named_before(manifest)
    ]


def _named_before(manifest: JsonObject) -> list[JsonObject]:
    return [*manifest.get("notes", []), *manifest.get("summaries", [])]


def _recalled(service: ConversationService, kept: JsonObject, total: int) -> Part:
    """What was recalled of what the message names; its share is part of that of the message before which it stood."""
    return Part(kept, service.recalled_text(kept), _share(kept["tokens"], total))


def _facts_of(knowledge: KnowledgeService, part: Part) -> list[Fact]:
    """The fact that was recalled, or the one of a recalled sentence, which its user may call wrong (platform 40)."""
    if part.entry is None or "entity" in part.entry:
        return []
    if "fact" not in part.entry:
        return knowledge.facts_with_text(part.words)
    with suppress(NotFoundError):
        return [knowledge.get_fact(part.entry["fact"])]
    return []


def _share(tokens: int, total: int) -> int:
    return round(100 * tokens / total) if total else 0


def _at(made: Alternative) -> Response:
    return go_to(f"/conversations/{made.conversation_id}#{made.id}")
