"""The model in process: lazy, private, interruptible, and clear about what it cannot do."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from types import SimpleNamespace
from unittest.mock import MagicMock

import httpx2
import pytest

from aeon.base.cancellation import CancelScope
from aeon.base.errors import LLMError, LLMRequestError, MissingExtraError
from aeon.base.next_steps import NextStep
from aeon.llm.adapters import llama_runtime
from aeon.llm.adapters.llama_cpp import LlamaCppAdapter
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.interface import LLMRequest
from aeon.testing.llama_server import llama_server

LONG = LLMRequest("Write a very long story about a dragon and a king.", max_tokens=64, temperature=0.0)


def test_building_one_loads_nothing():
    adapter = LlamaCppAdapter("no/such/file.gguf")
    assert repr(adapter) == "LlamaCppAdapter('no/such/file.gguf')"
    assert adapter.supports_schema()
    adapter.close()


@pytest.mark.usefixtures("llama")
def test_a_missing_file_is_told_with_what_to_do():
    with pytest.raises(LLMError, match=r"no/such/file\.gguf cannot be read: No such file") as raised:
        LlamaCppAdapter("no/such/file.gguf").generate("hi")
    assert raised.value.next == NextStep("models.choose_file")


@pytest.mark.usefixtures("llama")
def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(LLMError, match="cannot be read"):
        LlamaCppAdapter(tmp_path).generate("hi")


@pytest.mark.usefixtures("llama")
def test_a_file_of_another_kind_is_told(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"<html>not found</html>")
    with pytest.raises(LLMError, match="is not a GGUF file"):
        LlamaCppAdapter(path).generate("hi")


@pytest.mark.usefixtures("llama")
def test_a_broken_gguf_file_is_told(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF\x03\x00\x00\x00" + b"\xff" * 5000)
    with pytest.raises(LLMError, match=r"llama\.cpp cannot load"):
        LlamaCppAdapter(path).generate("hi")


def test_without_the_package_the_extra_is_named(tmp_path, uninstall):
    uninstall("xllamacpp")
    with pytest.raises(MissingExtraError, match=r"pip install 'aeon-orchestrator\[embedded\]'"):
        LlamaCppAdapter(tmp_path / "model.gguf").generate("hi")


def test_a_signal_while_it_loads_frees_no_server_whose_loop_has_not_begun(tmp_path, monkeypatch):
    """Freeing one never returns: the command hung, and only SIGKILL ended it."""
    freed = SimpleQueue()

    class Server:
        """As xllamacpp's: the signal comes while it is made, and is raised when its maker is back in Python."""

        def __init__(self, _parameters) -> None:
            self.has_begun = False
            signal.raise_signal(signal.SIGINT)

        def handle_metrics(self) -> None:
            self.has_begun = True

        def __del__(self) -> None:
            freed.put(self.has_begun)

    runtime = SimpleNamespace(Server=Server, CommonParams=MagicMock)
    monkeypatch.setitem(sys.modules, "xllamacpp", runtime)
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(KeyboardInterrupt):
        LlamaCppAdapter(path).generate("hi")
    assert freed.get(timeout=10)


class TellingServer:
    """Tells until it is stopped, or for ten seconds."""

    def __init__(self, piece="on "):
        self.stopped = threading.Event()
        self.piece = piece

    def handle_chat_completions(self, _body, on_chunk):
        end = time.monotonic() + 10
        while not on_chunk({"choices": [{"index": 0, "delta": {"content": self.piece}}]}):
            if time.monotonic() > end:
                return
            time.sleep(0.001)
        self.stopped.set()


def interrupted(_text=None):
    raise KeyboardInterrupt


@pytest.mark.parametrize("moment", ["while the thread starts", "while a piece is shown"])
def test_an_interrupt_stops_the_model_though_its_error_is_kept(tmp_path, monkeypatch, moment):
    """One of a hundred processes that were interrupted told its story to the end, and only then ended."""
    server, adapter, start = TellingServer(), LlamaCppAdapter(tmp_path / "any.gguf"), threading.Thread.start
    monkeypatch.setattr(adapter, "_loaded", lambda: server)
    if moment == "while the thread starts":
        monkeypatch.setattr(threading.Thread, "start", lambda thread: (start(thread), interrupted()))
    with pytest.raises(KeyboardInterrupt) as kept:
        adapter.complete(LLMRequest("Tell a story.", max_tokens=5), interrupted)
    assert server.stopped.wait(10)
    del kept


def test_a_call_that_is_cancelled_stops_the_model(tmp_path, monkeypatch):
    """It went on to its last token, and whoever asked next waited for that."""
    server, adapter, scope = TellingServer("and then"), LlamaCppAdapter(tmp_path / "any.gguf"), CancelScope()
    monkeypatch.setattr(adapter, "_loaded", lambda: server)
    with scope.activate(), pytest.raises(LLMError, match="was cancelled"):
        adapter.complete(LLMRequest("Tell a story.", max_tokens=5), lambda _text: scope.cancel())
    assert server.stopped.wait(10)


