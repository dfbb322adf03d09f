"""Conversations, messages and answers (platform 11 to 14, 22 to 28)."""

from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.application.conversations import MAX_ATTACHMENTS, AnswerFollower, ConversationService, messages_of
from aeon.base.json import JsonObject
from aeon.platform.conversations.model import Alternative, Conversation, ConversationChange, NewConversation
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.streams import END, StreamEvent, Waker, resume_point, stream
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, Change, Cursor, Limit, listed, page, thing
from aeon.server.rest.downloads import download
from aeon.server.rest.message_bodies import NewMessage, NewText, SentMessage, described, message_from
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["conversations"], responses=dict(PROBLEM))

_LOOK_EVERY = 0.15
"""Seconds between two looks for pieces that another process makes; a record in SQLite does not tell of them."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ConversationBody(NewConversation):
    """The fields of a new conversation."""

    model_config = ConfigDict(defer_build=False)  # else pydantic warns of the alias that FastAPI gives a body


class ChangeBody(ConversationChange):
    """A change of a conversation: only the given fields."""

    model_config = ConfigDict(defer_build=False)


class AnswerWish(_Body):
    """Who is to answer."""

    process: str | None = Field(default=None, description="A Process; that of the last answer by default.")


class ForkWish(_Body):
    """How a new conversation is called."""

    title: str | None = None


Number = Annotated[int, Path(ge=1, le=MAX_ATTACHMENTS, description="The number of the attachment, from 1.")]
Other = Annotated[str, Query(alias="with", max_length=200, description="The id of the other message or answer.")]
SentNew = Annotated[SentMessage, Depends(message_from(NewMessage))]
SentText = Annotated[SentMessage, Depends(message_from(NewText))]


def as_json(conversation: Conversation) -> JsonObject:
    """A conversation under its published names."""
    return conversation.as_dict()


@router.get("/conversations")
async def list_conversations(
    caller: SignedIn, status: Literal["active", "archived"] = "active", cursor: Cursor = None, limit: Limit = 50
) -> JSONResponse:
    """Your conversations, the last changed first."""
    service = caller.workspace.conversations
    return page(await caller.state.call(lambda: service.list(status=status, after=cursor, limit=limit)), as_json)


@router.post("/conversations", status_code=201)
async def create_conversation(new: ConversationBody, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Create an empty conversation."""
    fields = new.model_dump(exclude_unset=True)
    made = await caller.state.call(lambda: caller.workspace.conversations.create(key=asked.key, **fields))
    return thing(as_json(made), made.version, status=201, location=f"/conversations/{made.id}", change=asked)


@router.get("/conversations/{conversation}")
async def get_conversation(conversation: str, caller: SignedIn) -> JSONResponse:
    """Read one conversation."""
    found = await caller.state.call(lambda: caller.workspace.conversations.get(conversation))
    return thing(as_json(found), found.version)


