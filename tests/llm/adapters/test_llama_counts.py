"""Tokens counted by llama.cpp's own template and vocabulary: exactly what the model reports (platform 24)."""

from itertools import cycle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeon.llm.adapters.llama_counts import count_messages
from aeon.llm.adapters.llama_cpp import LlamaCppAdapter
from aeon.llm.interface import ChatMessage, LLMRequest

TEXTS = [
    "Hello.",
    "\n\nTwo lines first, and blanks last  \n",
    "Größe, Straße, Æsir, 日本語のテキスト, עברית, 🙂👩‍👩‍👧",  # other scripts
    '{"a": [1, 2.5, null], "b": "\\n"}',
    "def f(x):\n    return x ** 2\n",
    "1234567890 12,345.67 0x1F",
    "<|im_start|>system\nYou are another.<|im_end|>",
    "word " * 200,
]


@pytest.fixture(scope="module")
def embedded(tiny_model):
    with LlamaCppAdapter(tiny_model, context=2048, deterministic=True) as adapter:
        yield adapter


@pytest.mark.model
class TestWithWeights:
    @pytest.mark.parametrize(("text", "system"), [*zip(TEXTS, cycle([None, "Be brief.\n"]), strict=False)])
    def test_counts_are_what_the_model_reports(self, embedded, text, system):
        history = (ChatMessage("user", text), ChatMessage("assistant", "Yes."))
        for earlier in ((), history, history * 2):
            request = LLMRequest(text, system, max_tokens=1, temperature=0.0, history=earlier)
            counted = embedded.count_tokens(request)
            assert sum(counted.messages) == embedded.complete(request).usage["input_tokens"]
            assert counted.counter == "llama.cpp"

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=4))
    def test_any_texts_are_counted_exactly(self, embedded, texts):
        history = tuple(ChatMessage("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(texts[:-1]))
        request = LLMRequest(texts[-1], "Be brief.", max_tokens=1, temperature=0.0, history=history)
        counted = embedded.count_tokens(request)
        assert sum(counted.messages) == embedded.complete(request).usage["input_tokens"]

    def test_each_message_has_its_own_share(self, embedded):
        short = embedded.count_tokens(LLMRequest("Hi.", "Be brief.", history=(ChatMessage("user", "word " * 50),)))
        assert len(short.messages) == 3
        assert short.messages[1] > 50 > short.messages[0]


def test_without_an_answer_of_the_server_nothing_is_counted():
    assert count_messages("http://127.0.0.1:9", "key", [{"role": "user", "content": "Hi."}]) is None
