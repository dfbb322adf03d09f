"""The public conformance suite, run against every adapter there is and against a third party's."""

from collections.abc import Sequence

import pytest

from aeon.base.errors import LLMError
from aeon.llm.adapters.llama_cpp import LlamaCppAdapter
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.adapters.vllm import VLLMAdapter
from aeon.llm.interface import LLMAdapter, LLMRequest, LLMResponse
from aeon.testing.llama_server import llama_server
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.llm_conformance import AdapterConformance
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import ErrorResponse, TextResponse


class TestScripted(AdapterConformance):
    def adapter(self, replies):
        return ScriptedAdapter(replies)

    def failing_adapter(self):
        return ScriptedAdapter([])


class GenerateOnly(LLMAdapter):
    """A third party's adapter, written from the published interface alone: no schemas, no streaming, no finish reason."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)

    def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
        if not self.texts:
            raise LLMError("nothing left to say", next_step="Stop asking.")
        return {"text": self.texts.pop(0)}

    def supports_streaming(self):
        return False


class TestThirdParty(AdapterConformance):
    def adapter(self, replies):
        return GenerateOnly([reply.text for reply in replies])

    def failing_adapter(self):
        return GenerateOnly([])

    def test_it_knows_nothing_of_schemas_and_still_answers(self):
        adapter = GenerateOnly(["plain"])
        assert not adapter.supports_schema()
        assert adapter.complete(LLMRequest("hi", schema={"type": "object"})) == LLMResponse("plain")

    @pytest.mark.parametrize("answer", [{}, {"text": None}, "text", None, {"text": b"x"}])
    def test_what_is_no_reply_is_an_llm_error(self, answer):
        adapter = GenerateOnly(["x"])
        adapter.generate = lambda *_: answer
        with pytest.raises(LLMError, match="returned no text"):
            adapter.complete(LLMRequest("hi"))


class OverWire(AdapterConformance):
    """An HTTP adapter before the double."""

    profile = "openai"

    def build(self, double: WireDouble, **options) -> LLMAdapter:
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _peers(self, clock):
        self.clock = clock
        self.opened = []
        yield
        for each in self.opened:
            each.close()

    def start(self, rules):
        double = WireDouble(rules, profile=self.profile)
        adapter = self.build(double, clock=self.clock, timeout=5.0)
        self.opened += [adapter, double]
        return adapter

    def adapter(self, replies):
        return self.start([TextResponse(reply.text, reply.finish_reason or "stop") for reply in replies])

    def failing_adapter(self):
        return self.start([ErrorResponse(500)] * 3)


@pytest.mark.server
class TestOpenAI(OverWire):
    def build(self, double, **options):
        return RemoteAPIAdapter(double.base_url, "m", **options)


@pytest.mark.server
class TestAnthropic(OverWire):
    profile = "anthropic"

    def build(self, double, **options):
        return RemoteAPIAdapter(double.base_url, "m", api="anthropic", **options)


@pytest.mark.server
class TestVLLM(OverWire):
    profile = "vllm"

    def build(self, double, **options):
        return VLLMAdapter(double.base_url, "m", **options)


@pytest.fixture(scope="module")
def embedded(tiny_model):
    with LlamaCppAdapter(tiny_model, context=1024) as adapter:
        yield adapter


@pytest.mark.model
class TestEmbedded(AdapterConformance):
    @pytest.fixture(autouse=True)
    def _load(self, embedded):
        self.embedded = embedded

    def adapter(self, replies):
        return self.embedded

    def failing_adapter(self):
        return LlamaCppAdapter("no/such/file.gguf")


@pytest.fixture(scope="module")
def peer(tiny_model):
    with llama_server(tiny_model, context=1024) as peer:
        yield peer


@pytest.mark.server
@pytest.mark.model
class TestRealLlamaServer(AdapterConformance):
    @pytest.fixture(autouse=True)
    def _connect(self, peer):
        self.peer = peer
        with RemoteAPIAdapter(peer.base_url, peer.model, api_key=peer.api_key) as adapter:
            self.remote = adapter
            yield

    def adapter(self, replies):
        return self.remote

    def failing_adapter(self):
        return RemoteAPIAdapter(self.peer.base_url, self.peer.model, api_key="another key")
