"""The days that a text speaks of, in three languages."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.knowledge.time_words import Period, asks_for_time, find_periods, has_time_words
from aeon.platform.search.message_words import message_words

TODAY = date(2026, 11, 25)  # a Wednesday


def days(text, today=TODAY):
    return [f"{period.first}..{period.last}" for period in find_periods(text, today)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Mara say last May?", "2026-05-01..2026-05-31"),
        ("last November", "2025-11-01..2025-11-30"),
        ("in November", "2026-11-01..2026-11-30"),
        ("in December", "2025-12-01..2025-12-31"),
        ("yesterday", "2026-11-24..2026-11-24"),
        ("In March 2025 we met.", "2025-03-01..2025-03-31"),
        ("February 2024", "2024-02-01..2024-02-29"),
        ("last week", "2026-11-16..2026-11-22"),
        ("last month", "2026-10-01..2026-10-31"),
        ("last year", "2025-01-01..2025-12-31"),
        ("last weekend", "2026-11-21..2026-11-22"),
        ("this week", "2026-11-23..2026-11-29"),
        ("this month", "2026-11-01..2026-11-30"),
        ("on Monday", "2026-11-23..2026-11-23"),
        ("last Wednesday", "2026-11-18..2026-11-18"),
        ("two weeks ago", "2026-11-08..2026-11-14"),
        ("11 months ago", "2025-12-01..2025-12-31"),
        ("7 May 2023", "2023-05-07..2023-05-07"),
        ("May 7th, 2023", "2023-05-07..2023-05-07"),
        ("on the 26th of November", "2025-11-26..2025-11-26"),
        ("2023-05-07", "2023-05-07..2023-05-07"),
        ("in 2023", "2023-01-01..2023-12-31"),
        ("in may", "2026-05-01..2026-05-31"),
        ("letzten Mai", "2026-05-01..2026-05-31"),
        ("gestern", "2026-11-24..2026-11-24"),
        ("vorgestern", "2026-11-23..2026-11-23"),
        ("im März 2025", "2025-03-01..2025-03-31"),
        ("letzte Woche", "2026-11-16..2026-11-22"),
        ("voriges Jahr", "2025-01-01..2025-12-31"),
        ("vor drei Tagen", "2026-11-22..2026-11-22"),
        ("vor einem Jahr", "2025-01-01..2025-12-31"),
        ("am Freitag", "2026-11-20..2026-11-20"),
        ("7. Mai 2023", "2023-05-07..2023-05-07"),
        ("1.5.2024", "2024-05-01..2024-05-01"),
        ("le mois dernier", "2026-10-01..2026-10-31"),
        ("la semaine dernière", "2026-11-16..2026-11-22"),
        ("l'année dernière", "2025-01-01..2025-12-31"),
        ("mai dernier", "2026-05-01..2026-05-31"),
        ("lundi dernier", "2026-11-23..2026-11-23"),
        ("il y a 3 jours", "2026-11-22..2026-11-22"),
        ("Qu'est-ce que j'ai dit hier ?", "2026-11-24..2026-11-24"),
        ("le 7 mai 2023", "2023-05-07..2023-05-07"),
        ("en août 2024", "2024-08-01..2024-08-31"),
    ],
)
def test_words_and_dates_mean_days_that_are_over(text, expected):
    assert days(text) == [expected]
    assert has_time_words(set(message_words(text))), "texts without such words are not read"


@pytest.mark.parametrize(
    "text",
    [
        "May I ask?",
        "He may go.",
        "March on!",
        "Was haben wir hier gesagt?",
        "3 of 5",
        "2023-02-30",
        "version 1.2.3",
        "",
        "??",
    ],
)
def test_other_words_mean_no_days(text):
    assert days(text) == []


def test_several_expressions_are_several_periods_each_once():
    assert days("In March 2025, in April 2025, and in March 2025") == [
        "2025-03-01..2025-03-31",
        "2025-04-01..2025-04-30",
    ]


@pytest.mark.parametrize("text", ["When did we meet?", "How long is it?", "Wann war das?", "Seit wann?", "Quand ?"])
def test_some_questions_ask_for_a_time(text):
    assert asks_for_time(text)


def test_others_do_not():
    assert not asks_for_time("Who was there when we met?")


@given(st.text(max_size=200), st.dates())
def test_any_text_on_any_day_has_periods_that_begin_before_they_end(text, today):
    assert all(period.first <= period.last for period in find_periods(text, today))


@given(
    st.sampled_from(["last", "this", "in", "7", "two", "vor", "il y a", "le"]),
    st.sampled_from(["May", "Mai", "December", "week", "months ago", "year", "Tagen", "Monday", "jours", "9999"]),
    st.dates(),
)
def test_expressions_are_no_error_at_the_ends_of_the_calendar(before, word, today):
    assert all(isinstance(period, Period) for period in find_periods(f"{before} {word}", today))


def test_periods_overlap_if_they_have_a_day_in_common():
    may, day = Period(date(2026, 5, 1), date(2026, 5, 31)), Period(date(2026, 5, 31), date(2026, 6, 2))
    assert may.overlaps(day)
    assert day.overlaps(may)
    assert not may.overlaps(Period(date(2026, 6, 1), date(2026, 6, 2)))
