"""A model of the program's own that is faulty: an answer in a conversation says so, and does not try again."""

import pytest

from aeon.base.errors import LLMError
from aeon.llm.interface import LLMAdapter


class OwnModel(LLMAdapter):
    """Gives or raises the same for every request."""

    def __init__(self, given):
        self.given = given
        self.asked = 0

    def supports_streaming(self):
        return False

    def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
        self.asked += 1
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def answered(opened, model):
    follower = opened(model=model).conversations.ask(None, "Which river flows through Vienna?")
    list(follower)
    return follower.result


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": "The Danube.", "usage": "many"}, "its usage is not JSON (str is not an object)"),
        (None, "The LLM adapter returned no text."),
        ({"text": 5}, "The LLM adapter returned no text."),
        (KeyError("token"), "The LLM adapter failed: KeyError: 'token'"),
        (ValueError("bad key"), "The LLM adapter failed: ValueError: bad key"),
    ],
)
def test_a_fault_of_the_adapter_fails_the_answer_at_once(opened, given, said):
    """It was tried four times with 22 seconds of pauses, and a usage that is a text was an AttributeError."""
    model = OwnModel(given)
    answer = answered(opened, model)
    assert (answer.state, model.asked) == ("failed", 1)
    assert said in answer.failure


@pytest.mark.parametrize("passing", [ConnectionError("reset"), TimeoutError("no answer"), LLMError("It is busy.")])
def test_what_may_pass_is_tried_again(opened, passing):
    class Recovering(OwnModel):
        def generate(self, *arguments, **more):
            given, self.given = self.given, {"text": "The Danube."}
            self.asked += 1
            if isinstance(given, Exception):
                raise given
            return given

    model = Recovering(passing)
    answer = answered(opened, model)
    assert (answer.state, answer.content, model.asked) == ("complete", "The Danube.", 2)
