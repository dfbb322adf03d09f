"""Search in the conversations of one user: titles, and all messages and answers, on and off the path (platform 26)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.base.next_steps import NextStep
from aeon.platform.search import message_queries as queries
from aeon.platform.search.message_index import FORM, rebuild_index
from aeon.platform.search.message_postings import LENGTHS, SEGMENT, Postings
from aeon.platform.search.message_words import MessageQuery, QueryWord, parse_query
from aeon.platform.search.snippets import Snippet, snippet_of
from aeon.platform.store import DamagedStoreError, Row, Store, UnitOfWork

_SEGMENTS_AT_ONCE = 512

_FIRST_RANKS = 100
"""How many of the best documents are read at first; more each time that filters leave too few."""

_GROWTH = 16

_MAX_EQUAL = 5_000
"""How many more documents are read at once because their scores are equal to the last one's."""

_MAX_CHARACTER = "\U0010ffff"
_END_OF_TIME = "9999"

_REBUILD: Final = NextStep("store.rebuild")


class MessageFilter(NamedTuple):
    """What a hit must be, besides having the words. None: anything.

    `since` and `until` are instants as the record writes them; `until` itself is not included. With a `speaker`, titles
    are not hits. `without` are the ids of conversations without hits.
    """

    conversation: str | None = None
    since: str | None = None
    until: str | None = None
    status: str | None = None
    tag: str | None = None
    on_path: bool | None = None
    speaker: str | None = None
    without: frozenset[str] = frozenset()


class MessageHit(NamedTuple):
    """A found message or answer, or a found title, which has no alternative.

    `is_on_path` says whether it is visible from the tip of its conversation; a title is. Scores are comparable only
    within one search.
    """

    conversation_id: str
    title: str | None
    alternative_id: str | None
    speaker: str | None
    at: str
    snippet: Snippet
    is_on_path: bool
    score: float

    @property
    def id(self) -> str:
        """What opens it: the alternative, or of a title, the conversation."""
        return self.alternative_id or self.conversation_id

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names. `marks` are pairs of offsets in the snippet."""
        marks: list[Json] = [[*mark] for mark in self.snippet.marks]
        return {
            "id": self.id,
            "conversationId": self.conversation_id,
            "title": self.title,
            "alternativeId": self.alternative_id,
            "speaker": self.speaker,
            "at": self.at,
            "snippet": self.snippet.text,
            "marks": marks,
            "isOnPath": self.is_on_path,
            "score": self.score,
        }


class MessageSearch:
    """Searches the conversations of one user at a time. Threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def search(self, user: str, text: str, only: MessageFilter | None = None, limit: int = 20) -> list[MessageHit]:
        """Return what has the text's words, best first.

        Any text is a valid query. The last word may be the beginning of a word. An index that is missing or damaged is
        built again first. Raises StoreError.
        """
        query = parse_query(text)
        if not query.words or not self._store.read(queries.HAS_CONVERSATION, {"user": user}):
            return []
        only = only or MessageFilter()
        try:
            return self._store.view(lambda unit: _Search(unit, user).hits(query, only, limit))
        except DamagedStoreError:
            self.rebuild(user)
            return self._store.view(lambda unit: _Search(unit, user).hits(query, only, limit))

    def rebuild(self, user: str) -> int:
        """Build a user's index again; return how many titles, messages and answers it has. Raises StoreError."""
        return self._store.update(lambda unit: rebuild_index(unit, user))


class _Found(NamedTuple):
    """A document that has words of the query."""

    row: Row
    score: float

    @property
    def alternative(self) -> str:
        """Its id; empty for a title."""
        return self.row["alternative_id"]


