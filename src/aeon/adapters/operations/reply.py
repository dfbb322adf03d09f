"""Executes `conversation_reply`: an answer from a conversation's working memory, streamed piece by piece."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, cast

from aeon.adapters.operations.assisted_reply import (
    AssistedReply,
    OfferTools,
    ToolQuestion,
    WithoutToolsError,
    answer_marks,
)
from aeon.adapters.operations.llm import ReplyRecorder, counted_result, operation_error
from aeon.base.clock import Clock
from aeon.base.errors import LLMError
from aeon.base.json import Json, JsonObject
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
from aeon.platform.catalog.operations import ConversationReply, OperationError
from aeon.platform.catalog.tool_calls import OperationRequest, OperationResult
from aeon.platform.conversations.pieces import AnswerStoppedError, PieceStream
from aeon.platform.memory.working_memory import MemoryService, PreparedReply, ReplyForm

_STARTING: Final = 2.0
"""Seconds that an answer waits for a model server where nothing listens: it may be starting."""


class ReplyExecutor:
    """Answers the last message of a conversation; the pieces go to `pieces` under the answer's id."""

    def __init__(
        self,
        memory: MemoryService,
        pieces: PieceStream,
        model: Callable[[OperationRequest], AbstractContextManager[LLMAdapter]],
        context: int,
        clock: Clock,
        offer: OfferTools = lambda _question: None,
    ) -> None:
        """`context` is the size of the model's context in tokens; `offer` chooses the tools for a message."""
        self._memory = memory
        self._pieces = pieces
        self._model = model
        self._context = context
        self._clock = clock
        self._offer = offer

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(ConversationReply, work.operation)
        result = counted_result(operation.timeout, lambda replies: self._answer(work, operation, replies))
        self._pieces.finish(work.arguments["answer"])
        return result

    def _answer(self, work: OperationRequest, operation: ConversationReply, replies: list[LLMResponse]) -> Json:
        answer = work.arguments["answer"]
        form = ReplyForm.of(operation, self._context, self._clock.now())
        work.confirm()
        sink = DeduplicatingSink(lambda piece: self._pieces.append(answer, piece), self._begun(answer))
        try:
            with self._model(work) as opened:
                waiting = _WaitingForServer(opened, self._clock)
                adapter = ReplyRecorder(_StoppableAdapter(waiting, lambda: self._pieces.confirm(answer)), replies)
                assisted = self._assisted(work.user, answer, form, adapter, sink) if operation.uses_tools else None
                if assisted is not None:
                    return assisted | {"model": replies[-1].model if replies else None}
                prepared = self._memory.prepare(work.user, answer, form, adapter.count_tokens)
                self._memory.keep(prepared)
                return _output(call_model(adapter, prepared.request, sink), prepared)
        except LLMError as error:
            if isinstance(error.__cause__, AnswerStoppedError):
                raise OperationError("the answer was stopped") from None
            raise _failure(error) from None
        except AnswerStoppedError:
            raise OperationError("the answer was stopped") from None

    def _begun(self, answer: str) -> str:
        """Begin to make an answer; return what an attempt that failed has shown of it."""
        try:
            return self._pieces.begin(answer)
        except AnswerStoppedError:
            raise OperationError("the answer was stopped") from None

    def _assisted(
        self, user: str, answer: str, form: ReplyForm, adapter: LLMAdapter, sink: DeduplicatingSink
    ) -> JsonObject | None:
        """Return the answer with tools; None if none suits. By the model alone, and marked, if they do not help.

        Where a file is attached, only tools that query it are offered, after a plan by code: a file that gives orders
        must not have another tool called.
        """
        prepared = self._memory.prepare(user, answer, form)
        texts = self._memory.attached_texts(user, prepared)
        if prepared.has_attachments and not texts:
            return None
        earlier = () if texts else _newest(prepared, self._context // 4)
        question = ToolQuestion(user, prepared.message, earlier, texts)
        offered = self._offer(question)
        if offered is None:
            return None
        reply = AssistedReply(
            offered,
            question,
            lambda made: self._memory.note_tool_use(prepared, made.prompts, made.calls, len(earlier)),
        )
        try:
            output = reply.make(adapter, sink)
        except WithoutToolsError as error:
            self._memory.keep(prepared)
            sink.begin_attempt()
            alone = _output(call_model(adapter, prepared.request, sink), prepared)
            return {**alone, "marks": [f"doubtful: {error}", *alone["marks"]]}
        self._memory.note_tool_use(prepared, reply.prompts, reply.calls, len(earlier), adapter.count_tokens)
        sink.begin_attempt()
        sink(output["text"])  # what was not streamed: the result of a tool
        return output


class _WaitingForServer(WrappedAdapter):
    """A model whose server gets some seconds to start, once for an answer, where nothing listens at its address."""

    def __init__(self, adapter: LLMAdapter, clock: Clock) -> None:
        super().__init__(adapter)
        self._clock = clock
        self._ends_at: float | None = None

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        while True:
            try:
                return self._adapter.complete(request, on_text)
            except LLMError as error:
                if not _is_refused(error) or self._is_over():
                    raise

    def _is_over(self) -> bool:
        now = self._clock.monotonic()
        if self._ends_at is None:
            self._ends_at = now + _STARTING
        return now >= self._ends_at


def _is_refused(error: LLMError) -> bool:
    return bool(error.details.get("is_refused"))


def _failure(error: LLMError) -> OperationError:
    """Return a model's error as that of the answer. A person waits for it: a server that is down fails it at once."""
    return OperationError(error.message, next_step=error.advice) if _is_refused(error) else operation_error(error)


class _StoppableAdapter(WrappedAdapter):
    """A model whose requests end as soon as the answer was stopped, also those that show nothing, such as plans.

    The embedded model answers one request at a time: what nobody waits for must not keep it.
    """

    def __init__(self, adapter: LLMAdapter, confirm: Callable[[], None]) -> None:
        super().__init__(adapter)
        self._confirm = confirm

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        self._confirm()
        if not self._adapter.supports_streaming():
            return self._adapter.complete(request, on_text)

        def sink(text: str) -> None:
            self._confirm()
            if on_text is not None:
                on_text(text)

        return self._adapter.complete(request, sink)


def _newest(prepared: PreparedReply, tokens: int) -> tuple[ChatMessage, ...]:
    """Return the newest earlier messages that need at most `tokens` tokens; an answer follows its question."""
    taken: list[ChatMessage] = []
    earlier = zip(prepared.earlier, prepared.manifest["entries"], strict=False)
    for message, entry in reversed([*earlier]):
        tokens -= entry["tokens"]
        if tokens < 0:
            break
        taken.append(message)
    while taken and taken[-1].role != "user":
        taken.pop()
    return tuple(reversed(taken))


def _output(reply: LLMResponse, prepared: PreparedReply) -> JsonObject:
    if reply.finish_reason == "refusal":
        raise OperationError("the model refused to answer", next_step="Rephrase the message.")
    text = reply.text.strip()
    if not text:
        raise OperationError("the model returned an empty answer", is_transient=True)
    return {
        "text": text,
        "finishReason": reply.finish_reason,
        "model": reply.model,
        "cachedTokens": reply.usage.get("cached_tokens"),
        "marks": answer_marks(prepared.message, reply, prepared.recalled, prepared.material),
    }
