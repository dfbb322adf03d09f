"""Search in the record: the store finds candidates, and this module ranks them.

Both stores therefore give the same results. Triggers update the index in the transaction of each change.
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
"""The indexed kinds and their labels in the record. Secrets are not indexed."""

_KINDS: Final = {label: kind for kind, label in INDEXED_LABELS.items()}

_MAX_WORDS = 32
"""The number of words of a query that are searched."""

_MAX_NAME_WORDS = 8
"""The number of words of a query that are compared with names."""

_CANDIDATES = 300
_NAME_CANDIDATES = 100

_MAX_CHARACTER = "\U0010ffff"
"""A character that sorts after every character that may continue a word."""


class SearchHit(NamedTuple):
    """A found thing. Scores are comparable only within one search."""

    kind: str
    id: str
    name: str
    owner_id: str
    description: str
    score: float


class TextIndex:
    """Searches the things that a user owns or that are shared (platform 2)."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def search(self, user: str, text: str, kinds: Iterable[str] | None = None, limit: int = 20) -> list[SearchHit]:
        """Returns the things with the text's words in name or description, best first.

        Any text is a valid query. The last word may be a prefix. Only the first 1,000 characters of a description
        count. If no thing contains any of the words, returns the things with similar names.
        """
        words = tokenize(text)
        if not words:
            return []
        labels = _labels(INDEXED_LABELS if kinds is None else kinds)
        return (self._by_words(user, words, labels) or self._by_name(user, words, labels))[:limit]

    def find_similar_names(self, user: str, name: str, kind: str, limit: int = 3) -> list[SearchHit]:
        """Returns the things of one kind with the most similar names, most similar first."""
        words, labels = tokenize(name), _labels([kind])
        return self._by_name(user, words, labels)[:limit] if words and labels else []

    def _by_words(self, user: str, query_words: Sequence[str], labels: list[Json]) -> list[SearchHit]:
        words = _distinct(query_words)
        terms: list[Json] = [*words]
        params = {"user": user, "terms": terms, "last": words[-1], "end": words[-1] + _MAX_CHARACTER, "labels": labels}
        rows = self._store.read(queries.FIND_BY_WORDS, {**params, "limit": _CANDIDATES})
        scores = score_bm25(
            words, [SearchDocument(split_folded(row["name_words"]), split_folded(row["body_words"])) for row in rows]
        )
        return sorted(map(_hit, rows, scores), key=_best_first)

    def _by_name(self, user: str, query_words: Sequence[str], labels: list[Json]) -> list[SearchHit]:
        words = query_words[:_MAX_NAME_WORDS]
        grams: list[Json] = [*trigrams(words)]
        params = {"user": user, "grams": grams, "labels": labels, "limit": _NAME_CANDIDATES}
        rows = self._store.read(queries.FIND_BY_TRIGRAMS, params)
        hits = [_hit(row, name_similarity(words, split_folded(row["name_words"]))) for row in rows]
        return sorted((hit for hit in hits if hit.score >= SIMILARITY_THRESHOLD), key=_best_first)


def _labels(kinds: Iterable[str]) -> list[Json]:
    return [INDEXED_LABELS[kind] for kind in kinds if kind in INDEXED_LABELS]


def _distinct(words: Sequence[str]) -> list[str]:
    """Returns distinct words, limited in number, with the last word still at the end."""
    others = [word for word in dict.fromkeys(words) if word != words[-1]]
    return [*others[: _MAX_WORDS - 1], words[-1]]


def _hit(row: Row, score: float) -> SearchHit:
    return SearchHit(_KINDS[row["label"]], row["subject"], row["name"], row["owner_id"], row["body"], round(score, 9))


def _best_first(hit: SearchHit) -> tuple[float, str, str]:
    return -hit.score, hit.name, hit.id
