"""Finds passages about a question in one user's conversations and notes, by words and by meaning (platform 16).

Only what is visible counts (platform 22, 35): of each conversation, the path that ends at its tip; of the conversation
in which the question is asked, the path to the place of the question; and the user's notes.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from threading import Lock
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.embedder import Embedder, EmbeddingInputError, Vector
from aeon.platform.knowledge import search_queries as queries
from aeon.platform.knowledge.embedding_backlog import text_parts
from aeon.platform.knowledge.parts import TextSpan
from aeon.platform.knowledge.passages import IndexedPassage
from aeon.platform.knowledge.ranking import CANDIDATES, LEAST_COSINE, Question, best_by_words, rank_passages
from aeon.platform.knowledge.stems import question_stems
from aeon.platform.knowledge.user_index import UserIndex
from aeon.platform.knowledge.user_vectors import UserVectors
from aeon.platform.knowledge.vectors import Cosines, can_compare_vectors
from aeon.platform.store import Row, Store, UnitOfWork

_MAX_PASSAGES: Final = 50_000
"""How many passages of all users are kept in memory; those of the user of the newest search always are."""


class PassageFilter(NamedTuple):
    """What a passage must be, besides being about the question. None: anything.

    `since` and `until` are instants as the record writes them; `until` itself is not included. `without` are the ids of
    conversations of which there are none.
    """

    conversation: str | None = None
    speaker: str | None = None
    since: str | None = None
    until: str | None = None
    without: frozenset[str] = frozenset()

    def lets_through(self, passage: IndexedPassage) -> bool:
        """Whether a passage is what it must be."""
        return (
            self.conversation in (None, passage.conversation)
            and self.speaker in (None, passage.speaker)
            and (self.since is None or passage.at >= self.since)
            and (self.until is None or passage.at < self.until)
            and passage.conversation not in self.without
        )


class RetrievedPassage(NamedTuple):
    """A message, an answer or a note that was found, or the part of a long one that matters.

    `text` is characters `start` to `end` of it. `speaker` is the kind of note where no turn was spoken. A message has
    an episode as soon as one was written. Scores are comparable only within one search.
    """

    episode_id: str | None
    alternative_id: str | None
    conversation_id: str
    speaker: str
    at: str
    text: str
    start: int
    end: int
    score: float

    def as_source(self) -> JsonObject:
        """As a manifest names it (platform 40)."""
        return {
            "episode": self.episode_id,
            "alternative": self.alternative_id,
            "conversation": self.conversation_id,
            "start": self.start,
            "end": self.end,
        }


class KnowledgeSearch:
    """Searches the conversations and notes of one user at a time. Threads may share it.

    What it searches is derived from the record and kept in memory; a user's first search reads all of it. What another
    process writes is found by the next search. Every method raises StoreError.
    """

    def __init__(self, store: Store, embedder: Embedder | None = None) -> None:
        """Without an embedder, or without numpy, the search works by words alone."""
        self._store = store
        self._embedder = embedder if can_compare_vectors() else None
        self._users: OrderedDict[str, _UserSearch] = OrderedDict()
        self._lock = Lock()

    def find(
        self,
        user: str,
        text: str,
        *,
        today: date,
        path: str | None = None,
        only: PassageFilter | None = None,
        limit: int = 10,
    ) -> list[RetrievedPassage]:
        """Return the passages that are most about a text, best first; of each message at most one.

        Any text is a valid question. `path` is the alternative at which the path of the question's conversation ends;
        without it, or if it is not the user's, the tip counts. `today` gives words like "last May" their meaning.
        Raises LLMError if the embedding model does not answer.
        """
        asked = _Asked(question_stems(text), self._embedded(text), Question.of(text, today), path, only, limit)
        found = self._user(user).find(self._store, asked)
        self._forget_least_used()
        return found

    def find_within(
        self,
        user: str,
        text: str,
        tokens: int,
        count_tokens: Callable[[str], int],
        *,
        today: date,
        path: str | None = None,
        only: PassageFilter | None = None,
        limit: int = 10,
    ) -> list[RetrievedPassage]:
        """Return the passages that `find` finds, best first, with at most `budget` tokens together.

        Passages are never cut: one that does not fit is left out, and a shorter one after it may still fit. The same
        text is there once.
        """
        chosen: dict[str, RetrievedPassage] = {}
        for passage in self.find(user, text, today=today, path=path, only=only, limit=limit):
            needed = count_tokens(passage.text)
            if needed <= tokens and passage.text not in chosen:
                chosen[passage.text] = passage
                tokens -= needed
        return [*chosen.values()]

    def _embedded(self, text: str) -> Vector | None:
        """Return the vector of a question, or of its beginning if it is long; None if only words count."""
        if self._embedder is None or not text.strip():
            return None
        question = text.encode(errors="replace").decode()
        part = text_parts(self._embedder, question)[0]
        try:
            return self._embedder.embed([part.of(question)]).vectors[0]
        except EmbeddingInputError:
            return None

    def _user(self, user: str) -> "_UserSearch":
        with self._lock:
            found = self._users.pop(user, None) or _UserSearch(user, self._embedder)
            self._users[user] = found
            return found

    def _forget_least_used(self) -> None:
        with self._lock:
            while len(self._users) > 1 and sum(each.size for each in self._users.values()) > _MAX_PASSAGES:
                self._users.popitem(last=False)


class _Asked(NamedTuple):
    """What a search looks for."""

    stems: Sequence[str]
    vector: Vector | None
    question: Question
    path: str | None
    only: PassageFilter | None
    limit: int


class _UserSearch:
    """What is kept in memory of one user. One search at a time."""

    def __init__(self, user: str, embedder: Embedder | None) -> None:
        self._user = user
        self._embedder = embedder
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._index = UserIndex(self._user)
        self._vectors = None if self._embedder is None else UserVectors(self._user, self._embedder)

    @property
    def size(self) -> int:
        """How many passages are kept."""
        return len(self._index.passages)

    def find(self, store: Store, asked: _Asked) -> list[RetrievedPassage]:
        with self._lock:
            try:
                return store.view(lambda unit: self._find(unit, asked))
            except BaseException:
                self._begin()  # what a stopped search has read of the record may not be whole
                raise

    def _find(self, unit: UnitOfWork, asked: _Asked) -> list[RetrievedPassage]:
        index = self._index
        index.refresh(unit)
        branch = None if asked.path is None else index.branch(unit, asked.path)
        hidden = index.hidden(branch)
        words = index.words.scores(asked.stems)
        for number in hidden:
            words.pop(number, None)
        if asked.only is not None:
            words = {number: words[number] for number in self._counting(words, hidden, asked.only)}
        candidates = dict.fromkeys(best_by_words(words, index.passages, asked.question))
        cosines = self._compared(unit, asked.vector)
        if cosines is not None:
            close = (number for id_ in cosines.closest(CANDIDATES, LEAST_COSINE) for number in index.numbers[id_])
            candidates |= dict.fromkeys(self._counting(close, hidden, asked.only))
        messages = dict.fromkeys(index.passages[number].message for number in candidates)
        meanings = cosines.of(messages) if cosines is not None else {}
        ranked = rank_passages(candidates, index.passages, words, meanings, asked.question)
        return self._retrieved(unit, asked, ranked, _Parts(words.keys(), cosines))

    def _compared(self, unit: UnitOfWork, vector: Vector | None) -> Cosines | None:
        """Return how close a question is to what has vectors; None if only words count."""
        if self._vectors is None or vector is None:
            return None
        self._vectors.refresh(unit, self._index)
        return self._vectors.matrix.compare(vector)

    def _counting(self, numbers: Iterable[int], hidden: AbstractSet[int], only: PassageFilter | None) -> Iterator[int]:
        """Yield the passages that are visible and that a filter lets through."""
        for number in numbers:
            if number not in hidden and (only is None or only.lets_through(self._index.passages[number])):
                yield number

    def _retrieved(
        self, unit: UnitOfWork, asked: _Asked, ranked: Sequence[tuple[float, int]], parts: "_Parts"
    ) -> list[RetrievedPassage]:
        """Return the best passages with their texts, which are read now."""
        found: list[RetrievedPassage] = []
        for first in range(0, len(ranked), max(1, asked.limit)):
            if len(found) >= asked.limit:
                break
            chosen = [(score, number, self._index.passages[number]) for score, number in ranked[first:][: asked.limit]]
            rows = _texts(unit, self._user, [passage for _, _, passage in chosen])
            for score, number, passage in chosen:
                if row := rows.get(passage.message):
                    part = parts.part_of(passage, number, row["content"], self._embedder)
                    found.append(_retrieved(passage, row, part, score))
        return found[: asked.limit]


class _Parts(NamedTuple):
    """What decides which part of a long message matters: the passages with words of the question, and meanings."""

    by_words: AbstractSet[int]
    cosines: Cosines | None

    def part_of(self, passage: IndexedPassage, number: int, content: str, embedder: Embedder | None) -> TextSpan:
        """Return the part with the words of the question, or without any, the part that is closest in meaning."""
        if number in self.by_words or self.cosines is None or embedder is None:
            return passage.part
        parts = text_parts(embedder, content)
        return parts[min(len(parts) - 1, self.cosines.best_part(passage.message))]


def _texts(unit: UnitOfWork, user: str, passages: Sequence[IndexedPassage]) -> dict[str, Row]:
    """Return, by id, the messages and notes that still count, with their texts and episodes."""
    messages: list[Json] = [each.message for each in passages if each.alternative is not None]
    noted: list[Json] = [each.message for each in passages if each.alternative is None]
    rows = {row["id"]: row for row in unit.read(queries.TEXTS, {"user": user, "ids": messages})} if messages else {}
    if noted:
        notes = unit.read(queries.NOTES_AMONG, {"user": user, "ids": noted})
        rows |= {row["id"]: {**row, "episode_id": row["id"]} for row in notes}
    return rows


def _retrieved(passage: IndexedPassage, row: Row, part: TextSpan, score: float) -> RetrievedPassage:
    return RetrievedPassage(
        row["episode_id"],
        passage.alternative,
        passage.conversation,
        passage.speaker,
        passage.at,
        part.of(row["content"]),
        *part,
        round(score, 9),
    )
