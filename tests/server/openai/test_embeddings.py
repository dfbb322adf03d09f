"""/v1/embeddings by the client of the package `openai`, and that address as the remote model of another Aeon."""

import base64
import struct

import openai
import pytest

from aeon.adapters.embeddings.minilm import MiniLMEmbedder
from aeon.adapters.embeddings.remote import RemoteEmbedder
from aeon.platform.embedder import EmbeddingInputError
from aeon.testing.embedder_conformance import EmbedderConformance
from aeon.testing.embedding import HashEmbedder


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


@pytest.mark.slow
def test_the_largest_body_full_of_unusual_words_is_refused_with_its_count(serve):
    text = " ".join(f"{number:05}" + "qzxjk" * 19 for number in range(10_000))
    answer = serve().client("me").post("/v1/embeddings", json={"model": "embeddings", "input": text})
    assert answer.status_code == 400
    assert "more than the 256 that" in answer.json()["error"]["message"]


def test_without_the_extra_it_says_what_to_install(serve, client_of, uninstall):
    uninstall("onnxruntime")
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


def _decoded(text):
    content = base64.b64decode(text)
    return struct.unpack(f"<{len(content) // 4}f", content)
