"""When a cron expression comes true: summer time, and whatever else happens to clocks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.base.errors import MissingExtraError
from aeon.platform.schedules.cron import CronError, CronExpression, load_time_zone

BERLIN = ZoneInfo("Europe/Berlin")


def told(expression, after, until, zone=BERLIN):
    """Wall-clock times with their offset, from one time to another."""
    begin, end = (datetime.fromisoformat(each).replace(tzinfo=zone) for each in (after, until))
    return [f"{each.astimezone(zone):%d %H:%M%z}"[:-2] for each in CronExpression(expression, zone).between(begin, end)]


def test_the_hour_that_exists_twice_fires_once():
    assert told("30 2 * * *", "2026-10-24", "2026-10-27") == ["24 02:30+02", "25 02:30+02", "26 02:30+01"]
    assert told("0,30 1-3 25 10 *", "2026-10-25", "2026-10-26") == [
        "25 01:00+02",
        "25 01:30+02",
        "25 02:00+02",
        "25 02:30+02",
        "25 03:00+01",
        "25 03:30+01",
    ]


def test_the_hour_that_does_not_exist_is_not_lost():
    assert told("30 2 * * *", "2026-03-28", "2026-03-31") == ["28 02:30+01", "29 03:30+02", "30 02:30+02"]
    assert told("15 2 29 3 *", "2026-03-01", "2026-04-01") == ["29 03:15+02"]
    both = told("0,40 2,3 * * *", "2026-03-29", "2026-03-30")
    assert both == ["29 03:00+02", "29 03:40+02"]


def test_what_is_meant_for_every_hour_goes_on_through_both_nights():
    """Its instants are even apart, whatever the clocks say."""
    for day in ("2026-03-29", "2026-10-25"):
        begin = datetime.fromisoformat(day).replace(tzinfo=BERLIN).astimezone(UTC)
        instants = list(CronExpression("*/20 * * * *", BERLIN).between(begin, begin + timedelta(hours=6)))
        assert [each - begin for each in instants] == [timedelta(minutes=20 * number) for number in range(1, 19)]


def test_a_whole_day_that_does_not_exist_is_not_lost_either():
    """Samoa went over the date line: there was no 30 December 2011."""
    found = told("0 12 30 12 *", "2011-12-28", "2012-01-02", ZoneInfo("Pacific/Apia"))
    assert found == ["31 12:00+14"]


def test_six_fields_begin_with_the_second():
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    found = CronExpression("*/15 0 3 * * *", UTC).between(begin, begin + timedelta(days=1))
    assert [each.isoformat()[11:19] for each in found] == ["03:00:00", "03:00:15", "03:00:30", "03:00:45"]


def test_of_two_days_one_is_enough():
    """Day of the month and day of the week, as cron has it."""
    assert told("0 0 13 * fri", "2026-03-01", "2026-03-21", UTC) == ["06 00:00+00", "13 00:00+00", "20 00:00+00"]
    assert told("0 0 L 2 *", "2028-02-01", "2028-03-01", UTC) == ["29 00:00+00"]
    assert told("0 0 * * 5#2", "2026-03-01", "2026-04-01", UTC) == ["13 00:00+00"]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("", "five fields"),
        ("* * * *", "five fields"),
        ("* * * * * * 2030", "five fields"),
        ("@daily", "five fields"),
        ("R * * * *", "'R' is not a field"),
        ("H * * * *", "'H' is not a field"),
        ("* * * * __import__", "is not a field"),
        ("61 * * * *", "61"),
        ("* 24 * * *", "24"),
        ("*/0 * * * *", "0"),
        ("0 0 31 2 *", "it never matches a date"),
        ("* " * 4 + "1," * 200 + "1", "five fields"),
        ("5-1000000000 * * * *", "1000000000"),
    ],
)
def test_what_is_no_expression_is_said(expression, said):
    with pytest.raises(CronError, match=said):
        CronExpression(expression, UTC)


@pytest.mark.parametrize(
    "name", ["", "Europe", "Europe/Atlantis", "../../etc/passwd", "/etc/localtime", "x\x00y", "a" * 999]
)
def test_what_is_no_time_zone_is_said(name):
    with pytest.raises(ValueError, match="there is no time zone"):
        load_time_zone(name)


def test_without_croniter_it_is_said_what_to_install(uninstall):
    uninstall("croniter")
    with pytest.raises(MissingExtraError, match=r"Install aeon-orchestrator\[platform\]"):
        CronExpression("* * * * *", UTC)


def test_what_is_rare_is_found_and_what_never_comes_is_not_waited_for():
    assert CronExpression("0 0 29 2 *", UTC).next_after(datetime(2096, 3, 1, tzinfo=UTC)) == datetime(
        2104, 2, 29, tzinfo=UTC
    )


ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago", "UTC"]
TURNS = [(3, 29), (10, 25), (3, 8), (11, 1), (4, 5), (10, 4), (9, 6), (7, 1)]
minutes = st.sampled_from(["*", "0", "30", "*/15", "5,50"])
hours = st.sampled_from(["*", "2", "1-3", "0,23", "*/3", "3"])


def means(field, number, every):
    """Whether a number is meant by one of the fields above."""
    if field.startswith("*"):
        return number % int(field.partition("/")[2] or 1) == 0
    parts = [part.partition("-") for part in field.split(",")]
    return any(int(first) <= number <= int(last or first) for first, _, last in parts) and number < every


@settings(max_examples=40)
@given(minutes, hours, st.sampled_from(ZONES), st.sampled_from(TURNS), st.integers(0, 2880))
@pytest.mark.slow
def test_every_wall_clock_time_that_is_meant_is_one_instant(minute, hour, zone_name, day, begins):
    """Law: each counts at its first instant, and one that is lacking an hour later by the clock; in order, none twice."""
    zone = ZoneInfo(zone_name)
    wall = datetime(2026, *day) - timedelta(days=2)
    begin = wall.replace(tzinfo=zone).astimezone(UTC) + timedelta(minutes=begins)
    end = begin + timedelta(days=2)
    expected = set()
    for number in range(60 * 24 * 5):
        time = wall + timedelta(minutes=number)
        if means(minute, time.minute, 60) and means(hour, time.hour, 24):
            folds = (0, 1) if hour == "*" else (0,)
            expected |= {time.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in folds}
    found = list(CronExpression(f"{minute} {hour} * * *", zone).between(begin, end))
    assert found == sorted(each for each in expected if begin < each <= end)
