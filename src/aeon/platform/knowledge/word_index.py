"""Which passages have which stems, in memory, and their scores for the words of a question. Pure."""

import math
from array import array
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
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

    def remove(self, numbers: AbstractSet[int]) -> None:
        kept = [number not in numbers for number in self.numbers]
        self.numbers = array("I", compress(self.numbers, kept))
        self.wide = array("H", compress(self.wide, kept))
        self.own = array("H", compress(self.own, kept))


class _Lengths:
    """The lengths of passages in stems, by number."""

    def __init__(self) -> None:
        self.count = 0
        self._total = 0
        self._lengths = array("I")
        self._norms: list[float] | None = None

    def add(self, length: int) -> int:
        """Add a length, and return its number."""
        self._lengths.append(length)
        self._change(length, 1)
        return len(self._lengths) - 1

    def remove(self, number: int) -> None:
        self._change(-self._lengths[number], -1)
        self._lengths[number] = 0

    def norms(self) -> list[float]:
        """Return what BM25 adds to the number of occurrences, by number of the passage."""
        if self._norms is None:
            plain = _SATURATION * (1 - _LENGTH_WEIGHT)
            by_length = _SATURATION * _LENGTH_WEIGHT * self.count / (self._total or 1)
            self._norms = [plain + by_length * length for length in self._lengths]
        return self._norms

    def _change(self, length: int, count: int) -> None:
        self._total += length
        self.count += count
        self._norms = None


class WordIndex:
    """The stems of passages, which are numbered in the order in which they are added."""

    def __init__(self) -> None:
        self._postings: dict[str, _Postings] = {}
        self._removed: set[int] = set()
        self._wide = _Lengths()
        self._own = _Lengths()

    def add(self, own: Mapping[str, int], wide: Mapping[str, int]) -> int:
        """Add a passage by its stems: its own, and with those of its neighbours; return its number."""
        number = self._wide.add(sum(wide.values()))
        self._own.add(sum(own.values()))
        for stem, count in wide.items():
            if (postings := self._postings.get(stem)) is None:
                postings = self._postings[stem] = _Postings()
            postings.add(number, count, own.get(stem, 0))
        return number

    def remove(self, number: int) -> None:
        """Remove a passage. Its number is never used again; words stay as frequent until the index is compacted."""
        self._wide.remove(number)
        self._own.remove(number)
        self._removed.add(number)
        if len(self._removed) >= max(_COMPACTED_FROM, self._wide.count // 3):
            self._compact()

    def scores(self, stems: Sequence[str]) -> dict[int, float]:
        """Return the scores of the passages that have one of the distinct stems.

        A passage that had all of them, again and again, would have the score 1.
        """
        missing = sum(stem not in self._postings for stem in stems)
        words = self._rarest(stems)
        count = self._wide.count
        rarities = [_rarity(len(postings.numbers), count) for postings in words]
        highest = (1 + _OWN_SHARE) * (sum(rarities) + missing * _rarity(0, count))
        scores: dict[int, float] = {}
        for postings, rarity in zip(words, rarities, strict=True):
            self._add_scores(scores, postings, rarity / highest)
        for number in self._removed:
            scores.pop(number, None)
        return scores

    def _add_scores(self, scores: dict[int, float], postings: _Postings, rarity: float) -> None:
        """Add what one stem gives to the scores of its passages."""
        wide_norms, own_norms = self._wide.norms(), self._own.norms()
        score_of, of_own = scores.get, rarity * _OWN_SHARE
        for number, wide, own in zip(postings.numbers, postings.wide, postings.own, strict=True):
            score = rarity * wide / (wide + wide_norms[number])
            if own:
                score += of_own * own / (own + own_norms[number])
            scores[number] = score_of(number, 0.0) + score

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
            postings.remove(self._removed)
        self._postings = {stem: postings for stem, postings in self._postings.items() if postings.numbers}
        self._removed = set()


def _size(postings: _Postings) -> int:
    return len(postings.numbers)


def _rarity(matching: int, total: int) -> float:
    return math.log(1 + (max(total, matching) - matching + 0.5) / (matching + 0.5))
