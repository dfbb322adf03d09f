"""Regular expressions that are compiled at their first use."""

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any


class LazyPattern:
    """A regular expression that is compiled when it is first used.

    Those that read requests, answers and facts take 25 ms to compile, which a command that only lists things would pay
    at its start, too. The methods are those of `re.Pattern`.
    """

    __slots__ = ("_compiled", "_flags", "_source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself. Raises re.error for a source that is not valid."""
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags)
        return self._compiled

    @property
    def pattern(self) -> str:
        """The source."""
        return self._source

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first match, anywhere in a text."""
        return self.compiled.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The match with which a text begins."""
        return self.compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The match of a whole text."""
        return self.compiled.fullmatch(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """Every match, in order."""
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[Any]:
        """The text of every match, or of its groups, in order."""
        return self.compiled.findall(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """The text with every match replaced, or with the first `count`."""
        return self.compiled.sub(replacement, text, count)

    def split(self, text: str, count: int = 0) -> list[str | Any]:
        """The parts between the matches, and the groups of these."""
        return self.compiled.split(text, count)
