"""Questions to language models: the prompt from templates, the answer as text or as JSON that fits a schema."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from aeon.base.errors import LLMError, LLMRequestError, MissingExtraError, SupervisorError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import compile_schema
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, RequestAdapter, TextSink, call_model
from aeon.platform.catalog.operations import LlmCall, TokenUsage
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest, OperationResult
from aeon.platform.processes.expressions.handlebars import MAX_STEPS, EndlessTemplateError, render_template
from aeon.supervisor.repair import Supervisor
from aeon.validation.recovery import RecoveredValue, recover


class ReplyRecorder(RequestAdapter):
    """Another adapter, whose answers are kept in a list besides."""

    def __init__(self, kept: LLMAdapter, replies: list[LLMResponse]) -> None:
        self._adapter = kept
        self._replies = replies

    def supports_streaming(self) -> bool:
        return self._adapter.supports_streaming()

    def supports_schema(self) -> bool:
        return self._adapter.supports_schema()

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        reply = self._adapter.complete(request, on_text)
        self._replies.append(reply)
        return reply


def total_usage(replies: Sequence[LLMResponse]) -> TokenUsage | None:
    """The tokens of all answers; None where none says how many. One that does not counts as none."""
    told = [reply for reply in list(replies) if _counts(reply) != (0, 0)]
    if not told:
        return None
    asked, answered = zip(*map(_counts, told), strict=True)
    return TokenUsage(sum(asked), sum(answered), next((reply.model for reply in reversed(told) if reply.model), None))


def _counts(reply: LLMResponse) -> tuple[int, int]:
    """Input and output tokens under the names that every adapter gives them."""
    return _count(reply.usage.get("input_tokens")), _count(reply.usage.get("output_tokens"))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment

_MISSING = re.compile(r"'([^']*)' references missing")


def render_prompt(template: str, given: JsonObject) -> str:
    """The text of a template. Nothing is escaped; objects and lists are JSON.

    Raises OperationError that names the variable that was not given, and for a template that cannot be carried out.
    """
    environment = _environment()
    from pydantic_handlebars import HandlebarsError

    try:
        return render_template(environment, template, given)
    except EndlessTemplateError:
        raise OperationError(
            f"the prompt takes more than {MAX_STEPS:,} steps to make",
            next_step="Give shorter lists, or let the templates have fewer loops inside of loops.",
        ) from None
    except RecursionError:
        raise OperationError(
            "the blocks of the prompt are nested too deeply", next_step="Correct the operation's templates."
        ) from None
    except HandlebarsError as error:
        missing = _MISSING.search(str(error))
        if missing is None:
            raise OperationError("the prompt cannot be made", next_step="Correct the operation's templates.") from None
        raise OperationError(
            f"the prompt needs {missing[1]!r}, which was not given", next_step=f"Give {missing[1]!r} in the input."
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
"""The endpoint that is the project's own configured model."""

AdapterFactory: TypeAlias = Callable[[OperationRequest], AbstractContextManager[LLMAdapter]]
"""The model that a work's connection means, for one call: its endpoint, its model, its secret, within its timeout.

Raises AeonError where it means none.
"""

_ANNOTATIONS = frozenset({"$schema", "$id", "$comment", "title", "description", "default", "examples"})
_DEFINITIONS = ("$defs", "definitions")
_WRAPPED = "result"
_UNAUTHORIZED = 401


class LlmExecutor:
    """Carries out `llm_call`: with an output schema that asks for something, a value that fits it, else `{"text"}`.

    A value that does not fit is recovered or repaired as any model's output is, at most twice (core 9, core 10). The
    tokens of every answer count, those of repairs and of answers that came to nothing too.
    """

    def __init__(self, adapter_for: AdapterFactory) -> None:
        self._adapter_for = adapter_for

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(LlmCall, work.operation)
        replies: list[LLMResponse] = []
        try:
            output = _call_with_timeout(
                operation.timeout, lambda: self._answer(work, _request(operation, work.arguments), replies)
            )
        except OperationError as error:
            error.usage = total_usage(replies)
            raise
        return OperationResult(output, total_usage(replies))

    def _answer(self, work: OperationRequest, request: LLMRequest, replies: list[LLMResponse]) -> Json:
        """`replies` gets every answer of the model, also where this raises."""
        try:
            with self._adapter_for(work) as answering:
                adapter = ReplyRecorder(answering, replies)
                if not work.output_schema.keys() - _ANNOTATIONS:
                    return {"text": _text(call_model(adapter, request))}
                return _value(adapter, request, work.output_schema)
        except LLMError as error:
            raise OperationError(
                error.message,
                next_step=error.advice,
                is_transient=not isinstance(error, LLMRequestError),
                is_unauthorized=error.details.get("status") == _UNAUTHORIZED,
            ) from None


