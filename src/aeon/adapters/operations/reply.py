"""Executes `conversation_reply`: one model call from a conversation's working memory, streamed piece by piece."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import cast

from aeon.adapters.operations.llm import ReplyRecorder, call_with_timeout, operation_error, total_usage
from aeon.base.clock import Clock
from aeon.base.errors import LLMError
from aeon.base.json import Json, JsonObject
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
        replies: list[LLMResponse] = []
        try:
            output = call_with_timeout(operation.timeout, lambda: self._answer(work, operation, replies))
        except OperationError as error:
            error.usage = total_usage(replies)
            raise
        return OperationResult(output, total_usage(replies))

    def _answer(self, work: OperationRequest, operation: ConversationReply, replies: list[LLMResponse]) -> Json:
        answer = work.arguments["answer"]
        form = ReplyForm(
            f"{operation.system_prompt} {self._today()}", operation.max_tokens, operation.temperature, self._context
        )
        prepared = self._memory.prepare(work.user, answer, form)
        try:
            with self._model(work) as opened:
                adapter = ReplyRecorder(opened, replies)
                reply = call_model(adapter, prepared.request, lambda piece: self._pieces.append(answer, piece))
        except LLMError as error:
            if isinstance(error.__cause__, AnswerStoppedError):
                raise OperationError("the answer was stopped") from None
            raise operation_error(error) from None
        return _output(reply)

    def _today(self) -> str:
        return f"Today is {datetime.fromisoformat(self._clock.now()):%A, %Y-%m-%d}."


def _output(reply: LLMResponse) -> JsonObject:
    if not reply.text.strip():
        raise OperationError("the model returned an empty answer", is_transient=True)
    return {"text": reply.text.strip(), "finishReason": reply.finish_reason, "model": reply.model}
