"""Every rule of "Skill scripts" is named by a test that proves it."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RULES = range(1, 14)


@pytest.fixture(scope="module")
def named() -> set[int]:
    """The rules that tests name: "skills 4, 12 and 13", "skills 1-3" and "skills 3 to 6" name each that they list."""
    rooms = [*(TESTS / "skills").rglob("*.py"), *(TESTS / "cli" / "skills").rglob("*.py")]
    said = "\n".join(path.read_text("utf-8") for path in rooms)
    rules: set[int] = set()
    for listed in re.findall(r"[Ss]kills (\d+(?:(?:, | and |; | to |-)\d+)*)", said):
        numbers = [int(number) for number in re.findall(r"\d+", listed)]
        is_range = " to " in listed or "-" in listed
        rules.update(range(numbers[0], numbers[-1] + 1) if is_range else numbers)
    return rules


@pytest.mark.parametrize("rule", RULES)
def test_a_test_names_the_rule(named, rule):
    assert rule in named, f"no test names the rule skills {rule}"
