"""Executes model calls: the prompt comes from templates, the answer is text or JSON that matches a schema."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from aeon.adapters.operations.timeouts import timeout_error
from aeon.base.cancellation import CancelScope, on_cancel
from aeon.base.errors import LLMError, MissingExtraError, SupervisorError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import compile_schema
from aeon.llm.adapters.wire_adapter import DeduplicatingSink
from aeon.llm.interface import (
    ChatMessage,
    LLMAdapter,
    LLMRequest,
    LLMResponse,
    TextSink,
    WrappedAdapter,
    call_model,
)
from aeon.platform.catalog.call_pieces import CallPieces
from aeon.platform.catalog.operations import LlmCall, TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult
from aeon.platform.processes.expressions.handlebars import MAX_STEPS, EndlessTemplateError, render_template
from aeon.supervisor.repair import Supervisor
from aeon.validation.recovery import RecoveredValue, recover


class ReplyRecorder(WrappedAdapter):
    """Wraps an adapter, and records its valid responses in a list."""

    def __init__(self, adapter: LLMAdapter, replies: list[LLMResponse]) -> None:
        super().__init__(adapter)
        self._replies = replies

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        reply = call_model(self._adapter, request, on_text)
        self._replies.append(reply)
        return reply


def total_usage(replies: Sequence[LLMResponse]) -> TokenUsage | None:
    """Sum the tokens of all responses; None if no response reports any. A response without counts adds 0."""
    replies = list(replies)
    counted = [reply for reply in replies if _counts(reply) != (0, 0)]
    if not counted:
        return None
    inputs, outputs = zip(*map(_counts, counted), strict=True)
    model = next((reply.model for reply in reversed(counted) if reply.model), None)
    return TokenUsage(sum(inputs), sum(outputs), model, len(replies))


def _counts(reply: LLMResponse) -> tuple[int, int]:
    """Return the input and output tokens, under the names that every adapter uses."""
    return _count(reply.usage.get("input_tokens")), _count(reply.usage.get("output_tokens"))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment

_MISSING = re.compile(r"'([^']*)' references missing")


def render_prompt(template: str, arguments: JsonObject) -> str:
    """Render a template. Nothing is escaped; objects and lists become JSON.

    Raises OperationError that names a missing variable, or for a template that cannot be rendered.
    """
    environment = _environment()
    from pydantic_handlebars import HandlebarsError

    try:
        return render_template(environment, template, arguments)
    except EndlessTemplateError:
        raise OperationError(
            f"rendering the prompt takes more than {MAX_STEPS:,} steps",
            next_step="Give shorter lists, or use fewer nested loops in the templates.",
        ) from None
    except RecursionError:
        raise OperationError(
            "the blocks of the prompt are nested too deeply", next_step="Correct the operation's templates."
        ) from None
    except HandlebarsError as error:
        missing = _MISSING.search(str(error))
        if missing is None:
            raise OperationError(
                "the prompt cannot be rendered", next_step="Correct the operation's templates."
            ) from None
        raise OperationError(
            f"the prompt needs {missing[1]!r}, which is missing", next_step=f"Add {missing[1]!r} to the input."
        ) from None


@lru_cache(maxsize=1)
def _environment() -> "HandlebarsEnvironment":
    try:
        from pydantic_handlebars import HandlebarsEnvironment
    except ImportError as missing:
        raise MissingExtraError(
            "Prompts with variables need pydantic-handlebars.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    return HandlebarsEnvironment(strict=True, auto_escape=False)


OWN_MODEL: Final = "aeon:model"
"""The endpoint that means the project's own configured model."""

AdapterFactory: TypeAlias = Callable[[OperationRequest], AbstractContextManager[LLMAdapter]]
"""Opens the model of a request's connection for one call: its endpoint, model and secret, within its timeout.

Raises AeonError if the connection names no usable model.
"""

