"""The order of what a search found: BM25 for words, and likeness for names. Pure."""

import math
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

SIMILARITY_THRESHOLD: Final = 0.6
"""From here on two names are alike; 1 is equal."""

_NAME_WEIGHT: Final = 3
"""How many times a word of the name counts."""

_BEGUN_WEIGHT: Final = 0.5
"""How much of a word counts that only begins as asked."""

_OTHER_WORDS: Final = 0.05
"""How much less alike a name is for other words in it, at most."""

_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75
"""BM25's k1 and b."""


class SearchDocument(NamedTuple):
    """A thing's words."""

    name: Sequence[str]
    body: Sequence[str]


def score_bm25(asked: Sequence[str], documents: Sequence[SearchDocument]) -> list[float]:
    """The score of each document for distinct words, of which the last may be the beginning of one.

    How rare a word is, is counted among these documents.
    """
    bags = [_bag(document) for document in documents]
    lengths = [sum(bag.values()) for bag in bags]
    average = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = [0.0] * len(bags)
    for word in asked:
        counts = [_count(bag, word, may_go_on=word == asked[-1]) for bag in bags]
        rarity = _rarity(sum(count > 0 for count in counts), len(bags))
        for at, count in enumerate(counts):
            norm = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * lengths[at] / average)
            scores[at] += rarity * count * (_SATURATION + 1) / (count + norm)
    return scores


def name_similarity(asked: Sequence[str], name: Sequence[str]) -> float:
    """How alike words and a name are, from 0 to 1: word by word or as a whole, whichever is more.

    Of two names with the same words alike, the one with fewer others is slightly more so.
    """
    if not asked or not name:
        return 0.0
    whole = _ratio(" ".join(asked), " ".join(name))
    by_word = sum(max(_ratio(word, each) for each in name) for word in asked) / len(asked)
    return max(whole, by_word - _OTHER_WORDS * (1 - len(asked) / max(len(asked), len(name))))


def _bag(document: SearchDocument) -> Counter[str]:
    bag = Counter(document.body)
    for word in document.name:
        bag[word] += _NAME_WEIGHT
    return bag


def _count(bag: Counter[str], word: str, *, may_go_on: bool) -> float:
    """How often a document has a word; Counter returns 0 for what it does not hold."""
    exact = bag[word]
    if not may_go_on:
        return exact
    begun = sum(count for each, count in bag.items() if each.startswith(word) and each != word)
    return exact + _BEGUN_WEIGHT * begun


def _rarity(having: int, among: int) -> float:
    return math.log(1 + (among - having + 0.5) / (having + 0.5))


def _ratio(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < SIMILARITY_THRESHOLD:
        return 0.0
    return matcher.ratio()
