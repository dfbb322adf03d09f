"""The calls that are running over HTTP, so that another request can cancel them."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final, TypeAlias, cast

from aeon.base.cancellation import CancelScope
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict

CallKey: TypeAlias = tuple[str, str, str]
"""The user, the name of the client's session and the id of the request in it."""

_CANCELLED: Final = "notifications/cancelled"


class McpMessage:
    """A message of a client, as far as its cancellation needs it. The SDK checks it."""

    def __init__(self, user: str, session: str | None, body: bytes) -> None:
        """Without the name of a session, ids of requests of several clients cannot be told apart."""
        self._user = user
        self._session = session
        self._content: JsonObject = {}
        with suppress(ValueError):
            content = parse_strict(body.decode())
            self._content = cast(JsonObject, content) if isinstance(content, dict) else {}

    @property
    def method(self) -> Json:
        return self._content.get("method")

    @property
    def key(self) -> CallKey | None:
        """The key by which this request can be cancelled; None if it cannot."""
        return self._key_of(self._content.get("id"))

    @property
    def cancelled_key(self) -> CallKey | None:
        """The key of the request that this message cancels; None if it cancels none."""
        params = self._content.get("params")
        if self.method != _CANCELLED or not isinstance(params, dict):
            return None
        return self._key_of(cast(JsonObject, params).get("requestId"))

    def _key_of(self, id_: Json) -> CallKey | None:
        return None if self._session is None or id_ is None else (self._user, self._session, canonical_json(id_))


class RunningCalls:
    """The requests that are being answered. Used in one event loop."""

    def __init__(self) -> None:
        self._scopes: dict[CallKey, CancelScope] = {}

    @contextmanager
    def entered(self, key: CallKey | None) -> Generator[CancelScope]:
        """Yield a scope in which `cancel` with this key cancels what runs; with None, nothing does."""
        scope = CancelScope()
        if key is not None:
            self._scopes[key] = scope
        try:
            yield scope
        finally:
            if key is not None and self._scopes.get(key) is scope:
                del self._scopes[key]

    def cancel(self, key: CallKey) -> None:
        """Cancel the request with this key, if it is running."""
        if (scope := self._scopes.get(key)) is not None:
            scope.cancel()
