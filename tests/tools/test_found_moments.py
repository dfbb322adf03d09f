"""The dates and clock times that a text names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.tools.found_moments import NamedMoment, find_moments


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("at 14:35", 2 * 60 + 35),
        ("at 2:35 pm", 2 * 60 + 35),
        ("um 7 Uhr", 7 * 60),
        ("um 9.48 Uhr", 9 * 60 + 48),
        ("um drei Uhr", 3 * 60),
        ("at 5 o'clock", 5 * 60),
        ("half past seven", 7 * 60 + 30),
        ("a quarter to 3", 2 * 60 + 45),
        ("20 minutes past six", 6 * 60 + 20),
        ("ten past 7", 7 * 60 + 10),
        ("halb acht", 7 * 60 + 30),
        ("dreiviertel neun", 8 * 60 + 45),
        ("viertel nach eins", 60 + 15),
        ("fünf vor zwölf", 11 * 60 + 55),
        ("at noon", 0),
        ("um Mitternacht", 0),
    ],
)
def test_clock_times_are_found_in_digits_and_words(text, minutes):
    assert [(each.clock, each.day) for each in find_moments(text)] == [(minutes, None)]


@pytest.mark.parametrize(
    ("text", "day", "year"),
    [
        ("on 24 May 2026", (5, 24), 2026),
        ("on May 24", (5, 24), None),
        ("am 3. Oktober", (10, 3), None),
        ("2026-05-24", (5, 24), 2026),
        ("at Christmas", (12, 25), None),
    ],
)
def test_dates_are_found_with_and_without_their_year(text, day, year):
    assert [(each.day, each.year) for each in find_moments(text)] == [(day, year)]


def test_a_date_and_a_time_are_two():
    assert [each.text for each in find_moments("2026-05-03 14:00")] == ["2026-05-03", "14:00"]


@pytest.mark.parametrize(
    "text",
    ["tomorrow", "on Friday", "Ostern", "for 5 to 6 people", "5 minutes", "half of it", "32 May 2026", "25:70", ""],
)
def test_what_depends_on_the_year_or_is_no_moment_is_not_found(text):
    assert find_moments(text) == []


def test_a_date_without_a_year_is_like_that_of_any_year_and_a_time_like_that_of_the_other_half_day():
    [dated], [open_], [other] = find_moments("24 May 2026"), find_moments("May 24"), find_moments("24 May 2027")
    assert dated.is_like(open_)
    assert open_.is_like(other)
    assert not dated.is_like(other)
    [late], [either] = find_moments("17:00"), find_moments("at 5:00")
    assert late.is_like(either)
    assert not late.is_like(dated)


@given(st.text())
def test_any_text_is_searched_and_never_fails(text):
    assert all(isinstance(each, NamedMoment) for each in find_moments(text))
