"""Core 19, core 17: an answer of which the model was not sure is not trusted, wherever it was asked."""

import json

import pytest

from aeon.base.errors import LLMError
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse, UnsureToken, call_model
from aeon.testing.llm import ScriptedAdapter

QUESTION = "Who painted The Hay Wain?"
TEXT = " The Hay Wain was painted by Claude Monet."
UNSURE = LLMResponse(TEXT, "stop", unsure=(UnsureToken(28, " Claude", 0.19), UnsureToken(41, ".", 0.45)))
MARK = 'doubtful: the model was not sure of "Claude" (19 %)'


def test_core_19_a_request_tells_of_what_the_model_was_not_sure(opened):
    result = opened(model=ScriptedAdapter([UNSURE])).ask(QUESTION)
    assert (result.answer, result.trusted, result.status) == (TEXT.strip(), False, "completed")
    assert MARK in result.marks["s1"]


def test_core_17_a_conversation_tells_it_too(opened):
    project = opened(model=ScriptedAdapter([UNSURE] * 5), settings={"conversations.titles": False})
    answer = project.conversations.ask(None, QUESTION)
    assert "".join(answer).strip() == TEXT.strip()
    assert MARK in answer.result.marks


class Published(LLMAdapter):
    """An adapter of the published contract, which answers a dict."""

    def __init__(self, unsure):
        self.unsure = unsure

    def supports_streaming(self):
        return False

    def generate(self, prompt, system_prompt=None, max_tokens=1, temperature=0.0):
        return {"text": "x", "unsure": self.unsure}


@pytest.mark.parametrize(
    ("listed", "read"),
    [
        ([[0, "x", 0.25]], (UnsureToken(0, "x", 0.25),)),
        ([[0, "x"], "x", None, {"at": 0}, [0, 1, 2], [True, "x", 0.1], [-1, "x", 0.1], [0, "x", 1.5]], ()),
        ("unsure", ()),
        (None, ()),
    ],
)
def test_core_7_an_adapter_may_tell_it_and_what_is_none_is_left_out(listed, read):
    assert call_model(Published(json.loads(json.dumps(listed))), LLMRequest("hi")).unsure == read


@pytest.mark.parametrize("unsure", [["Claude"], [UnsureToken(0, "x", 0.1)], (UnsureToken(0, "x", float("nan")),)])
def test_core_7_an_adapter_that_tells_it_otherwise_is_an_error(unsure):
    broken = ScriptedAdapter([LLMResponse("x", unsure=unsure)])
    with pytest.raises(LLMError, match="its unsure tokens are not UnsureToken"):
        call_model(broken, LLMRequest("hi"))
