"""What was computed with dates and times is doubted if they are not those of the request (core 19)."""

from types import SimpleNamespace

import pytest

from aeon.supervisor.moment_checks import moment_doubts


def doubts(request, *calls, is_planned=True, results=("13:45",), earlier=()):
    made = [SimpleNamespace(tool_name="date_math", arguments=arguments) for arguments in calls]
    results = {f"s{number}": {"result": each} for number, each in enumerate(results, 1)}
    run = SimpleNamespace(request=request, calls=made, results=results, is_planned=is_planned, earlier=earlier)
    return moment_doubts(run)


@pytest.mark.parametrize(
    ("request_", "call"),
    [
        ("It begins at 2:45 pm and takes an hour.", {"start": "14:45", "add": "1 hour"}),
        ("It begins at half past two.", {"start": "14:30", "add": "1 hour"}),
        ("Es beginnt um halb drei.", {"start": "2:30", "add": "1 hour"}),
        ("from 1 May to 24 May", {"start": "2026-05-01", "until": "24 May 2026"}),
        ("How long until Christmas?", {"start": "today", "until": "25 December"}),
        ("Which day is in 3 weeks?", {"start": "today", "add": "3 weeks"}),
        ("What is the date tomorrow, plus 3 days?", {"start": "2026-11-29", "add": "3 days"}),
        ("It is at 9:00. When must I leave, 20 minutes before?", {"start": "9:00", "add": "-20 minutes"}),
        ("It starts at 9:00 and takes an hour. When does it end?", {"start": "9:00", "add": "1 hour"}),
        ("40 minutes and 20 minutes", {"durations": ["40 minutes", "20 minutes"]}),
    ],
)
def test_the_dates_and_times_of_the_request_are_not_doubted(request_, call):
    assert doubts(request_, call) == []


def test_results_and_what_was_said_before_are_known_too():
    assert (
        doubts("at 9:00", {"start": "9:00", "add": "1 hour"}, {"start": "10:00", "add": "1 hour"}, results=["10:00"])
        == []
    )
    assert doubts("and when does it end?", {"start": "9:00", "add": "1 hour"}, earlier=["It is at 9:00."]) == []


@pytest.mark.parametrize(
    ("request_", "call", "reason"),
    [
        ("It is at 3:15.", {"start": "15:00", "add": "100 minutes"}, "computed with 15:00"),
        ("It is at 3:15.", {"start": "15:00", "add": "100 minutes"}, "no step uses 3:15 of the request"),
        ("from 1 May 2026 to 9 May 2026", {"start": "1 May 2026", "until": "9 May 2027"}, "computed with 9 May 2027"),
        ("due on 1 May, back on 9 May", {"start": "1 May", "add": "9 days"}, "no step uses 9 May of the request"),
        (
            "The meeting is at 2:45 pm, the way takes 50 minutes. When should I leave?",
            {"start": "2:45 pm", "add": "50 minutes"},
            "asks when to start",
        ),
        (
            "Um 8:15 Uhr beginnt es, der Weg dauert 35 Minuten. Wann muss ich losfahren?",
            {"start": "8:15 Uhr", "add": "35 Minuten"},
            "asks when to start",
        ),
        (
            "from 1 May to 30 June inclusive, how many days?",
            {"start": "1 May", "until": "30 June"},
            "includes the last day",
        ),
        ("from 23:20 to 6:55", {"durations": ["23 hours", "6 hours"]}, "no step uses 23:20, 6:55 of the request"),
    ],
)
def test_others_are(request_, call, reason):
    assert any(reason in each for each in doubts(request_, call))


def test_a_plan_of_the_user_and_a_run_without_the_date_tool_are_not_judged():
    assert doubts("at 3:15", {"start": "15:00", "add": "1 hour"}, is_planned=False) == []
    assert doubts("at 3:15") == []


def calculated(request, expression):
    calls = [SimpleNamespace(tool_name="calculator", arguments={"expression": expression})]
    run = SimpleNamespace(request=request, calls=calls, results={"s1": {"result": 8}}, is_planned=True, earlier=())
    return moment_doubts(run)


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("I work from 9:05 to 17:35. How many hours is that?", "9:05, 17:35"),
        ("He was born on 3 May 1950 and died on 2 May 2020. How old was he?", "3 May 1950, 2 May 2020"),
        ("Wie lange ist von 8:15 bis 11:00?", "8:15, 11:00"),
        ("I am free from 9:05 to 17:35, she from 10:00. How much free time do we share?", "9:05, 17:35, 10:00"),
        ("Ich habe von 8:15 bis 11:00 Zeit. Wie viel gemeinsame Zeit ist das?", "8:15, 11:00"),
    ],
)
def test_a_length_of_time_that_was_calculated_as_a_number_is_doubted(request_, named):
    (reason,) = calculated(request_, "17 - 9")
    assert reason == f"{named}: the date tool was not used, and a number was calculated"


@pytest.mark.parametrize(
    "request_",
    [
        "How many hours are 3 shifts of 8 hours?",
        "Tickets for the show at 20:15 cost 12 euros. What do 4 cost?",
        "How long does it take to drive 300 km at 100 km/h?",
    ],
)
def test_what_is_no_length_between_dates_may_be_calculated(request_):
    assert calculated(request_, "3 * 8") == []


def test_a_length_of_time_below_nothing_is_doubted():
    call = {"durations": ["40 minutes", "-5 hours"]}
    run = SimpleNamespace(
        request="How much paid time is that?",
        calls=[SimpleNamespace(tool_name="date_math", arguments=call)],
        results={"s1": {"hours": -4.3, "result": "-4:20"}},
        is_planned=True,
        earlier=(),
    )
    assert moment_doubts(run) == ["the request asks how much, and the result is less than nothing"]
    assert moment_doubts(SimpleNamespace(**{**vars(run), "request": "What is 40 minutes - 5 hours?"})) == []


FLIGHT = "My plane leaves Tokyo at 11:15 local time and flies for 12 h 40 min to Paris. What will the clock there say?"


@pytest.mark.parametrize(
    ("request_", "places"),
    [
        (FLIGHT, "Tokyo, Paris"),
        ("It is on Tuesday 9:00 am in Sydney. I'm in London. What day and time is that?", "Sydney, London"),
        (
            "Der Zug fährt um 10:01 in Berlin ab und ist nach 9 Stunden in London. Wie spät ist es dann?",
            "Berlin, London",
        ),
    ],
)
def test_a_time_between_places_whose_clocks_differ_is_doubted_if_none_was_converted(request_, places):
    call = {"start": "11:15" if "11:15" in request_ else "10:01", "add": "12 hours 40 minutes"}
    assert f"{places} have different clocks, and no time was converted" in doubts(request_, call)


def test_a_time_between_places_of_one_zone_or_a_converted_one_is_not_doubted():
    same = "The train leaves Berlin at 9:00 and takes 8 hours to Paris. When is it there?"
    assert doubts(same, {"start": "9:00", "add": "8 hours"}) == []
    convert = SimpleNamespace(tool_name="convert_time", arguments={"from": "Tokyo", "time": "11:15", "to": "Paris"})
    add = SimpleNamespace(tool_name="date_math", arguments={"start": "11:15", "add": "12 hours 40 minutes"})
    run = SimpleNamespace(request=FLIGHT, calls=[convert, add], results={"s1": "3:15"}, is_planned=True, earlier=())
    assert moment_doubts(run) == []
