"""What a service takes at most is never exceeded, and whoever waits comes to it (platform 10): laws of the decision."""

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.platform.catalog.model import CallRate, ServiceLimits
from aeon.platform.workers.rate_limits.state import (
    FAIR_AFTER,
    MAX_PAUSE,
    NEW_LEASE_GRACE,
    WAITER_TTL,
    LimiterState,
    ServiceLease,
    acquire,
    count_request,
    expire,
    pause_until,
    release,
    state_from_text,
    state_to_text,
    try_acquire,
    window_milliseconds,
)

LASTS = 60_000

limits = st.builds(
    ServiceLimits,
    concurrency=st.none() | st.integers(1, 4),
    rate=st.none() | st.builds(CallRate, calls=st.integers(1, 50), seconds=st.sampled_from([0.05, 0.3, 1, 10])),
)
moves = st.lists(
    st.tuples(st.sampled_from(["ask", "ask", "ask", "end", "pass"]), st.integers(0, 4), st.integers(0, 700)),
    max_size=200,
)


def taken(standing, limit, executor, now, job):
    told = try_acquire(expire(standing, limit, now), limit, executor, now)
    if told.wait is not None:
        return told.state, False
    return acquire(told.state, limit, ServiceLease(job, executor, now, now + LASTS)), True


@given(limit=limits, moves=moves)
def test_no_schedule_has_more_at_once_or_in_any_window_than_is_allowed(limit, moves):
    """Platform 10: whatever is asked and ended when, by whichever of five processes."""
    standing, now, begun, under_way = LimiterState(), 0, [], deque()
    for number, (move, who, span) in enumerate(moves):
        if move == "pass":
            now += span
        elif move == "end" and under_way:
            standing = release(standing, under_way.popleft())
        elif move == "ask":
            standing, is_taken = taken(standing, limit, f"x{who}", now, f"job {number}")
            if is_taken:
                begun.append(now)
                under_way.append(f"job {number}")
        standing = state_from_text(state_to_text(standing))
        assert limit.concurrency is None or len(under_way) <= limit.concurrency
        for at in begun if limit.rate else []:
            assert sum(at <= each < at + window_milliseconds(limit.rate) for each in begun) <= limit.rate.calls


@given(calls=st.integers(1, 500), gaps=st.lists(st.integers(0, 40), min_size=1, max_size=400))
def test_what_is_remembered_of_a_rate_is_bounded(calls, gaps):
    limit, standing, now = ServiceLimits(rate=CallRate(calls=calls, seconds=1)), LimiterState(), 0
    for number, gap in enumerate(gaps):
        now += gap
        standing, _ = taken(standing, limit, "x", now, f"job {number}")
        assert len(standing.windows) <= 66


@given(limit=limits.filter(lambda each: not each.is_unlimited), others=st.integers(1, 6), data=st.data())
@settings(max_examples=60)
def test_whoever_asks_again_when_he_is_told_to_gets_a_place(limit, others, data):
    """Platform 10, progress and fairness: the others ask all the time, and end what they began."""
    now, standing, number, lasts = 0, LimiterState(), 0, data.draw(st.integers(1, 300))
    under_way = deque()
    turns = 0
    while True:
        while under_way and under_way[0][0] <= now:
            standing = release(standing, under_way.popleft()[1])
        for other in range(others):
            number += 1
            standing, is_taken = taken(standing, limit, f"other {other}", now, f"job {number}")
            if is_taken:
                under_way.append((now + lasts, f"job {number}"))
        standing, is_taken = taken(standing, limit, "mine", now, "mine")
        if is_taken:
            break
        now += 50
        turns += 1
        most = FAIR_AFTER + (others + 1) * max(lasts + 50, window_milliseconds(limit.rate) + 50 if limit.rate else 0)
        assert now <= most, f"{turns} turns in vain"


