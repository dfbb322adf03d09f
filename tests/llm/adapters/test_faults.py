"""Every fault a network and a server have, over real sockets, for both APIs, streamed and not (core 8, FR-048)."""

import gzip
import json
import logging
import traceback
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from aeon.base.errors import LLMError, LLMRequestError
from aeon.llm.adapters import transport
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.interface import LLMRequest
from aeon.llm.retry import LLMRetryPolicy
from aeon.testing.wire_double import WireDouble
from aeon.testing.wire_rules import (
    ConnectionReset,
    ErrorResponse,
    InlineError,
    RawResponse,
    StalledResponse,
    TextResponse,
    TruncatedBody,
    TruncatedStream,
)

pytestmark = pytest.mark.server

CANARY = "sk-canary-0123456789abcdef"
TEXT = "The answer is forty-two, as everybody knows."
SILENCE = 0.15


@pytest.fixture(params=["openai", "anthropic"])
def api(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def is_streamed(request):
    return request.param


@pytest.fixture
def peer(api, clock):
    """Start a double of `api` with rules; returns it with an adapter that waits in no time."""
    opened = []

    def start(*rules, **options):
        double = WireDouble(rules, profile=api)
        adapter = RemoteAPIAdapter(
            double.base_url,
            "m",
            api=api,
            api_key=CANARY,
            **{"clock": clock, "chance": lambda: 0.0, "timeout": 5.0, **options},
        )
        opened.extend([adapter, double])
        return double, adapter

    yield start
    for each in opened:
        each.close()


def ask(adapter, is_streamed, pieces=None, prompt="hi"):
    pieces = [] if pieces is None else pieces
    return adapter.complete(LLMRequest(prompt, max_tokens=20), pieces.append if is_streamed else None)


PASSING = [
    pytest.param(ErrorResponse(408), "HTTP 408", id="408"),
    pytest.param(ErrorResponse(409), "HTTP 409", id="409"),
    pytest.param(ErrorResponse(429, "slow down"), "HTTP 429: slow down", id="429"),
    pytest.param(ErrorResponse(500), "HTTP 500", id="500"),
    pytest.param(ErrorResponse(529), "HTTP 529", id="529"),
    pytest.param(RawResponse(b"<html>oops</html>", "text/html", 503), "HTTP 503: <html>oops", id="503 html"),
    pytest.param(RawResponse(b"", "text/html", 502), "HTTP 502: .no further message", id="502 empty"),
    pytest.param(ConnectionReset(), "connection broke", id="reset"),
    pytest.param(TruncatedBody(TEXT), "connection broke", id="half a body"),
    pytest.param(InlineError(503, "overloaded"), "overloaded", id="error inside 200"),
    pytest.param(RawResponse(b"<html>hello</html>", "text/html"), "content type is text/html", id="html"),
]


@pytest.mark.parametrize(("fault", "reason"), PASSING)
def test_core_8_a_passing_fault_is_retried(peer, clock, is_streamed, fault, reason):
    double, adapter = peer(fault, TEXT)
    assert ask(adapter, is_streamed).text == TEXT
    assert len(double.requests) == 2
    assert double.requests[0].body == double.requests[1].body
    assert clock.slept == [0.25]


@pytest.mark.parametrize(("fault", "reason"), PASSING)
def test_fr_048_three_passing_faults_end_in_an_error_that_names_them(peer, clock, is_streamed, fault, reason):
    double, adapter = peer(fault, fault, fault, "never asked for")
    with pytest.raises(LLMError, match=rf"did not answer in 3 attempts: \(1\) .*{reason}") as raised:
        ask(adapter, is_streamed)
    assert type(raised.value) is LLMError
    assert len(raised.value.details["attempts"]) == 3
    assert len(double.requests) == 3
    assert clock.slept == [0.25, 0.5]


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        (
            ErrorResponse(429, "quota"),
            "It limits the requests of its users: try again later, or look up your quota there",
        ),
        (RawResponse(b"<html>hello</html>", "text/html"), "Check that the address of the model leads to such an API"),
        (ErrorResponse(503), "Check that it is running and reachable from here"),
    ],
    ids=["429", "html", "503"],
)
def test_what_to_do_about_a_server_depends_on_what_it_answered(peer, is_streamed, fault, advice):
    _, adapter = peer(fault, fault, fault)
    with pytest.raises(LLMError, match=advice):
        ask(adapter, is_streamed)