def _request(operation: LlmCall, given: JsonObject) -> LLMRequest:
    system = render_prompt(operation.system_prompt, given)
    prompt = render_prompt(operation.prompt_template, given)
    return LLMRequest(prompt, system or None, operation.max_tokens, operation.temperature)


def _text(reply: LLMResponse) -> str:
    """A text that was cut off is not passed off as whole."""
    _refuse_unfinished(reply)
    text = reply.text.strip()
    if not text:
        raise OperationError("the model answered nothing", is_transient=True)
    return text


def _value(adapter: LLMAdapter, request: LLMRequest, schema: JsonObject) -> Json:
    """The model's answer as a value that fits the schema; one that is no object is asked for inside of one."""
    is_object = schema.get("type") == "object"
    asked = schema if is_object else _wrapped_schema(schema)
    found = _object(adapter, _with_schema(asked, request), asked)
    return found if is_object else found[_WRAPPED]


def _object(adapter: LLMAdapter, request: LLMRequest, schema: JsonObject) -> JsonObject:
    reply = call_model(adapter, request)
    stopped = reply.finish_reason == "stop"
    read = recover(reply.text, compile_schema(schema), is_truncated=reply.is_truncated, has_stopped=stopped)
    if isinstance(read, RecoveredValue):
        return cast(JsonObject, read.value)
    _refuse_unfinished(reply)
    try:
        return Supervisor(adapter).repair_json(reply.text, schema)
    except SupervisorError:
        problems = "; ".join(map(str, read.problems[:5]))
        raise OperationError(
            f"the model's answer does not fit the output schema and could not be repaired: {problems}",
            next_step="Say in the prompt what each field is, or ask a model that follows schemas.",
        ) from None


def _refuse_unfinished(reply: LLMResponse) -> None:
    if reply.is_truncated:
        raise OperationError(
            "the model's answer was cut off by the token limit", next_step="Raise maxTokens, or ask for less."
        )
    if reply.finish_reason == "refusal":
        raise OperationError("the model refused to answer", next_step="Say it in another way.")


def _wrapped_schema(schema: JsonObject) -> JsonObject:
    """The schema as that of an object's one field, its definitions where its references look for them."""
    inner = {key: value for key, value in schema.items() if key not in _DEFINITIONS}
    definitions = {key: schema[key] for key in _DEFINITIONS if key in schema}
    return {"type": "object", "properties": {_WRAPPED: inner}, "required": [_WRAPPED], **definitions}


def _with_schema(schema: JsonObject, request: LLMRequest) -> LLMRequest:
    """The request with the schema, in words too: a model that is not constrained must know it, the others do better."""
    said = f"Answer with JSON that fits this schema, and nothing else:\n{canonical_json(schema)}"
    system = f"{request.system_prompt}\n\n{said}" if request.system_prompt else said
    return LLMRequest(request.prompt, system, request.max_tokens, request.temperature, schema)


def _call_with_timeout(seconds: float, answer: Callable[[], Json]) -> Json:
    """What `answer` gives in time. A model's adapter cannot be interrupted: a late answer of its thread is dropped."""
    outcomes: SimpleQueue[tuple[Json, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            outcomes.put((answer(), None))
        except BaseException as error:  # noqa: BLE001  # raised again by whoever waits
            outcomes.put((None, error))

    Thread(target=run, name="aeon-llm-call", daemon=True).start()
    try:
        value, error = outcomes.get(timeout=seconds)
    except Empty:
        raise OperationError(f"no answer within {seconds:g} s", is_transient=True) from None
    if error is not None:
        raise error
    return value
