"""OAuth tokens, refreshed when they are about to end or were refused (RFC 6749, section 6; platform 3)."""

import math
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Lock
from typing import Protocol

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import OperationError
from aeon.platform.catalog.secrets import SecretRepository
from aeon.platform.errors import ConflictError
from aeon.platform.ledger import MutationRequest
from aeon.platform.vault import SecretValue

_SOON = timedelta(seconds=60)
"""A token that ends within this is refreshed before it is used."""

_LONGEST_SECONDS = 10 * 365 * 86400
_WRITES = 10
"""How often the secret's name or flag may change while its new value is written."""

_LOOKS, _LOOK_SECONDS = 15, 0.2
"""Another process whose refresh came first has its answer before it has written it: how long its result is awaited."""


class TokenRefusedError(OperationError):
    """The token cannot be refreshed."""

    next_step = "Log in again at its provider and rotate the secret with `aeon secret set`."


class TokenServer(Protocol):
    """Refreshes tokens. Threads may share one."""

    def refresh(self, value: JsonObject, *, allow_private: bool) -> JsonObject:
        """What the secret's `token_url` answers to its `refresh_token`.

        Raises TokenRefusedError, OperationError, with nothing of a token in them.
        """
        ...


def is_refreshable(value: JsonObject) -> bool:
    """Whether a secret's value is a token that can be refreshed at all."""
    return bool(value.get("refresh_token") and value.get("token_url"))


def needs_refresh(value: JsonObject, now: str) -> bool:
    """Whether it can be refreshed and ends in less than a minute. What does not say its end is used until refused."""
    if not is_refreshable(value) or not value.get("expires_at"):
        return False
    return datetime.fromisoformat(value["expires_at"]) - datetime.fromisoformat(now) < _SOON


def apply_refresh(value: JsonObject, answer: JsonObject, now: str) -> JsonObject:
    """The secret's value after a token server's answer; the refresh token stays where the answer has no new one.

    Raises OperationError for an answer that is none.
    """
    token, kind = answer.get("access_token"), answer.get("token_type", "bearer")
    if not isinstance(token, str) or not token:
        raise OperationError("the token server answered without an access_token")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise OperationError("the token server answered with a token that is no bearer token")
    after = {name: part for name, part in value.items() if name != "expires_at"} | {"access_token": token}
    again, seconds = answer.get("refresh_token"), _seconds(answer.get("expires_in"))
    if isinstance(again, str) and again:
        after["refresh_token"] = again
    if seconds is not None:
        after["expires_at"] = (datetime.fromisoformat(now) + timedelta(seconds=seconds)).isoformat()
    return after


class OAuthTokens:
    """The tokens of all users, each refreshed by one at a time. What a server gave is in the vault before it is used.

    Of two processes that refresh at once one result is kept, and both go on with that.
    """

    def __init__(self, secrets: SecretRepository, server: TokenServer, clock: Clock) -> None:
        self._secrets = secrets
        self._server = server
        self._clock = clock
        self._locks: dict[str, Lock] = {}

    def get_fresh(self, user: str, id_: str, *, allow_private: bool) -> SecretValue:
        """The user's secret for a call, refreshed where that is due. Raises OperationError."""
        _, held = self._secrets.get_with_value(user, id_)
        if not needs_refresh(held.reveal(), self._clock.now()):
            return held
        return self._renewed(user, id_, held, allow_private=allow_private)

    def refresh_rejected(self, user: str, id_: str, used: SecretValue, *, allow_private: bool) -> SecretValue | None:
        """Another value for one that a peer refused; None where it cannot be refreshed. Raises OperationError."""
        if not is_refreshable(used.reveal()):
            return None
        return self._renewed(user, id_, used, allow_private=allow_private)

    def _renewed(self, user: str, id_: str, used: SecretValue, *, allow_private: bool) -> SecretValue:
        with self._locks.setdefault(id_, Lock()):
            secret, held = self._secrets.get_with_value(user, id_)
            if _differ(held, used):
                return held
            try:
                answer = self._server.refresh(used.reveal(), allow_private=allow_private)
            except TokenRefusedError:
                other = self._of_another(user, id_, used)
                if other is None:
                    raise
                return other
            after = apply_refresh(used.reveal(), answer, self._clock.now())
            return self._kept(user, id_, used, after, secret.vault_version)

    def _kept(self, user: str, id_: str, used: SecretValue, after: JsonObject, version: int) -> SecretValue:
        """The new value, once it is in the vault; another's, where that came first."""
        for _ in range(_WRITES):
            with suppress(ConflictError):
                self._secrets.rotate(id_, after, MutationRequest(user), since=version)
                return SecretValue(after)
            _, held = self._secrets.get_with_value(user, id_)
            if _differ(held, used):
                return held
        raise ConflictError("The secret was changed again and again while its token was refreshed.")

    def _of_another(self, user: str, id_: str, used: SecretValue) -> SecretValue | None:
        for _ in range(_LOOKS):
            _, held = self._secrets.get_with_value(user, id_)
            if _differ(held, used):
                return held
            self._clock.sleep(_LOOK_SECONDS)
        return None


def _differ(one: SecretValue, other: SecretValue) -> bool:
    return one.reveal() != other.reveal()


def _seconds(value: Json) -> float | None:
    """How long a token lives, where the server says it so that it can be understood; some say it as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:12])
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return None
    return min(value, _LONGEST_SECONDS)
