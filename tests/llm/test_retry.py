"""Core 8, FR-048: what is retried, how long is waited, what is said in the end."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import LLMError, LLMRequestError
from aeon.llm.retry import AttemptFailed, LLMRetrier, LLMRetryPolicy, is_retryable_status, retry_after_seconds

NOW = "2026-01-01T00:00:00.000000+00:00"


@pytest.mark.parametrize("status", [408, 409, 429, 500, 501, 502, 503, 504, 529])
def test_core_8_these_statuses_are_retried(status):
    assert is_retryable_status(status)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 405, 413, 422, 499])
def test_core_8_these_statuses_are_not(status):
    assert not is_retryable_status(status)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 2.5 ", 2.5),
        ("Thu, 01 Jan 2026 00:01:30 GMT", 90.0),
        ("Wed, 31 Dec 2025 23:59:00 GMT", 0.0),
        ("Thu, 01 Jan 2026 00:01:30 -0000", 90.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("9" * 5000, None),
        ("Thu, 99 Jan 2026 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value, seconds):
    assert retry_after_seconds({"retry-after": value}, NOW) == seconds


def test_no_retry_after_header():
    assert retry_after_seconds({}, NOW) is None


@given(st.integers(min_value=0, max_value=10**6))
def test_a_date_says_the_same_as_its_seconds(seconds):
    until = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert retry_after_seconds({"retry-after": format_datetime(until, usegmt=True)}, NOW) == seconds


@given(st.text())
def test_any_retry_after_is_read_or_left_aside(value):
    seconds = retry_after_seconds({"retry-after": value}, NOW)
    assert seconds is None or seconds >= 0


@given(
    failed=st.integers(1, 50),
    chance=st.floats(0, 1, exclude_max=True),
    asked=st.none() | st.floats(0, 1e9),
)
def test_a_wait_honours_the_server_within_the_cap(failed, chance, asked):
    policy = LLMRetryPolicy()
    wait = policy.delay(failed, chance, asked)
    assert 0 < wait <= policy.max_backoff
    assert wait >= min(policy.max_backoff, asked or 0)


def test_waits_double_and_half_of_each_is_jitter():
    policy = LLMRetryPolicy(initial_backoff=1.0)
    assert [policy.delay(failed, 0.0) for failed in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert policy.delay(1, 0.999) == pytest.approx(1.0, abs=0.01)


def failing(*failures, then="answer"):
    left = list(failures)

    def attempt():
        if left:
            raise left.pop(0)
        return then

    return attempt


def attempts(clock):
    return LLMRetrier(LLMRetryPolicy(initial_backoff=1.0), clock, chance=lambda: 0.0)


def test_core_8_two_failures_then_an_answer(clock):
    assert attempts(clock).run(failing(AttemptFailed("a"), AttemptFailed("b")), peer="It") == "answer"
    assert clock.slept == [0.5, 1.0]


def test_core_8_retry_after_is_waited_for(clock):
    attempts(clock).run(failing(AttemptFailed("a", retry_after=9.0)), peer="It")
    assert clock.slept == [9.0]


def test_fr_048_three_attempts_then_an_error_that_tells_them_all(clock):
    attempt = failing(AttemptFailed("first"), AttemptFailed("second."), AttemptFailed("third"))
    with pytest.raises(LLMError) as raised:
        attempts(clock).run(attempt, peer="The server")
    assert str(raised.value).startswith(
        "The server did not answer in 3 attempts: (1) first. (2) second. (3) third. Check"
    )
    assert raised.value.details == {"attempts": ["first", "second.", "third"]}
    assert len(clock.slept) == 2, "nothing is waited for after the last attempt"


def test_core_8_other_errors_are_not_retried(clock):
    with pytest.raises(LLMRequestError):
        attempts(clock).run(failing(LLMRequestError("no")), peer="It")
    assert clock.slept == []


def test_ctrl_c_is_not_retried(clock):
    with pytest.raises(KeyboardInterrupt):
        attempts(clock).run(failing(KeyboardInterrupt()), peer="It")
