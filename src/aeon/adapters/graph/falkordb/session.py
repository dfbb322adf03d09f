"""Queries to one graph key of an engine: sent, decoded, and their failures told apart."""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

from aeon.adapters.graph.falkordb import queries
from aeon.adapters.graph.falkordb.decoding import Reply, UnknownKeyError, rows
from aeon.adapters.graph.falkordb.encoding import header
from aeon.adapters.graph.falkordb.failures import EMPTY_KEY, failure
from aeon.adapters.graph.falkordb.link import EngineComplaintError, LateAnswerError, Link
from aeon.adapters.graph.falkordb.mentions import mentioned
from aeon.adapters.graph.subset import of_the_subset
from aeon.platform.graph import GraphUnavailableError, Params, Row

T = TypeVar("T")

DEFAULT_SECONDS = 60.0
"""What a query gets that names no time of its own: none waits for ever."""

NO_LIMIT_MS = 2**31 - 1
"""The engine's TIMEOUT_MAX that limits nothing, but makes it heed the time given to a write as well."""

_GRACE_SECONDS = 10.0
"""Beyond its own time, what the engine may need to take a write back before its answer counts as lost."""

_ATTEMPTS = 20


class _Keys(NamedTuple):
    """The names of properties by number, and the version of the graph's schema in which they have them."""

    version: int
    names: tuple[str, ...]
    known: frozenset[str]


class Session:
    """One graph key. Threads may share it."""

    def __init__(self, link: Link, key: str, most_ms: int = NO_LIMIT_MS) -> None:
        """`most_ms` is the longest time that the engine allows a query."""
        self._link = link
        self._key = key
        self._most_ms = most_ms
        self._keys = _Keys(0, (), frozenset())

    def read(self, query: str, params: Params | None = None, timeout: float | None = None) -> list[Row]:
        """As `GraphStore.read`; asked once more when the answer was lost."""
        text = header(params) + of_the_subset(query)
        return _once_more(lambda: self._rows("GRAPH.RO_QUERY", text, params, timeout, frozenset()))

    def write(self, query: str, params: Params | None = None, timeout: float | None = None) -> list[Row]:
        """As `GraphStore.write`."""
        text = header(params) + of_the_subset(query)
        return self._rows("GRAPH.QUERY", text, params, timeout, mentioned(query))

    def explain(self, query: str, params: Params | None = None) -> str:
        text = header(params) + query
        lines = _once_more(lambda: self._ask(("GRAPH.EXPLAIN", self._key, text), params, DEFAULT_SECONDS))
        return "\n".join(line.decode() for line in lines)

    def command(self, *command: str | int, timeout: float = DEFAULT_SECONDS) -> Reply:
        """A command that is no query. Raises GraphError."""
        return self._ask(command, None, timeout)

    def _rows(
        self, command: str, text: str, params: Params | None, timeout: float | None, names: frozenset[str]
    ) -> list[Row]:
        """`names` are those of properties that the engine must know before it is asked."""
        seconds = DEFAULT_SECONDS if timeout is None else timeout
        reply, keys = self._versioned(command, text, params, seconds, names)
        try:
            return rows(reply, keys.names)
        except UnknownKeyError:  # made by this very query, or by another one just before
            return rows(reply, self._learn(keys.version).names)

    def _versioned(
        self, command: str, text: str, params: Params | None, seconds: float, names: frozenset[str]
    ) -> tuple[Reply, _Keys]:
        """The answer to a query, and the names of properties that belong to it.

        The engine turns a query down, before anything is done, whose `version` is not its schema's: a graph that was
        replaced numbers its properties anew.
        """
        milliseconds = max(1, math.ceil(min(seconds * 1000, self._most_ms)))
        for _ in range(_ATTEMPTS):
            keys = self._keys if names <= self._keys.known else self._named(names)
            options = ("--compact", "timeout", milliseconds, "version", keys.version)
            reply = self._ask((command, self._key, text, *options), params, seconds)
            if not _is_other_version(reply):
                return reply, keys
            self._learn(reply[1])
        raise GraphUnavailableError("The graph's schema never stands still.", next_step="Ask again.")

    def _named(self, names: frozenset[str]) -> _Keys:
        """Make names of properties known, which they then stay: a node with them comes and goes."""
        keys = self._learn(self._keys.version)
        if missing := sorted(names - keys.known):
            text = header({"names": dict.fromkeys(missing, True)}) + queries.NAME
            self._ask(("GRAPH.QUERY", self._key, text, "--compact"), None, DEFAULT_SECONDS)
            keys = self._learn(keys.version)
        return keys

    def _learn(self, version: int) -> _Keys:
        """Ask for the names of properties, and keep them with the very version that they belong to."""
        for _ in range(_ATTEMPTS):
            query = ("GRAPH.RO_QUERY", self._key, queries.PROPERTY_KEYS, "--compact", "version", version)
            reply = self._ask(query, None, DEFAULT_SECONDS)
            if not _is_other_version(reply):
                names = tuple(row["propertyKey"] for row in rows(reply, ()))
                self._keys = _Keys(version, names, frozenset(names))
                return self._keys
            version = reply[1]
        raise GraphUnavailableError("The graph's schema never stands still.", next_step="Ask again.")

    def _ask(self, command: tuple[str | int, ...], params: Params | None, seconds: float) -> Reply:
        try:
            return self._answered(command, seconds)
        except EngineComplaintError as complaint:
            if EMPTY_KEY not in str(complaint):
                raise failure(str(complaint), params) from None
        # Nobody has written to this graph yet: asking for its first row makes it.
        self._answered(("GRAPH.QUERY", self._key, queries.NOTHING, "--compact"), DEFAULT_SECONDS)
        try:
            return self._answered(command, seconds)
        except EngineComplaintError as complaint:
            raise failure(str(complaint), params) from None

    def _answered(self, command: tuple[str | int, ...], seconds: float) -> Reply:
        try:
            reply = self._link.ask(*command, timeout=seconds + _GRACE_SECONDS)
        except LateAnswerError:  # the engine itself ends in time what it works at: this one does not work
            raise GraphUnavailableError(
                f"The graph is slow: it has not answered for {seconds + _GRACE_SECONDS:g} s.",
                next_step="Wait and try again; repeat a change with its Idempotency-Key, since it may be done.",
                may_have_happened=command[0] == "GRAPH.QUERY",
            ) from None
        complaints = [] if _is_other_version(reply) else _complaints(reply)
        if complaints:
            raise EngineComplaintError(str(complaints[0]))
        return reply


def _is_other_version(reply: Reply) -> bool:
    match reply:
        case [Exception(), int()]:
            return True
        case _:
            return False


def _complaints(reply: Reply) -> list[Exception]:
    """Errors that stand in an answer instead of being one."""
    parts = cast("list[Reply]", reply) if isinstance(reply, list) else []
    return [part for part in parts if isinstance(part, Exception)]


def _once_more(ask: Callable[[], T]) -> T:
    """A read whose answer was lost is asked again; it changes nothing, so that is safe."""
    try:
        return ask()
    except GraphUnavailableError as error:
        if not error.may_have_happened:
            raise
    try:
        return ask()
    except GraphUnavailableError as error:
        raise GraphUnavailableError(error.message, next_step=error.advice) from None
