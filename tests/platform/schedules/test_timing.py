"""Which moments of a schedule are due: on time, late, once for all of the late ones; the same after any restart."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.schedules.model import ProcessSchedule, ScheduleFiring
from aeon.platform.schedules.timing import ON_TIME_TOLERANCE, due_instants, next_after

START = datetime(2026, 1, 1, tzinfo=UTC)
AT = START.isoformat(timespec="microseconds")


def schedule(**fields):
    whole = {"id": "s1", "owner_id": "u", "name": "n", "process": "p", "created_at": AT, "updated_at": AT, "since": AT}
    return ProcessSchedule(**{**whole, **fields})


def minutes(found):
    return [(each - START) / timedelta(minutes=1) for each in found]


def at(minute):
    return START + timedelta(minutes=minute)


def test_what_is_on_time_is_due_and_what_is_late_is_left_out():
    hourly = schedule(cron="0 * * * *")
    assert minutes(due_instants(hourly, START, at(59.9))) == []
    assert minutes(due_instants(hourly, START, at(60))) == [60]
    assert minutes(due_instants(hourly, START, at(60.9))) == [60]
    assert minutes(due_instants(hourly, START, at(61.5))) == []
    assert minutes(due_instants(hourly, at(60), at(60.5))) == []
    assert minutes(due_instants(hourly, START, at(600.5))) == [600]


def test_what_is_late_is_caught_up_once():
    hourly = schedule(cron="0 * * * *", catch_up="once")
    assert minutes(due_instants(hourly, START, at(61.5))) == [60]
    assert minutes(due_instants(hourly, START, at(630))) == [600]
    assert minutes(due_instants(hourly, START, at(600.5))) == [600], "what is on time stands for what is late, too"
    assert minutes(due_instants(hourly, at(600), at(630))) == []
    yearly = schedule(cron="0 0 1 1 *", catch_up="once")
    assert due_instants(yearly, START, datetime(2031, 6, 1, tzinfo=UTC)) == [datetime(2031, 1, 1, tzinfo=UTC)]


def test_several_on_time_are_all_due():
    often = schedule(cron="*/10 * * * * *")
    assert minutes(due_instants(often, START, at(0.55))) == [pytest.approx(number / 6) for number in (1, 2, 3)]


def test_one_instant():
    once = schedule(at="2026-01-01T02:00:00+01:00", catch_up="once")
    assert minutes(due_instants(once, START, at(59))) == []
    assert minutes(due_instants(once, START, at(60))) == [60]
    assert minutes(due_instants(once, START, at(9999))) == [60]
    assert due_instants(once, at(60), at(9999)) == []
    assert (next_after(once, START), next_after(once, at(60))) == (at(60), None)
    assert due_instants(schedule(at=once.at), START, at(90)) == []


@given(st.sampled_from(["0 * * * *", "*/7 3 * * *", "30 * 1 * *"]), st.lists(st.integers(0, 5000), min_size=1))
def test_however_often_it_is_looked_at_no_moment_is_due_twice(cron, looks):
    """Law: of two looks at the same times the moments, and the ids of the runs, are the same."""
    for catch_up in ("skip", "once"):
        found = schedule(cron=cron, catch_up=catch_up)
        fired, after = [], START
        for look in sorted(looks):
            for instant in due_instants(found, after, at(look)):
                assert after < instant <= at(look)
                fired.append(instant)
                after = instant
        assert fired == sorted(set(fired))
        if catch_up == "skip":
            assert all(any(timedelta() <= at(look) - each <= ON_TIME_TOLERANCE for look in looks) for each in fired)


def test_a_run_has_the_same_id_for_the_same_moment():
    one, other = (ScheduleFiring(schedule(name=name), AT) for name in "ab")
    assert one.run_id == other.run_id != ScheduleFiring(schedule(), AT.replace("2026", "2027")).run_id
