"""Dates, clock times and durations from text."""

from datetime import date, datetime, time

import pytest

from aeon.tools.moments import Duration, read_duration, read_moment

NOW = datetime(2026, 11, 24, 14, 5, 30)
DAY = 86_400


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("45 days", Duration(seconds=45 * DAY)),
        ("2 weeks and 3 days", Duration(seconds=17 * DAY)),
        ("3 months -1 day", Duration(months=3, seconds=-DAY)),
        ("a year", Duration(months=12)),
        ("2h 50min", Duration(seconds=10_200)),
        ("2h50", Duration(seconds=10_200)),
        ("2:50", Duration(seconds=10_200)),
        ("14:35:10 h", Duration(seconds=52_510)),
        ("1,5 Stunden", Duration(seconds=5400)),
        ("2 Stunden und 50 Minuten", Duration(seconds=10_200)),
        ("10 working days", Duration(working_days=10)),
        ("zwei Arbeitstage", Duration(working_days=2)),
        ("2 weeks ago", Duration(seconds=-14 * DAY)),
        ("vor 3 Tagen", Duration(seconds=-3 * DAY)),
        ("in 3 Tagen", Duration(seconds=3 * DAY)),
        ("minus 2 years", Duration(months=-24)),
        ("−1 day", Duration(seconds=-DAY)),  # noqa: RUF001  # as people type it
    ],
)
def test_durations(text, duration):
    assert read_duration(text) == duration


@pytest.mark.parametrize(
    "text", ["", "x", "5", "days", "1.5 months", "2 Mon", "1:75", "3 days x", "24 November 2026", "9" * 60 + " days"]
)
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match=r"write (one like|whole months)"):
        read_duration(text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("today", date(2026, 11, 24)),
        ("Heute", date(2026, 11, 24)),
        ("now", datetime(2026, 11, 24, 14, 5)),
        ("übermorgen", date(2026, 11, 26)),
        ("2026-11-24", date(2026, 11, 24)),
        ("2026-11-24 10:30", datetime(2026, 11, 24, 10, 30)),
        ("2026-11-24T00:00", datetime(2026, 11, 24)),
        ("24 November 2026", date(2026, 11, 24)),
        ("dem 1. März 2027", date(2027, 3, 1)),
        ("the 24th of December", date(2026, 12, 24)),
        ("March 3", date(2027, 3, 3)),
        ("24.12.2026", date(2026, 12, 24)),
        ("3.4.2026", date(2026, 4, 3)),
        ("25.12.", date(2026, 12, 25)),
        ("12-25", date(2026, 12, 25)),
        ("02-29", date(2028, 2, 29)),
        ("24/12/2026", date(2026, 12, 24)),
        ("Dienstag, 24. November 2026 um 14:35 Uhr", datetime(2026, 11, 24, 14, 35)),
        ("Tuesday", date(2026, 12, 1)),
        ("nächsten Freitag", date(2026, 11, 27)),
        ("Sonnabend", date(2026, 11, 28)),
        ("Christmas", date(2026, 12, 25)),
        ("Weihnachten", date(2026, 12, 25)),
        ("Neujahr", date(2027, 1, 1)),
        ("Ostern", date(2027, 3, 28)),
        ("14:35", time(14, 35)),
        ("3pm", time(15)),
        ("12 am", time(0)),
        ("15 Uhr", time(15)),
    ],
)
def test_moments(text, moment):
    read = read_moment(text, NOW)
    assert (type(read), read) == (type(moment), moment)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("03/04/2026", "can mean two dates"),
        ("May", "lacks its day or its month"),
        ("2026", "lacks its day or its month"),
        ("Nov 2026", "lacks its day or its month"),
        ("garbage", "is not a date or a time"),
        ("2026-13-45", "month must be in 1..12"),
        ("2026-02-30", "day is out of range for month"),
        ("30.2.", "is not a date or a time"),
        ("13:99", "minute must be in 0..59"),
        ("2026-02-27 24:30", "hour must be in 0..23"),
        ("tomorrow at 25:30", "'25:30' is not a time of a day"),
        ("morgen um 7:60 Uhr", "'7:60 uhr' is not a time of a day"),
        ("45 days", "is not a date or a time|lacks"),
        ("", "is not a date or a time"),
        ("9" * 60, "is not a date or a time"),
    ],
)
def test_what_is_no_moment_is_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        read_moment(text, NOW)
