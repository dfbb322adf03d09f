"""The queue of episodes that wait for extraction, and what an extraction writes (platform 34).

Every episode is extracted once: its mentions, facts and done-mark are written in one transaction, which does nothing if
the mark is there. Only one process at a time works for a user.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.episodes.writing import add_missing_episodes
from aeon.platform.knowledge import queries
from aeon.platform.knowledge.attached_names import ATTACHMENTS, find_attached_names, is_new_name, read_attached_texts
from aeon.platform.knowledge.facts import FoundFact, add_fact, contradict_fact, state_fact
from aeon.platform.knowledge.model import STATEMENTS, Category, FactState, name_key
from aeon.platform.knowledge.names import distinct_names, find_names
from aeon.platform.knowledge.pairs import pairs_of
from aeon.platform.knowledge.readings import WordCases, words_of
from aeon.platform.knowledge.settings import read_settings
from aeon.platform.knowledge.statements import Statement, find_statements
from aeon.platform.knowledge.word_cases import count_cases
from aeon.platform.ledger import Ledger
from aeon.platform.queries import LOCKED_HEAD
from aeon.platform.store import Store, UnitOfWork

TASK: Final = "extraction"
_LEASE: Final = timedelta(seconds=90)
_BATCH: Final = 50
_HISTORY: Final = 2000
"""How many of a user's messages are read again for what capital letters tell, after some were erased."""

_LONGEST: Final = 20_000
"""Characters of a message that are read."""

_WEAK_CONFIDENCE: Final = 0.8

_READ_SOURCES: Final = frozenset({"message", "note", "answer"})
"""The sources of episodes that are read; summaries and notes of a model repeat what these say."""


class WaitingEpisode(NamedTuple):
    """An episode that waits for extraction."""

    id: str
    source: str
    content: str
    created_at: str
    alternative_id: str | None = None
    has_texts: bool = False
    """Whether texts are attached to it."""

    @property
    def is_evidence(self) -> bool:
        """Whether a user wrote it: a model's text is not evidence."""
        return self.source in {"message", "note"}


class ExtractionResult(NamedTuple):
    """What an extractor found in an episode. Facts refer to names by their keys."""

    names: Sequence[str] = ()
    facts: Sequence[FoundFact] = ()
    extractor: str = STATEMENTS
    state: FactState = "candidate"
    contradicts: Sequence[str] = ()
    """The ids of facts that the episode contradicts."""
    categories: Mapping[str, Category] = {}
    """What the names are, by their keys."""


class _Mentioned(NamedTuple):
    """Names that an episode mentions, which of them become entities, and who found them."""

    names: Sequence[str]
    new: Sequence[str]
    extractor: str


class QueueState(NamedTuple):
    """How far the extraction of a user's episodes is: all of them, and those that wait, the oldest since when."""

    episodes: int
    waiting: int
    oldest: str | None
    failed: int