_ANNOTATIONS = frozenset({"$schema", "$id", "$comment", "title", "description", "default", "examples"})
_DEFINITIONS = ("$defs", "definitions")
_WRAPPED = "result"
_UNAUTHORIZED = 401


class LlmExecutor:
    """Executes `llm_call`: returns a value that matches a nontrivial output schema, else `{"text"}`.

    A value that does not match is recovered or repaired like any model output, at most twice (core 9, core 10). The
    tokens of every response count, also of repairs and of unusable responses.
    """

    def __init__(self, adapter_for: AdapterFactory, pieces: CallPieces | None = None) -> None:
        """`pieces` gets texts while they are made."""
        self._adapter_for = adapter_for
        self._pieces = CallPieces() if pieces is None else pieces

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(LlmCall, work.operation)
        return counted_result(
            operation.timeout, lambda replies: self._answer(work, _request(operation, work.arguments), replies)
        )

    def _answer(self, work: OperationRequest, request: LLMRequest, replies: list[LLMResponse]) -> Json:
        """Return the answer. Adds every response of the model to `replies`, also if this raises."""
        try:
            with self._adapter_for(work) as opened:
                adapter = ReplyRecorder(opened, replies)
                if not work.output_schema.keys() - _ANNOTATIONS:
                    may_be_cut = cast(LlmCall, work.operation).limits is not None
                    return _text(call_model(adapter, request, self._sink(work)), may_be_cut=may_be_cut)
                return _value(adapter, request, work.output_schema)
        except LLMError as error:
            raise operation_error(error) from None

    def _sink(self, work: OperationRequest) -> TextSink | None:
        sink = self._pieces.sink(work.key)
        return None if sink is None else DeduplicatingSink(sink)


def counted_result(seconds: float, answer: Callable[[list[LLMResponse]], Json]) -> OperationResult:
    """Return the result of `answer` within the timeout, with the tokens of the responses that it adds to its list.

    Raises OperationError, which has these tokens, too.
    """
    replies: list[LLMResponse] = []
    try:
        output = _call_with_timeout(seconds, lambda: answer(replies))
    except OperationError as error:
        error.usage = total_usage(replies)
        raise
    return OperationResult(output, total_usage(replies))


def operation_error(error: LLMError) -> OperationError:
    """Return a model's error as that of the operation that called it."""
    return OperationError(
        error.message,
        next_step=error.advice,
        is_transient=error.may_pass,
        is_unauthorized=error.details.get("status") == _UNAUTHORIZED,
    )


def _request(operation: LlmCall, arguments: JsonObject) -> LLMRequest:
    system = render_prompt(operation.system_prompt, arguments)
    prompt = render_prompt(operation.prompt_template, arguments)
    earlier = () if operation.messages is None else _history(arguments.get(operation.messages, []))
    limits = _Limits.of({} if operation.limits is None else arguments.get(operation.limits, {}))
    max_tokens = min(limits.max_tokens or operation.max_tokens, operation.max_tokens)
    temperature = operation.temperature if limits.temperature is None else limits.temperature
    return LLMRequest(prompt, system or None, max_tokens, temperature, history=earlier)


class _Limits(BaseModel):
    """What one call may set."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel)

    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)

    @classmethod
    def of(cls, given: Json) -> "_Limits":
        """Raises OperationError for anything else."""
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise OperationError(
                f"the limits are not an object with maxTokens and temperature: {error.errors()[0]['msg']}",
                next_step="Correct the input.",
            ) from None


def _history(messages: Json) -> tuple[ChatMessage, ...]:
    """Return earlier messages. Raises OperationError for what is none."""
    given = cast("list[object]", messages) if isinstance(messages, list) else [messages]
    found = [_earlier_message(cast(JsonObject, each) if isinstance(each, dict) else {}) for each in given]
    return tuple(found)


def _earlier_message(given: JsonObject) -> ChatMessage:
    role, content = given.get("role"), given.get("content")
    if role not in ("user", "assistant") or not isinstance(content, str):
        raise OperationError(
            "the earlier messages are not a list of objects with role (user or assistant) and content",
            next_step="Correct the input.",
        )
    return ChatMessage(role, content)


def _text(reply: LLMResponse, *, may_be_cut: bool) -> JsonObject:
    """Return the response's text. Raises OperationError if it is empty, or truncated and may not be."""
    if not (reply.is_truncated and may_be_cut):
        _refuse_unfinished(reply)
    text = reply.text.strip()
    if not text:
        raise OperationError("the model returned an empty answer", is_transient=True)
    return {"text": text, **({"finishReason": "length"} if reply.is_truncated else {})}


