"""The passages of a path that the search ranks: messages with their neighbours, and parts of long ones. Pure.

A short message says little without what stands around it ("Yes, in Lisbon."), so its passage also has the words of up
to two messages before and after it, as far as all of them stay short. Only messages of one path are neighbours, so no
passage has a word of another branch (platform 35).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from aeon.platform.knowledge.parts import TextSpan, split_text
from aeon.platform.knowledge.stems import stem_of
from aeon.platform.knowledge.time_words import Period, find_periods, has_relative_words, has_time_words
from aeon.platform.search.message_words import message_words

NEIGHBOURS: Final = 2
"""How many messages before and after one belong to its passage at most."""

_MAX_WORDS: Final = 160
"""The most words of a message and its neighbours."""

_PART_WORDS: Final = 120
"""The most words of a part of a longer message."""

_OWN_WEIGHT: Final = 2
"""How much more than a neighbour's a word of the message itself counts."""

_MAX_TIMED: Final = 2_000
"""The number of characters of a part in which days are looked for."""


class EpisodeText(NamedTuple):
    """A text: a message or an answer of a conversation, or a note, which is in no conversation.

    `id` is that of the alternative, or of the note's episode. `at` is when it was written.
    """

    id: str
    conversation: str
    alternative: str | None
    speaker: str
    at: str
    content: str


class IndexedPassage(NamedTuple):
    """A message, or `part` of a long one, as the search ranks it.

    `weight` grows with the logarithm of its words. `days` are those that it speaks of.
    """

    message: str
    conversation: str
    alternative: str | None
    speaker: str
    at: str
    part: TextSpan
    weight: float
    is_question: bool
    tells_time: bool
    days: tuple[Period, ...]

    @property
    def said(self) -> Period:
        """The day on which it was written."""
        return said_on(self.at)


class PassageStems(NamedTuple):
    """A passage, and how often each stem occurs: in the passage alone, and in it with its neighbours."""

    passage: IndexedPassage
    own: Mapping[str, int]
    wide: Mapping[str, int]


def said_on(at: str) -> Period:
    """Return the day of an instant, as a period."""
    day = date.fromisoformat(at[:10])
    return Period(day, day)


class MessageWords(NamedTuple):
    """The words of a message, by its parts, and how many they are."""

    message: EpisodeText
    parts: list[tuple[TextSpan, list[str]]]
    size: int


def read_words(message: EpisodeText) -> MessageWords:
    """Return the words of a message, split into parts if it is long."""
    words = list(message_words(message.content))
    if len(words) <= _PART_WORDS:
        return MessageWords(message, [(TextSpan(0, len(message.content)), words)], len(words))
    parts = split_text(message.content, lambda text: sum(1 for _ in message_words(text)), _PART_WORDS)
    return MessageWords(message, [(part, list(message_words(part.of(message.content)))) for part in parts], len(words))


def passages_of(path: Sequence[MessageWords], at: int) -> list[PassageStems]:
    """Return the passages of the message at a place of a path."""
    spoken = path[at]
    around = _stems([word for near in _neighbours(path, at) for _, words in path[near].parts for word in words])
    return [_passage(spoken.message, part, words, around) for part, words in spoken.parts]


def _neighbours(path: Sequence[MessageWords], at: int) -> list[int]:
    """Return the places of a message's neighbours, the nearest first, until the next one of a side is too long."""
    found: list[int] = []
    size, sides = path[at].size, [-1, 1]
    for distance in range(1, NEIGHBOURS + 1):
        for side in list(sides):
            near = at + side * distance
            if 0 <= near < len(path) and size + path[near].size <= _MAX_WORDS:
                found.append(near)
                size += path[near].size
            else:
                sides.remove(side)
    return found


def _passage(message: EpisodeText, part: TextSpan, words: Sequence[str], around: Mapping[str, int]) -> PassageStems:
    text = part.of(message.content)
    distinct = set(words)
    days = find_periods(text[:_MAX_TIMED], said_on(message.at).first) if has_time_words(distinct) else []
    own, wide = _stems(words), Counter(around)
    for stem, count in own.items():
        wide[stem] += _OWN_WEIGHT * count
    passage = IndexedPassage(
        *message[:-1],
        part,
        math.log(3 + len(words)),
        text.rstrip().endswith(("?", "\uff1f")),
        bool(days) or has_relative_words(distinct),
        tuple(days),
    )
    return PassageStems(passage, own, wide)


def _stems(words: Sequence[str]) -> Counter[str]:
    return Counter(map(stem_of, words))