class ExtractionQueue:
    """The episodes of all users that wait. Thread- and process-safe. Methods raise StoreError."""

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id
        self._complete: set[str] = set()
        """Users all of whose messages have episodes: later ones get theirs in the transaction that writes them."""

    def list_owners(self) -> list[str]:
        """Return the users with waiting episodes, also of messages from before the record had episodes."""
        for user in self.list_users():
            self.complete(user)
        return [row["owner_id"] for row in self._store.read(queries.OWNERS_WAITING)]

    def list_users(self) -> list[str]:
        """Return all users of the record."""
        return [row["owner_id"] for row in self._store.read(queries.OWNERS)]

    def complete(self, user: str) -> None:
        """Write episodes of a user's messages from before the record had any, some at a time."""
        if user not in self._complete and not add_missing_episodes(self._store, user):
            self._complete.add(user)

    def state(self, user: str) -> QueueState:
        """Return how far the extraction of a user's episodes is; none waits while it is off."""
        (waiting,) = self._store.read(queries.COUNT_WAITING, {"user": user})
        (every,) = self._store.read(queries.COUNT_EPISODES, {"user": user})
        (failed,) = self._store.read(queries.COUNT_FAILED, {"user": user})
        if read_settings(self._store, user).extraction == "off":
            return QueueState(every["number"], 0, None, failed["number"])
        return QueueState(every["number"], waiting["number"], waiting["oldest"], failed["number"])

    def take(self, user: str, holder: str, task: str = TASK) -> bool:
        """Become the only one who does a task for a user, for 90 s; return False while somebody else is."""
        now = datetime.fromisoformat(self._ledger.now())
        row: JsonObject = {
            "user": user,
            "task": task,
            "holder": holder,
            "now": now.isoformat(timespec="microseconds"),
            "until": (now + _LEASE).isoformat(timespec="microseconds"),
        }
        return self._store.update(lambda unit: unit.write(queries.TAKE_LEASE, row)) == 1

    def release(self, user: str, holder: str, task: str = TASK) -> None:
        """Let others do a task for a user."""
        row: JsonObject = {"user": user, "task": task, "holder": holder}
        self._store.update(lambda unit: unit.write(queries.RELEASE_LEASE, row))

    def list_waiting(self, user: str, limit: int = _BATCH) -> list[WaitingEpisode]:
        """Return the oldest episodes of a user that wait."""
        self.complete(user)
        rows = self._store.read(queries.WAITING, {"user": user, "limit": limit})
        return [
            WaitingEpisode(
                row["id"],
                row["source"],
                row["content"] or "",
                row["created_at"],
                row["alternative_id"],
                row["texts"] > 0,
            )
            for row in rows
        ]

    def word_cases(self, user: str, texts: Sequence[str]) -> WordCases:
        """Return what is known of how a user writes the words of these texts, with what the texts say themselves."""
        self._recount(user)
        read = [text[:_LONGEST] for text in texts]
        found = _sum_of(map(count_cases, read))
        words: list[Json] = sorted({word for text in read for word in words_of(text)})
        rows = self._store.read(queries.WORD_CASES, {"user": user, "words": words}) if words else []
        for row in rows:
            capital, other = found.get(row["word"], (0, 0))
            found[row["word"]] = (capital + row["capital"], other + row["small"])
        return found

    def finish(
        self, user: str, episode: WaitingEpisode, extracted: ExtractionResult, failure: str | None = None
    ) -> bool:
        """Write what was found in an episode, with its done-mark; return False if it was extracted before.

        Names in attached texts are found here, whatever extracts the message itself.
        """
        at = self._ledger.now()
        mentioned = _Mentioned(extracted.names, extracted.names if episode.is_evidence else (), extracted.extractor)
        attached = self._find_attached(user, episode)
        counted = count_cases(episode.content[:_LONGEST]) if episode.source == "message" else {}

        def work(unit: UnitOfWork) -> bool:
            unit.read(LOCKED_HEAD, {"user": user})
            mark: JsonObject = {"user": user, "episode": episode.id, "at": at, "failure": failure}
            if not unit.write(queries.MARK_DONE, {**mark, "extractor": extracted.extractor}):
                return False
            entities = self._write_mentions(unit, user, episode, mentioned, at)
            self._write_mentions(unit, user, episode, attached, at)
            self._write_facts(unit, user, episode, extracted, entities, at)
            cases = [{"user": user, "word": word, "capital": a, "small": b} for word, (a, b) in counted.items()]
            unit.write_each(queries.ADD_WORD_CASES, cases)
            return True

        return self._store.update(work)

    def extract_by_code(self, user: str, limit: int = _BATCH) -> int:
        """Extract episodes that wait by code; return how many."""
        waiting = self.list_waiting(user, limit)
        cases = self.word_cases(user, [each.content for each in waiting if each.is_evidence])
        return sum(self.finish(user, each, found_by_code(each, cases)) for each in waiting)

    def _find_attached(self, user: str, episode: WaitingEpisode) -> _Mentioned:
        """Return the names in the texts that are attached to a message."""
        if episode.alternative_id is None or not episode.has_texts:
            return _Mentioned((), (), ATTACHMENTS)
        texts = read_attached_texts(self._store, user, episode.alternative_id)
        names = find_attached_names(texts, self.word_cases(user, texts))
        return _Mentioned(names, [each for each in names if is_new_name(each)], ATTACHMENTS)

    def _write_mentions(
        self, unit: UnitOfWork, user: str, episode: WaitingEpisode, mentioned: _Mentioned, at: str
    ) -> dict[str, str]:
        """Write which entities an episode mentions; return their ids by the keys of names.

        A name that only a model wrote makes no new entity.
        """
        names = {key: name for name in mentioned.names if (key := name_key(name))}
        row: JsonObject = {"user": user, "made_by": "extraction", "at": at}
        new = [
            {**row, "id": self._new_id(), "name": name[:200], "key": key}
            for key, name in names.items()
            if name in mentioned.new
        ]
        unit.write_each(queries.ADD_FOUND_ENTITY, new)
        keys: list[Json] = [*names]
        found = {row["name_key"]: row["id"] for row in unit.read(queries.ENTITIES_BY_KEY, {"user": user, "keys": keys})}
        common: JsonObject = {"episode": episode.id, "extractor": mentioned.extractor, "confidence": 1.0, "at": at}
        mentions = [{**common, "entity": id_, "name": names[key]} for key, id_ in found.items()]
        unit.write_each(queries.ADD_MENTION, mentions)
        return found

    def _write_facts(
        self,
        unit: UnitOfWork,
        user: str,
        episode: WaitingEpisode,
        extracted: ExtractionResult,
        entities: dict[str, str],
        at: str,
    ) -> None:
        source: JsonObject = {
            "episode": episode.id,
            "extractor": extracted.extractor,
            "at": at,
            "said_at": episode.created_at,
        }
        for fact in extracted.facts:
            stored = add_fact(unit, user, fact, entities, self._new_id(), at)
            state_fact(unit, stored, fact, source, extracted.state)
        for id_ in extracted.contradicts:
            contradict_fact(unit, id_, source)
        found = [{"user": user, "key": key, "category": category} for key, category in extracted.categories.items()]
        unit.write_each(queries.SET_FOUND_CATEGORY, found)

    def _recount(self, user: str) -> None:
        """Count words again after an erasure has removed the counts."""
        if self._store.read(queries.HAS_WORD_CASES, {"user": user}):
            return

        def work(unit: UnitOfWork) -> None:
            unit.read(LOCKED_HEAD, {"user": user})  # an erasure is over, or sees what is written here
            if unit.read(queries.HAS_WORD_CASES, {"user": user}):
                return
            rows = unit.read(queries.SAID_BY_USER, {"user": user, "limit": _HISTORY})
            counted = _sum_of(count_cases((row["content"] or "")[:_LONGEST]) for row in rows)
            cases = [{"user": user, "word": word, "capital": a, "small": b} for word, (a, b) in counted.items()]
            unit.write_each(queries.ADD_WORD_CASES, cases)

        self._store.update(work)


def found_by_code(episode: WaitingEpisode, cases: WordCases) -> ExtractionResult:
    """Returns the names in an episode, and of what a user wrote, the statements (platform 36)."""
    if episode.source not in _READ_SOURCES:
        return ExtractionResult()
    text = episode.content[:_LONGEST]
    names = distinct_names(find_names(text, cases))
    if not episode.is_evidence:
        return ExtractionResult(names)
    facts = [_fact_of(each) for each in find_statements(text, cases)]
    return ExtractionResult(names, facts)


def _fact_of(statement: Statement) -> FoundFact:
    """Returns a statement as a fact of the first two names that one of its clauses joins, or of its first name."""
    pair = next(iter(pairs_of(statement)), statement.names[:1])
    subject, object_ = (*(name_key(name) for name in pair), None, None)[:2]
    return FoundFact(statement.text, subject, object_, _WEAK_CONFIDENCE)


def _sum_of(counts: Iterable[WordCases]) -> dict[str, tuple[int, int]]:
    capital: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for each in counts:
        for word, (a, b) in each.items():
            capital[word] += a
            other[word] += b
    return {word: (capital[word], other[word]) for word in capital.keys() | other.keys()}
