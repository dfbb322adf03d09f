"""FalkorDB's own client over redis, without resends, and the meaning of its errors."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from aeon.adapters.graph_clients.errors import GraphServerFailure
from aeon.base.errors import MissingExtraError
from aeon.base.json import Json, JsonObject

PORT = 6379

_CONNECT_SECONDS = 5.0

_RETRY_ADVICE = "Request less at once, or allow more time."
_QUERY_FAILURES: tuple[tuple[str, GraphServerFailure], ...] = (
    (
        "unique constraint violation",
        GraphServerFailure(
            "A value that must be unique already exists.", "Use the existing one, or another value.", False
        ),
    ),
    ("Query timed out", GraphServerFailure("The query took longer than its timeout.", _RETRY_ADVICE, True)),
    (
        "to be executed only on read-only queries",
        GraphServerFailure("The query writes, but was sent as a read.", "Set the operation's mode to write.", False),
    ),
)
"""Failures of queries, by text in the server's message."""

_SERVER_ADVICE = "Correct the server, or give another address."
_SERVER_FAILURES: tuple[tuple[str, str, str], ...] = (
    ("NOAUTH|WRONGPASS|invalid (username|password)|Authentication", "refuses the password", "Give the right password."),
    ("NOPERM|has no permissions", "does not allow this user the command", _SERVER_ADVICE),
    ("unknown command", "has no FalkorDB in it", _SERVER_ADVICE),
    ("LOADING|is loading|max number of clients|Max pending queries|BUSY", "is busy", "Wait a little and try again."),
    ("No space left|Disk quota", "has a full disk", "Free some space; the data are safe, and writes then continue."),
    ("MISCONF", "cannot write to its disk", "Check the free space and the end of its log."),
    ("OOM|used memory|memory consumption", "is out of memory", "Give it more memory."),
    ("READONLY|read only replica", "is a replica that accepts no writes", _SERVER_ADVICE),
)
"""Failures of the server, by a pattern of its message: the failure, and what to do next."""

_MIN_HIDDEN_CHARACTERS = 4
"""Values of at least this length are hidden everywhere; shorter ones only as a whole quoted word."""


def connect(host: str, port: int, user: str | None, password: str | None, seconds: float) -> Any:
    """Returns a `redis.Redis` with a timeout of `seconds`.

    Raises MissingExtraError without the client.
    """
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
        retry=Retry(NoBackoff(), 0),  # the client would resend a write whose response was lost
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=seconds,
    )


def open_graph(client: Any, name: str) -> Any:
    """Returns a graph on the server as a `falkordb.Graph`.

    Raises MissingExtraError without the client.
    """
    try:
        from falkordb import Graph
    except ImportError as missing:
        raise _missing() from missing
    return Graph(client, name)


def failure_of(error: Exception, where: str, params: Mapping[str, Json] | None = None) -> GraphServerFailure:
    """Returns the failure for a `redis.RedisError` or OSError, with `params` hidden."""
    import redis.exceptions as wire

    if isinstance(error, wire.TimeoutError):
        return GraphServerFailure("The query took longer than its timeout.", _RETRY_ADVICE, True)
    if isinstance(error, wire.AuthenticationError | wire.ResponseError | wire.BusyLoadingError):
        return failure_of_text(str(error), params)
    advice = "Check that the server runs and the address is right."
    return GraphServerFailure(f"The FalkorDB server at {where} does not answer: {type(error).__name__}.", advice, True)


def failure_of_text(text: str, params: Mapping[str, Json] | None = None) -> GraphServerFailure:
    """Returns the failure for the server's `text`, with values of `params` hidden."""
    for pattern, failure in _QUERY_FAILURES:
        if pattern in text:
            return failure
    for pattern, trouble, advice in _SERVER_FAILURES:
        if re.search(pattern, text):
            return GraphServerFailure(f"The graph's server {trouble}.", advice, True)
    message = _hide(text.partition("errCtx:")[0].removeprefix("errMsg:").strip(), params or {})
    return GraphServerFailure(f"The graph refuses the query: {message}.", "Correct the query.", False)


def _missing() -> MissingExtraError:
    return MissingExtraError(
        "A FalkorDB server needs redis and falkordb.", next_step="Install aeon-orchestrator[graph]."
    )


def _hide(text: str, params: Mapping[str, Json]) -> str:
    words = sorted({word for word in _words(params) if word}, key=len, reverse=True)
    for word in words:
        pattern = re.escape(word) if len(word) >= _MIN_HIDDEN_CHARACTERS else rf"(?<=['\"`]){re.escape(word)}(?=['\"`])"
        text = re.sub(pattern, lambda _: "[hidden]", text)
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
