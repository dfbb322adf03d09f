"""Ranking of search results: BM25 for words, and similarity for names. Pure."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

SIMILARITY_THRESHOLD: Final = 0.6
"""Two names are similar from this value on; 1 means equal."""

_NAME_WEIGHT: Final = 3
"""The weight of a word in the name."""

_PREFIX_WEIGHT: Final = 0.5
"""The weight of a word that the query gives only a prefix of."""

_OTHER_WORDS_PENALTY: Final = 0.05
"""The maximum reduction of similarity for other words in a name."""

_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75
"""BM25's k1 and b."""


class SearchDocument(NamedTuple):
    """The words of a thing."""

    name: Sequence[str]
    body: Sequence[str]


def score_bm25(words: Sequence[str], documents: Sequence[SearchDocument]) -> list[float]:
    """Returns the score of each document for distinct words, the last of which may be a prefix.

    A word's rarity is computed among these documents.
    """
    bags = [_bag(document) for document in documents]
    lengths = [sum(bag.values()) for bag in bags]
    average = sum(lengths) / max(1, len(lengths)) or 1.0
    scores = [0.0] * len(bags)
    for word in words:
        counts = [_count(bag, word, is_prefix=word == words[-1]) for bag in bags]
        rarity = _rarity(sum(count > 0 for count in counts), len(bags))
        for at, count in enumerate(counts):
            norm = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * lengths[at] / average)
            scores[at] += rarity * count * (_SATURATION + 1) / (count + norm)
    return scores


def score_postings(
    words: Sequence[Mapping[int, float]], length_of: Callable[[int], int], total: int, average: float
) -> dict[int, float]:
    """Returns BM25 scores by document, for how often each word occurs in which documents.

    `total` and `average` are the number of all documents and their average length in words.
    """
    scores: dict[int, float] = {}
    for counts in words:
        rarity = _rarity(len(counts), total) * (_SATURATION + 1)
        plain, by_length = _SATURATION * (1 - _LENGTH_WEIGHT), _SATURATION * _LENGTH_WEIGHT / average
        for document, count in counts.items():
            norm = plain + by_length * length_of(document)
            scores[document] = scores.get(document, 0.0) + rarity * count / (count + norm)
    return scores


def name_similarity(words: Sequence[str], name: Sequence[str]) -> float:
    """Returns the similarity of words and a name from 0 to 1: the greater of by word and whole.

    If two names match in the same words, the name with fewer other words is slightly more similar.
    """
    if not words or not name:
        return 0.0
    whole = _ratio(" ".join(words), " ".join(name))
    by_word = sum(max(_ratio(word, each) for each in name) for word in words) / len(words)
    return max(whole, by_word - _OTHER_WORDS_PENALTY * (1 - len(words) / max(len(words), len(name))))


def _bag(document: SearchDocument) -> Counter[str]:
    bag = Counter(document.body)
    for word in document.name:
        bag[word] += _NAME_WEIGHT
    return bag


def _count(bag: Counter[str], word: str, *, is_prefix: bool) -> float:
    """Returns the weighted count of a word in a document; Counter returns 0 for missing words."""
    exact = bag[word]
    if not is_prefix:
        return exact
    prefixed = sum(count for each, count in bag.items() if each.startswith(word) and each != word)
    return exact + _PREFIX_WEIGHT * prefixed


def _rarity(matching: int, total: int) -> float:
    return math.log(1 + (total - matching + 0.5) / (matching + 0.5))


def _ratio(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < SIMILARITY_THRESHOLD:
        return 0.0
    return matcher.ratio()
