"""Search in the record: the store finds candidates, and they are ranked here.

So both stores give the same answer. Triggers keep the index, in the transaction of each change.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json
from aeon.platform.search import queries
from aeon.platform.search.ranking import SIMILARITY_THRESHOLD, SearchDocument, name_similarity, score_bm25
from aeon.platform.search.tokenizer import split_folded, tokenize, trigrams
from aeon.platform.store import Row, Store

INDEXED_LABELS: Final[Mapping[str, str]] = {
    "service": "Service",
    "tool": "Tool",
    "process": "Process",
    "serviceTemplate": "ServiceTemplate",
    "toolTemplate": "ToolTemplate",
}
"""The kinds that are indexed, and their labels in the record. Secrets are not."""

_KINDS: Final = {label: kind for kind, label in INDEXED_LABELS.items()}

_MOST_WORDS = 32
"""Words of a query that are looked for."""

_MOST_ALIKE_WORDS = 8
"""Words of a query that are compared with names."""

_CANDIDATES = 300
_ALIKE_CANDIDATES = 100

_LAST = "\U0010ffff"
"""Sorts after every character that a word goes on with."""


class SearchHit(NamedTuple):
    """A thing that was found. Scores of one search can be compared; those of two cannot."""

    kind: str
    id: str
    name: str
    owner_id: str
    description: str
    score: float


class TextIndex:
    """Finds things that a user owns or that are shared (platform 2)."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def search(self, user: str, text: str, kinds: Iterable[str] | None = None, limit: int = 20) -> list[SearchHit]:
        """The things with the text's words in name or description, the best first.

        Any text is a query, and none is an error. The last word may be the beginning of one. Of a description, the
        first 1,000 characters count. If nothing has any of the words, the things whose names are spelled like them.
        """
        asked = tokenize(text)
        if not asked:
            return []
        labels = _labels(INDEXED_LABELS if kinds is None else kinds)
        return (self._by_words(user, asked, labels) or self._by_name(user, asked, labels))[:limit]

    def find_similar_names(self, user: str, name: str, kind: str, limit: int = 3) -> list[SearchHit]:
        """The things of one kind whose names are spelled like this one, the most alike first."""
        asked, labels = tokenize(name), _labels([kind])
        return self._by_name(user, asked, labels)[:limit] if asked and labels else []

    def _by_words(self, user: str, text: Sequence[str], labels: list[Json]) -> list[SearchHit]:
        asked = _distinct(text)
        terms: list[Json] = [*asked]
        params = {"user": user, "terms": terms, "last": asked[-1], "end": asked[-1] + _LAST, "labels": labels}
        rows = self._store.read(queries.FIND_BY_WORDS, {**params, "limit": _CANDIDATES})
        scores = score_bm25(
            asked, [SearchDocument(split_folded(row["name_words"]), split_folded(row["body_words"])) for row in rows]
        )
        return sorted(map(_hit, rows, scores), key=_best_first)

    def _by_name(self, user: str, text: Sequence[str], labels: list[Json]) -> list[SearchHit]:
        asked = text[:_MOST_ALIKE_WORDS]
        grams: list[Json] = [*trigrams(asked)]
        params = {"user": user, "grams": grams, "labels": labels, "limit": _ALIKE_CANDIDATES}
        rows = self._store.read(queries.FIND_BY_TRIGRAMS, params)
        hits = [_hit(row, name_similarity(asked, split_folded(row["name_words"]))) for row in rows]
        return sorted((hit for hit in hits if hit.score >= SIMILARITY_THRESHOLD), key=_best_first)


def _labels(kinds: Iterable[str]) -> list[Json]:
    return [INDEXED_LABELS[kind] for kind in kinds if kind in INDEXED_LABELS]


def _distinct(asked: Sequence[str]) -> list[str]:
    """The words once each, not too many, the last one still at the end."""
    others = [word for word in dict.fromkeys(asked) if word != asked[-1]]
    return [*others[: _MOST_WORDS - 1], asked[-1]]


def _hit(row: Row, score: float) -> SearchHit:
    return SearchHit(_KINDS[row["label"]], row["subject"], row["name"], row["owner_id"], row["body"], round(score, 9))


def _best_first(hit: SearchHit) -> tuple[float, str, str]:
    return -hit.score, hit.name, hit.id
