"""OAuth tokens: their refresh, and those of clients (RFC 6749, sections 4.4 and 6; platform 3)."""

import math
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Lock
from typing import Final, Protocol

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.catalog.operations import OperationError
from aeon.platform.catalog.secrets import SecretRepository
from aeon.platform.errors import ConflictError
from aeon.platform.ledger import MutationRequest
from aeon.platform.vault import SecretValue

_REFRESH_BEFORE = timedelta(seconds=60)
"""A token that expires within this time is refreshed before use."""

CLIENT_CREDENTIALS: Final = "client_credentials"

_MAX_SECONDS = 10 * 365 * 86400
_WRITE_ATTEMPTS = 10
"""How often a write is retried because the secret's name or flag changed meanwhile."""

_WAIT_ATTEMPTS, _WAIT_SECONDS = 15, 0.2
"""How often and how long to wait for the value of another process, whose refresh came first but is not written yet."""


class TokenRefusedError(OperationError):
    """The token's server gives no other one."""

    next_step = NextStep("secrets.rotate")


class TokenServer(Protocol):
    """Refreshes tokens, and gives clients theirs. Threads may share one."""

    def refresh(self, value: JsonObject, *, allow_private: bool) -> JsonObject:
        """Returns the response of the secret's `token_url` to its `refresh_token`, or to the client itself.

        Raises TokenRefusedError and OperationError, neither of which contains any token.
        """
        ...


def is_of_client(value: JsonObject) -> bool:
    """Returns whether a secret's value is a client, whose tokens are fetched with its own secret."""
    return value.get("grant") == CLIENT_CREDENTIALS


def is_refreshable(value: JsonObject) -> bool:
    """Returns whether a secret's value is a refreshable token, or a client that gets another one."""
    return bool(value.get("token_url") and (value.get("refresh_token") or is_of_client(value)))


def needs_refresh(value: JsonObject, now: str) -> bool:
    """Returns whether a refreshable token is still missing, or known to expire in less than a minute."""
    if not is_refreshable(value):
        return False
    if not value.get("access_token"):
        return True
    if not value.get("expires_at"):
        return False
    return datetime.fromisoformat(value["expires_at"]) - datetime.fromisoformat(now) < _REFRESH_BEFORE


def apply_refresh(value: JsonObject, answer: JsonObject, now: str) -> JsonObject:
    """Returns the secret's value after a token server's response.

    Raises OperationError for an invalid response.
    """
    token, kind = answer.get("access_token"), answer.get("token_type", "bearer")
    if not isinstance(token, str) or not token:
        raise OperationError("the token server answered without an access_token")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise OperationError("the token server answered with a token that is not a bearer token")
    after = {name: part for name, part in value.items() if name != "expires_at"} | {"access_token": token}
    again, seconds = answer.get("refresh_token"), _seconds(answer.get("expires_in"))
    if isinstance(again, str) and again and not is_of_client(value):
        after["refresh_token"] = again
    if seconds is not None:
        after["expires_at"] = (datetime.fromisoformat(now) + timedelta(seconds=seconds)).isoformat()
    return after


class OAuthTokens:
    """The tokens of all users.

    One thread at a time refreshes a token, and the vault stores it before its use. If two processes refresh at once,
    one result is stored, and both use it.
    """

    def __init__(self, secrets: SecretRepository, server: TokenServer, clock: Clock) -> None:
        self._secrets = secrets
        self._server = server
        self._clock = clock
        self._locks: dict[str, Lock] = {}

    def get_fresh(self, user: str, id_: str, *, allow_private: bool) -> SecretValue:
        """Returns the user's secret for a call, refreshed if needed. Raises OperationError."""
        _, current = self._secrets.get_with_value(user, id_)
        if not needs_refresh(current.reveal(), self._clock.now()):
            return current
        return self._refresh(user, id_, current, allow_private=allow_private)

    def refresh_rejected(self, user: str, id_: str, used: SecretValue, *, allow_private: bool) -> SecretValue | None:
        """Returns a new value for one that a peer rejected.

        Returns None if it is not refreshable. Raises OperationError.
        """
        if not is_refreshable(used.reveal()):
            return None
        return self._refresh(user, id_, used, allow_private=allow_private)

    def _refresh(self, user: str, id_: str, used: SecretValue, *, allow_private: bool) -> SecretValue:
        with self._locks.setdefault(id_, Lock()):
            secret, current = self._secrets.get_with_value(user, id_)
            if _differ(current, used):
                return current
            try:
                answer = self._server.refresh(used.reveal(), allow_private=allow_private)
            except TokenRefusedError:
                other = self._wait_for_other(user, id_, used)
                if other is None:
                    raise
                return other
            after = apply_refresh(used.reveal(), answer, self._clock.now())
            return self._store(user, id_, used, after, secret.vault_version)

    def _store(self, user: str, id_: str, used: SecretValue, after: JsonObject, version: int) -> SecretValue:
        """Stores the new value and returns it.

        Returns another process's value if that was stored first.
        """
        for _ in range(_WRITE_ATTEMPTS):
            with suppress(ConflictError):
                self._secrets.rotate(id_, after, MutationRequest(user), since=version)
                return SecretValue(after)
            _, current = self._secrets.get_with_value(user, id_)
            if _differ(current, used):
                return current
        raise ConflictError("The secret was changed repeatedly while its token was refreshed.")

    def _wait_for_other(self, user: str, id_: str, used: SecretValue) -> SecretValue | None:
        for _ in range(_WAIT_ATTEMPTS):
            _, current = self._secrets.get_with_value(user, id_)
            if _differ(current, used):
                return current
            self._clock.sleep(_WAIT_SECONDS)
        return None


def _differ(one: SecretValue, other: SecretValue) -> bool:
    return one.reveal() != other.reveal()


def _seconds(value: Json) -> float | None:
    """Returns a token's lifetime if it is valid; some servers send it as a string."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:12])
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return None
    return min(value, _MAX_SECONDS)