class _Search:
    """One search in a snapshot of the record. Raises DamagedStoreError for an index that is not whole."""

    def __init__(self, unit: UnitOfWork, user: str) -> None:
        self._unit = unit
        self._user: JsonObject = {"user": user}
        (state,) = unit.read(queries.STATE, self._user) or [_MISSING]
        rows = unit.read(queries.WAITING, self._user)
        _require(holds=state["form"] == FORM and state["behind"] == 0 and len(rows) == state["waiting"])
        self._closed: int = state["last"] // SEGMENT
        try:
            self._waiting: dict[int, Mapping[str, int]] = {row["number"]: parse_strict(row["words"]) for row in rows}
        except ValueError:
            raise _damaged() from None

    def hits(self, query: MessageQuery, only: MessageFilter, limit: int) -> list[MessageHit]:
        """Return the best hits that a filter lets through."""
        inside = None if only.conversation is None else self._numbers_in(only.conversation)
        found: list[_Found] = []
        for chosen in _by_rank(self._scores(query.words, inside)):
            found += self._found(chosen, only)
            if len(found) >= limit:
                break
        found.sort(key=lambda each: (each.row["at"], each.row["conversation_id"], each.alternative), reverse=True)
        return self._as_hits(sorted(found, key=lambda each: -each.score)[:limit], query)

    def _numbers_in(self, conversation: str) -> set[int]:
        rows = self._unit.read(queries.NUMBERS_OF, {**self._user, "conversation": conversation})
        return {row["number"] for row in rows}

    def _scores(self, words: Sequence[QueryWord], inside: set[int] | None) -> dict[int, float]:
        """Return the scores of documents by number: of all, or of those `inside`."""
        places = range(self._closed - 1, -1, -1) if inside is None else _segments_of(inside, self._closed)
        postings = Postings(words, self._waiting)
        for at in range(0, len(places), _SEGMENTS_AT_ONCE):
            self._read_segments(postings, places[at : at + _SEGMENTS_AT_ONCE])
            if postings.is_enough:
                break
        try:
            return postings.scores(inside)
        except (ValueError, LookupError):
            raise _damaged() from None

    def _read_segments(self, postings: Postings, segments: Sequence[int]) -> None:
        there: list[Json] = [*segments]
        terms: list[Json] = [LENGTHS, *(word.text for word in postings.words)]
        inside = {**self._user, "segments": there}
        for row in self._unit.read(queries.TERMS_IN, {**inside, "terms": terms}):
            postings.add(row)
        for word in postings.words:
            if word.prefix_weight:
                beginning: JsonObject = {"prefix": word.text, "end": word.text + _MAX_CHARACTER}
                for row in self._unit.read(queries.PREFIXED_IN, {**inside, **beginning}):
                    postings.add(row, word)
        _require(holds=all(map(postings.has_lengths_of, segments)))

    def _found(self, chosen: Mapping[int, float], only: MessageFilter) -> list[_Found]:
        """Return the documents that a filter lets through, with what the record says of them."""
        numbers: list[Json] = [*chosen]
        asked: JsonObject = {
            **self._user,
            "numbers": numbers,
            "since": only.since or "",
            "until": only.until or _END_OF_TIME,
            "status": only.status or "",
            "tag": only.tag or "",
        }
        rows = self._unit.read(queries.FOUND, asked)
        _require(holds=all(row["conversation_id"] is not None for row in rows))
        found = [
            _Found(row, chosen[row["number"]])
            for row in rows
            if only.speaker in (None, row["speaker"]) and row["conversation_id"] not in only.without
        ]
        if only.on_path is None:
            return found
        visible = self._visible(found)
        return [each for each in found if (not each.alternative or each.alternative in visible) == only.on_path]

    def _visible(self, found: Sequence[_Found]) -> set[str]:
        """Return which alternatives are on the path that ends at the tip of their conversation (platform 22)."""
        conversations: list[Json] = [*{each.row["conversation_id"]: None for each in found if each.row["is_active"]}]
        alternatives: list[Json] = [each.alternative for each in found if each.row["is_active"]]
        asked: JsonObject = {**self._user, "ids": conversations, "alternatives": alternatives}
        return {row["id"] for row in self._unit.read(queries.VISIBLE, asked)} if alternatives else set()

    def _as_hits(self, found: Sequence[_Found], query: MessageQuery) -> list[MessageHit]:
        visible = self._visible(found)
        ids: list[Json] = [each.alternative for each in found]
        contents = {row["id"]: row["content"] for row in self._unit.read(queries.CONTENTS, {**self._user, "ids": ids})}
        return [
            MessageHit(
                each.row["conversation_id"],
                each.row["title"],
                each.alternative or None,
                each.row["speaker"],
                each.row["at"],
                snippet_of(contents[each.alternative] if each.alternative else each.row["title"], query),
                not each.alternative or each.alternative in visible,
                each.score,
            )
            for each in found
        ]


_MISSING: Final[Row] = {"form": 0, "behind": 0, "waiting": 0, "last": 0}


def _require(*, holds: bool) -> None:
    if not holds:
        raise _damaged()


def _damaged() -> DamagedStoreError:
    return DamagedStoreError("The search index of conversations is missing or damaged.", next_step=_REBUILD)


def _segments_of(numbers: Iterable[int], closed: int) -> Sequence[int]:
    """Return the closed segments of documents, the newest first."""
    segments = {(number - 1) // SEGMENT for number in numbers}
    return sorted((segment for segment in segments if segment < closed), reverse=True)


def _by_rank(scores: dict[int, float]) -> Iterator[dict[int, float]]:
    """Yield documents with their scores, the best first, in growing numbers; those of equal scores together."""
    number = _FIRST_RANKS
    while scores:
        least = nlargest(number, scores.values())[-1]
        chosen = nlargest(max(number, _MAX_EQUAL), ((score, each) for each, score in scores.items() if score >= least))
        yield {each: score for score, each in chosen}
        scores = {each: scores[each] for each in scores.keys() - {each for _, each in chosen}}
        number *= _GROWTH
