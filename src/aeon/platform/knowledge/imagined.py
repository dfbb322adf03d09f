"""Finds the sentences of a text that tell, play or imagine something, or that a model is to work on. Pure.

Nothing in them is the user's own statement, however it is put (platform 36).
"""

from collections.abc import Sequence

from aeon.platform.knowledge.sentence_words import (
    CORRECTING,
    FICTION,
    IMAGINED,
    POINTED_AT,
    REQUEST,
    REWRITING,
    ROLE,
    TEXT,
    TOLD,
)


def imagined_starts(text: str, sentences: Sequence[tuple[int, int]]) -> set[int]:
    """Returns where those of the sentences begin that state nothing of the user; each is a start and an end.

    A role, a tale and a text go on to the end, what is imagined to the end of its line. A request to translate or to
    summarize makes a text of all the others.
    """
    found: set[int] = set()
    until = 0
    for place, (start, end) in enumerate(sentences):
        words = text[start:end]
        if _is_work_on_text(words):
            return {start for start, _ in sentences}
        if TOLD.match(words) or (ROLE.match(words) and _is_role(words, is_first=place == 0)):
            until = len(text)
        elif (IMAGINED.match(words) and not words.endswith("!")) or FICTION.search(words):
            until = max(until, _line_end(text, end))
        if start < until:
            found.add(start)
    return found


def _is_work_on_text(words: str) -> bool:
    """Whether a sentence asks to translate, summarize or correct a text that the message has."""
    if not REQUEST.match(words):
        return False
    has_text = TEXT.search(words) is not None
    is_meant = has_text or POINTED_AT.search(words) is not None
    return (is_meant and REWRITING.search(words) is not None) or (has_text and CORRECTING.search(words) is not None)


def _is_role(words: str, *, is_first: bool) -> bool:
    """Whether a sentence that says who the model is gives it a role; "You are a star!" does not."""
    return is_first and not words.endswith("!")


def _line_end(text: str, place: int) -> int:
    found = text.find("\n", place)
    return len(text) if found < 0 else found
