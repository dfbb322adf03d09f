"""When an alert fires, for how long its condition must hold, and when it starts its Process again (platform 48)."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.alerts.model import Alert
from aeon.platform.alerts.transitions import Transition, transition

T0 = "2026-01-01T00:00:00.000000+00:00"


def at(seconds):
    return (datetime.fromisoformat(T0) + timedelta(seconds=seconds)).isoformat(timespec="microseconds")


def alert(**fields):
    given = {"process": "p", "metric": "process.failures", "scope": "process", "windowSeconds": 300, "comparison": ">"}
    given |= {"id": "a", "ownerId": "ann", "name": "a", "threshold": 3, "stateSince": T0, "createdAt": T0}
    return Alert.model_validate({**given, "updatedAt": T0, **fields})


@pytest.mark.parametrize(
    ("comparison", "beyond", "within"), [(">", 3.1, 3), (">=", 3, 2.9), ("<", 2.9, 3), ("<=", 3, 3.1)]
)
def test_a_value_beyond_the_threshold_fires_at_once_without_a_time_to_hold(comparison, beyond, within):
    watched = alert(comparison=comparison)
    assert transition(watched, beyond, at(9)) == Transition("firing", at(9), starts_run=True)
    assert transition(watched, within, at(9)) == Transition("ok", T0)


def test_a_condition_that_must_hold_is_pending_until_it_has():
    watched = alert(holdSeconds=60)
    assert transition(watched, 4, at(1)) == Transition("pending", at(1))
    pending = alert(holdSeconds=60, state="pending", stateSince=at(1))
    assert transition(pending, 4, at(60)) == Transition("pending", at(1))
    assert transition(pending, 4, at(61)) == Transition("firing", at(61), starts_run=True)
    assert transition(pending, 3, at(60)) == Transition("ok", at(60))


def test_it_starts_once_while_it_fires_and_again_after_it_was_resolved():
    firing = alert(state="firing", stateSince=at(1), startedAt=at(2))
    assert transition(firing, 9, at(10**7)) == Transition("firing", at(1))
    assert transition(firing, 0, at(70)) == Transition("ok", at(70))


def test_it_starts_again_every_so_many_hours_if_it_is_told_to():
    firing = alert(state="firing", stateSince=at(1), startedAt=at(2), repeatHours=1)
    assert not transition(firing, 9, at(3601)).starts_run
    assert transition(firing, 9, at(3602)) == Transition("firing", at(1), starts_run=True)


def test_a_start_that_was_refused_is_tried_again():
    assert transition(alert(state="firing", stateSince=at(1)), 9, at(60)).starts_run


def test_without_a_value_nothing_fires_and_what_fires_is_resolved():
    assert transition(alert(state="firing", startedAt=T0), None, at(5)) == Transition("ok", at(5))


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 3))
def test_there_is_one_start_for_each_crossing_that_holds_long_enough(beyond, hold):
    """Of any course of values, one each second."""
    watched, starts = alert(holdSeconds=hold), 0
    for second, is_beyond in enumerate(beyond):
        found = transition(watched, 4 if is_beyond else 0, at(second))
        starts += found.starts_run
        started = at(second) if found.starts_run else watched.started_at if found.state == "firing" else None
        watched = watched.model_copy(update={"state": found.state, "state_since": found.since, "started_at": started})
    crossings = "".join("x" if each else " " for each in beyond).split()
    assert starts == sum(len(each) > hold for each in crossings)
