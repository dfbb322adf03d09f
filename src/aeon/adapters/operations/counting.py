"""What the answers of a model say that they cost, summed."""

from collections.abc import Sequence

from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.platform.catalog.usage import TokenUsage


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
