"""How often a caller may ask: laws of the buckets, and what a server answers (platform 29)."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.conftest import events_of

from aeon.server.edge.open_streams import MAX_OF_SERVER, MAX_OF_USER, OpenStreams
from aeon.server.edge.problems import HttpError
from aeon.server.edge.rates import CHANGES, READS, SIGN_INS, STARTS, Quota, RequestLimiter
from aeon.server.edge.routes import STARTING

QUOTAS = st.builds(Quota, st.just("things"), st.integers(1, 20), st.sampled_from([1, 60]))
PAUSES = st.lists(st.floats(0, 30, allow_subnormal=False), min_size=1, max_size=80)


class Times:
    """A clock that a test moves."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


def is_accepted(limiter, quota, caller="me"):
    try:
        limiter.take(quota, caller)
    except HttpError:
        return False
    return True


@given(QUOTAS, PAUSES)
def test_never_more_than_a_full_bucket_and_what_has_flowed_in_platform_29(quota, pauses):
    times = Times()
    limiter = RequestLimiter(times)
    accepted = []
    for pause in pauses:
        times.now += pause
        if is_accepted(limiter, quota):
            accepted.append(times.now)
    for first in range(len(accepted)):
        for last in range(first, len(accepted)):
            most = quota.limit + (accepted[last] - accepted[first]) * quota.limit / quota.seconds
            assert last - first + 1 <= most + 1e-3


@given(QUOTAS, PAUSES)
def test_who_keeps_to_the_rate_is_never_refused(quota, pauses):
    times = Times()
    limiter = RequestLimiter(times)
    for pause in pauses:
        times.now += quota.seconds / quota.limit + pause
        assert is_accepted(limiter, quota)


@given(QUOTAS, st.integers(0, 50))
def test_a_refused_request_costs_nothing_and_is_accepted_after_retry_after(quota, more):
    times = Times()
    limiter = RequestLimiter(times)
    assert all(is_accepted(limiter, quota) for _ in range(quota.limit))
    assert not any(is_accepted(limiter, quota) for _ in range(more))
    with pytest.raises(HttpError) as refused:
        limiter.take(quota, "me")
    wait = int(refused.value.headers["retry-after"])
    assert wait == math.ceil(quota.seconds / quota.limit)
    times.now += wait
    assert is_accepted(limiter, quota)


@given(QUOTAS)
def test_callers_and_classes_have_buckets_of_their_own(quota):
    limiter = RequestLimiter(Times())
    while is_accepted(limiter, quota):
        pass
    assert is_accepted(limiter, quota, "eve")
    assert is_accepted(limiter, quota._replace(name="others"))


def test_full_buckets_are_forgotten():
    times = Times()
    limiter = RequestLimiter(times)
    for number in range(5_000):
        times.now += 1
        limiter.take(READS, str(number))
    assert len(limiter._full_at) < 1_100


def test_open_streams_are_counted_and_bounded_platform_29():
    streams = OpenStreams()
    opened = [streams.opened(f"user {number // MAX_OF_USER}") for number in range(MAX_OF_SERVER)]
    for each in opened:
        each.__enter__()
    for user, status in {"user 0": 429, "another": 503}.items():
        with pytest.raises(HttpError) as refused, streams.opened(user):
            pass
        assert refused.value.status == status
        assert "retry-after" in refused.value.headers
    for each in opened:
        each.__exit__(None, None, None)
    assert (streams.total, streams._by_user) == (0, {})


def test_a_user_who_asks_too_often_is_told_when_to_ask_again_platform_29(site):
    """The one person of a local server has no limit; another user has."""
    mine, theirs = site.client("me"), site.client("eve")
    assert {mine.post("/api/v1/conversations", json={}).status_code for _ in range(CHANGES.limit + 10)} == {201}
    answers = [theirs.post("/api/v1/conversations", json={}) for _ in range(5 * CHANGES.limit)]
    refused = next(each for each in answers if each.status_code == 429)
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["code"] == "too_many_requests"
    assert refused.headers["retry-after"] == "1"
    assert refused.headers["ratelimit-policy"] == '"changes";q=10;w=1'
    assert refused.headers["ratelimit"] == '"changes";r=0;t=1'
    assert theirs.get("/api/v1/session").status_code == 200


def test_a_chat_program_is_told_in_its_own_words(site):
    theirs = site.client("eve")
    asked = {"model": "nothing", "messages": [{"role": "user", "content": "x"}]}
    answers = [theirs.post("/v1/chat/completions", json=asked) for _ in range(5 * STARTS.limit)]
    refused = next(each for each in answers if each.status_code == 429)
    assert (refused.json()["error"]["type"], refused.headers["retry-after"]) == ("rate_limit_error", "1")


def test_attempts_to_sign_in_are_limited_by_address_for_everybody_platform_29(site):
    client = site.client()
    attempts = [
        client.post("/api/v1/session", json={"link": "wrong"}, headers={"host": site.name}).status_code
        for _ in range(SIGN_INS.limit + 1)
    ]
    assert attempts == [*[401] * SIGN_INS.limit, 429]


@pytest.mark.parametrize("path", sorted(STARTING))
def test_each_way_to_begin_a_run_is_limited_as_a_start_platform_29(path, serve):
    """Sent to its path; a path that does not exist would be answered with 404 or 405, and counted as a change."""
    site = serve(monotonic=Times())
    theirs = site.client("eve")
    sent = {"json": {}} if path.startswith(("/api/", "/v1/")) else {"data": {"content": "x", "key": "k"}}
    answers = [theirs.post(re.sub(r"{\w+}", "x", path), **sent) for _ in range(STARTS.limit + 1)]
    assert [each.status_code for each in answers].count(429) == 1
    assert answers[-1].headers["ratelimit-policy"].startswith('"starts"')


def test_an_attempt_to_sign_in_on_the_page_counts_as_one_platform_29(site):
    client = site.client()
    sent = {"data": {"link": "wrong"}, "headers": {"host": site.name}}
    answers = [client.post("/sign-in", **sent).status_code for _ in range(SIGN_INS.limit + 1)]
    assert answers == [*[401] * SIGN_INS.limit, 429]


def test_a_stream_too_many_is_refused_before_its_first_byte_and_a_closed_one_makes_room(site):
    client = site.client("me")
    conversation = client.post("/api/v1/conversations", json={}).json()["id"]
    said = client.post(f"/api/v1/conversations/{conversation}/messages", json={"content": "x"}).json()["id"]
    path = f"/api/v1/messages/{said}/events"
    opened = [site.state.streams.opened("me") for _ in range(MAX_OF_USER)]
    for each in opened:
        each.__enter__()
    refused = client.get(path)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    opened.pop().__exit__(None, None, None)
    with client.stream("GET", path) as answer:
        assert events_of(answer)[-1][1] == "end"
    site.stop()  # which waits for the end of each request
    assert site.state.streams.total == MAX_OF_USER - 1
