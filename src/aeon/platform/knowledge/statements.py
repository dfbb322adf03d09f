"""Takes the statements out of what a user wrote, word for word, by code: the extractor for weak models. Pure.

A small model turns a third of what it reads into wrong facts; a user's own sentence is right as long as it states
something. So questions, quotes, requests, what is only imagined and what is uncertain are left out (decision 68).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.composed import compose_in_place
from aeon.platform.knowledge.foreign_words import is_foreign
from aeon.platform.knowledge.imagined import imagined_starts
from aeon.platform.knowledge.model import name_key
from aeon.platform.knowledge.names import distinct_names, find_names
from aeon.platform.knowledge.readings import WordCases
from aeon.platform.knowledge.sentence_words import (
    ASKED,
    CORRECTS,
    CORRECTS_EARLIER,
    DENIED,
    FEELING,
    FIRST_PERSON,
    GOES_ON,
    MAY_CORRECT,
    MEANS,
    OPINION,
    PRESUMED,
    REQUEST,
    RETRACTION,
    UNCERTAIN,
    WISHED,
)
from aeon.platform.search.message_words import composed

_LONGEST: Final = 400
_BEFORE_DOT: Final = 16
"""Characters before a dot in which an abbreviation stands, with what comes before it."""
_FEWEST_WORDS: Final = 3
_FEWEST_CRIED: Final = 5
"""Words of an exclamation that states something."""


_ABBREVIATION: Final = LazyPattern(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|etc|approx|No|Nr|Str|bzw|ca|inkl|usw|vgl|evtl|Mme|Mlle|M|Tel|Fr|Hr)|"
    r"\b(?:e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|p\.\s?ex|a\.m|p\.m)|\b\d{1,4}|\b[A-Z])$"
)
_END: Final = LazyPattern(r"[.!?\u2026\u3002\uff01\uff1f]+[)\"'\u201c\u201d\u00bb\u2019]*(?=\s|$)|\n+")
_CODE: Final = LazyPattern(r"```.*?(?:```|\Z)", re.DOTALL)
_MARK: Final = LazyPattern(r"^\s*(?:[-*\u2022]\s+|\d+[.)]\s+|#+\s+|\u00bb\s+)")
_QUOTATION: Final = LazyPattern(
    "\u00ab[^\u00ab\u00bb]*\u00bb|\u00bb[^\u00ab\u00bb]*\u00ab|\u201c[^\u201c\u201d]*\u201d|\u201e[^\u201c\u201e]*\u201c"
    r'|(?<!\w)"[^"\n]*"(?!\w)'
)
"""What stands between quotation marks of one kind."""

_QUOTED_LINE: Final = LazyPattern(r"[ \t]*>")
_OPENING: Final = ('"', "\u201c", "\u201e", "\u00ab", "\u201a", "'")
_QUOTING: Final = LazyPattern(
    r"[\"\u201c\u201e\u00ab\u00bb][^\"\u201c\u201d\u201e\u00ab\u00bb]{12,}(?:[\"\u201c\u201d\u00bb\u00ab]|$)"
)
"""A quote within a sentence, which may end after it."""


class StatedSpan(NamedTuple):
    """A part of a text that states something: its first and its last character, which is not included."""

    start: int
    end: int


class Statement(NamedTuple):
    """What a user states, word for word, and the names in it in the order in which they stand.

    Without names it is about the user.
    """

    text: str
    names: list[str]


def find_statements(text: str, cases: WordCases | None = None) -> list[Statement]:
    """Returns the statements of a text in English, German or French, with composed letters, each once, in order."""
    text = composed(text)
    names = distinct_names(find_names(text, cases))
    found: dict[str, Statement] = {}
    for span in stating_spans(text):
        stated = _statement(" ".join(text[span.start : span.end].split()), names)
        if stated is not None and not is_foreign(stated.text):
            found.setdefault(name_key(stated.text), stated)
    return list(found.values())


def stating_spans(text: str) -> list[StatedSpan]:
    """Returns the parts of a text that state something: sentences, each with those that go on about the same.

    A correction goes with what it corrects; neither is there if both are too long.
    """
    read, places = compose_in_place(text)
    return [StatedSpan(places[start], places[end]) for start, end in _stating_spans(read)]


def _stating_spans(text: str) -> list[StatedSpan]:
    """Return the spans of a text with composed letters."""
    found: list[StatedSpan] = []
    last_end = -1
    awaits_correction = False
    sentences = [*_sentences(text)]
    spans = [_without_marks(text, each) for each in sentences]
    imagined = imagined_starts(text, spans)
    quotations = [each.span() for each in _QUOTATION.finditer(text)]
    for sentence, span in zip(sentences, spans, strict=True):
        words = text[span.start : span.end]
        is_own = span.start not in imagined and not _is_quoted(text, span.start, quotations)
        states = is_own and _states_something(words)
        follows = bool(found) and not text[last_end : sentence.start].strip()
        corrects = is_own and (_corrects(words, states=states) or (awaits_correction and bool(words)))
        goes_on = GOES_ON.match(words) is not None
        awaits_correction = follows and corrects and RETRACTION.fullmatch(words) is not None
        if follows and (corrects or (states and goes_on)):
            if sentence.end - found[-1].start <= _LONGEST:
                found[-1] = StatedSpan(found[-1].start, span.end)
                last_end = sentence.end
            elif corrects:
                found.pop()
        elif states and not goes_on and not (corrects and MEANS.search(words)):
            found.append(span)
            last_end = sentence.end
    return found


def takes_back(text: str) -> bool:
    """Whether a message begins by correcting what the user's message before it states."""
    return CORRECTS_EARLIER.match(text) is not None


