"""Followers of runs are told of new entries, with one look for all of them."""

import threading

import pytest

from aeon.platform.runs.news import RunNews
from aeon.platform.runs.notifier import InProcessNotifier
from aeon.platform.store import StoreUnavailableError

LONG_ENOUGH = 20


class Record:
    """The numbers of entries; counts its looks, and can be away."""

    def __init__(self, **counts):
        self.counts = counts
        self.looks = []
        self.is_away = False
        self.looked = threading.Condition()

    def __call__(self, runs):
        with self.looked:
            self.looks.append(sorted(runs))
            self.looked.notify_all()
        if self.is_away:
            raise StoreUnavailableError("away")
        return {run: count for run, count in self.counts.items() if run in runs}

    def wait_for_looks(self, number):
        with self.looked:
            assert self.looked.wait_for(lambda: len(self.looks) >= number, LONG_ENOUGH)


class Follower:
    def __init__(self):
        self.told = threading.Semaphore(0)

    def __call__(self):
        self.told.release()

    def is_told(self):
        return self.told.acquire(timeout=LONG_ENOUGH)


@pytest.fixture
def notifier():
    return InProcessNotifier()


def test_all_followers_of_a_run_are_told_of_entries_of_this_process_and_of_others(notifier):
    record, first, second, other = Record(a=1, b=1), Follower(), Follower(), Follower()
    news = RunNews(record, notifier)
    with news.follow("a", first), news.follow("a", second), news.follow("b", other):
        for each in (first, second, other):
            assert each.is_told(), "the first look does not know what they have read"
        record.counts["a"] = 2
        notifier.notify("a")
        assert first.is_told()
        assert second.is_told()
        record.counts["a"] = 3  # by another process: nobody notifies
        assert first.is_told()
        assert second.is_told()
        looks = len(record.looks)
        record.wait_for_looks(looks + 2)
        assert record.looks[-1] == ["a", "b"], "one look for all"
    for each in (first, second, other):
        while each.told.acquire(blocking=False):
            continue
    notifier.notify("a")
    assert not first.told.acquire(blocking=False)


def test_a_follower_of_a_run_that_is_deleted_is_told(notifier):
    record, follower = Record(a=1), Follower()
    with RunNews(record, notifier).follow("a", follower):
        assert follower.is_told()
        record.counts.clear()
        assert follower.is_told()


def test_after_an_outage_of_the_record_followers_are_told(notifier):
    record, follower = Record(a=1), Follower()
    with RunNews(record, notifier).follow("a", follower):
        assert follower.is_told()
        record.is_away, record.counts["a"] = True, 2
        record.wait_for_looks(len(record.looks) + 2)
        record.is_away = False
        assert follower.is_told()


def test_without_followers_nobody_looks(notifier):
    record, follower = Record(a=1), Follower()
    news = RunNews(record, notifier)
    for _ in range(3):
        with news.follow("a", follower):
            assert follower.is_told()
    names = [each for each in threading.enumerate() if each.name == "aeon-run-news"]
    for each in names:
        each.join(LONG_ENOUGH)
        assert not each.is_alive()
    assert (news._followers, news._counts) == ({}, {})
