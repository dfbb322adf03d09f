"""A text that goes round in circles is seen early, and one that only looks like it is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.llm.adapters.repetition import RepetitionWatch

ITEM = "**Kriminalunterstützung**: Die Unterstützung kann die Schluckaufersuche kontrollieren und beheben.\n\n"
LINE = "I must not talk in class.\n"
PLAN = "Day {n}: warm up for 10 minutes, run {n} km at an easy pace, then stretch for 10 minutes.\n"

WORDS = st.characters(exclude_categories=["Nd", "Cs"])
"""All but digits: a number at the beginning of a line may be that of an item."""


def seen_after(text, asked="Was hilft gegen Schluckauf?", size=4):
    """How many characters of a text came before it was seen to go round in circles; None if it was not."""
    watch = RepetitionWatch(asked)
    for end in range(size, len(text) + size, size):
        if watch.sees_loop(text[end - size : end]):
            return end
    return None


def test_a_passage_that_comes_again_and_again_is_seen_when_it_has_come_four_times():
    start = "Here are some examples:\n\n"
    found = seen_after(start + ITEM * 20)
    assert found is not None
    assert len(start) + 4 * len(ITEM) <= found <= len(start) + 5 * len(ITEM)


def test_the_numbers_of_a_list_make_no_difference():
    found = seen_after("".join(f"{number}. {ITEM}" for number in range(1, 40)))
    assert found is not None
    assert found < 8 * len(ITEM)


@pytest.mark.parametrize(
    "text",
    [
        LINE * 40,
        "".join(PLAN.format(n=number) for number in range(1, 15)),
        ITEM * 3,
        "".join(f"{number}. {ITEM}" for number in range(1, 4)) + "That is all that can be said about it. " + ITEM,
        "| a | b |\n" * 60,
        "-" * 59,
        "",
    ],
)
def test_what_people_ask_for_is_not_seen_as_a_loop(text):
    assert seen_after(text) is None


def test_a_passage_of_the_request_may_be_repeated():
    assert seen_after(ITEM * 20, asked=f"Write this 20 times: {ITEM}") is None


@given(st.text(WORDS, min_size=60, max_size=590), st.text(WORDS, max_size=3_000), st.integers(1, 50))
def test_every_loop_is_seen_before_a_passage_has_come_six_times(passage, before, size):
    loop = passage + ".\n"
    found = seen_after(before + "\n" + loop * 8, asked="", size=size)
    assert found is not None or _has_short_period(loop)


def _has_short_period(text):
    """A passage that is itself a shorter one, again and again."""
    twice = text + text
    return twice.index(text, 1) < 60
