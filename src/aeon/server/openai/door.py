"""The door for other chat programs: a Process answers, named as the model; each answer is a durable run."""

import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractContextManager, aclosing
from datetime import datetime
from typing import Annotated, Any, Final, Protocol, cast

from fastapi import FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from aeon.application.answers import was_stopped
from aeon.application.chats import DEFAULT_CHAT, ChatFollower, ChatInputs
from aeon.application.conversations import Alternative, AnswerFollower, Said
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, encodable_text
from aeon.server.auth.caller import Caller, WithToken
from aeon.server.edge.bodies import JsonRoute
from aeon.server.edge.json_response import JsonResponse
from aeon.server.edge.problems import HttpError, broken_json, status_of
from aeon.server.edge.state import ServerState, correlation_of
from aeon.server.edge.streams import EventStream, Waker
from aeon.server.openai.embeddings import embed, embedding_turns
from aeon.server.openai.messages import ChatRequest

_LOOK_EVERY: Final = 0.15
"""Seconds between two looks for pieces that another process makes; a record in SQLite does not tell of them."""

_CONVERSATION: Final = "x-aeon-conversation"
_RUN: Final = "x-aeon-run"

_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class Follower(Protocol):
    """An answer while it is made."""

    def look(self) -> list[str] | None:
        """Return the pieces that are new; None once it has ended."""
        ...

    def watch(self, tell: Callable[[], None]) -> AbstractContextManager[None]:
        """The time in which `tell` is called, in other threads, when it is time to look."""
        ...

    @property
    def content(self) -> str:
        """The whole text of an answer that has ended."""
        ...

    @property
    def is_shown(self) -> bool:
        """Whether the pieces of an answer that has ended are its whole text."""
        ...

    @property
    def is_cut_off(self) -> bool:
        """Whether an answer that has ended did so at a limit of tokens."""
        ...


class _Making:
    """An answer that is being made for a chat program, and what is reported of it to the program."""

    def __init__(
        self, model: str, follower: Follower, headers: dict[str, str], usage: Callable[[], JsonObject]
    ) -> None:
        self.follower = follower
        self.headers = headers
        self.usage = usage
        self._head: JsonObject = {
            "id": f"chatcmpl-{next(iter(headers.values()))}",
            "created": int(time.time()),
            "model": model,
        }

    @property
    def finish(self) -> str:
        """Why an answer that has ended did so."""
        return "length" if self.follower.is_cut_off else "stop"

    def whole(self, usage: JsonObject) -> JsonObject:
        """The answer as one object."""
        message: JsonObject = {"role": "assistant", "content": self.follower.content, "refusal": None}
        choice: JsonObject = {"index": 0, "message": message, "finish_reason": self.finish, "logprobs": None}
        return {**self._head, "object": "chat.completion", "choices": [choice], "usage": usage}

    def chunk(self, delta: JsonObject, finish: str | None = None) -> JsonObject:
        """A part of the answer."""
        choice: JsonObject = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {**self._head, "object": "chat.completion.chunk", "choices": [choice]}

    def usage_chunk(self, usage: JsonObject) -> JsonObject:
        """The last part, with the tokens."""
        return {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": usage}


def openai_door(state: ServerState) -> FastAPI:
    """The application under /v1. A token is needed, on this machine too: any program and any page could ask."""
    app = FastAPI(
        title="Aeon for chat programs", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.router.route_class = JsonRoute
    app.state.server = state
    app.state.embedding_turns = embedding_turns()
    app.add_exception_handler(AeonError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_route)
    app.add_api_route("/models", list_models, methods=["GET"], response_model=None)
    app.add_api_route("/models/{model:path}", get_model, methods=["GET"], response_model=None)
    app.add_api_route("/chat/completions", complete, methods=["POST"], response_model=None)
    app.add_api_route("/embeddings", embed, methods=["POST"], response_model=None)
    return app


async def list_models(caller: WithToken) -> JSONResponse:
    """The Processes that can answer."""
    found = await caller.state.call(caller.workspace.chats.list_processes)
    return JsonResponse({"object": "list", "data": [_model(name, each.created_at) for name, each in found]})


async def get_model(model: str, caller: WithToken) -> JSONResponse:
    """One of them."""
    found = await caller.state.call(lambda: caller.workspace.chats.find(model))
    return JsonResponse(_model(model, found.created_at))


async def complete(
    asked: ChatRequest,
    caller: WithToken,
    key: Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)] = None,
    conversation: Annotated[str | None, Header(alias=_CONVERSATION, max_length=100)] = None,
) -> Response:
    """Answer a chat.

    With the header X-Aeon-Conversation (`new`, or an id), the last message goes into a conversation of the record; the
    messages before it must stand there already.
    """
    asked.require_supported()
    if conversation is None:
        making = await caller.state.call(lambda: _begin_chat(caller, asked, key))
    else:
        making = await caller.state.call(lambda: _begin_answer(caller, asked, conversation, key))
    if asked.stream:
        lines = _chunks(
            caller, making, with_usage=asked.stream_options is not None and asked.stream_options.include_usage
        )
        return EventStream(caller.state, caller.user, lines, making.headers)
    async for _ in _pieces(caller, making):
        pass
    usage = await caller.state.call(making.usage)
    return JsonResponse(making.whole(usage), headers=making.headers)


