"""The skill dice-roller, written in bash."""

import re
from collections import Counter

import pytest

pytestmark = pytest.mark.slow  # a process for each test


def roll(skills, notation=None, **config):
    return skills.run("dice-roller", "roll", {} if notation is None else {"notation": notation}, config)


@pytest.mark.parametrize(
    ("notation", "count", "sides", "modifier"),
    [("2d6", 2, 6, 0), ("d20", 1, 20, 0), ("100d1000", 100, 1000, 0), ("3d8-08", 3, 8, -8), ("1d2+9999", 1, 2, 9999)],
)
def test_rolls_what_the_notation_says(skills, notation, count, sides, modifier):
    dice = roll(skills, notation).output["dice"]
    assert dice["notation"] == notation
    assert len(dice["rolls"]) == count
    assert all(1 <= face <= sides for face in dice["rolls"])
    assert dice["modifier"] == modifier
    assert dice["total"] == sum(dice["rolls"]) + modifier


def test_two_dice_of_six_are_rolled_when_nothing_is_said(skills):
    assert roll(skills).output["dice"]["notation"] == "2d6"


def test_the_summary_and_the_ui_event_tell_the_roll_skills_2(skills):
    run = roll(skills, "2d6")
    first, second = run.output["dice"]["rolls"]
    assert run.summary == f"2d6: {first} + {second} = {first + second}"
    (event,) = run.of("ui_event")
    assert (event["event"], event["payload"]) == ("dice_rolled", run.output["dice"])
    assert [event["type"] for event in run.events] == ["log", "state_patch", "ui_event", "done"]


def test_a_summary_of_many_dice_does_not_list_them(skills):
    assert re.fullmatch(r"100d6: 100 dice, total \d+", roll(skills, "100d6").summary)
    assert re.fullmatch(r"d20: \d+", roll(skills, "d20").summary)
    assert re.fullmatch(r"1d4-1: \d - 1 = \d", roll(skills, "1d4-1").summary)


def test_a_seed_makes_rolls_repeatable(skills):
    rolls = [roll(skills, "20d6", seed=seed).output["dice"]["rolls"] for seed in (7, 7, 8, 0, 4294967295)]
    assert rolls[0] == rolls[1]
    assert len({tuple(each) for each in rolls}) == 4


def test_without_a_seed_they_are_not(skills):
    assert roll(skills, "100d1000").output != roll(skills, "100d1000").output


def test_every_face_is_about_as_frequent(skills):
    """Over 3,000 rolls from seeds, chi-squared of 10 faces stays far below what a favoured face would give."""
    faces = Counter(face for seed in range(30) for face in roll(skills, "100d10", seed=seed).output["dice"]["rolls"])
    assert sum((faces[face] - 300) ** 2 / 300 for face in range(1, 11)) < 30


def test_more_dice_than_the_configuration_allows_are_refused(skills):
    assert "11 dice are more than the 10 that maxDice allows" in roll(skills, "11d6", maxDice=10).error
    assert roll(skills, "10d6", maxDice=10).ok


@pytest.mark.parametrize(
    "notation", ["0d6", "101d6", "2d1", "2d1001", "2d6+", "6", "", "2d6; rm", '2d6"', "\\", "2d6\n", 7, None]
)
def test_what_is_no_notation_is_refused_without_being_repeated(skills, notation):
    run = skills.run_line("dice-roller", "roll", skills.line("dice-roller", "roll", {"notation": notation}))
    assert run.error.startswith("bad_notation: ")
    assert "2d6, d20 or 3d8-1" in run.error


def test_a_notation_inside_another_text_is_not_taken_for_the_input(skills):
    line = skills.line("dice-roller", "roll", {"notation": "1d4"}, request_id='{"notation":"100d1000"}')
    assert skills.run_line("dice-roller", "roll", line).output["dice"]["notation"] == "1d4"
