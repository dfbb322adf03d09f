"""Every rule of "Platform" that is implemented is named by a test that proves it."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RULES = (1, 2, 3, 4, 5, 19, 20)


@pytest.fixture(scope="module")
def named() -> set[int]:
    """The rules that tests name: "platform 2, 3 and 19" and "platform 3-5" name each that they list."""
    rooms = [*(TESTS / "platform").rglob("*.py"), *(TESTS / "adapters").rglob("*.py")]
    said = "\n".join(path.read_text("utf-8") for path in rooms)
    rules: set[int] = set()
    for listed in re.findall(r"[Pp]latform (\d+(?:(?:, | and |; | to |-)\d+)*)", said):
        numbers = [int(number) for number in re.findall(r"\d+", listed)]
        is_range = " to " in listed or "-" in listed
        rules.update(range(numbers[0], numbers[-1] + 1) if is_range else numbers)
    return rules


@pytest.mark.parametrize("rule", RULES)
def test_a_test_names_the_rule(named, rule):
    assert rule in named, f"no test names the rule platform {rule}"
