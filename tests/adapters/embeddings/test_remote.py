"""The remote embedder against scripted servers; its conformance is tested with a real one in `tests/server/openai`."""

import json
import logging

import pytest

from aeon.adapters.embeddings.remote import RemoteEmbedder
from aeon.base.errors import ConfigError, LLMError
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import ErrorResponse, RawResponse

KEY = "sk-canary-4711-embeddings"

pytestmark = pytest.mark.server


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
        {"data": [{"index": 0, "embedding": ["1"]}]},
        {"data": [{"index": 0, "embedding": [True]}]},
        {"data": [{"index": 0, "embedding": [10**400]}]},
        {"data": [{"index": 0, "embedding": [1e999]}]},
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