def test_a_text_that_goes_round_in_circles_is_stopped_and_one_with_a_schema_is_not(tmp_path, monkeypatch):
    """An answer of the 1.5B model did so for its 1,024 tokens, which took three minutes."""
    passage = "The support can control the search and follow it, in order to mend what went wrong before.\n\n"
    server, adapter = TellingServer(passage), LlamaCppAdapter(tmp_path / "any.gguf")
    monkeypatch.setattr(adapter, "_loaded", lambda: server)
    shown = []
    reply = adapter.complete(LLMRequest("What helps against hiccups?"), shown.append)
    assert server.stopped.wait(10)
    assert (reply.finish_reason, reply.is_truncated) == ("length", True)
    assert reply.text == "".join(shown) == passage * 4

    class EnoughError(Exception):
        """The test has seen enough."""

    def many(text):
        shown.append(text)
        if len(shown) > 50:
            raise EnoughError

    with pytest.raises(EnoughError):
        adapter.complete(LLMRequest("List them.", schema={"type": "array"}), many)


def test_one_core_is_left_to_the_machine(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert llama_runtime.default_threads() == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert llama_runtime.default_threads() == 1


@pytest.fixture(scope="module")
def embedded(tiny_model):
    with LlamaCppAdapter(tiny_model, context=1024, deterministic=True) as adapter:
        yield adapter


@pytest.mark.model
class TestWithWeights:
    def test_a_prompt_beyond_the_context_is_told_in_tokens(self, embedded):
        with pytest.raises(LLMRequestError, match=r"The prompt has \d+ tokens, the model's context 1024"):
            embedded.complete(LLMRequest("word " * 3000))

    def test_a_prompt_that_is_still_read_can_be_stopped(self, tiny_model):
        class StoppedError(Exception):
            pass

        def stop(piece):
            raise StoppedError(piece)

        with LlamaCppAdapter(tiny_model, context=4096) as adapter:
            with pytest.raises(StoppedError) as caught:
                adapter.complete(LLMRequest("word " * 3000, max_tokens=5), stop)
            assert str(caught.value) == ""
            pieces = []
            reply = adapter.complete(LLMRequest("Say yes.", max_tokens=5), pieces.append)
            assert "".join(pieces) == reply.text

    def test_a_schema_llama_cpp_cannot_follow_is_told(self, embedded):
        with pytest.raises(LLMRequestError, match="cannot take the request"):
            embedded.complete(LLMRequest("hi", schema={"type": "nonsense"}))

    def test_text_that_is_no_unicode_is_told(self, embedded):
        with pytest.raises(LLMRequestError, match="cannot take the request"):
            embedded.complete(LLMRequest("half a pair: \ud83d"))

    def test_usage_and_model_are_told(self, embedded, tiny_model):
        reply = embedded.complete(LLMRequest("Say hi.", max_tokens=4, temperature=0.0))
        assert reply.usage["output_tokens"] == 4
        assert reply.model == tiny_model.stem

    def test_core_19_it_says_of_which_tokens_it_was_unsure_and_where_they_are(self, embedded):
        reply = embedded.complete(LONG)
        assert reply.unsure
        assert all(0 <= token.probability <= 0.5 for token in reply.unsure)
        assert all(reply.text.startswith(token.text, token.at) for token in reply.unsure)

    def test_deterministic_means_the_same_text(self, embedded):
        warm = LLMRequest(LONG.prompt, max_tokens=24, temperature=0.8)
        assert len({embedded.complete(warm).text for _ in range(3)}) == 1

    def test_a_sink_that_raises_stops_the_model(self, embedded):
        def full(_):
            raise OSError("disk full")

        with pytest.raises(OSError, match="disk full"):
            embedded.complete(LONG, full)
        assert embedded.complete(LLMRequest("Say hi.", max_tokens=2)).text

    def test_a_closed_adapter_loads_again(self, tiny_model):
        adapter = LlamaCppAdapter(tiny_model, context=256)
        with adapter:
            first = adapter.complete(LLMRequest("Say hi.", max_tokens=4, temperature=0.0))
        with adapter:
            assert adapter.complete(LLMRequest("Say hi.", max_tokens=4, temperature=0.0)).text == first.text

    def test_its_loopback_port_is_shut(self, embedded):
        """Any process, and any web page, could otherwise talk to the model."""
        embedded.complete(LLMRequest("Say hi.", max_tokens=1))
        address = embedded._server.listening_address
        with httpx2.Client(trust_env=False) as client:
            answer = client.post(f"{address}/v1/chat/completions", json={}, headers={"origin": "http://evil.example"})
            assert answer.status_code == 401
            assert answer.headers.get("access-control-allow-origin", "") == ""
            assert client.get(f"{address}/").status_code == 404, "no web page"
        assert embedded._settings.api_key not in repr(embedded)

    def test_nothing_reaches_the_users_terminal_and_ctrl_c_works(self, tiny_model):
        """A process of its own, since native code writes past Python's streams."""
        script = (
            "import sys\n"
            "from aeon.llm.adapters.llama_cpp import LlamaCppAdapter\n"
            "from aeon.llm.interface import LLMRequest\n"
            "schema = {'type': 'object', 'properties': {'a': {'type': 'integer'}}, 'required': ['a']}\n"
            "with LlamaCppAdapter(sys.argv[1], context=1024, threads=1) as adapter:\n"
            "    adapter.complete(LLMRequest('Give a.', max_tokens=20, temperature=0.0, schema=schema))\n"
            "    told = []\n"
            "    try:\n"
            "        adapter.complete(LLMRequest('Tell a long story.', max_tokens=900), lambda _: told or told.append(print('go', flush=True)))\n"
            "    except KeyboardInterrupt:\n"
            "        print('interrupted', flush=True)\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(tiny_model)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout.readline() == b"go\n"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (out, err) == (b"interrupted\n", b"")
        assert time.monotonic() - began < 8, "the model stopped at its next token"

    @pytest.mark.slow
    def test_a_signal_at_any_moment_of_loading_ends_in_time(self, tiny_model):
        """Of 20 tries 2 hung for ever, as the server was freed before its loop had begun."""
        script = (
            "import sys\n"
            "from aeon.llm.adapters.llama_cpp import LlamaCppAdapter\n"
            "import xllamacpp\n"
            "try:\n"
            "    print('go', flush=True)\n"
            "    LlamaCppAdapter(sys.argv[1], context=1024, threads=1).generate('Tell a long story.')\n"
            "except KeyboardInterrupt:\n"
            "    sys.exit(130)\n"
        )
        argv = [sys.executable, "-c", script, str(tiny_model)]
        codes = []
        for milliseconds in range(5, 1000, 50):
            with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                assert process.stdout.readline() == b"go\n"
                with suppress(subprocess.TimeoutExpired):
                    process.wait(milliseconds / 1000)
                process.send_signal(signal.SIGINT)
                try:
                    codes.append(process.wait(20))
                finally:
                    process.kill()
        assert set(codes) <= {0, 130}, "0: the story was told before the signal"
        assert codes.count(130) > len(codes) / 2

    def test_questions_of_several_threads_queue(self, embedded):
        texts = []
        threads = [threading.Thread(target=lambda: texts.append(embedded.complete(LONG).text)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(texts) == 3
        assert len(set(texts)) == 1


@pytest.fixture(scope="module")
def peer(tiny_model):
    with llama_server(tiny_model, context=512) as peer:
        yield peer


@pytest.mark.server
@pytest.mark.model
class TestRealServer:
    """The HTTP adapter before llama.cpp's own server: the peer that nobody here wrote."""

    def test_a_wrong_key_is_refused_at_once(self, peer):
        with (
            RemoteAPIAdapter(peer.base_url, peer.model, api_key="wrong-key") as adapter,
            pytest.raises(LLMRequestError, match="HTTP 401"),
        ):
            adapter.generate("hi")

    def test_a_prompt_beyond_its_context_is_refused_at_once(self, peer):
        with (
            RemoteAPIAdapter(peer.base_url, peer.model, api_key=peer.api_key) as adapter,
            pytest.raises(LLMRequestError, match="exceeds the available context size"),
        ):
            adapter.complete(LLMRequest("word " * 3000), lambda _: None)

    def test_core_11_its_schema_is_enforced_while_streaming(self, peer):
        schema = {
            "type": "object",
            "properties": {"colour": {"enum": ["red", "blue"]}},
            "required": ["colour"],
            "additionalProperties": False,
        }
        pieces = []
        with RemoteAPIAdapter(peer.base_url, peer.model, api_key=peer.api_key) as adapter:
            reply = adapter.complete(
                LLMRequest("A colour?", max_tokens=100, temperature=0.0, schema=schema), pieces.append
            )
        assert json.loads(reply.text)["colour"] in {"red", "blue"}
        assert "".join(pieces) == reply.text
        assert reply.finish_reason == "stop"
        assert reply.usage["output_tokens"] > 0

    def test_core_19_it_says_of_which_tokens_it_was_unsure_whole_and_streamed(self, peer):
        with RemoteAPIAdapter(peer.base_url, peer.model, api_key=peer.api_key, probabilities=True) as adapter:
            whole, streamed = adapter.complete(LONG), adapter.complete(LONG, lambda _: None)
        assert whole.unsure
        assert [token.at for token in streamed.unsure] == [token.at for token in whole.unsure]
        assert all(streamed.text.startswith(token.text, token.at) for token in streamed.unsure)

    def test_the_key_is_not_shown(self, peer):
        assert peer.api_key not in repr(peer)

    def test_its_port_is_closed_afterwards(self, tiny_model):
        with llama_server(tiny_model, context=256) as peer:
            pass
        with httpx2.Client(trust_env=False) as client, pytest.raises(httpx2.ConnectError):
            client.get(peer.base_url)