@given(limit=limits.filter(lambda each: not each.is_unlimited), back=st.integers(1, 10**9), number=st.integers(1, 60))
def test_a_clock_that_went_back_blocks_nobody_longer_than_the_limit_can_mean(limit, back, number):
    """Platform 10: what stands in the future is taken to be now, once somebody notices."""
    start = 2 * 10**9
    standing = LimiterState()
    for each in range(number):
        standing, _ = taken(standing, limit, "x", start, f"job {each}")
    now = start - back
    told = try_acquire(expire(standing, limit, now), limit, "y", now)
    if told.wait is None:
        return
    assert told.wait <= max(window_milliseconds(limit.rate) if limit.rate else 0, LASTS)
    for _ in range(number + WAITER_TTL // 200 + 2):  # what was noticed stands from then on
        now += max(told.wait, 200)
        told = try_acquire(expire(told.state, limit, now), limit, "y", now)
        if told.wait is None:
            return
    pytest.fail("it never came to that")


ONE = ServiceLimits(concurrency=1)


def test_nobody_overtakes_whoever_has_waited_half_a_second():
    standing, _ = taken(LimiterState(), ONE, "x", 0, "a")
    standing, _ = taken(standing, ONE, "y", 0, "b")
    standing = release(standing, "a")
    early, is_taken = taken(standing, ONE, "x", FAIR_AFTER - 1, "c")
    assert is_taken  # until then no place lies idle
    late, is_taken = taken(standing, ONE, "x", FAIR_AFTER, "c")
    assert not is_taken
    assert try_acquire(late, ONE, "x", FAIR_AFTER).limit is None
    assert taken(late, ONE, "y", FAIR_AFTER, "b")[1]
    assert taken(early, ONE, "y", FAIR_AFTER, "b")[1] is False


def test_a_place_is_free_when_its_time_is_over():
    standing, _ = taken(LimiterState(), ONE, "x", 0, "a")
    told = try_acquire(expire(standing, ONE, 1000), ONE, "y", 1000)
    assert (told.wait, told.limit) == (LASTS - 1000, "concurrency")
    assert taken(standing, ONE, "y", LASTS, "b")[1]


def test_places_of_a_process_that_is_gone_count_no_more():
    """Platform 10: not before it can have been entered, though."""
    standing, _ = taken(LimiterState(), ONE, "x", 0, "a")
    standing, _ = taken(standing, ONE, "z", 0, "b")
    assert expire(standing, ONE, NEW_LEASE_GRACE - 1, {"y"}).leases
    assert expire(standing, ONE, NEW_LEASE_GRACE, {"y"}) == LimiterState()
    assert expire(standing, ONE, NEW_LEASE_GRACE, {"x"}).leases
    assert expire(standing, ONE, WAITER_TTL - 1).waiters
    assert not expire(standing, ONE, WAITER_TTL).waiters


def test_whoever_waits_keeps_his_turn_by_asking_again():
    standing, _ = taken(LimiterState(), ONE, "x", 0, "a")
    for now in range(0, 3 * WAITER_TTL, WAITER_TTL // 2):
        standing, _ = taken(standing, ONE, "y", now, "b")
    assert [each.queued_at for each in standing.waiters] == [0]


def test_an_attempt_that_was_cut_off_holds_no_second_place():
    """Platform 10: after a restart the same job asks again, from another process."""
    two = ServiceLimits(concurrency=2)
    standing, _ = taken(LimiterState(), two, "x", 0, "a")
    standing, is_taken = taken(standing, two, "y", 5, "a")
    assert is_taken
    assert [(each.job, each.executor) for each in standing.leases] == [("a", "y")]


def test_of_both_limits_the_one_that_takes_longer_is_told():
    both = ServiceLimits(concurrency=1, rate=CallRate(calls=1, seconds=100))
    standing, _ = taken(LimiterState(), both, "x", 0, "a")
    told = try_acquire(standing, both, "y", 1)
    assert (told.limit, told.wait) == ("rate", 99_999)


@given(limit=limits, until=st.integers(1, 10**9))
def test_a_service_is_left_alone_as_long_as_it_asks_within_reason(limit, until):
    standing = pause_until(LimiterState(), until)
    told = try_acquire(expire(standing, limit, 0), limit, "x", 0)
    assert (told.limit, told.wait) == ("closed", min(until, MAX_PAUSE))
    assert try_acquire(expire(told.state, limit, told.wait), limit, "x", told.wait).wait is None
    assert pause_until(standing, until - 1) == standing


@given(limit=limits.filter(lambda each: each.rate is not None), gaps=st.lists(st.integers(0, 700), max_size=100))
def test_further_requests_of_a_call_count_for_the_rate_and_need_no_further_place(limit, gaps):
    now, standing, begun = 1000, LimiterState(), [1000]
    standing, _ = taken(standing, limit, "x", now, "job")
    for gap in gaps:
        now += gap
        told = count_request(expire(standing, limit, now), limit, now)
        standing = told.state
        if told.wait is None:
            begun.append(now)
        else:
            assert count_request(expire(standing, limit, now + told.wait), limit, now + told.wait).wait is None
        for at in begun:
            assert sum(at <= each < at + window_milliseconds(limit.rate) for each in begun) <= limit.rate.calls
    assert len(standing.leases) == (limit.concurrency is not None)


def test_a_further_request_waits_while_its_service_is_paused():
    told = count_request(pause_until(LimiterState(), 500), ServiceLimits(), 100)
    assert told.wait == 400