@pytest.mark.parametrize("rule", [RawResponse(b"[]"), RawResponse(b"{}"), RawResponse(b"hello")])
def test_json_of_another_api_says_to_check_the_address(peer, rule):
    _, adapter = peer(rule, rule, rule)
    with pytest.raises(LLMError, match="Check that the address of the model leads to such an API"):
        ask(adapter, is_streamed=False)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_core_8_a_lasting_fault_is_told_at_once_in_the_servers_words(peer, clock, is_streamed, status):
    double, adapter = peer(ErrorResponse(status, "the server's own words"))
    with pytest.raises(LLMRequestError, match=f"HTTP {status}: the server's own words") as raised:
        ask(adapter, is_streamed)
    assert raised.value.details == {"status": status}
    assert raised.value.advice
    assert len(double.requests) == 1
    assert clock.slept == []


@pytest.mark.parametrize(
    "rule",
    [
        RawResponse(b'{"choices": [{"mess'),
        RawResponse(b"[]"),
        RawResponse(b"{}"),
        RawResponse(b"\xff\xfe\x00"),
        RawResponse(b'{"choices": NaN, "content": NaN}'),
        RawResponse(b"[" * 100_000),
        RawResponse(b"not gzip", headers={"content-encoding": "gzip"}),
    ],
    ids=["half", "list", "empty", "bytes", "nan", "deep", "gzip"],
)
def test_garbage_is_a_failed_attempt(peer, rule):
    _, adapter = peer(rule, TEXT)
    assert ask(adapter, is_streamed=False).text == TEXT


@pytest.mark.parametrize(
    "rule",
    [
        TruncatedStream(TEXT),
        RawResponse(b"data: {half\n\n", "text/event-stream"),
        RawResponse(b"data: \xff\n\n", "text/event-stream"),
        RawResponse(b"", "text/event-stream"),
        RawResponse(b"x" * 10_000, "text/event-stream"),
        InlineError(529, "overloaded", text=TEXT),
        TruncatedBody(TEXT),
    ],
    ids=["cut", "half an event", "bytes", "empty", "no events", "error inside", "hang up"],
)
def test_a_broken_stream_is_a_failed_attempt(peer, rule):
    _, adapter = peer(rule, TEXT)
    pieces = []
    assert ask(adapter, is_streamed=True, pieces=pieces).text == TEXT
    assert "".join(pieces) == TEXT, "what both attempts said is shown once"


def test_a_retry_that_answers_differently_shows_nothing_more(peer):
    _, adapter = peer(TruncatedStream("The answer is"), "No idea.")
    pieces = []
    assert ask(adapter, is_streamed=True, pieces=pieces).text == "No idea."
    assert "".join(pieces) == "The answer is"


@pytest.mark.parametrize("stall", [StalledResponse(), StalledResponse(TEXT)], ids=["before the answer", "inside it"])
def test_a_stall_is_a_failed_attempt(peer, is_streamed, stall):
    limit = {"timeout": SILENCE} if is_streamed else {"deadline": SILENCE}
    double, adapter = peer(stall, TEXT, **limit)
    assert ask(adapter, is_streamed).text == TEXT
    assert len(double.requests) == 2


def test_a_stall_says_how_long_was_waited(peer):
    _, adapter = peer(StalledResponse(), timeout=SILENCE, retry=LLMRetryPolicy(max_attempts=1))
    with pytest.raises(LLMError, match=r"nothing arrived for 0\.15 s"):
        ask(adapter, is_streamed=True)


def test_a_whole_answer_may_take_longer_than_a_stream_may_be_silent(peer):
    """A slow machine says nothing until its answer is whole; that is no stall."""
    double, adapter = peer(StalledResponse(), retry=LLMRetryPolicy(max_attempts=1), timeout=0.01, deadline=SILENCE)
    with pytest.raises(LLMError, match=r"nothing arrived for 0\.15 s"):
        ask(adapter, is_streamed=False)
    assert len(double.requests) == 1


def test_an_answer_that_trickles_past_the_deadline_is_a_failed_attempt(peer, ticking, is_streamed):
    """Each piece comes in time, all of them do not: here a minute passes whenever the clock is read."""
    _, adapter = peer(TEXT, TEXT, TEXT, clock=ticking(60.0), deadline=59.0)
    with pytest.raises(LLMError, match="was not complete after 59 s"):
        ask(adapter, is_streamed)


def test_an_answer_beyond_the_size_limit_is_not_asked_for_again(peer, is_streamed):
    double, adapter = peer("x" * 500)
    adapter._server._transport._limits = transport.TransportLimits(idle_timeout=5.0, max_response_bytes=100)
    with pytest.raises(LLMError, match="larger than 100 bytes"):
        ask(adapter, is_streamed)
    assert len(double.requests) == 1


