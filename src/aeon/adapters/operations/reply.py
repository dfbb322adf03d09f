"""Executes `conversation_reply`: one model call from a conversation's working memory, streamed piece by piece."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import cast

from aeon.adapters.operations.llm import ReplyRecorder, counted_result, operation_error
from aeon.base.clock import Clock
from aeon.base.errors import LLMError
from aeon.base.json import Json, JsonObject
from aeon.llm.adapters.wire_adapter import DeduplicatingSink
from aeon.llm.interface import LLMAdapter, LLMResponse, call_model
from aeon.platform.catalog.operations import ConversationReply, OperationError
from aeon.platform.catalog.tool_calls import OperationRequest, OperationResult
from aeon.platform.conversations.pieces import AnswerStoppedError, PieceStream
from aeon.platform.memory.working_memory import MemoryService, ReplyForm


class ReplyExecutor:
    """Answers the last message of a conversation; the pieces go to `pieces` under the answer's id."""

    def __init__(
        self,
        memory: MemoryService,
        pieces: PieceStream,
        model: Callable[[OperationRequest], AbstractContextManager[LLMAdapter]],
        context: int,
        clock: Clock,
    ) -> None:
        """`context` is the size of the model's context in tokens."""
        self._memory = memory
        self._pieces = pieces
        self._model = model
        self._context = context
        self._clock = clock

    def execute(self, work: OperationRequest) -> OperationResult:
        operation = cast(ConversationReply, work.operation)
        return counted_result(operation.timeout, lambda replies: self._answer(work, operation, replies))

    def _answer(self, work: OperationRequest, operation: ConversationReply, replies: list[LLMResponse]) -> Json:
        answer = work.arguments["answer"]
        form = ReplyForm.of(operation, self._context, self._clock.now())
        prepared = self._memory.prepare(work.user, answer, form)
        shown = "".join(self._pieces.read(answer, 0, 0))  # by an attempt that failed
        sink = DeduplicatingSink(lambda piece: self._pieces.append(answer, piece), shown)
        try:
            with self._model(work) as opened:
                adapter = ReplyRecorder(opened, replies)
                reply = call_model(adapter, prepared.request, sink)
        except LLMError as error:
            if isinstance(error.__cause__, AnswerStoppedError):
                raise OperationError("the answer was stopped") from None
            raise operation_error(error) from None
        return _output(reply)


def _output(reply: LLMResponse) -> JsonObject:
    if not reply.text.strip():
        raise OperationError("the model returned an empty answer", is_transient=True)
    return {"text": reply.text.strip(), "finishReason": reply.finish_reason, "model": reply.model}
