"""A language model that answers from a script, for tests of code that uses a model.

adapter = ScriptedAdapter([{"goal": "add", "steps": []}, "plain text", LLMError("no network")])
reply = adapter.complete(LLMRequest("Plan this."))  # the first reply, as JSON text
assert adapter.requests[0].prompt == "Plan this."   # the requests, in order
"""

import json
import threading
from collections.abc import Callable, Iterable
from typing import TypeAlias  # the published signature

from aeon.base.errors import LLMError
from aeon.base.json import Json
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink

FixedResponse: TypeAlias = LLMResponse | Exception | Json
"""One scripted reply: text, a dict or list (sent as JSON), an `LLMResponse`, or an exception to raise."""

ScriptedResponse: TypeAlias = FixedResponse | Callable[[LLMRequest], FixedResponse]
"""A `FixedResponse`, or a function that makes one from the request."""

_PIECE = 8


class ScriptedAdapter(RequestAdapter):
    """Returns `replies` in order, one for each call, and records every `LLMRequest` in `requests`.

    Raises LLMError after the last reply, so that a loop with too many requests fails. Thread-safe: each call takes the
    next reply.
    """

    def __init__(
        self, replies: Iterable[ScriptedResponse], *, supports_schema: bool = True, model: str = "scripted"
    ) -> None:
        self.requests: list[LLMRequest] = []
        self.model = model
        self._replies = list(replies)
        self._supports_schema = supports_schema
        self._lock = threading.Lock()

    @property
    def remaining(self) -> int:
        """The number of unused replies."""
        return max(0, len(self._replies) - len(self.requests))

    def supports_streaming(self) -> bool:
        return True

    def supports_schema(self) -> bool:
        return self._supports_schema

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """Returns the next reply of the script; passes its text to `on_text` in pieces of a few characters."""
        answer = self._next(request)
        reply = self._reply(answer(request) if callable(answer) else answer)
        if on_text is not None:
            for start in range(0, len(reply.text), _PIECE):
                on_text(reply.text[start : start + _PIECE])
        return reply

    def _next(self, request: LLMRequest) -> ScriptedResponse:
        with self._lock:
            turn = len(self.requests)
            self.requests.append(request)
        if turn < len(self._replies):
            return self._replies[turn]
        raise LLMError(
            f"The script of {len(self._replies)} replies is used up; call {turn + 1} asked: {request.prompt[:200]!r}",
            next_step="Add a reply to ScriptedAdapter, or find out why there is one more request.",
        )

    def _reply(self, answer: FixedResponse) -> LLMResponse:
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, LLMResponse):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return LLMResponse(text=text, finish_reason="stop", model=self.model)
