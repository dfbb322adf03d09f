"""Which documents have which words: the rows of segments, and the ranking of what they say. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from aeon.platform.search.message_words import QueryWord
from aeon.platform.search.ranking import score_postings
from aeon.platform.store import Row

SEGMENT: Final = 128
"""The number of documents of a segment."""

LENGTHS: Final = ""
"""The term whose row has the lengths of a segment's documents: how many there are, their sum, and each, in words."""

_MAX_POSTINGS = 20_000
"""How many occurrences are ranked: those of the rarest words; of a single word, those in the newest segments."""

_PRECISION = 9


def segment_rows(documents: Mapping[int, Mapping[str, int]]) -> list[tuple[str, str]]:
    """Return the terms of a segment with their rows, for the words of its documents by number."""
    lengths, postings = [0] * SEGMENT, defaultdict[str, list[int]](list)
    for number, counts in documents.items():
        offset = (number - 1) % SEGMENT
        lengths[offset] = sum(counts.values())
        for word, count in counts.items():
            postings[word] += (offset, count)
    return [(LENGTHS, _lengths_row(lengths)), *((term, _written(postings[term])) for term in sorted(postings))]


def row_without(term: str, row: str, number: int) -> str:
    """Return the row of a term without a document; empty if nothing is left of it."""
    offset, numbers = (number - 1) % SEGMENT, _parsed(row)
    if term == LENGTHS:
        lengths = numbers[2:]
        lengths[offset] = 0
        return _lengths_row(lengths)
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return _written(chain.from_iterable(pair for pair in pairs if pair[0] != offset))


class Postings:
    """Which documents have the words of a query, and how often."""

    def __init__(self, words: Sequence[QueryWord], waiting: Mapping[int, Mapping[str, int]]) -> None:
        """`waiting` has the words of the documents that are in no segment yet."""
        self.words = words
        self._rows: dict[str, list[tuple[int, str, float]]] = {word.text: [] for word in words}
        self._sizes = dict.fromkeys(self._rows, 0)
        self._lengths: dict[int, str] = {}
        self._parsed_lengths: dict[int, list[int]] = {}
        self._waiting = waiting

    @property
    def is_enough(self) -> bool:
        """Whether older segments need not be read: the rarest word that occurs has enough occurrences."""
        return min((size for size in self._sizes.values() if size), default=0) > _MAX_POSTINGS

    def add(self, row: Row, prefix: QueryWord | None = None) -> None:
        """Add the row of a term in a segment: of a word of the query, or of a longer one that begins with `prefix`."""
        if row["term"] == LENGTHS:
            self._lengths[row["segment"]] = row["postings"]
            return
        word, weight = (row["term"], 1) if prefix is None else (prefix.text, prefix.prefix_weight)
        self._rows[word].append((row["segment"], row["postings"], weight))
        self._sizes[word] += row["postings"].count(",") // 2 + 1

    def has_lengths_of(self, segment: int) -> bool:
        """Whether a segment has its row of lengths."""
        return segment in self._lengths

    def scores(self, inside: set[int] | None = None) -> dict[int, float]:
        """Return the scores of all documents with one of the words, or of those `inside`.

        Raises ValueError or LookupError for damaged rows.
        """
        count, length = self._totals() if inside is None else _totals_of(map(self._length_of, inside))
        words = [self._counts_of(word, inside) for word in self._rarest()]
        scores = score_postings(words, self._length_of, count, length / max(1, count) or 1.0)
        return {number: round(score, _PRECISION) for number, score in scores.items()}

    def _totals(self) -> tuple[int, int]:
        """Return how many documents there are, and how many words they have."""
        heads = [_parsed(row[: row.index(",", row.index(",") + 1)]) for row in self._lengths.values()]
        waiting = [sum(counts.values()) for counts in self._waiting.values()]
        return sum(count for count, _ in heads) + len(waiting), sum(length for _, length in heads) + sum(waiting)

    def _length_of(self, number: int) -> int:
        if number in self._waiting:
            return sum(self._waiting[number].values())
        segment, offset = divmod(number - 1, SEGMENT)
        if segment not in self._parsed_lengths:
            self._parsed_lengths[segment] = _parsed(self._lengths[segment])
        return self._parsed_lengths[segment][offset + 2]

    def _rarest(self) -> list[QueryWord]:
        """Return the words that are ranked, in the order of the query: the rarest, as far as they are few enough."""
        chosen, total = set[str](), 0
        for word in sorted(self._sizes, key=lambda word: (self._sizes[word], word)):
            if total and total + self._sizes[word] > _MAX_POSTINGS:
                break
            total += self._sizes[word]
            chosen.add(word)
        return [word for word in self.words if word.text in chosen]

    def _counts_of(self, word: QueryWord, inside: set[int] | None) -> dict[int, float]:
        there = ((number, _count(counts, word)) for number, counts in self._waiting.items())
        found = {number: count for number, count in there if count}
        for segment, row, weight in self._rows[word.text]:
            first, numbers = segment * SEGMENT + 1, _parsed(row)
            for offset, count in zip(numbers[::2], numbers[1::2], strict=True):
                found[first + offset] = found.get(first + offset, 0) + weight * count
        return found if inside is None else {number: found[number] for number in found if number in inside}


def _count(counts: Mapping[str, int], word: QueryWord) -> float:
    exact = counts.get(word.text, 0)
    if not word.prefix_weight:
        return exact
    longer = sum(count for each, count in counts.items() if each.startswith(word.text) and each != word.text)
    return exact + word.prefix_weight * longer


def _totals_of(lengths: Iterable[int]) -> tuple[int, int]:
    there = list(lengths)
    return len(there), sum(there)


def _lengths_row(lengths: Sequence[int]) -> str:
    return _written([sum(map(bool, lengths)), sum(lengths), *lengths])


def _written(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _parsed(row: str) -> list[int]:
    return list(map(int, row.split(",")))
