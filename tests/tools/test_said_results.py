"""The answer of a run is what the request asks for, of all that the date tool gives."""

import pytest

from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.registry import ToolRegistry
from aeon.tools.said_results import say_result
from aeon.tools.stubs import builtin_tools

REGISTRY = ToolRegistry(builtin_tools(InMemoryKVStore()))
SPAN = {"start": "1 March 2026", "until": "14 May 2027"}
LENGTH = {"start": "9:15", "until": "17:00"}


def said(request, arguments):
    return say_result("date_math", REGISTRY.get("date_math").invoke(**arguments), request)


@pytest.mark.parametrize(
    ("request_", "arguments", "text"),
    [
        ("How many days are there from 1 March 2026 to 14 May 2027?", SPAN, "439 days"),
        ("How many weeks are there?", SPAN, "62 weeks 5 days"),
        ("How many months are there?", SPAN, "1 year 2 months 13 days"),
        ("Wie alt bin ich am 14. Mai 2027?", SPAN, "1 Jahr 2 Monate 13 Tage"),
        ("How many working days are there?", SPAN, "314 working days"),
        ("Wie viele Arbeitstage sind es?", SPAN, "314 Arbeitstage"),
        ("How many nights are we away?", SPAN, "439 nights"),
        ("How long is it open?", LENGTH, "7 hours 45 minutes"),
        ("How many hours do I work?", LENGTH, "7.75 hours"),
        ("How many hours is it?", {"start": "9:15", "until": "17:05"}, "7 hours 50 minutes"),
        ("Wie viele Minuten sind das?", LENGTH, "465 Minuten"),
        ("Wie viele Stunden sind das?", LENGTH, "7,75 Stunden"),
        ("Wann ist das?", {"start": "1 March 2027", "add": "1 day"}, "2027-03-02 (Dienstag)"),
        ("Wann ist er zu Ende?", {"start": "23:15", "add": "2 hours"}, "01:15 (1 Tag später)"),
        ("War 2100 ein Schaltjahr?", {"days_in": "2100"}, "nein (365 Tage)"),
        ("How long?", {"durations": ["1 hour", "-2 hours"]}, "minus 1 hour"),
        ("How long?", {"durations": ["1 hour", "-60 minutes"]}, "0 minutes"),
        ("How long?", {"durations": ["1:30:15", "1 second"]}, "1:30:16 h"),
        ("When is it?", {"start": "1 March 2027", "add": "1 day"}, "2027-03-02 (Tuesday)"),
        ("When is it over?", {"start": "20:15", "add": "2 hours"}, "22:15"),
        ("When is it over?", {"start": "23:15", "add": "2 hours"}, "01:15 (1 day later)"),
        ("When must I leave?", {"start": "1:15", "add": "-50 hours"}, "23:15 (3 days earlier)"),
        ("Was 2100 a leap year?", {"days_in": "2100"}, "no (365 days)"),
        ("How many days has February 2028?", {"days_in": "February 2028"}, "29 days"),
    ],
)
def test_of_a_date_or_a_length_what_is_asked_is_said(request_, arguments, text):
    assert said(request_, arguments) == text


def test_of_other_tools_every_field_is_said():
    assert say_result("clock", {"result": 5, "hours": 1.0}, "How many hours?") == "5 (hours: 1.0)"
    assert say_result(None, "tea", "How many hours?") == "tea"


def test_what_was_done_with_a_stored_value_is_said_with_its_name():
    kept = {"key": "locker_code", "value": 4711}
    assert say_result("memory_write", kept, "Remember that my locker code is 4711") == "locker code: 4711 (kept)"
    assert say_result("memory_write", kept, "Merk dir, dass mein Code 4711 ist") == "locker code: 4711 (gemerkt)"
    forgotten = {"key": "locker_code"}
    assert say_result("memory_forget", forgotten, "Forget my locker code") == "locker code (forgotten)"
    assert say_result("memory_forget", forgotten, "Vergiss bitte meinen Code") == "locker code (vergessen)"


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("What time is it?", "08:15, America/Lima, -05 (UTC-05:00)"),
        ("what day is it today", "2026-11-28 (Saturday)"),
        ("Which day of the week is it?", "2026-11-28 (Saturday)"),
        ("What year is it?", "2026-11-28 (Saturday)"),
        ("Welcher Tag ist heute?", "2026-11-28 (Samstag)"),
        ("¿Qué día es hoy?", "2026-11-28 (sábado)"),
        ("Quel jour sommes-nous ?", "2026-11-28 (samedi)"),
        ("che giorno è oggi?", "2026-11-28 (Saturday)"),
        ("que hora es", "08:15, America/Lima, -05 (UTC-05:00)"),
        ("What's the current date and time?", "2026-11-28 (Saturday), 08:15, America/Lima, -05 (UTC-05:00)"),
        ("Which week is it?", "2026-W48"),
        ("In welcher Kalenderwoche sind wir?", "2026-W48"),
        ("What is my time zone?", "America/Lima, -05 (UTC-05:00)"),
    ],
)
def test_of_the_present_moment_what_is_asked_for_is_said(request_, text):
    now = {"date": "2026-11-28", "time": "08:15:26", "weekday": "Saturday", "week": "2026-W48"}
    assert say_result("now", {**now, "zone": "America/Lima, -05 (UTC-05:00)"}, request_) == text
