"""The HTTP adapters' public face: construction, and good answers over real sockets."""

import json
import subprocess
import sys
import threading

import pytest

from aeon.base.errors import ConfigError, LLMRequestError
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.adapters.transport import api_root, is_loopback
from aeon.llm.adapters.vllm import VLLMAdapter
from aeon.llm.interface import LLMRequest, LLMResponse
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import EndlessStream, ErrorResponse, TextResponse

CLOSED = {
    "type": "object",
    "properties": {"z": {"type": "string"}, "a": {"type": "string"}},
    "required": ["z", "a"],
    "additionalProperties": False,
}


@pytest.fixture(params=["openai", "anthropic", "vllm"])
def profile(request):
    return request.param


@pytest.fixture
def peer(profile):
    opened = []

    def start(*rules, **options):
        double = WireDouble(rules, profile=profile)
        if profile == "vllm":
            adapter = VLLMAdapter(double.base_url, "m", **options)
        else:
            adapter = RemoteAPIAdapter(double.base_url, "m", api=profile, **options)
        opened.extend([adapter, double])
        return double, adapter

    yield start
    for each in opened:
        each.close()


@pytest.mark.server
@pytest.mark.parametrize("finish_reason", ["stop", "length", "refusal"])
@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_core_9_a_reply_says_what_the_server_said(peer, profile, is_streamed, finish_reason):
    text = "Grüße, 世界 🐉: here it is."
    _, adapter = peer(TextResponse(text, finish_reason))
    pieces = []
    reply = adapter.complete(LLMRequest("hi"), pieces.append if is_streamed else None)
    assert reply == LLMResponse(
        text=text,
        finish_reason=finish_reason,
        usage={"input_tokens": 7, "output_tokens": 3},
        model="m",
        request_id="msg_double" if profile == "anthropic" else "chatcmpl-double",
    )
    if is_streamed:
        assert "".join(pieces) == text
        assert len(pieces) > 1


@pytest.mark.server
@pytest.mark.parametrize(("max_tokens", "limit"), [(20, 65_536), (5_000, 80_000)])
def test_a_server_that_never_ends_its_text_is_cut_off(peer, max_tokens, limit):
    _, adapter = peer(EndlessStream("again"))
    pieces = []
    reply = adapter.complete(LLMRequest("hi", max_tokens=max_tokens), pieces.append)
    assert reply.is_truncated
    assert len(reply.text) == limit
    assert "".join(pieces) == reply.text


@pytest.mark.server
def test_a_whole_answer_is_cut_off_at_the_same_length(peer):
    _, adapter = peer("a" * 65_536, "a" * 65_537)
    longest = adapter.complete(LLMRequest("hi", max_tokens=20))
    assert (longest.finish_reason, len(longest.text)) == ("stop", 65_536)
    longer = adapter.complete(LLMRequest("hi", max_tokens=20))
    assert (longer.finish_reason, len(longer.text)) == ("length", 65_536)


@pytest.mark.server
def test_missing_usage_is_no_usage(peer):
    _, adapter = peer(TextResponse("x", counts_usage=False), TextResponse("x", counts_usage=False))
    assert adapter.complete(LLMRequest("hi")).usage == {}
    assert adapter.complete(LLMRequest("hi"), lambda _: None).usage == {}


@pytest.mark.server
def test_the_request_id_of_the_head_wins(peer):
    _, adapter = peer(TextResponse("x", headers={"x-request-id": "req_7"}))
    assert adapter.complete(LLMRequest("hi")).request_id == "req_7"


@pytest.mark.server
def test_core_11_the_schema_travels_in_each_servers_own_field(peer, profile):
    double, adapter = peer('{"z": "1", "a": "2"}')
    adapter.complete(LLMRequest("hi", schema=CLOSED))
    body = double.requests[0].body
    sent = {
        "openai": lambda: body["response_format"]["json_schema"]["schema"],
        "anthropic": lambda: body["output_config"]["format"]["schema"],
        "vllm": lambda: body["structured_outputs"]["json"],
    }[profile]()
    assert json.dumps(sent["properties"]) == json.dumps(CLOSED["properties"]), "the order of fields is kept"


@pytest.mark.server
def test_structured_output_can_be_off(peer, profile):
    double, adapter = peer("x", structured_output=False)
    assert not adapter.supports_schema()
    adapter.complete(LLMRequest("hi", schema=CLOSED))
    probabilities = {"logprobs"} if profile == "vllm" else set()
    assert double.requests[0].body.keys() == {"model", "messages", "max_tokens", "temperature"} | probabilities


ODDS = [("The ", 0.9), ("Hay ", 0.5), ("Wain", 0.49), (" by", 0.8), (" Claude", 0.19), (" Mo", 0.7), ("net.", 0.4)]
WAIN = TextResponse("".join(token for token, _ in ODDS), odds=ODDS)


