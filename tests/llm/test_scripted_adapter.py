"""The scripted adapter shipped for tests."""

import pytest

from aeon.base.errors import LLMError
from aeon.llm.interface import LLMRequest, LLMResponse
from aeon.testing.llm import ScriptedAdapter


def test_replies_come_in_order_in_every_form():
    adapter = ScriptedAdapter(
        ["text", {"a": 1}, [1], LLMResponse("own", "length"), lambda request: request.prompt.upper()]
    )
    texts = [adapter.complete(LLMRequest("hi")).text for _ in range(5)]
    assert texts == ["text", '{"a": 1}', "[1]", "own", "HI"]
    assert adapter.remaining == 0


def test_exceptions_are_raised_also_by_functions():
    adapter = ScriptedAdapter([LLMError("down"), lambda _: LLMError("still down")])
    for words in ("down", "still down"):
        with pytest.raises(LLMError, match=words):
            adapter.generate("hi")


def test_every_request_is_kept():
    adapter = ScriptedAdapter(["a", "b"])
    request = LLMRequest("one", schema={"type": "object"})
    adapter.complete(request)
    adapter.generate("two", "system", 5, 0.0)
    assert adapter.requests == [request, LLMRequest("two", "system", 5, 0.0)]


def test_a_used_up_script_says_what_was_asked():
    adapter = ScriptedAdapter(["only one"])
    adapter.generate("first")
    with pytest.raises(LLMError, match=r"script of 1 replies is used up; call 2 asked: 'second'") as raised:
        adapter.generate("second")
    assert "ScriptedAdapter" in raised.value.advice
    assert len(adapter.requests) == 2


def test_text_streams_in_pieces():
    pieces = []
    ScriptedAdapter(["a longer answer than one piece"]).complete(LLMRequest("hi"), pieces.append)
    assert len(pieces) > 1
    assert "".join(pieces) == "a longer answer than one piece"