def _value(adapter: LLMAdapter, request: LLMRequest, schema: JsonObject) -> Json:
    """Return the model's answer as a value of the schema; a value that is not an object is requested inside one."""
    is_object = schema.get("type") == "object"
    object_schema = schema if is_object else _wrapped_schema(schema)
    value = _object(adapter, _with_schema(object_schema, request), object_schema)
    return value if is_object else value[_WRAPPED]


def _object(adapter: LLMAdapter, request: LLMRequest, schema: JsonObject) -> JsonObject:
    reply = call_model(adapter, request)
    stopped = reply.finish_reason == "stop"
    recovered = recover(reply.text, compile_schema(schema), is_truncated=reply.is_truncated, has_stopped=stopped)
    if isinstance(recovered, RecoveredValue):
        return cast(JsonObject, recovered.value)
    _refuse_unfinished(reply)
    try:
        return Supervisor(adapter).repair_json(reply.text, schema)
    except SupervisorError:
        problems = "; ".join(map(str, recovered.problems[:5]))
        raise OperationError(
            f"the model's answer does not match the output schema and could not be repaired: {problems}",
            next_step="Describe each field in the prompt, or use a model that follows schemas.",
        ) from None


def _refuse_unfinished(reply: LLMResponse) -> None:
    if reply.is_truncated:
        raise OperationError(
            "the model's answer was cut off by the token limit, or because it repeated itself",
            next_step="Raise maxTokens, or ask for less.",
        )
    if reply.finish_reason == "refusal":
        raise OperationError("the model refused to answer", next_step="Rephrase the prompt.")


def _wrapped_schema(schema: JsonObject) -> JsonObject:
    """Return an object schema with the schema as its one field; definitions stay where references expect them."""
    inner = {key: value for key, value in schema.items() if key not in _DEFINITIONS}
    definitions = {key: schema[key] for key in _DEFINITIONS if key in schema}
    return {"type": "object", "properties": {_WRAPPED: inner}, "required": [_WRAPPED], **definitions}


def _with_schema(schema: JsonObject, request: LLMRequest) -> LLMRequest:
    """Return the request with the schema, also in the prompt: unconstrained models need it, others gain by it."""
    instruction = f"Answer with JSON that fits this schema, and nothing else:\n{canonical_json(schema)}"
    system = f"{request.system_prompt}\n\n{instruction}" if request.system_prompt else instruction
    return LLMRequest(request.prompt, system, request.max_tokens, request.temperature, schema)


def _call_with_timeout(seconds: float, answer: Callable[[], Json]) -> Json:
    """Return the result of `answer` within the timeout.

    A late result is dropped. The embedded model stops at its next token, also if the caller gives up; a remote one
    goes on.
    """
    outcomes: SimpleQueue[tuple[Json, BaseException | None]] = SimpleQueue()

    scope = CancelScope()

    def run() -> None:
        try:
            with scope.activate():
                outcomes.put((answer(), None))
        except BaseException as error:  # noqa: BLE001  # raised again by the waiting thread
            outcomes.put((None, error))

    Thread(target=run, name="aeon-llm-call", daemon=True).start()
    try:
        with on_cancel(scope.cancel):
            value, error = outcomes.get(timeout=seconds)
    except Empty:
        scope.cancel()
        raise timeout_error(seconds) from None
    if error is not None:
        raise error
    return value
