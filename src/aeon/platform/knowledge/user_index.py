"""The texts that one user can see, indexed in memory: read from the record, and kept up to date with it.

It holds words, ids and places, no texts. What changed since is found by a stamp of the user's rows, which every process
sees, and only the paths that changed are read again, from where they changed on.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.knowledge import search_queries as queries
from aeon.platform.knowledge.passages import (
    NEIGHBOURS,
    EpisodeText,
    IndexedPassage,
    MessageWords,
    passages_of,
    read_words,
)
from aeon.platform.knowledge.word_index import WordIndex
from aeon.platform.store import Row, UnitOfWork

_AT_ONCE: Final = 500
"""How many texts are read at once."""

_MOST_BRANCHES: Final = 8
"""How many paths that do not end at the tip of their conversation are kept."""


class _Entry(NamedTuple):
    """A place of a path. An alternative without content is being made, has failed, or was erased."""

    id: str
    has_content: bool


class _Path:
    """A path that is indexed: its alternatives in order, and the numbers of the passages of each."""

    def __init__(self) -> None:
        self.version: int | None = None
        self.is_open = False
        self.entries: list[_Entry] = []
        self.ids: frozenset[str] = frozenset()
        self.numbers: list[list[int]] = []


class Branch(NamedTuple):
    """The path of a conversation that counts for one search, instead of the one that ends at its tip."""

    conversation: str
    numbers: frozenset[int]
    ids: frozenset[str]


class UserIndex:
    """The passages of one user, by number. Not thread-safe: the search holds a lock."""

    def __init__(self, user: str) -> None:
        self.words = WordIndex()
        self.passages: dict[int, IndexedPassage] = {}
        self.numbers: dict[str, list[int]] = {}
        """The numbers of the passages of each message and note, those of the kept branches included."""

        self.changes = 0
        """How many passages were added or removed."""

        self._user: JsonObject = {"user": user}
        self._stamp: Row | None = None
        self._paths: dict[str, _Path] = {}
        self._branches: dict[str, _Path] = {}
        self._notes: dict[str, str | None] = {}
        self._on_branch: set[int] = set()

    def refresh(self, unit: UnitOfWork) -> None:
        """Take over what has changed in the record."""
        (stamp,) = unit.read(queries.STAMP, self._user)
        before, self._stamp = self._stamp, None
        if before is None or stamp != before:
            erased = before is not None and stamp["erasures"] != before["erasures"]
            self._read_paths(unit, is_all=erased)
            self._read_notes(unit)
            if erased:
                self._drop_branches(keep=0)
        else:
            self._update_paths(unit, {id_: path.entries[-1].id for id_, path in self._paths.items() if path.is_open})
        self._stamp = stamp

    def branch(self, unit: UnitOfWork, end: str) -> Branch | None:
        """Return the path that ends at an alternative of the user's; None if there is none.

        Where the path is a part of one that is indexed, nothing is read.
        """
        rows = unit.read(queries.PATHS, {**self._user, "ids": [end]})
        if not rows:
            return None
        conversation = rows[0]["conversation_id"]
        entries = [_entry(row) for row in rows]
        path = self._paths.get(conversation)
        if path is None or path.entries[: len(entries)] != entries:
            path = self._branches.pop(end, None) or _Path()
            self._extend(unit, path, rows)
            self._branches[end] = path
            self._on_branch |= {number for numbers in path.numbers for number in numbers}
            self._drop_branches(keep=_MOST_BRANCHES)
        numbers = frozenset(number for each in path.numbers[: len(entries)] for number in each)
        return Branch(conversation, numbers, frozenset(entry.id for entry in entries))

    def hidden(self, branch: Branch | None) -> set[int]:
        """Return the passages that do not count: of branches that were left, and of the conversation of a `branch` all
        that is not on it (platform 22); a summary is where what it covers is (platform 38).
        """
        hidden = set(self._on_branch)
        if branch is not None:
            path = self._paths.get(branch.conversation, _Path())
            hidden.update(number for numbers in path.numbers for number in numbers)
            hidden -= branch.numbers
        for id_, covers in self._notes.items():
            if covers is not None and not self._is_covered(self.numbers[id_][0], covers, branch):
                hidden.update(self.numbers[id_])
        return hidden

    def _is_covered(self, number: int, covers: str, branch: Branch | None) -> bool:
        """Whether what a summary covers is visible."""
        conversation = self.passages[number].conversation
        if branch is not None and conversation == branch.conversation:
            return covers in branch.ids
        return conversation in self._paths and covers in self._paths[conversation].ids

    def _read_paths(self, unit: UnitOfWork, *, is_all: bool) -> None:
        """Read the paths whose conversations have another version, or all."""
        tips: dict[str, str] = {}
        for row in unit.read(queries.TIPS, self._user):
            path = self._paths.setdefault(row["id"], _Path())
            if (is_all or path.is_open or path.version != row["version"]) and row["tip_id"] is not None:
                tips[row["id"]] = row["tip_id"]
            path.version = row["version"]
        self._update_paths(unit, tips)

    def _update_paths(self, unit: UnitOfWork, tips: Mapping[str, str]) -> None:
        """Read the paths of these conversations, which end at their tips."""
        ends: list[Json] = [*tips.values()]
        for first in range(0, len(ends), _AT_ONCE):
            by_conversation: dict[str, list[Row]] = {}
            for row in unit.read(queries.PATHS, {**self._user, "ids": ends[first : first + _AT_ONCE]}):
                by_conversation.setdefault(row["conversation_id"], []).append(row)
            for conversation, rows in by_conversation.items():
                self._extend(unit, self._paths[conversation], rows)

    def _extend(self, unit: UnitOfWork, path: _Path, rows: Sequence[Row]) -> None:
        """Make a path what its rows say: index what is new, and remove what has left it."""
        entries = [_entry(row) for row in rows]
        same = _common_length(path.entries, entries)
        path.is_open = rows[-1]["state"] == "generating"
        if same == len(entries) == len(path.entries):
            return
        first = max(0, same - NEIGHBOURS)
        for numbers in path.numbers[first:]:
            self._remove(numbers)
        path.entries, path.numbers = entries, path.numbers[:first]
        path.ids = frozenset(entry.id for entry in entries)
        before = max(0, first - NEIGHBOURS)
        spoken = self._spoken(unit, rows[before:])
        places = [place for place, each in enumerate(spoken) if each is not None]
        words = [each for each in spoken if each is not None]
        at_place = {place: at for at, place in enumerate(places)}
        for place in range(first - before, len(rows) - before):
            stems = passages_of(words, at_place[place]) if place in at_place else []
            path.numbers.append([self._add(each.passage, each.own, each.wide) for each in stems])

    def _spoken(self, unit: UnitOfWork, rows: Sequence[Row]) -> list[MessageWords | None]:
        """Return the words of the alternatives of a path; None for those without content."""
        ids: list[Json] = [row["id"] for row in rows if row["has_content"]]
        texts: dict[str, str] = {}
        for first in range(0, len(ids), _AT_ONCE):
            found = unit.read(queries.TEXTS, {**self._user, "ids": ids[first : first + _AT_ONCE]})
            texts |= {row["id"]: row["content"] for row in found}
        return [read_words(_message(row, texts[row["id"]])) if row["id"] in texts else None for row in rows]

    def _read_notes(self, unit: UnitOfWork) -> None:
        """Index the notes that are new, and remove those that no longer count."""
        rows = {row["id"]: row for row in unit.read(queries.NOTES, self._user)}
        for id_ in [id_ for id_ in self._notes if id_ not in rows]:
            self._remove(self.numbers.get(id_, []))
            del self._notes[id_]
        for id_, row in rows.items():
            if id_ not in self._notes:
                self._notes[id_] = row["covers"]
                for each in passages_of([read_words(_note(row))], 0):
                    self._add(each.passage, each.own, each.wide)

    def _add(self, passage: IndexedPassage, own: Mapping[str, int], wide: Mapping[str, int]) -> int:
        number = self.words.add(own, wide)
        self.changes += 1
        self.passages[number] = passage
        self.numbers.setdefault(passage.message, []).append(number)
        return number

    def _remove(self, numbers: Iterable[int]) -> None:
        for number in list(numbers):
            self.words.remove(number)
            self.changes += 1
            self._on_branch.discard(number)
            message = self.passages.pop(number).message
            self.numbers[message].remove(number)
            if not self.numbers[message]:
                del self.numbers[message]

    def _drop_branches(self, keep: int) -> None:
        """Remove the branches that were asked for longest ago."""
        for end in list(self._branches)[: len(self._branches) - keep]:
            for numbers in self._branches.pop(end).numbers:
                self._remove(numbers)


def _entry(row: Row) -> _Entry:
    return _Entry(row["id"], bool(row["has_content"]))


def _common_length(before: Sequence[_Entry], after: Sequence[_Entry]) -> int:
    """Return how many places two paths have in common at their beginning."""
    length = min(len(before), len(after))
    return next((at for at in range(length) if before[at] != after[at]), length)


def _message(row: Row, content: str) -> EpisodeText:
    return EpisodeText(row["id"], row["conversation_id"], row["id"], row["speaker"], row["at"], content)


def _note(row: Row) -> EpisodeText:
    conversation = row["covered_conversation_id"] or row["group_id"]
    return EpisodeText(row["id"], conversation, None, row["source"], row["at"], row["content"])
