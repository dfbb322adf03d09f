"""What ranks the messages of a case for a question: the product's search, and what it is compared with."""

import math
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Protocol

from datasets import Case
from record import Record

from aeon.platform.embedder import EmbeddedTexts, Embedder
from aeon.platform.knowledge.retrieval import KnowledgeSearch
from aeon.platform.knowledge.stems import question_stems, text_stems
from aeon.platform.knowledge.vectors import VectorMatrix

LIMIT = 100
"""How many results a ranking has at most."""


class System(Protocol):
    """Ranks messages by their places, best first."""

    name: str

    def open(self, case: Case) -> None:
        """Make what it searches of a case."""
        ...

    def rank(self, question: str) -> list[int]: ...


class TimedEmbedder(Embedder):
    """An embedder that adds up its CPU time, and embeds the same text once."""

    def __init__(self, embedder: Embedder) -> None:
        self.seconds = 0.0
        self._embedder = embedder
        self._known: dict[str, EmbeddedTexts] = {}

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int | None:
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int | None:
        return self._embedder.count_tokens(text)

    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        began = time.process_time()
        key = "\0".join(texts)
        if key not in self._known:
            self._known[key] = self._embedder.embed(texts)
        self.seconds += time.process_time() - began
        return self._known[key]


class PlainBM25:
    """BM25 over the stems of each message, with k1 1.2 and b 0.75; the common words of a question are left out."""

    name = "BM25"

    def open(self, case: Case) -> None:
        self._bags = [Counter(text_stems(said.text)) for said in case.said]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._average = sum(self._lengths) / len(self._lengths)

    def rank(self, question: str) -> list[int]:
        scores = [0.0] * len(self._bags)
        for stem in question_stems(question):
            matching = sum(stem in bag for bag in self._bags)
            rarity = math.log(1 + (len(self._bags) - matching + 0.5) / (matching + 0.5))
            for place, bag in enumerate(self._bags):
                if count := bag[stem]:
                    norm = 1.2 * (0.25 + 0.75 * self._lengths[place] / self._average)
                    scores[place] += rarity * count * 2.2 / (count + norm)
        return _best(scores)


class SqliteFullText:
    """FTS5 of SQLite with its Porter stemmer, ranked by its bm25; the common words of a question are left out."""

    name = "SQLite FTS5, porter"

    def open(self, case: Case) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE said USING fts5 (text, tokenize = 'porter unicode61')")
        rows = [(place + 1, said.text) for place, said in enumerate(case.said)]
        self._database.executemany("INSERT INTO said (rowid, text) VALUES (?, ?)", rows)

    def rank(self, question: str) -> list[int]:
        from aeon.platform.knowledge.stems import COMMON_WORDS
        from aeon.platform.search.message_words import message_words

        words = [word for word in dict.fromkeys(message_words(question)) if word not in COMMON_WORDS]
        query = " OR ".join(f'"{word}"' for word in words)
        found = self._database.execute(
            "SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said), rowid LIMIT ?", (query, LIMIT)
        )
        return [rowid - 1 for (rowid,) in found]


class PlainVectors:
    """The cosine of the embedding model; of a long message, that of its best part."""

    name = "vectors"

    def __init__(self, embedder: Embedder, record: Record) -> None:
        self._embedder = embedder
        self._record = record

    def open(self, case: Case) -> None:
        self._matrix = VectorMatrix(self._embedder.dimensions)
        for place, texts in self._record.vectors(case, self._embedder.model).items():
            self._matrix.add(str(place), texts)

    def rank(self, question: str) -> list[int]:
        cosines = self._matrix.compare(self._embedder.embed([question]).vectors[0])
        values = cosines.of(cosines.closest(10 * LIMIT, -1.0))
        return [int(place) for place in sorted(values, key=lambda place: (-values[place], int(place)))][:LIMIT]


class Product:
    """The search of Aeon, as it is: `KnowledgeSearch` on a record that its own repositories have written."""

    def __init__(self, name: str, record: Record, embedder: Embedder | None) -> None:
        self.name = name
        self._record = record
        self._search = KnowledgeSearch(record.store, embedder)

    def open(self, case: Case) -> None:
        self._user = case.name
        self._places = self._record.places(case)
        self._today = date.fromisoformat(max(said.at for said in case.said)[:10]) + timedelta(days=1)
        self._search.find(self._user, "the first search reads the record", today=self._today)

    def rank(self, question: str) -> list[int]:
        found = self._search.find(self._user, question, today=self._today, limit=LIMIT)
        return [self._places[each.alternative_id or ""] for each in found]


def _best(scores: Sequence[float]) -> list[int]:
    found = (place for place, score in enumerate(scores) if score > 0)
    return sorted(found, key=lambda place: (-scores[place], place))[:LIMIT]
