"""Followers of runs in one process are told of new entries."""

from aeon.platform.runs.notifier import InProcessNotifier

NEVER = 60.0
"""Seconds that no wait of these tests lasts."""


def test_a_follower_is_told_of_the_runs_that_it_wants_alone():
    notifier = InProcessNotifier()
    with notifier.watch(lambda run: run == "mine") as mine, notifier.watch(lambda run: run == "other") as other:
        notifier.notify("mine")
        assert (mine.has_news.is_set(), other.has_news.is_set()) == (True, False)
        mine.wait(NEVER)
        assert not mine.has_news.is_set()


def test_news_that_came_before_the_wait_are_not_lost_and_count_once():
    notifier = InProcessNotifier()
    with notifier.watch(lambda _run: True) as watch:
        notifier.notify("a")
        notifier.notify("b")
        watch.wait(NEVER)
        assert not watch.has_news.is_set()


def test_who_has_left_is_told_nothing():
    notifier, asked = InProcessNotifier(), []
    with notifier.watch(asked.append):
        notifier.notify("a")
    notifier.notify("b")
    assert asked == ["a"]
