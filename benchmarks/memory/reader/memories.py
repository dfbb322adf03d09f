"""What the reader is told for a question: Aeon's passages, and what they are compared with."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple, Protocol

from datasets import Case, Said
from record import Record
from systems import System

from aeon.application.knowledge_search import PASSAGES, TOKENS, find_passages
from aeon.platform.embedder import Embedder
from aeon.platform.knowledge.retrieval import KnowledgeSearch
from aeon.platform.knowledge.stems import COMMON_WORDS
from aeon.platform.memory.estimate import estimate_tokens
from aeon.platform.search.message_words import message_words


class Passage(NamedTuple):
    """Something that was said, and when."""

    text: str
    at: str

    @property
    def line(self) -> str:
        """The passage as the reader gets it, after its day."""
        day = date.fromisoformat(self.at[:10])
        return f"[{day.day} {day:%B %Y}] {self.text}"

    @property
    def tokens(self) -> int:
        """The estimated tokens of its line."""
        return estimate_tokens(self.line)


class Limits(NamedTuple):
    """The most passages, and their most estimated tokens."""

    passages: int = PASSAGES
    tokens: int = TOKENS


class Memory(Protocol):
    """Recalls passages of one case at a time."""

    name: str

    def open(self, case: Case) -> None:
        """Make what it recalls from of a case."""
        ...

    def recall(self, question: str) -> list[Passage]:
        """Return what the reader is told, in the order in which it reads it."""
        ...


class AeonPassages:
    """The passages of Aeon's search in knowledge, best first."""

    name = "Aeon"

    def __init__(self, record: Record, embedder: Embedder, limits: Limits) -> None:
        self._search = KnowledgeSearch(record.store, embedder)
        self._limits = limits

    def open(self, case: Case) -> None:
        """Read the record once, so that no question's time has it. Questions are asked on the day after the last."""
        self._user = case.name
        self._now = (date.fromisoformat(max(said.at for said in case.said)[:10]) + timedelta(days=1)).isoformat()
        self.recall("the first search reads the record")

    def recall(self, question: str) -> list[Passage]:
        limit, budget = self._limits
        found = find_passages(self._search, self._user, question, now=self._now, limit=limit, budget=budget)
        return fitting((Passage(each.text, each.at) for each in found), self._limits)


class RankedMessages:
    """Whole messages in the order of a system of `run.py`, best first."""

    def __init__(self, system: System, limits: Limits) -> None:
        self.name = system.name
        self._system = system
        self._limits = limits

    def open(self, case: Case) -> None:
        self._system.open(case)
        self._passages = passages_of(case)

    def recall(self, question: str) -> list[Passage]:
        return fitting((self._passages[place] for place in self._system.rank(question)), self._limits)


class PlainFile:
    """A file of notes with a line for each message, searched as by `grep -i -w` for the words of the question.

    The lines with most of the words come first, then the newer ones. Common words are left out.
    """

    name = "plain file, grep"

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def open(self, case: Case) -> None:
        self._lines = [(each, set(message_words(each.text))) for each in reversed(passages_of(case))]

    def recall(self, question: str) -> list[Passage]:
        asked = set(message_words(question)) - COMMON_WORDS
        hits = [(len(asked & words), each) for each, words in self._lines if not asked.isdisjoint(words)]
        hits.sort(key=lambda hit: -hit[0])
        return fitting((each for _, each in hits), self._limits)


class WholeConversations:
    """Everything that was said, oldest first; where it does not fit the reader's context, its newest part."""

    name = "all that was said"

    def __init__(self, tokens: int) -> None:
        """`tokens` is the room for it in the reader's context, estimated."""
        self._room = tokens

    def open(self, case: Case) -> None:
        self._passages = newest_part(passages_of(case), self._room)

    def recall(self, question: str) -> list[Passage]:  # noqa: ARG002  # the same for every question
        return self._passages


class NoMemory:
    """Nothing: what the reader knows or guesses by itself."""

    name = "nothing"

    def open(self, case: Case) -> None:
        pass

    def recall(self, question: str) -> list[Passage]:  # noqa: ARG002  # the same for every question
        return []


def passages_of(case: Case) -> list[Passage]:
    """Return each message of a case as a passage, oldest first."""
    return [_passage(said) for said in case.said]


def fitting(ranked: Iterable[Passage], limits: Limits) -> list[Passage]:
    """Return the first passages as far as they fit; one that does not fit is left out, and a shorter one may follow."""
    chosen: list[Passage] = []
    room = limits.tokens
    for passage in ranked:
        if len(chosen) == limits.passages:
            break
        if passage.tokens <= room:
            chosen.append(passage)
            room -= passage.tokens
    return chosen


def newest_part(passages: list[Passage], room: int) -> list[Passage]:
    """Return the newest passages without a gap, as far as they fit, in their order."""
    for place in reversed(range(len(passages))):
        room -= passages[place].tokens
        if room < 0:
            return passages[place + 1 :]
    return passages


def _passage(said: Said) -> Passage:
    return Passage(said.text, said.at)