@router.patch("/conversations/{conversation}")
async def change_conversation(conversation: str, change: ChangeBody, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Rename, tag, pin, archive or limit a conversation (RFC 7396)."""
    service = caller.workspace.conversations
    changed = await caller.state.call(
        lambda: service.change(conversation, change, key=asked.key, expected_version=asked.expected)
    )
    return thing(as_json(changed), changed.version, change=asked)


@router.delete("/conversations/{conversation}", status_code=204)
async def forget_conversation(conversation: str, caller: SignedIn, asked: Asked) -> Response:
    """Erase the messages of a conversation for good (platform 28)."""
    service = caller.workspace.conversations
    await caller.state.call(lambda: service.erasing.forget(service.get(conversation).id, key=asked.key))
    return Response(status_code=204, headers=asked.headers)


@router.get("/conversations/{conversation}/path")
async def get_path(conversation: str, caller: SignedIn, limit: Limit = 200) -> JSONResponse:
    """What is visible: the newest messages and answers of the path that ends at the tip, oldest first."""
    service = caller.workspace.conversations
    return listed(await caller.state.call(lambda: _with_files(service, service.path(conversation, limit=limit))))


@router.get("/conversations/{conversation}/tree")
async def get_tree(conversation: str, caller: SignedIn, cursor: Cursor = None, limit: Limit = 200) -> JSONResponse:
    """All messages and answers by depth, in windows; contents are cut at 1,000 characters."""
    service = caller.workspace.conversations
    found = await caller.state.call(lambda: service.tree(conversation, after=cursor, limit=limit))
    return page(found, Alternative.as_dict)


@router.post("/conversations/{conversation}/messages", status_code=201, openapi_extra=described(NewMessage))
async def say(conversation: str, caller: SignedIn, sent: SentNew, asked: Asked) -> JSONResponse:
    """Add a message, with files if it is sent as a form. Its answer is begun by `POST /messages/{message}/answers`."""
    service = caller.workspace.conversations
    message = await caller.state.call(
        lambda: service.say(
            conversation,
            sent.content,
            after=sent.after,
            attachments=sent.files or (),
            key=asked.key,
            expected_version=asked.expected,
        )
    )
    return await _new(caller, message, asked)


@router.get("/messages/{message}")
async def get_message(message: str, caller: SignedIn) -> JSONResponse:
    """Read one message or answer, with what is attached to it."""
    service = caller.workspace.conversations
    (found,) = await caller.state.call(lambda: _with_files(service, [service.answers.settle(message)]))
    return thing(found)


@router.get("/messages/{message}/alternatives")
async def list_alternatives(message: str, caller: SignedIn) -> JSONResponse:
    """All alternatives of the same turn, newest first."""
    service = caller.workspace.conversations
    return listed([each.as_dict() for each in await caller.state.call(lambda: service.siblings(message))])


@router.get("/messages/{message}/attachments/{n}", response_class=Response)
async def get_attachment(message: str, n: Number, request: Request, caller: SignedIn) -> Response:
    """Download an attachment, or a part of it (RFC 9110 14); its ETag is the SHA-256 of its bytes."""
    service = caller.workspace.conversations
    found, content = await caller.state.call(lambda: service.attached(message, n))
    return download(request, content, name=found.name or "", media_type=found.media_type, digest=found.digest or "")


@router.post("/messages/{message}/alternatives", status_code=201, openapi_extra=described(NewText))
async def edit(message: str, caller: SignedIn, sent: SentText, asked: Asked) -> JSONResponse:
    """Say a message in another way: another alternative, to which the conversation switches."""
    service = caller.workspace.conversations
    edited = await caller.state.call(
        lambda: service.edit(
            message, sent.content, attachments=sent.files, key=asked.key, expected_version=asked.expected
        )
    )
    return await _new(caller, edited, asked)


@router.post("/messages/{message}/activate")
async def activate(message: str, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Switch to an alternative; every ancestor follows (platform 12)."""
    service = caller.workspace.conversations
    done = await caller.state.call(lambda: service.activate(message, key=asked.key, expected_version=asked.expected))
    return thing(done.as_dict(), change=asked)


@router.post("/messages/{message}/answers", status_code=202)
async def answer(message: str, caller: SignedIn, asked: Asked, wish: AnswerWish | None = None) -> JSONResponse:
    """Begin the answer to a message. It is a run; `GET /messages/{answer}/events` streams it."""
    service, process = caller.workspace.conversations, wish.process if wish else None
    return _begun(await caller.state.call(lambda: service.reply(message, process=process, key=asked.key)), asked)


@router.post("/messages/{message}/regenerate", status_code=202)
async def regenerate(message: str, caller: SignedIn, asked: Asked, wish: AnswerWish | None = None) -> JSONResponse:
    """Begin another alternative of an answer, or retry one that failed (platform 44)."""
    service, process = caller.workspace.conversations, wish.process if wish else None
    return _begun(await caller.state.call(lambda: service.regenerate(message, process=process, key=asked.key)), asked)


@router.post("/messages/{message}/stop")
async def stop(message: str, caller: SignedIn) -> JSONResponse:
    """Stop an answer that is being made; what was written is kept (platform 22)."""
    service = caller.workspace.conversations
    return thing((await caller.state.call(lambda: service.stop(message))).as_dict())


@router.post("/messages/{message}/fork", status_code=201)
async def fork(message: str, caller: SignedIn, asked: Asked, wish: ForkWish | None = None) -> JSONResponse:
    """Make a new conversation that continues from a message or an answer."""
    service, title = caller.workspace.conversations, wish.title if wish else None
    made = await caller.state.call(lambda: service.fork(message, title=title, key=asked.key))
    return thing(as_json(made), made.version, status=201, location=f"/conversations/{made.id}", change=asked)


@router.delete("/messages/{message}", status_code=204)
async def forget_message(message: str, caller: SignedIn, asked: Asked) -> Response:
    """Erase one message or answer for good; what follows it stays (platform 28)."""
    service = caller.workspace.conversations
    await caller.state.call(lambda: service.erasing.forget(service.alternative(message).id, key=asked.key))
    return Response(status_code=204, headers=asked.headers)


@router.get("/messages/{message}/why")
async def why(message: str, caller: SignedIn) -> JSONResponse:
    """The manifest of an answer: what it was made from, with the tokens of each part (platform 25)."""
    return thing(await caller.state.call(lambda: caller.workspace.conversations.why(message)))


@router.get("/messages/{message}/memory")
async def get_memory(message: str, caller: SignedIn) -> JSONResponse:
    """What an answer to a message would be made from now, with the tokens of each part (platform 14)."""
    service = caller.workspace.conversations
    return thing((await caller.state.call(lambda: service.memory(message))).as_dict())


@router.get("/messages/{message}/prompts")
async def list_prompts(message: str, caller: SignedIn) -> JSONResponse:
    """The very prompts of an answer, made again and checked by digest; 409 if something was erased (platform 25)."""
    found = await caller.state.call(lambda: caller.workspace.conversations.prompts(message))
    return listed([{"messages": messages_of(each)} for each in found])


@router.get("/messages/{message}/compare")
async def compare(message: str, caller: SignedIn, other: Other) -> JSONResponse:
    """How a message or an answer differs from another one: what they say, and what made them."""
    service = caller.workspace.conversations
    return thing((await caller.state.call(lambda: service.compare(message, other))).as_dict())


@router.get("/messages/{message}/events")
async def follow(message: str, request: Request, caller: SignedIn, after: Annotated[int, Query(ge=0)] = 0) -> Response:
    """The pieces of an answer while it is made, numbered from 1, then `end` with the whole answer (platform 32)."""
    place = resume_point(request, after)
    follower = await caller.state.call(partial(caller.workspace.conversations.follow, message))
    return stream(caller.state, caller.reader, _pieces(caller, follower, place))


async def _pieces(caller: SignedIn, follower: AnswerFollower, after: int) -> AsyncGenerator[StreamEvent | None]:
    number, waker = 0, Waker()
    with follower.watch(waker.tell):
        while (found := await caller.state.call(follower.look)) is not None:
            for text in found:
                number += 1
                if number > after:
                    yield StreamEvent("piece", {"text": text}, number)
            if not found:
                yield None
                await waker.wait(_LOOK_EVERY)
    yield StreamEvent(END, follower.result.as_dict())


def _with_files(service: ConversationService, found: list[Alternative]) -> list[JsonObject]:
    attached = service.attachments(each.id for each in found)
    return [{**each.as_dict(), "attachments": [file.as_dict() for file in attached.get(each.id, [])]} for each in found]


async def _new(caller: Caller, made: Alternative, asked: Change) -> JSONResponse:
    (shown,) = await caller.state.call(lambda: _with_files(caller.workspace.conversations, [made]))
    return thing(shown, status=201, location=f"/messages/{made.id}", change=asked)


def _begun(follower: AnswerFollower, asked: Change) -> JSONResponse:
    begun = follower.result
    return thing(begun.as_dict(), status=202, location=f"/messages/{begun.id}", change=asked)