def _corrects(words: str, *, states: bool) -> bool:
    """Whether a sentence takes back something of the one before."""
    return CORRECTS.match(words) is not None or (states and MAY_CORRECT.match(words) is not None)


def _sentences(text: str) -> Iterator[StatedSpan]:
    """Yield the sentences of a text, without code; a line is one at least. Abbreviations and ordinals end none."""
    plain = _CODE.sub(lambda code: "\n" * len(code[0]), text)
    start = 0
    for found in _END.finditer(plain):
        if found[0].startswith(".") and _ABBREVIATION.search(
            plain[max(start, found.start() - _BEFORE_DOT) : found.start()]
        ):
            continue
        yield StatedSpan(start, found.start() if found[0].startswith("\n") else found.end())
        start = found.end()
    yield StatedSpan(start, len(plain))


def _without_marks(text: str, sentence: StatedSpan) -> StatedSpan:
    """Return a sentence without blanks around it, and without a mark of a list, a heading or a quote before it."""
    words = text[sentence.start : sentence.end]
    mark = _MARK.match(words)
    start = sentence.start + (mark.end() if mark else len(words) - len(words.lstrip()))
    return StatedSpan(start, max(start, sentence.start + len(words.rstrip())))


def _statement(text: str, names: Sequence[str]) -> Statement | None:
    """Return what a part that states something says of whom; None if it names nobody and is not about the user."""
    inside = sorted((place, name) for name in names if (place := _place_of(name, text)) >= 0)
    if inside:
        return Statement(text, [name for _, name in inside])
    is_own = FIRST_PERSON.match(text) is not None and OPINION.match(text) is None
    return Statement(text, []) if is_own else None


def _is_quoted(text: str, start: int, quotations: Sequence[tuple[int, int]]) -> bool:
    """Whether a place stands in a line that quotes, or in a quotation of several sentences."""
    if _QUOTED_LINE.match(text, text.rfind("\n", 0, start) + 1) is not None:
        return True
    return any(begin < start < end for begin, end in quotations)


def _states_something(text: str) -> bool:
    """Whether a sentence is neither a question nor a quote, a request, a heading, imagined or uncertain."""
    if len(text) > _LONGEST or len(text.split()) < _FEWEST_WORDS:
        return False
    if text.rstrip(")\"'\u201d\u00bb ").endswith(("?", "\uff1f", ":")) or text.startswith(_OPENING):
        return False
    if text.endswith("!") and len(text.split()) < _FEWEST_CRIED:
        return False
    if REQUEST.match(text) or ASKED.search(text) or WISHED.match(text):
        return False
    return not (_is_presumed(text) or UNCERTAIN.search(text) or DENIED.search(text) or _QUOTING.search(text))


def _is_presumed(text: str) -> bool:
    return PRESUMED.search(text) is not None and FEELING.search(text) is None


def _place_of(name: str, text: str) -> int:
    """Return where a name stands in a text as words of its own; -1 if it does not."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?:['\u2019]?s)?(?!\w)", text)
    return -1 if found is None else found.start()
