"""Every rule of `docs/rules.md` that is built is named by a test that proves it, and every cited rule is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RULES = (ROOT / "docs" / "rules.md").read_text("utf-8")
CITED = re.compile(r"(?i)(?<![a-z])(core|skills|platform)[ _](\d+(?:(?:, | and |; | to |-)\d+)*)")
"""A chapter with its rules: "skills 4, 12 and 13", "skills 1-3", "skills 3 to 6", "platform 3-5, 19"."""


def expanded(listed: str) -> set[int]:
    """The rules of a list. A range counts from its first to its last rule, and every other number for itself."""
    rules: set[int] = set()
    for part in re.split(r", | and |; ", listed):
        first, *last = (int(number) for number in re.split(r" to |-", part))
        rules.update(range(first, (last or [first])[0] + 1))
    return rules


def in_document(*, is_built: bool) -> dict[str, set[int]]:
    rules: dict[str, set[int]] = {"core": set(), "skills": set(), "platform": set()}
    for chapter, listed, text in re.findall(r"^\| (core|skills|platform) ([\d-]+) \| (.*) \|$", RULES, re.MULTILINE):
        if not (is_built and text.startswith("(not built)")):
            rules[chapter] |= expanded(listed)
    return rules


def cited_in(folder: Path) -> dict[str, set[int]]:
    rules: dict[str, set[int]] = {"core": set(), "skills": set(), "platform": set()}
    for path in folder.rglob("*.py"):
        if path != Path(__file__):
            for chapter, listed in CITED.findall(path.read_text("utf-8")):
                rules[chapter.lower()] |= expanded(listed)
    return rules


@pytest.mark.parametrize(
    ("listed", "rules"),
    [
        ("4", {4}),
        ("3-5, 19", {3, 4, 5, 19}),
        ("2, 4, 8-10, 20", {2, 4, 8, 9, 10, 20}),
        ("3 to 6 and 9", {3, 4, 5, 6, 9}),
    ],
)
def test_a_list_of_rules_is_read_part_by_part(listed, rules):
    assert expanded(listed) == rules


@pytest.mark.parametrize("chapter", ["core", "skills", "platform"])
def test_tests_name_every_rule_that_is_built(chapter):
    assert in_document(is_built=True)[chapter] - cited_in(ROOT / "tests")[chapter] == set()


@pytest.mark.parametrize("chapter", ["core", "skills", "platform"])
def test_every_rule_that_the_code_cites_is_in_the_document(chapter):
    cited = cited_in(ROOT / "src")[chapter]
    assert cited
    assert cited - in_document(is_built=False)[chapter] == set()


def test_every_requirement_that_is_cited_is_in_the_document():
    known = set()
    for first, last in re.findall(r"(?:FR|SC)-(\d{3})(?: to FR-(\d{3}))?", RULES):
        known.update(range(int(first), int(last or first) + 1))
    cited = {
        int(number)
        for path in (ROOT / "src").rglob("*.py")
        for number in re.findall(r"(?:FR|SC)-(\d{3})", path.read_text("utf-8"))
    }
    assert cited - known == set()
