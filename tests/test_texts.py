"""What Aeon says: its messages are a fixture, and the words of the house's own dialect stay out (style.md 19 to 21)."""

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_SPEC = importlib.util.spec_from_file_location("list_texts", ROOT / "docs" / "list_texts.py")
texts = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(texts)

DIALECT = {
    "whoever": r"\b[Ww]h(?:o|om)ever\b",
    "carry out": r"\bcarr(?:y|ies|ied|ying) (?:[a-z]+ ){0,3}out\b",
    "he, his, him": r"\b(?:he|his|him|himself)\b",
    "comes to": r"\b(?:comes?|came) to\b",
    "Twice is once": r"[Tt]wice is once",
    "have X done": r": Have [a-z]",
}


@cache
def all_texts():
    return (*texts.docstrings(), *texts.messages())


def test_the_messages_are_those_that_were_reviewed():
    """After a change of words: `python docs/list_texts.py messages --write`, and look at the difference."""
    assert (ROOT / "tests" / "messages.txt").read_text("utf-8").splitlines() == list(texts.messages())


@pytest.mark.parametrize("phrase", DIALECT)
def test_docstrings_and_messages_are_plain_english(phrase):
    pattern = re.compile(DIALECT[phrase])
    assert [line for line in all_texts() if pattern.search(line)] == []


def test_first_lines_of_docstrings_are_short():
    long = [line for line in texts.docstrings() if len(line.split(": ", 2)[-1]) > 118]
    assert long == []
