"""The date tools: the present moment, and arithmetic with dates, clock times and durations."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ToolError
from aeon.testing.clock import FakeClock
from aeon.tools.stubs.dates import DateMathTool, NowTool

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
DATES = st.dates(date(1900, 1, 1), date(2200, 1, 1))


def compute(**arguments):
    tool = DateMathTool(FakeClock(NOON))
    assert tool.validate_input(**arguments)
    result = tool.invoke(**arguments)
    assert tool.validate_output(result)
    return result


def test_now_reads_the_clock_that_it_was_given():
    local = NOON.astimezone()
    tool = NowTool(FakeClock(NOON))
    result = tool.invoke()
    assert tool.validate_output(result)
    assert result == {
        "date": local.date().isoformat(),
        "time": f"{local:%H:%M:%S}",
        "weekday": f"{local:%A}",
        "zone": f"{local.tzname()} (UTC{local.isoformat()[-6:]})",
        "week": f"{local:%G-W%V}",
    }


@pytest.mark.parametrize(
    ("place", "time", "zone"),
    [
        ("Tokyo", "21:00:00", "Asia/Tokyo, JST (UTC+09:00)"),
        ("new  york", "07:00:00", "America/New_York, EST (UTC-05:00)"),
        ("Europe/Vienna", "13:00:00", "Europe/Vienna, CET (UTC+01:00)"),
        ("Wien", "13:00:00", "Europe/Vienna, CET (UTC+01:00)"),
        ("Mumbai", "17:30:00", "Asia/Kolkata, IST (UTC+05:30)"),
        ("Kathmandu", "17:45:00", "Asia/Kathmandu, +0545 (UTC+05:45)"),
    ],
)
def test_now_in_a_place_says_whose_time_it_is(place, time, zone):
    result = NowTool(FakeClock(NOON)).invoke(place=place)
    assert (result["date"], result["time"], result["zone"]) == ("2026-11-24", time, zone)


@pytest.mark.parametrize("place", ["Middle-earth", "../../etc/passwd", "/etc/localtime", "a" * 60])
def test_now_in_a_place_without_a_zone_is_refused_with_what_to_name(place):
    with pytest.raises(ToolError, match="name a large city near it"):
        NowTool(FakeClock(NOON)).invoke(place=place)


@pytest.mark.parametrize(
    ("start", "add", "result"),
    [
        ("2026-11-24", "45 days", {"result": "2027-01-08", "weekday": "Friday"}),
        ("today", "2 weeks", {"result": "2026-12-08", "weekday": "Tuesday"}),
        ("24 November 2026", "3 months -1 day", {"result": "2027-02-23", "weekday": "Tuesday"}),
        ("2026-01-31", "1 month", {"result": "2026-02-28", "weekday": "Saturday"}),
        ("2028-02-29", "1 year", {"result": "2029-02-28", "weekday": "Wednesday"}),
        ("2026-11-24", "0 days", {"result": "2026-11-24", "weekday": "Tuesday"}),
        ("2026-11-24", "36 hours", {"result": "2026-11-25 12:00", "weekday": "Wednesday"}),
        ("2026-11-24 14:35", "2:50", {"result": "2026-11-24 17:25", "weekday": "Tuesday"}),
        ("2026-11-24", "10 working days", {"result": "2026-12-08", "weekday": "Tuesday"}),
        ("2026-11-28", "1 working day", {"result": "2026-11-30", "weekday": "Monday"}),
        ("2026-11-29", "-1 working day", {"result": "2026-11-27", "weekday": "Friday"}),
        ("14:35", "2:50", {"result": "17:25"}),
        ("23:00", "2h", {"result": "01:00", "days_later": 1}),
        ("01:00", "-2h", {"result": "23:00", "days_later": -1}),
    ],
)
def test_a_duration_after_a_date_or_a_time(start, add, result):
    assert compute(start=start, add=add) == result


def test_the_difference_of_two_dates():
    assert compute(start="today", until="Weihnachten") == {
        "result": 31,
        "unit": "days",
        "weeks": "4 weeks 3 days",
        "calendar": "1 month 1 day",
        "working_days": 23,
    }
    assert compute(start="2026-11-24", until="2024-11-23") == {
        "result": -731,
        "unit": "days",
        "weeks": "minus 104 weeks 3 days",
        "calendar": "minus 2 years 1 day",
        "working_days": -521,
    }
    assert compute(start="today", until="today")["calendar"] == "0 days"


def test_the_difference_of_two_times():
    assert compute(start="8:15", until="16:45") == {
        "result": "8:30",
        "unit": "h",
        "hours": 8.5,
        "minutes": 510,
    }
    assert compute(start="22:00", until="6:00")["result"] == "8:00", "an earlier end is on the next day"
    assert compute(start="2026-11-24 10:00", until="2026-11-26")["result"] == "38:00"


def test_the_sum_of_durations():
    total = compute(durations=["2h 50min", "14:35"])
    assert total == {"result": "17:25", "unit": "h", "hours": 17.416667, "minutes": 1045}
    assert compute(durations=["0:00:20", "-1:00"])["result"] == "-0:59:40"


@pytest.mark.parametrize(
    ("period", "days", "is_leap"),
    [
        ("2100", 365, "no"),
        ("2028", 366, "yes"),
        ("February 2028", 29, "yes"),
        ("Februar 1900", 28, "no"),
        ("Apr. 2027", 30, "no"),
    ],
)
def test_the_days_of_a_month_and_of_a_year(period, days, is_leap):
    assert compute(days_in=period) == {"result": days, "unit": "days", "leap_year": is_leap}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"days_in": "Smarch 2028"}, "'1 Smarch 2028' is not a date or a time"),
        ({"days_in": "February"}, "'February' is no month and no year"),
        ({"start": "x", "add": "1 day"}, "'x' is not a date or a time"),
        ({"start": "today", "add": "soon"}, "'soon' is not a duration"),
        ({"start": "9999-12-31", "add": "1 day"}, "years 1 to 9999"),
        ({"start": "today", "add": "999999999 years"}, "years 1 to 9999"),
        ({"start": "today", "add": "8000 years"}, "10026"),
        ({"start": "today", "add": "999999999 working days"}, "years 1 to 9999"),
        ({"start": "14:35", "add": "1 month"}, "needs a date"),
        ({"start": "14:35", "until": "2026-11-24"}, "give both"),
        ({"durations": ["1 month"]}, "no fixed length"),
    ],
)
def test_what_has_no_result_is_refused_with_its_reason(arguments, problem):
    with pytest.raises(ToolError, match=problem):
        compute(**arguments)


@given(DATES, DATES)
def test_the_difference_added_to_the_start_is_the_end(start, end):
    between = compute(start=start.isoformat(), until=end.isoformat())
    assert compute(start=start.isoformat(), add=f"{between['result']} days")["result"] == end.isoformat()


@given(DATES, DATES)
def test_working_days_are_the_days_from_monday_to_friday(start, end):
    first, last = min(start, end), min(max(start, end), min(start, end) + timedelta(days=800))
    days = [first + timedelta(days=number) for number in range((last - first).days)]
    counted = compute(start=first.isoformat(), until=last.isoformat())["working_days"]
    assert counted == sum(day.weekday() < 5 for day in days)


@given(DATES, st.integers(0, 2000))
def test_added_working_days_are_counted_again(start, number):
    later = compute(start=start.isoformat(), add=f"{number} working days")["result"]
    if start.weekday() < 5:
        assert compute(start=start.isoformat(), until=later)["working_days"] == number


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_the_sum_does_not_depend_on_how_durations_are_written(minutes):
    as_minutes = compute(durations=[f"{each} minutes" for each in minutes])
    assert compute(durations=[f"{each // 60}:{each % 60:02}" for each in minutes]) == as_minutes


@given(st.text(max_size=60))
def test_no_text_breaks_the_tool(text):
    for arguments in ({"start": text, "add": text}, {"start": "today", "until": text}, {"durations": [text]}):
        try:
            DateMathTool(FakeClock(NOON)).invoke(**arguments)
        except ToolError:
            continue