@pytest.mark.server
@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_a_model_that_is_asked_says_of_which_tokens_it_was_unsure(is_streamed):
    with (
        WireDouble([WAIN, WAIN], profile="openai") as double,
        RemoteAPIAdapter(double.base_url, "m", probabilities=True) as adapter,
    ):
        reply = adapter.complete(LLMRequest("hi"), print if is_streamed else None)
    assert double.requests[0].body["logprobs"] is True
    assert reply.unsure == ((8, "Wain", 0.49), (15, " Claude", 0.19), (25, "net.", 0.4))
    assert [reply.text[at:].startswith(token) for at, token, _ in reply.unsure] == [True] * 3
    again = LLMResponse.from_dict(json.loads(json.dumps(reply.as_dict())))
    assert again == reply


@pytest.mark.server
def test_no_more_than_a_hundred_unsure_tokens_are_kept_of_a_long_text():
    with (
        WireDouble([TextResponse("so " * 500, odds=[("so ", 0.1)] * 500)], profile="openai") as double,
        RemoteAPIAdapter(double.base_url, "m", probabilities=True) as adapter,
    ):
        assert len(adapter.complete(LLMRequest("hi"), print).unsure) == 100


@pytest.mark.server
def test_a_model_is_asked_how_sure_it_is_only_where_that_is_wanted(peer, profile):
    double, adapter = peer("x")
    assert adapter.complete(LLMRequest("hi")).unsure == ()
    assert ("logprobs" in double.requests[0].body) == (profile == "vllm")


@pytest.mark.server
def test_generate_answers_a_dict(peer):
    _, adapter = peer("x")
    assert adapter.generate("hi", "be kind", 5, 0.0)["text"] == "x"


@pytest.mark.server
def test_extra_headers_travel(peer):
    double, adapter = peer("x", headers={"x-team": "blue"})
    adapter.generate("hi")
    assert double.requests[0].headers["x-team"] == "blue"


@pytest.mark.server
def test_lone_surrogates_are_sent_as_valid_json(peer):
    double, adapter = peer("x")
    adapter.generate("half a pair: \ud83d")
    assert double.requests[0].body["messages"][-1]["content"] == "half a pair: \ud83d"


@pytest.mark.server
def test_threads_share_an_adapter(peer):
    _, adapter = peer(*[TextResponse("x")] * 8)
    texts = []
    threads = [threading.Thread(target=lambda: texts.append(adapter.generate("hi")["text"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["x"] * 8


@pytest.mark.server
@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens_field="),
        ("Unsupported value: 'temperature' does not support 0.7 with this model.", "send_temperature=False"),
    ],
)
def test_a_parameter_the_model_refuses_comes_with_the_option_to_set(words, advice):
    with WireDouble([ErrorResponse(400, words)]) as double, RemoteAPIAdapter(double.base_url, "m") as adapter:
        with pytest.raises(LLMRequestError) as raised:
            adapter.generate("hi")
        assert advice in raised.value.advice


@pytest.mark.server
def test_those_options():
    with (
        WireDouble(["x"]) as double,
        RemoteAPIAdapter(
            double.base_url, "m", max_tokens_field="max_completion_tokens", send_temperature=False
        ) as adapter,
    ):
        adapter.generate("hi")
        assert double.requests[0].body.keys() == {"model", "messages", "max_completion_tokens"}


@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.anthropic.com", "https://api.anthropic.com/v1"),
        ("http://localhost:8000/", "http://localhost:8000/v1"),
        ("https://host/openai/v3/", "https://host/openai/v3/"),
    ],
)
def test_a_base_url_without_a_path_means_v1(given, root):
    assert str(api_root(given)) == root


@pytest.mark.parametrize(
    "url",
    [
        "",
        "host/v1",
        "ftp://host",
        "https://",
        "https://me:secret@host/v1",
        "https://host/v1?key=secret",
        "http://\x00",
        "http://host:70000",
    ],
)
def test_other_base_urls_are_refused_without_repeating_a_secret(url):
    with pytest.raises(ConfigError) as raised:
        api_root(url)
    assert "secret" not in str(raised.value)
    assert "https://host/v1" in raised.value.advice


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("a.localhost", True),
        ("10.0.0.1", False),
        ("example.com", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
    ],
)
def test_loopback_is_told_from_names_that_look_like_it(host, answer):
    assert is_loopback(host) is answer


def test_an_unknown_api_names_the_known_ones():
    with pytest.raises(ConfigError, match=r"no API named 'cohere'\. Use one of: openai, anthropic"):
        RemoteAPIAdapter("https://host", "m", api="cohere")


@pytest.mark.parametrize("key", ["sk-two\nlines", "sk-smart\u201dquote"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key):
    with pytest.raises(ConfigError) as raised:
        RemoteAPIAdapter("https://host", "m", api_key=key)
    assert "api_key" in str(raised.value)
    assert "sk-" not in str(raised.value)


def test_the_line_end_of_a_key_file_is_no_part_of_the_key():
    assert "canary" not in repr(RemoteAPIAdapter("https://host", "m", api_key="sk-canary\n"))


def test_nothing_heavy_is_imported_with_aeon():
    """Style 17: the HTTP client loads with an adapter, not with the package."""
    script = "import sys, aeon, aeon.llm.interface, aeon.llm.retry; sys.exit('httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
