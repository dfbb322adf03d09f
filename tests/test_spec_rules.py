"""Every implemented rule of the chapters "Skill scripts" and "Platform" is named by a test that proves it."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CHAPTERS = {
    "skills": (range(1, 14), ("skills", "cli/skills")),
    "platform": ((1, 2, 3, 4, 5, 19, 20), ("platform", "adapters")),
}
"""The rules that must be named, and the rooms whose tests name them. Platform 6 to 18 are not built yet."""


def named(chapter: str, rooms: tuple[str, ...]) -> set[int]:
    """The rules that tests name: "skills 4, 12 and 13", "skills 1-3" and "skills 3 to 6" name each that they list."""
    said = "\n".join(path.read_text("utf-8") for room in rooms for path in (TESTS / room).rglob("*.py"))
    rules: set[int] = set()
    for listed in re.findall(rf"(?i){chapter} (\d+(?:(?:, | and |; | to |-)\d+)*)", said):
        numbers = [int(number) for number in re.findall(r"\d+", listed)]
        is_range = " to " in listed or "-" in listed
        rules.update(range(numbers[0], numbers[-1] + 1) if is_range else numbers)
    return rules


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_tests_name_every_rule(chapter):
    rules, rooms = CHAPTERS[chapter]
    assert set(rules) - named(chapter, rooms) == set()
