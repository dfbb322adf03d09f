"""The conformance suite of LLM adapters: subclass `AdapterConformance`, build your adapter, run pytest.

    class TestMyAdapter(AdapterConformance):
        def adapter(self, replies):
            return MyAdapter(...)

An adapter with a scriptable backend answers `replies` in order; one with a real model ignores them. The tests hold for
both.
"""

import copy
import threading
from collections.abc import Sequence

import pytest

from aeon.base.errors import LLMError
from aeon.base.json import JsonObject, parse_strict
from aeon.base.json_schema import compile_schema
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "size": {"type": "integer"}},
    "required": ["city", "size"],
    "additionalProperties": False,
}
"""A schema that every backend with structured output accepts in some form."""

_FINISH_REASONS = {"stop", "length", "refusal", None}
_THREADS = 4


class BrokenSinkError(Exception):
    """The exception of the suite's own sink."""


class AdapterConformance:
    """The contract of `LLMAdapter` (core-interfaces, core 8, 9 and 11)."""

    def adapter(self, replies: Sequence[LLMResponse]) -> LLMAdapter:
        """Returns the adapter under test, with a backend that answers `replies` in order if it can be scripted."""
        raise NotImplementedError

    def failing_adapter(self) -> LLMAdapter | None:
        """Returns the adapter with a backend that never answers, or None if that is not possible."""
        return None

    def test_generate_returns_a_dict_with_text(self) -> None:
        answer = self.adapter([LLMResponse("hello")]).generate("Say hello.", max_tokens=16, temperature=0.0)
        assert isinstance(answer.get("text"), str)
        assert isinstance(answer.get("usage") or {}, dict)
        assert isinstance(answer.get("model"), str | None)

    def test_generate_takes_the_published_arguments_by_position(self) -> None:
        answer = self.adapter([LLMResponse("hello")]).generate("Say hello.", "You greet.", 16, 0.0)
        assert isinstance(answer["text"], str)

    def test_complete_returns_a_reply(self) -> None:
        reply = self.adapter([LLMResponse("hello")]).complete(LLMRequest("Say hello.", max_tokens=16, temperature=0.0))
        assert isinstance(reply, LLMResponse)
        assert reply.finish_reason in _FINISH_REASONS

    def test_usage_counts_tokens(self) -> None:
        reply = self.adapter([LLMResponse("hello")]).complete(LLMRequest("Say hello.", max_tokens=16, temperature=0.0))
        counts = [count for name, count in reply.usage.items() if name in {"input_tokens", "output_tokens"}]
        assert all(isinstance(count, int) and count >= 0 for count in counts)

    def test_streamed_pieces_are_the_text(self) -> None:
        pieces: list[str] = []
        adapter = self.adapter([LLMResponse("hello there, traveller")])
        reply = adapter.complete(LLMRequest("Say hello.", max_tokens=16, temperature=0.0), pieces.append)
        assert "".join(pieces) == reply.text
        assert adapter.supports_streaming() or len(pieces) <= 1

    def test_an_error_of_the_sink_comes_out_as_it_is(self) -> None:
        calls: list[str] = []

        def broken_sink(piece: str) -> None:
            calls.append(piece)
            raise BrokenSinkError

        with pytest.raises(BrokenSinkError):
            self.adapter([LLMResponse("hello there")]).complete(LLMRequest("Say hello.", max_tokens=16), broken_sink)
        assert len(calls) == 1

    def test_a_cut_answer_is_never_called_finished(self) -> None:
        """Core 9: a truncated response reports "length", or None if the backend reports nothing."""
        adapter = self.adapter([LLMResponse("Once upon a", finish_reason="length")])
        reply = adapter.complete(LLMRequest("Tell a very long story about a dragon.", max_tokens=3, temperature=0.0))
        assert reply.finish_reason in {"length", None}

    def test_a_streamed_cut_answer_is_never_called_finished(self) -> None:
        """Core 9."""
        adapter = self.adapter([LLMResponse("Once upon a", finish_reason="length")])
        request = LLMRequest("Tell a very long story about a dragon.", max_tokens=3, temperature=0.0)
        assert adapter.complete(request, lambda _: None).finish_reason in {"length", None}

    def test_a_schema_is_followed_where_it_is_supported(self) -> None:
        """Core 11."""
        adapter = self.adapter([LLMResponse('{"city": "Oslo", "size": 700}')])
        question = 'Name a city and its size as JSON: {"city": text, "size": number}'
        reply = adapter.complete(LLMRequest(question, max_tokens=200, temperature=0.0, schema=copy.deepcopy(SCHEMA)))
        if adapter.supports_schema():
            assert compile_schema(SCHEMA).problems(parse_strict(reply.text)) == []

    def test_the_request_is_left_as_it_was(self) -> None:
        schema = copy.deepcopy(SCHEMA)
        request = LLMRequest("Name a city and its size as JSON.", max_tokens=60, temperature=0.0, schema=schema)
        self.adapter([LLMResponse('{"city": "Oslo", "size": 700}')]).complete(request)
        assert request.schema == SCHEMA

    def test_any_text_can_be_asked(self) -> None:
        unusual = 'quotes " and \\ , ünïcödé 🐉, {"json": [1]}, <|im_end|>, \t\n and a null \x00.'
        reply = self.adapter([LLMResponse("fine")]).complete(LLMRequest(unusual, max_tokens=8, temperature=0.0))
        assert isinstance(reply.text, str)

    def test_threads_may_share_it(self) -> None:
        adapter = self.adapter([LLMResponse("hello")] * _THREADS)
        replies: list[LLMResponse] = []

        def ask() -> None:
            replies.append(adapter.complete(LLMRequest("Say hello.", max_tokens=4, temperature=0.0)))

        threads = [threading.Thread(target=ask) for _ in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(replies) == _THREADS

    def test_a_failure_is_an_llm_error_with_advice(self) -> None:
        """FR-048, FR-049: for every failure the kernel sees one kind of error, with its next step."""
        adapter = self.failing_adapter()
        if adapter is None:
            pytest.skip("this adapter's backend cannot be made to fail")
        with pytest.raises(LLMError) as raised:
            adapter.complete(LLMRequest("Say hello.", max_tokens=4))
        assert raised.value.message
        assert raised.value.advice
