"""Checks what a model returns as a summary, and makes one of first sentences where it cannot be used. Pure."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

LONGEST_SHARE: Final = 0.6
"""The most that a summary has of the length of its source."""

_ECHO: Final = 8
"""As many words in a row from the instructions show that they were repeated."""

_WORD: Final = re.compile(r"\w+")
_NAME: Final = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z][\w'\u2019-]+")
_NUMBER: Final = re.compile(r"\d+")
_CAPITALISED: Final = re.compile(r"[^\W\d_][\w'\u2019-]+")
_SENTENCE: Final = re.compile("[^.!?\u2026\u3002\uff01\uff1f\n]+[.!?\u2026\u3002\uff01\uff1f]*")
_LEAST_CUT: Final = 12
"""Characters of a sentence that are kept at least."""


class SourceText(NamedTuple):
    """One source of a summary: a message, an answer, or a lower summary, whose speaker is empty."""

    speaker: str
    text: str


def fault_of(summary: str, source: str, instructions: str) -> str | None:
    """Returns why a summary of a source cannot be used; None if it can.

    `instructions` are those of the model. A name is a word with a capital letter inside a sentence.
    """
    text = summary.strip()
    if not any(each.isalnum() for each in text):
        return "it is empty"
    if len(text) > LONGEST_SHARE * len(source):
        return f"it has more than {LONGEST_SHARE:.0%} of the length of its source"
    if repeats(text, instructions):
        return "it repeats the instructions"
    wanted = _names_and_numbers(source)
    if wanted and not wanted & _words(text):
        return "it keeps no name and no number of its source"
    return None


def repeats(text: str, instructions: str) -> bool:
    """Returns whether a text has eight words in a row from the instructions."""
    return bool(_rows_of_words(text) & _rows_of_words(instructions))


def extract(parts: Sequence[SourceText], size: float) -> str:
    """Returns the first sentences of parts that fit a number of characters, in order, each with its speaker.

    Those with a name or a number come first. If not one fits, it is the beginning of the first.
    """
    sentences = [(each.speaker, found[0].strip()) for each in parts if (found := _SENTENCE.search(each.text.strip()))]
    lines = [f"{speaker}: {text}" if speaker else text for speaker, text in sentences if text]
    chosen: set[int] = set()
    for place in sorted(range(len(lines)), key=lambda place: (not _names_and_numbers(lines[place]), place)):
        if len(lines[place]) < size:
            chosen.add(place)
            size -= len(lines[place]) + 1
    if not chosen:
        return _cut(lines[0], max(_LEAST_CUT, int(size))) if lines else ""
    return "\n".join(lines[place] for place in sorted(chosen))


def _cut(line: str, room: int) -> str:
    words = line[: room - 3].rpartition(" ")[0] or line[: room - 3]
    return f"{words}..."


def _rows_of_words(text: str) -> set[tuple[str, ...]]:
    words = [each.casefold() for each in _WORD.findall(text)]
    return {tuple(words[first : first + _ECHO]) for first in range(len(words) - _ECHO + 1)}


def _names_and_numbers(text: str) -> set[str]:
    return {each.casefold() for each in (*_NAME.findall(text), *_NUMBER.findall(text))}


def _words(text: str) -> set[str]:
    return {each.casefold() for each in (*_CAPITALISED.findall(text), *_NUMBER.findall(text))}