def _begin_chat(caller: Caller, asked: ChatRequest, key: str | None) -> _Making:
    chats = caller.workspace.chats
    follower: ChatFollower = chats.start(chats.find(asked.model), asked.chat(), key=key)
    return _Making(asked.model, follower, {_RUN: follower.run}, lambda: _usage(chats.usage(follower).as_dict()))


def _begin_answer(caller: Caller, asked: ChatRequest, conversation: str, key: str | None) -> _Making:
    conversations = caller.workspace.conversations
    place = None if conversation == "new" else conversations.get(conversation).id
    process = None if asked.model == DEFAULT_CHAT else asked.model
    chat = asked.chat()
    _require_taken(chat, is_new=place is None)
    earlier = [Said("user" if each["role"] == "user" else "agent", each["content"]) for each in chat.messages]
    follower: AnswerFollower = conversations.ask(place, chat.request, process=process, key=key, earlier=earlier)
    headers = {_CONVERSATION: follower.result.conversation_id}
    return _Making(asked.model, _Checked(follower), headers, lambda: _usage(follower.result.usage))


def _require_taken(chat: ChatInputs, *, is_new: bool) -> None:
    """Raises HttpError for what a conversation would lose: it has its own instructions and its own history."""
    if chat.limits:
        raise HttpError(400, f"A conversation takes no {' and no '.join(sorted(chat.limits))}.")
    if chat.system:
        raise HttpError(
            400,
            "A conversation takes no system message.",
            next_step="Leave it out, or leave out the header X-Aeon-Conversation.",
        )
    if chat.messages and is_new:
        raise HttpError(
            400,
            "A new conversation takes no earlier messages.",
            next_step="Begin it with the first message alone, and send each next one with the id of the conversation.",
        )


class _Checked:
    """An answer in a conversation; one that has failed, or was stopped, raises HttpError."""

    def __init__(self, follower: AnswerFollower) -> None:
        self._follower = follower

    def look(self) -> list[str] | None:
        found = self._follower.look()
        if found is None:
            _require_whole(self._follower.result)
        return found

    def watch(self, tell: Callable[[], None]) -> AbstractContextManager[None]:
        return self._follower.watch(tell)

    @property
    def content(self) -> str:
        return self._follower.result.content or ""

    @property
    def is_shown(self) -> bool:
        return self._follower.is_shown

    @property
    def is_cut_off(self) -> bool:
        return self._follower.result.is_cut_off


def _require_whole(ended: Alternative) -> None:
    """Raises HttpError for an answer that has failed or was stopped. The message is kept: no client must repeat it."""
    headers = {"x-should-retry": "false"}
    if was_stopped(ended):
        raise HttpError(
            409,
            "The answer was stopped before it was whole.",
            next_step="The conversation keeps what was written.",
            headers=headers,
        )
    if ended.failure is not None:
        raise HttpError(500, ended.failure, headers=headers)


