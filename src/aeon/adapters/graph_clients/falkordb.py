"""FalkorDB's own client over redis, which sends nothing twice, and what the server refuses."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from aeon.adapters.graph_clients.errors import GraphServerFailure
from aeon.base.errors import MissingExtraError
from aeon.base.json import Json, JsonObject

PORT = 6379

_CONNECT_SECONDS = 5.0

_LATER = "Ask for less at once, or give it more time."
_QUERY_FAILURES: tuple[tuple[str, GraphServerFailure], ...] = (
    (
        "unique constraint violation",
        GraphServerFailure(
            "A value that must be unique is already there.", "Use what is there, or another value.", False
        ),
    ),
    ("Query timed out", GraphServerFailure("The query took longer than its timeout.", _LATER, True)),
    (
        "to be executed only on read-only queries",
        GraphServerFailure("The query writes, and was sent to be read.", "Set the operation's mode to write.", False),
    ),
)
"""What a query met, by the server's words."""

_SERVER = "Correct the server, or give another address."
_SERVER_FAILURES: tuple[tuple[str, str, str], ...] = (
    ("NOAUTH|WRONGPASS|invalid (username|password)|Authentication", "refuses the password", "Give the right password."),
    ("NOPERM|has no permissions", "does not allow this user the command", _SERVER),
    ("unknown command", "has no FalkorDB in it", _SERVER),
    ("LOADING|is loading|max number of clients|Max pending queries|BUSY", "is busy", "Wait a little and ask again."),
    ("No space left|Disk quota", "has a full disk", "Free some space; what is there is safe, and writes then go on."),
    ("MISCONF", "cannot write to its disk", "See that there is room, and at the end of its log."),
    ("OOM|used memory|memory consumption", "is out of memory", "Give it more memory."),
    ("READONLY|read only replica", "is a copy that takes no writes", _SERVER),
)
"""What is wrong with the server, by its words: what it does, and what to do next."""

_MIN_LONG = 4
"""Values at least this long are hidden wherever they stand; shorter ones only as a whole quoted word."""


def connect(host: str, port: int, user: str | None, password: str | None, seconds: float) -> Any:
    """A `redis.Redis` that waits so many seconds for an answer. Raises MissingExtraError without the client."""
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as missing:
        raise _missing() from missing
    return redis.Redis(
        host=host,
        port=port,
        username=user or None,
        password=password,
        decode_responses=True,
        protocol=2,
        retry=Retry(NoBackoff(), 0),  # the client would repeat a write whose answer was lost
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=seconds,
    )


def open_graph(client: Any, name: str) -> Any:
    """A graph on the server, as a `falkordb.Graph`. Raises MissingExtraError without the client."""
    try:
        from falkordb import Graph
    except ImportError as missing:
        raise _missing() from missing
    return Graph(client, name)


def failure_of(error: Exception, where: str, params: Mapping[str, Json] | None = None) -> GraphServerFailure:
    """What a `redis.RedisError` or an OSError means; values of `params` in it are hidden."""
    import redis.exceptions as wire

    if isinstance(error, wire.TimeoutError):
        return GraphServerFailure("The query took longer than its timeout.", _LATER, True)
    if isinstance(error, wire.AuthenticationError | wire.ResponseError | wire.BusyLoadingError):
        return failure_of_text(str(error), params)
    advice = "See that the server runs and the address is right."
    return GraphServerFailure(f"The FalkorDB server at {where} does not answer: {type(error).__name__}.", advice, True)


def failure_of_text(text: str, params: Mapping[str, Json] | None = None) -> GraphServerFailure:
    """What the server's `text` means; values of `params` in it are hidden."""
    for pattern, known in _QUERY_FAILURES:
        if pattern in text:
            return known
    for pattern, trouble, advice in _SERVER_FAILURES:
        if re.search(pattern, text):
            return GraphServerFailure(f"The graph's server {trouble}.", advice, True)
    said = _hidden(text.partition("errCtx:")[0].removeprefix("errMsg:").strip(), params or {})
    return GraphServerFailure(f"The graph refuses the query: {said}.", "Correct the query.", False)


def _missing() -> MissingExtraError:
    return MissingExtraError(
        "A FalkorDB server needs redis and falkordb.", next_step="Install aeon-orchestrator[graph]."
    )


def _hidden(text: str, params: Mapping[str, Json]) -> str:
    words = sorted({word for word in _words(params) if word}, key=len, reverse=True)
    for word in words:
        spots = re.escape(word) if len(word) >= _MIN_LONG else rf"(?<=['\"`]){re.escape(word)}(?=['\"`])"
        text = re.sub(spots, lambda _: "[hidden]", text)
    return text


def _words(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for part in cast("JsonObject", value).values():
            yield from _words(part)
    elif isinstance(value, (list, tuple)):
        for part in cast("list[Json]", value):
            yield from _words(part)
    elif value is not None:
        yield str(value)
