"""Splits a stream of JSON into the values of its list, without ever holding more than one of them. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_STRUCTURE: Final = re.compile(r'["\[\]{}]')
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRING_END: Final = re.compile(r'["\\]')
_BETWEEN: Final = " \t\r\n,"

CUT_OFF: Final = "the file ends in the middle of it"
NO_OBJECT: Final = "it is not an object"
ENDS_EARLY: Final = "the file ends before its list does; what would follow is missing"


class Element(NamedTuple):
    """A value of the list as text; without a text, `problem` says why."""

    text: str | None
    problem: str = ""


def split_elements(chunks: Iterable[str], limit: int) -> Iterator[Element]:
    """Yields the objects of a JSON list, or objects that follow each other, each as text.

    The text is not parsed: a value that is not JSON harms no other as long as its brackets and quotes are balanced.
    An object of more than `limit` characters has a problem instead of its text, as has what is not an object, and an
    end that comes too early.
    """
    scanner = _Scanner(limit)
    for chunk in chunks:
        yield from scanner.feed(chunk)
    yield from scanner.end()


class _Scanner:
    """Follows brackets and strings from chunk to chunk. `base` is the depth of the list: 0 outside one, 1 inside."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._depth = 0
        self._base = 0
        self._is_in_string = False
        self._is_escaped = False
        self._has_junk = False
        self._parts: list[str] = []
        self._size = 0
        self._start = 0

    def feed(self, chunk: str) -> Iterator[Element]:
        self._start = at = 0
        while at < len(chunk):
            if self._is_in_string:
                at = self._after_string(chunk, at)
                continue
            found = _STRUCTURE.search(chunk, at)
            if self._depth == self._base:
                self._note_junk(chunk[at : len(chunk) if found is None else found.start()])
            if found is None:
                break
            at = found.end()
            if found[0] == '"':
                at = self._enter_string(chunk, at)
            elif found[0] in "[{":
                yield from self._open(found[0], at)
            else:
                yield from self._close(found[0], chunk, at)
        if self._depth > self._base:
            self._keep(chunk[self._start :])

    def end(self) -> Iterator[Element]:
        yield from self._junk()
        if self._depth > self._base:
            yield Element(None, CUT_OFF)
        elif self._base:
            yield Element(None, ENDS_EARLY)

    def _after_string(self, chunk: str, at: int) -> int:
        """Returns where a string ends that began in an earlier chunk, or the chunk's end."""
        if self._is_escaped:
            self._is_escaped = False
            at += 1
        while (found := _STRING_END.search(chunk, at)) is not None:
            at = found.end()
            if found[0] == '"':
                self._is_in_string = False
                return at
            if at == len(chunk):
                self._is_escaped = True
            at += 1
        return len(chunk)

    def _enter_string(self, chunk: str, at: int) -> int:
        """Returns where a string ends that begins before `at`; the place after its quote if not in this chunk."""
        self._has_junk = self._has_junk or self._depth == self._base
        whole = _STRING.match(chunk, at - 1)
        self._is_in_string = whole is None
        return at if whole is None else whole.end()

    def _open(self, bracket: str, at: int) -> Iterator[Element]:
        if bracket == "[" and self._depth == 0:
            self._base = self._depth = 1
            return
        if self._depth == self._base:
            self._start = at - 1
            yield from self._junk()
        self._depth += 1

    def _close(self, bracket: str, chunk: str, at: int) -> Iterator[Element]:
        if self._depth == self._base:
            yield from self._close_list(bracket)
            return
        self._depth -= 1
        if self._depth == self._base:
            self._keep(chunk[self._start : at])
            yield self._take()

    def _close_list(self, bracket: str) -> Iterator[Element]:
        if self._base and bracket == "]":
            yield from self._junk()
            self._base = self._depth = 0
        else:
            self._has_junk = True

    def _note_junk(self, between: str) -> None:
        self._has_junk = self._has_junk or bool(between.strip(_BETWEEN))

    def _junk(self) -> Iterator[Element]:
        if self._has_junk:
            self._has_junk = False
            yield Element(None, NO_OBJECT)

    def _keep(self, part: str) -> None:
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _take(self) -> Element:
        text, size = "".join(self._parts), self._size
        self._parts, self._size = [], 0
        return Element(None, f"it has more than {self._limit:,} characters") if size > self._limit else Element(text)
