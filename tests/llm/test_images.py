"""Images in requests: the bytes arrive over both wires; a model that does not see refuses them."""

import base64
from contextlib import closing

import pytest

from aeon.base.errors import LLMError
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.interface import Image, LLMAdapter, LLMRequest
from aeon.testing.wire_double import WireDouble

BYTES = bytes(range(256))
REQUEST = LLMRequest("What is this?", images=(Image("image/png", BYTES), Image("image/jpeg", b"second")))


def sent(api: str) -> list[dict]:
    """The parts of the user's message that the server got."""
    with (
        WireDouble(["A dot."], profile=api) as server,
        closing(RemoteAPIAdapter(server.base_url, "scripted", api=api)) as adapter,
    ):
        adapter.complete(REQUEST)
        return server.requests[0].body["messages"][-1]["content"]


def test_chat_completions_carry_them_as_data_urls():
    first, second, text = sent("openai")
    head, _, data = first["image_url"]["url"].partition(",")
    assert (head, base64.b64decode(data)) == ("data:image/png;base64", BYTES)
    assert second["image_url"]["url"].startswith("data:image/jpeg;base64,")
    assert text == {"type": "text", "text": "What is this?"}


def test_messages_carry_them_as_sources():
    first, second, text = sent("anthropic")
    assert first["source"]["media_type"] == "image/png"
    assert base64.b64decode(first["source"]["data"]) == BYTES
    assert base64.b64decode(second["source"]["data"]) == b"second"
    assert text == {"type": "text", "text": "What is this?"}


class Blind(LLMAdapter):
    """An adapter with the two published methods alone."""

    def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
        return {"text": "A dot."}

    def supports_streaming(self):
        return False


def test_a_model_that_does_not_see_refuses_them():
    with pytest.raises(LLMError, match="Blind cannot see images"):
        Blind().complete(REQUEST)
