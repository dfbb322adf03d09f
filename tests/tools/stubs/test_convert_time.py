"""The tool for clock times of other places: summer time, other days, and how its requests are read."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ToolError
from aeon.testing.clock import FakeClock
from aeon.tools.stubs.convert_time import ConvertTimeTool
from aeon.tools.time_zone_requests import read_time_elsewhere

WINTER = datetime(2026, 11, 24, 12, tzinfo=UTC)
BETWEEN = datetime(2026, 3, 20, 12, tzinfo=UTC)
"""New York has summer time, London has not."""
ZONES = ["Tokyo", "Delhi", "New York", "Berlin", "Kathmandu", "Auckland", "UTC"]


def compute(source, clock, target, now=WINTER):
    tool = ConvertTimeTool(FakeClock(now))
    arguments = {"from": source, "time": clock, "to": target}
    assert tool.validate_input(**arguments)
    result = tool.invoke(**arguments)
    assert tool.validate_output(result)
    return result


@pytest.mark.parametrize(
    ("source", "clock", "target", "result", "zone", "days"),
    [
        ("London", "9 am", "New York", "04:00", "New York, EST (UTC-05:00)", 0),
        ("Berlin", "15 Uhr", "Tokio", "23:00", "Tokio, JST (UTC+09:00)", 0),
        ("Chicago", "6pm", "London", "00:00", "London, GMT (UTC+00:00)", 1),
        ("Sydney", "8:00", "Los Angeles", "13:00", "Los Angeles, PST (UTC-08:00)", -1),
        ("Köln", "15.30 Uhr", "Delhi", "20:00", "Delhi, IST (UTC+05:30)", 0),
        ("Paris", "noon", "San Francisco", "03:00", "San Francisco, PST (UTC-08:00)", 0),
        ("Wien", "Mitternacht", "Rio", "20:00", "Rio, -03 (UTC-03:00)", -1),
    ],
)
def test_a_clock_time_of_one_place_in_another(source, clock, target, result, zone, days):
    assert compute(source, clock, target) == {"result": result, "zone": zone, **({"days_later": days} if days else {})}


def test_summer_time_is_that_of_each_place_today():
    assert compute("London", "9 am", "New York", BETWEEN)["result"] == "05:00"


@given(st.times(), st.sampled_from(ZONES), st.sampled_from(ZONES))
def test_there_and_back_is_the_same_time(clock, one, other):
    there = compute(one, f"{clock:%H:%M}", other)
    back = compute(other, there["result"], one)
    assert back["result"] == f"{clock:%H:%M}"
    assert there.get("days_later", 0) + back.get("days_later", 0) == 0


@pytest.mark.parametrize(
    ("source", "clock", "target", "said"),
    [
        ("Narnia", "9 am", "London", "no time zone of 'Narnia'"),
        ("London", "9 am", "/etc/localtime", "no time zone of '/etc/localtime'"),
        ("London", "tomorrow", "Oslo", "cannot read 'tomorrow' as a clock time"),
        ("London", "soon", "Oslo", "cannot read 'soon' as a clock time"),
        ("London", "25:00", "Oslo", "cannot read '25:00' as a clock time"),
    ],
)
def test_what_it_cannot_read_is_refused_with_what_to_write(source, clock, target, said):
    with pytest.raises(ToolError, match=said):
        compute(source, clock, target)


@pytest.mark.parametrize(
    ("request_", "arguments"),
    [
        ("It's 9 am in London, what time is it in New York?", ("London", "9 am", "New York")),
        ("9 am in London, what in New York?", ("London", "9 am", "New York")),
        ("It's 8 pm in Sydney. What time is it in London?", ("Sydney", "8 pm", "London")),
        ("The meeting is at 3 pm Berlin time. What time is that in New York?", ("Berlin", "3 pm", "New York")),
        ("What time is it in Tokyo when it's 3 pm in Berlin?", ("Berlin", "3 pm", "Tokyo")),
        ("What is 9 am London time in New York?", ("London", "9 am", "New York")),
        ("Convert 9 am London time to New York time please", ("London", "9 am", "New York")),
        ("What time is it here when it is 9 am in London?", ("London", "9 am", "here")),
        ("Wenn es in Berlin 15 Uhr ist, wie spät ist es in Tokio?", ("Berlin", "15 Uhr", "Tokio")),
        ("Es ist 15:30 Uhr in Wien, wie viel Uhr ist es in New York?", ("Wien", "15:30 Uhr", "New York")),
        ("Wie spät ist es in Lima, wenn es hier 9 Uhr ist?", ("hier", "9 Uhr", "Lima")),
        ("Quand il est 9:00 à Paris, quelle heure est-il à Tokyo ?", ("Paris", "9:00", "Tokyo")),
        ("Quelle heure est-il à Montreal s'il est 9:00 à Paris ?", ("Paris", "9:00", "Montreal")),
        ("Das Treffen beginnt um 15 Uhr in Rom, wie spät ist das in Rio?", ("Rom", "15 Uhr", "Rio")),
    ],
)
def test_a_request_in_a_usual_form_is_read(request_, arguments):
    tool = ConvertTimeTool(FakeClock(WINTER))
    assert tool.read_request(request_) == dict(zip(("from", "time", "to"), arguments, strict=True))
    assert tool.suits(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "What time is it in Tokyo?",
        "I'm in London at 9 am, what shall I do in New York?",
        "9 am in Narnia, what time is it in London?",
        "When does the 9 am train from London arrive in Paris?",
        "Book a flight at 9 am from London to New York",
        "Wie spät ist es in Rom?",
    ],
)
def test_another_request_is_not(request_):
    assert ConvertTimeTool(FakeClock(WINTER)).read_request(request_) is None


@pytest.mark.parametrize("part", ["a ", "in a, what ", "in 9 am ", "a 9 uhr ", "wenn es in "])
def test_a_hostile_request_is_read_in_no_time(part):
    began = time.process_time()
    for start in ("9 am in ", "what time in ", "wenn es in ", "what is 9 am "):
        read_time_elsewhere((start + part * 150)[:300])
    assert time.process_time() - began < 5
