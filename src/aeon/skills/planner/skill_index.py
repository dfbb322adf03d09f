"""Finds the skills for a request among thousands, by text search."""

import re
import sqlite3
import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from aeon.skills.models import Skill

_WORD = re.compile(r"[^\W_]{2,}")
_MOST_WORDS = 64
"""Maximum number of words of a request in a search."""

_WEIGHTS = "6.0, 2.0, 1.0"
"""Weights of a hit in the name, the description, the scripts' names and descriptions."""

_TABLE = "CREATE VIRTUAL TABLE skill USING fts5(name, description, scripts, tokenize = 'porter unicode61')"
_INSERT = "INSERT INTO skill (rowid, name, description, scripts) VALUES (?, ?, ?, ?)"
_SEARCH = f"SELECT rowid FROM skill WHERE skill MATCH ? ORDER BY bm25(skill, {_WEIGHTS}), rowid LIMIT ?"  # noqa: S608  # a constant

_HITS = "SELECT rowid FROM skill WHERE skill MATCH ?"
_RELATED = 3
"""Hits from which a skill is related to a request: of its words in the name, and in the whole text."""

_STOP_WORD_LIST = """
a an and are as at be but by can could do does for from get give have how i if in into is it its let me my of on or our
out please so some tell than that the their them then there this to up us use want was we what when where which who will
with would you your
"""
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
"""Words that carry no meaning for the search."""


class SkillIndex:
    """A full-text index (SQLite's FTS5, BM25, English stems) over skills. Thread-safe."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        # Equal hits come in row order: higher priority first, then the catalog's order.
        self._skills = sorted(skills, key=lambda skill: -skill.priority)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self._connection.close)  # for an index that is kept until its skills change
        self._connection.execute(_TABLE)
        self._connection.executemany(_INSERT, (_row(number, skill) for number, skill in enumerate(self._skills)))

    def search(self, request: str, most: int) -> list[Skill]:
        """Returns at most `most` skills that share a word with `request`.

        The best match is first; priority breaks ties.
        """
        words = _words_in(request)
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        with self._lock:
            rows = self._connection.execute(_SEARCH, (query, most)).fetchall()
        return [self._skills[number] for (number,) in rows]

    def related(self, request: str, most: int) -> list[Skill]:
        """Returns at most `most` skills that `request` is about; one word in common by chance is not enough."""
        words = _words_in(request)
        hits = self._hits(f'"{word}"' for word in words)
        in_name = self._hits(f'name : "{word}"' for word in words)
        related = {
            self._skills[number].name
            for number, count in hits.items()
            if count + in_name[number] >= _RELATED or count == len(words)
        }
        return [skill for skill in self.search(request, len(self._skills)) if skill.name in related][:most]

    def _hits(self, queries: Iterable[str]) -> Counter[int]:
        """How many of the queries each row matches."""
        with self._lock:
            found = [self._connection.execute(_HITS, (query,)).fetchall() for query in queries]
        return Counter(number for rows in found for (number,) in rows)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def select_candidates(index: SkillIndex, skills: Sequence[Skill], request: str, most: int) -> list[Skill]:
    """Returns the skills for the planner.

    These are all skills if there are at most `most`, else the results of the search.
    """
    return list(skills) if len(skills) <= most else index.search(request, most)


def _words_in(request: str) -> list[str]:
    """The words of a request that carry meaning, each once."""
    words = dict.fromkeys(word for word in _WORD.findall(request.casefold()) if word not in _STOP_WORDS)
    return list(words)[:_MOST_WORDS]


def _row(number: int, skill: Skill) -> tuple[int, str, str, str]:
    return number, _words_of(skill.name), skill.description, _scripts_of(skill)


def _words_of(name: str) -> str:
    return name.replace("-", " ")


def _scripts_of(skill: Skill) -> str:
    return " ".join(f"{_words_of(script.name)} {script.description}" for script in skill.scripts)
