"""What the engine complains about, as errors of the port that hold no parameter's value (platform 3)."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from aeon.base.json import Json
from aeon.platform.graph import (
    DuplicateError,
    GraphError,
    GraphUnavailableError,
    GuardError,
    Params,
    QueryError,
    QueryTimeoutError,
    ReadOnlyError,
)

EMPTY_KEY = "Invalid graph operation on empty key"
ALREADY_INDEXED = "already indexed"
ALREADY_CONSTRAINED = "Constraint already exists"

_KINDS: tuple[tuple[str, type[GraphError], str], ...] = (
    ("Division by zero", GuardError, "Read again what the query was to change, and why it may not."),
    ("unique constraint violation", DuplicateError, "Use what is there, or another value."),
    ("Query timed out", QueryTimeoutError, "Ask for less at once, or give it more time."),
    ("to be executed only on read-only queries", ReadOnlyError, "Use write."),
)
"""What a query met, by the engine's words: the error, whose class says it, and what to do next."""

_SERVER = "Correct the server, or give another address."
_TROUBLES: tuple[tuple[str, str, str], ...] = (
    ("NOAUTH|WRONGPASS|invalid (username|password)|Authentication", "refuses the password", "Give the right password."),
    ("NOPERM|has no permissions", "does not allow this user the command", _SERVER),
    ("unknown command", "has no FalkorDB in it", _SERVER),
    ("LOADING|is loading|max number of clients|Max pending queries|BUSY", "is busy", "Wait a little and ask again."),
    ("No space left|Disk quota", "has a full disk", "Free some space; what is there is safe, and writes then go on."),
    ("MISCONF", "cannot write to its disk", "See that there is room, and at the end of its log."),
    ("OOM|used memory|memory consumption", "is out of memory", "Give it more memory."),
    ("READONLY|read only replica", "is a copy that takes no writes", _SERVER),
)
"""What ails the server, by its words: what it does, and what to do next."""

_LONG = 4
"""Values at least this long are hidden wherever they stand; shorter ones only as a whole quoted word."""


def failure(text: str, params: Params | None = None) -> GraphError:
    """The error that the engine's `text` means; values of `params` in it are hidden."""
    for pattern, kind, step in _KINDS:
        if pattern in text:
            return kind(next_step=step)
    for pattern, trouble, step in _TROUBLES:
        if re.search(pattern, text):
            return GraphUnavailableError(f"The graph's server {trouble}.", next_step=step)
    said = _hidden(text.partition("errCtx:")[0].removeprefix("errMsg:").strip(), params or {})
    return QueryError(f"The graph refuses the query: {said}.", next_step="Correct the query.")


def _hidden(text: str, params: Params) -> str:
    words = sorted({word for word in _words(params) if word}, key=len, reverse=True)
    for word in words:
        spots = re.escape(word) if len(word) >= _LONG else rf"(?<=['\"`]){re.escape(word)}(?=['\"`])"
        text = re.sub(spots, lambda _: "[hidden]", text)
    return text


def _words(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for part in cast("Mapping[str, Json]", value).values():
            yield from _words(part)
    elif isinstance(value, (list, tuple)):
        for part in cast("list[Json]", value):
            yield from _words(part)
    elif value is not None:
        yield str(value)