async def _pieces(caller: Caller, making: _Making) -> AsyncGenerator[str]:
    """Yield the pieces of an answer, and an empty text while there is no new one."""
    waker = Waker()
    with making.follower.watch(waker.tell):
        while (found := await caller.state.call(making.follower.look)) is not None:
            for text in found:
                yield text
            if caller.state.stopping.is_set():
                raise HttpError(503, "The server stops; the run goes on.")
            if not await caller.state.is_valid(caller.credential):
                raise HttpError(401, "The token was revoked; the run goes on.")
            if not found:
                yield ""
                await waker.wait(_LOOK_EVERY)


async def _chunks(caller: Caller, making: _Making, *, with_usage: bool) -> AsyncGenerator[str]:
    yield _line(making.chunk({"role": "assistant", "content": ""}))
    try:
        async with aclosing(_pieces(caller, making)) as pieces:
            async for text in pieces:
                yield _line(making.chunk({"content": text})) if text else ""
        if not making.follower.is_shown:
            raise HttpError(
                500,
                "The answer was made again and differs from what was shown of it.",
                next_step="The record keeps the whole answer.",
            )
        yield _line(making.chunk({}, making.finish))
        if with_usage:
            yield _line(making.usage_chunk(await caller.state.call(making.usage)))
    except AeonError as error:
        yield _line(_error(error))
    yield "data: [DONE]\n\n"


def _line(data: JsonObject) -> str:
    return f"data: {encodable_text(json.dumps(data, ensure_ascii=False))}\n\n"


def _usage(counted: JsonObject) -> JsonObject:
    prompt, completion = counted.get("prompt_tokens") or 0, counted.get("completion_tokens") or 0
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _model(name: str, created_at: str) -> JsonObject:
    return {
        "id": name,
        "object": "model",
        "created": int(datetime.fromisoformat(created_at).timestamp()),
        "owned_by": "aeon",
    }


def _error(error: AeonError) -> JsonObject:
    status = _status_of(error)
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")  # noqa: PLR2004  # HTTP's classes
    code: Json = "model_not_found" if status == 404 else None  # noqa: PLR2004  # as clients expect it
    return {"error": {"message": f"{error.message} {error.advice}".strip(), "type": kind, "param": None, "code": code}}


async def _refused(_request: Request, error: Exception) -> Response:
    refused = cast(AeonError, error)
    headers = refused.headers if isinstance(refused, HttpError) else {}
    return JsonResponse(_error(refused), _status_of(refused), headers)


def _status_of(error: AeonError) -> int:
    """The status of an error; these programs know 400, not 422, for what cannot be answered as it was asked."""
    status = status_of(error)
    return 400 if status == 422 else status  # noqa: PLR2004  # HTTP's codes


async def _invalid(request: Request, error: Exception) -> Response:
    faults = [_fault(each) for each in cast(RequestValidationError, error).errors()]
    return await _refused(request, HttpError(400, f"{'; '.join(faults)}. (request {correlation_of(request)})"))


def _fault(found: dict[str, Any]) -> str:
    place: Sequence[object] = found["loc"][1:]
    if found["type"] == "json_invalid":
        return broken_json(place[0], found["ctx"]["error"])
    return f"{'.'.join(map(str, place))}: {found['msg']}"


async def _no_route(request: Request, error: Exception) -> Response:
    failed = cast(HTTPException, error)
    if isinstance(failed.__cause__, AeonError):
        return await _refused(request, failed.__cause__)
    wrong = {404: "There is nothing at this path.", 405: "This path has no such method."}
    refused = HttpError(failed.status_code, wrong.get(failed.status_code, str(failed.detail)), next_step=_ROUTES)
    said = cast(JsonObject, _error(refused)["error"])
    return JsonResponse({"error": {**said, "code": None}}, failed.status_code, failed.headers)


_ROUTES: Final = "Here are GET /v1/models, POST /v1/chat/completions and POST /v1/embeddings."
