"""Busy workers take jobs in shares: by priority, and within one by the weights of users (platform 10)."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.runs.model import Job
from aeon.platform.workers.fair_slots import FairSlots
from aeon.platform.workers.fairness import (
    PRIORITIES,
    SHARES,
    FairQueue,
    PriorityRotation,
    take_by_priority,
    take_evenly,
)


def popped(queue):
    return [queue.pop() for _ in range(len(queue))]


def test_a_single_job_is_taken_next_however_many_another_user_has_queued():
    queue = FairQueue()
    for number in range(1000):
        queue.add("normal", "ann", 1, ("ann", number))
    for number in range(500):
        assert queue.pop() == ("ann", number)
    queue.add("normal", "bob", 1, ("bob", 0))
    assert ("bob", 0) in [queue.pop() for _ in range(3)]


def test_jobs_of_one_user_keep_their_order():
    queue = FairQueue()
    for number in range(50):
        queue.add("low", "ann", 3, number)
    assert popped(queue) == list(range(50))


def test_who_was_away_saves_nothing_up():
    queue = FairQueue()
    queue.add("normal", "bob", 1, "bob")
    for _ in range(300):
        queue.add("normal", "ann", 1, "ann")
    for _ in range(200):
        queue.pop()
    for _ in range(100):
        queue.add("normal", "bob", 1, "bob")
    assert abs(Counter(queue.pop() for _ in range(100))["bob"] - 50) <= 1


USERS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 10), min_size=2)


@given(USERS, st.integers(10, 60), st.randoms())
def test_while_all_wait_each_user_has_the_share_of_its_weight(weights, rounds, chance):
    """Whatever the order of arrival: no user is more than two turns from its share at any time."""
    total = sum(weights.values())
    arrivals = [user for user, weight in weights.items() for _ in range(weight * rounds + 1)]
    chance.shuffle(arrivals)
    queue = FairQueue()
    for user in arrivals:
        queue.add("normal", user, weights[user], user)
    taken = Counter()
    for count in range(1, total * rounds + 1):
        taken[queue.pop()] += 1
        for user, weight in weights.items():
            assert abs(taken[user] - count * weight / total) <= 2 + len(weights) * weight / total


@given(st.lists(st.tuples(st.sampled_from(PRIORITIES), st.sampled_from("ab"), st.booleans()), max_size=200))
def test_nothing_is_lost_or_given_twice(changes):
    queue, added, given_out = FairQueue(), [], []
    for number, (priority, user, takes) in enumerate(changes):
        queue.add(priority, user, 1, number)
        added.append(number)
        if takes:
            given_out.append(queue.pop())
    given_out += popped(queue)
    assert sorted(given_out) == added
    with pytest.raises(IndexError):
        queue.pop()


def test_no_priority_starves():
    """Low ones are one of 21 while high and normal ones wait, and come often if nothing else does."""
    rotation = PriorityRotation()
    taken = [rotation.next(PRIORITIES) for _ in range(210)]
    for begin in range(0, 210, 21):
        assert Counter(taken[begin : begin + 21]) == SHARES
    assert rotation.split({"low"}, 5) == {"low": 5}
    assert rotation.split((), 5) == {}


def test_what_one_priority_lacks_the_others_have():
    jobs = {"high": [1], "normal": [2, 3, 4, 5, 6], "low": [7]}

    def take(priority, count):
        found, jobs[priority] = jobs[priority][:count], jobs[priority][count:]
        return found

    assert take_by_priority({"high": 3, "normal": 1, "low": 1}, take) == [1, 2, 3, 4, 7]
    assert take_by_priority({"high": 1, "normal": 1, "low": 1}, take) == [5, 6]


def job(user, priority="normal"):
    fields = {"id": "r:a:1", "run_id": "r", "step": "a", "attempt": 1, "tool": "t", "name": "t", "owner": user}
    return Job(**fields, user=user, worker="llm_call", effect="pure", inputs={}, timeout=9, priority=priority, weight=1)


def test_slots_go_to_users_in_turn_and_a_cancelled_one_goes_on():
    async def order():
        slots, taken = FairSlots(1), []
        await slots.acquire(job("ann"))
        assert slots.locked()

        async def work(name, user, priority="normal"):
            async with slots.held(job(user, priority)):
                taken.append(name)

        asked = [("a1", "ann"), ("a2", "ann"), ("a3", "ann"), ("b1", "bob"), ("h1", "ann", "high")]
        tasks = [asyncio.create_task(work(*each)) for each in asked]
        await asyncio.sleep(0)
        tasks[0].cancel()
        slots.release()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not slots.locked()
        return taken

    assert asyncio.run(order()) == ["h1", "b1", "a2", "a3"]


def test_several_queues_are_taken_from_evenly_and_fill_up():
    waiting = {"a": [1] * 9, "b": [2] * 2, "c": []}

    def take(source, count):
        taken, waiting[source] = waiting[source][:count], waiting[source][count:]
        return taken

    assert Counter(take_evenly(["a", "b", "c"], 3, take)) == {1: 2, 2: 1}
    assert Counter(take_evenly(["b", "a"], 6, take)) == {1: 5, 2: 1}
    assert take_evenly(["b", "a", "c"], 9, take) == [1, 1]