def test_core_8_retry_after_in_seconds(peer, clock):
    _, adapter = peer(ErrorResponse(429, headers={"retry-after": "7"}), TEXT)
    ask(adapter, is_streamed=False)
    assert clock.slept == [7.0]


def test_core_8_retry_after_as_a_date(peer, clock):
    until = format_datetime(datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC), usegmt=True)
    _, adapter = peer(ErrorResponse(503, headers={"retry-after": until}), TEXT)
    ask(adapter, is_streamed=False)
    assert clock.slept == [30.0]


def test_core_8_retry_after_is_capped(peer, clock):
    _, adapter = peer(ErrorResponse(429, headers={"retry-after": "86400"}), TEXT)
    ask(adapter, is_streamed=False)
    assert clock.slept == [60.0]


def test_nobody_listening_is_retried_and_told(clock):
    double = WireDouble()
    double.close()
    with (
        RemoteAPIAdapter(double.base_url, "m", clock=clock) as adapter,
        pytest.raises(LLMError, match=r"3 attempts: \(1\) cannot connect"),
    ):
        adapter.generate("hi")
    assert len(clock.slept) == 2


def test_a_redirect_is_not_followed_with_the_key(peer, is_streamed):
    with WireDouble([TEXT]) as elsewhere:
        target = f"{elsewhere.base_url}/chat/completions"
        _, adapter = peer(RawResponse(b"", status=307, headers={"location": target}))
        with pytest.raises(LLMRequestError, match=r"redirects to http.*not followed"):
            ask(adapter, is_streamed)
        assert elsewhere.requests == []


def test_loopback_never_goes_through_a_proxy_of_the_environment(peer, monkeypatch):
    with WireDouble() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        _, adapter = peer(TEXT)
        assert ask(adapter, is_streamed=False).text == TEXT
        assert proxy.requests == []


def echoing(key):
    """Answers in which a server repeats the key, in the places errors are made from."""
    words = f"{'x' * 480} you sent {key}, {json.dumps(key)}"
    body = json.dumps({"error": {"message": words}}).encode()
    return [
        ErrorResponse(401, words),
        ErrorResponse(500, words),
        RawResponse(words.encode(), "text/plain", 400),
        RawResponse(words.encode(), "text/plain", 500),
        RawResponse(words.encode(), f"text/{key}"),
        RawResponse(b"", status=302, headers={"location": f"http://127.0.0.1/?key={key}"}),
        RawResponse(body),
        RawResponse(b'{"%s": 1, "%s": 2}' % (key.encode(), key.encode())),
        RawResponse(b"data: " + body + b"\n\n", "text/event-stream"),
        InlineError(400, words),
    ]


@pytest.mark.parametrize("number", range(len(echoing("k"))))
def test_the_key_is_in_no_error_log_or_repr(peer, is_streamed, number, caplog):
    caplog.set_level(logging.DEBUG)
    rule = echoing(CANARY)[number]
    double, adapter = peer(rule, rule, rule, headers={"x-team-token": CANARY[::-1]})
    with pytest.raises(LLMError) as raised:
        ask(adapter, is_streamed)
    error = raised.value
    told = (
        "".join(traceback.format_exception(error)) + repr(error) + json.dumps(error.as_dict()) + repr(error.__context__)
    )
    told += caplog.text + repr(adapter)
    # Beginnings too: a message cut short must not end in half a key.
    assert CANARY[:9] not in told
    assert CANARY[::-1][:9] not in told
    sent = double.requests[0].headers
    assert CANARY in sent.get("authorization", "") + sent.get("x-api-key", "")


def test_an_answer_in_gzip_is_read_although_none_was_asked_for(peer):
    body = json.dumps({"choices": [{"message": {"content": "a"}}], "content": [{"type": "text", "text": "a"}]}).encode()
    double, adapter = peer(RawResponse(gzip.compress(body), headers={"content-encoding": "gzip"}))
    assert ask(adapter, is_streamed=False).text == "a"
    assert double.requests[0].headers["accept-encoding"] == "identity"


def test_connections_are_kept_and_a_closed_adapter_opens_new_ones(peer):
    double, adapter = peer(*[TextResponse(TEXT)] * 3)
    ask(adapter, is_streamed=False)
    ask(adapter, is_streamed=False)
    assert len(double._server._connections) == 1
    adapter.close()
    ask(adapter, is_streamed=False)
    assert len(double._server._connections) == 2
