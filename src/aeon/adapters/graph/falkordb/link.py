"""One command to the engine and its answer, with the certainty whether the command was ever sent."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from aeon.adapters.graph.falkordb.decoding import Reply
from aeon.base.errors import MissingExtraError
from aeon.platform.graph import GraphUnavailableError

if TYPE_CHECKING:
    import redis

_CONNECT_SECONDS = 5.0
_WRITE = "GRAPH.QUERY"


class EngineComplaintError(Exception):
    """The engine answered that it will not. The text is the engine's, so it may hold values."""


class LateAnswerError(Exception):
    """No answer came in the time given; whether the command was carried out is not known."""


class Link:
    """Connections to one engine. Threads may share it; each command has a connection of its own while it runs."""

    def __init__(
        self,
        pool: "redis.ConnectionPool",
        where: str,
        revive: Callable[[], None],
        require_room: Callable[[], None] = lambda: None,
    ) -> None:
        """`revive` is called when nothing answers, or an answer was lost: it has an engine there again, or raises.

        `require_room` is called before every write, and raises where it could not be kept.
        """
        self._pool = pool
        self._where = where
        self._revive = revive
        self._require_room = require_room
        self._is_closed = False
        self._is_doubtful = False

    def ask(self, *command: str | int, timeout: float) -> Reply:
        """The answer, waited for at most `timeout` seconds.

        Raises EngineComplaintError, LateAnswerError, and GraphUnavailableError, whose `may_have_happened` says whether
        the command was sent. Nothing is ever sent twice: the client's own repeating is off.
        """
        import redis.exceptions as wire

        if command[0] == _WRITE:
            self._require_room()
        connection = self._connected()
        try:
            connection.send_command(*command)
            return connection.read_response(timeout=timeout)
        except (wire.ResponseError, *_refusals()) as error:
            raise EngineComplaintError(str(error)) from None
        except wire.TimeoutError:
            connection.disconnect()
            raise LateAnswerError from None
        except (wire.ConnectionError, OSError) as error:
            connection.disconnect()
            self._is_doubtful = True
            raise _unavailable(self._where, error, may_have_happened=True) from None
        except BaseException:
            connection.disconnect()  # an answer left unread would be taken for the next command's
            raise
        finally:
            self._pool.release(connection)

    def close(self) -> None:
        self._is_closed = True
        self._pool.disconnect()

    def _connected(self) -> Any:
        import redis.exceptions as wire

        if self._is_closed:
            raise GraphUnavailableError("The graph was closed.", next_step="Open it again.")
        if self._is_doubtful:  # an engine that is just dying still takes connections, and answers none
            self._revive()
            self._is_doubtful = False
        try:
            return self._connection()
        except wire.AuthenticationError:
            raise GraphUnavailableError(
                f"The {self._where} refuses the password.", next_step="Give the server's password."
            ) from None
        except (wire.ConnectionError, wire.TimeoutError, OSError):
            self._revive()
        try:
            return self._connection()
        except (wire.RedisError, OSError) as error:
            raise _unavailable(self._where, error, may_have_happened=False) from None

    def _connection(self) -> Any:
        return cast("Any", self._pool).get_connection()


def pool_of(connection: str, **where: Any) -> "redis.ConnectionPool":
    """Connections of the class of that name in `redis`. Raises MissingExtraError without the client."""
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as missing:
        raise MissingExtraError(
            "The graph needs redis and falkordb.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    return redis.ConnectionPool(
        connection_class=getattr(redis, connection),
        protocol=2,
        retry=Retry(NoBackoff(), 0),  # the client would repeat writes whose answer was lost
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=_CONNECT_SECONDS,
        driver_info=None,
        **where,
    )


def _refusals() -> tuple[type[Exception], ...]:
    """Answers that the client takes for lost connections, though the engine said that it did nothing."""
    import redis.exceptions as wire

    return wire.AuthenticationError, wire.BusyLoadingError, wire.MaxConnectionsError


def _unavailable(where: str, error: Exception, *, may_have_happened: bool) -> GraphUnavailableError:
    said = "the answer was lost" if may_have_happened else str(error).rstrip(".")
    return GraphUnavailableError(f"The {where} does not answer: {said}.", may_have_happened=may_have_happened)
