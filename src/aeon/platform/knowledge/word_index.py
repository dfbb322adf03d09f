"""Which passages have which stems, in memory, and their scores for the words of a question. Pure."""

import math
from array import array
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Final

_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75
"""BM25's k1 and b."""

_OWN_SHARE: Final = 0.3
"""What the words of a passage alone add to the score that it has with its neighbours."""

_MAX_POSTINGS: Final = 20_000
"""How many occurrences are ranked: those of the rarest words, and of a single word all."""

_COMPACTED_FROM: Final = 500
"""The number of removed passages from which on their occurrences are removed, if they are a quarter of all."""


class _Postings:
    """The passages that have a stem, and how often: with their neighbours, and alone."""

    __slots__ = ("numbers", "own", "wide")

    def __init__(self) -> None:
        self.numbers, self.wide, self.own = array("I"), array("H"), array("H")

    def add(self, number: int, wide: int, own: int) -> None:
        self.numbers.append(number)
        self.wide.append(wide)
        self.own.append(own)

    def keep(self, numbers: Sequence[bool]) -> None:
        """Remove the passages for which `numbers` has False."""
        kept = [numbers[number] for number in self.numbers]
        self.numbers = array("I", compress(self.numbers, kept))
        self.wide = array("H", compress(self.wide, kept))
        self.own = array("H", compress(self.own, kept))


class WordIndex:
    """The stems of passages, which are numbered in the order in which they are added."""

    def __init__(self) -> None:
        self._postings: dict[str, _Postings] = {}
        self._is_there: list[bool] = []
        self._wide_lengths, self._own_lengths = array("I"), array("I")
        self._wide_total = self._own_total = self._count = self._removed = 0

    def add(self, own: Mapping[str, int], wide: Mapping[str, int]) -> int:
        """Add a passage by its stems: its own, and with those of its neighbours; return its number."""
        number = len(self._is_there)
        for stem, count in wide.items():
            if (postings := self._postings.get(stem)) is None:
                postings = self._postings[stem] = _Postings()
            postings.add(number, count, own.get(stem, 0))
        self._is_there.append(True)
        self._wide_lengths.append(sum(wide.values()))
        self._own_lengths.append(sum(own.values()))
        self._wide_total += self._wide_lengths[-1]
        self._own_total += self._own_lengths[-1]
        self._count += 1
        return number

    def remove(self, number: int) -> None:
        """Remove a passage. Its number is never used again."""
        self._is_there[number] = False
        self._wide_total -= self._wide_lengths[number]
        self._own_total -= self._own_lengths[number]
        self._count -= 1
        self._removed += 1
        if self._removed >= max(_COMPACTED_FROM, self._count // 3):
            self._compact()

    def scores(self, stems: Sequence[str]) -> dict[int, float]:
        """Return the scores of the passages that have one of the distinct stems.

        A passage that had all of them, again and again, would have the score 1.
        """
        missing = sum(stem not in self._postings for stem in stems)
        words = self._rarest(stems)
        rarities = [_rarity(len(postings.numbers), self._count) for postings in words]
        highest = (1 + _OWN_SHARE) * (sum(rarities) + missing * _rarity(0, self._count))
        scores: dict[int, float] = {}
        for postings, rarity in zip(words, rarities, strict=True):
            self._add_scores(scores, postings, rarity / highest)
        return {number: score for number, score in scores.items() if self._is_there[number]}

    def _add_scores(self, scores: dict[int, float], postings: _Postings, rarity: float) -> None:
        """Add what one stem gives to the scores of its passages."""
        plain, share = _SATURATION * (1 - _LENGTH_WEIGHT), _OWN_SHARE
        by_wide = _SATURATION * _LENGTH_WEIGHT * self._count / (self._wide_total or 1)
        by_own = _SATURATION * _LENGTH_WEIGHT * self._count / (self._own_total or 1)
        wide_lengths, own_lengths, score_of = self._wide_lengths, self._own_lengths, scores.get
        for number, wide, own in zip(postings.numbers, postings.wide, postings.own, strict=True):
            score = wide / (wide + plain + by_wide * wide_lengths[number])
            if own:
                score += share * own / (own + plain + by_own * own_lengths[number])
            scores[number] = score_of(number, 0.0) + rarity * score

    def _rarest(self, stems: Sequence[str]) -> list[_Postings]:
        """Return the occurrences of the rarest stems, as far as they are few enough."""
        found = sorted((self._postings[stem] for stem in stems if stem in self._postings), key=_size)
        total = 0
        for at, postings in enumerate(found):
            total += len(postings.numbers)
            if at and total > _MAX_POSTINGS:
                return found[:at]
        return found

    def _compact(self) -> None:
        """Remove the occurrences of removed passages."""
        for postings in self._postings.values():
            postings.keep(self._is_there)
        self._postings = {stem: postings for stem, postings in self._postings.items() if postings.numbers}
        self._removed = 0


def _size(postings: _Postings) -> int:
    return len(postings.numbers)


def _rarity(matching: int, total: int) -> float:
    return math.log(1 + (max(total, matching) - matching + 0.5) / (matching + 0.5))
