"""Issues, finds and revokes credentials (platform 31)."""

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, cast

from aeon.base.json import JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.access import queries
from aeon.platform.access.model import Credential, CredentialKind, IssuedCredential, NewCredential
from aeon.platform.errors import ForbiddenError, NotFoundError, RuleError
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.store import Row, Store, UnitOfWork

MAX_DAYS: Final = 366
"""How long a credential is valid at most."""

_MAX_NAME: Final = 100
_PREFIX: Final = "aeon_"
_BYTES: Final = 32
_USED_EVERY: Final = timedelta(minutes=1)


class CredentialRepository:
    """The credentials of all users. Thread- and process-safe; the record has no secret, only digests.

    Every method raises StoreError.
    """

    def __init__(self, store: Store, ledger: Ledger, new_id: Callable[[], str]) -> None:
        self._store = store
        self._ledger = ledger
        self._new_id = new_id

    def issue(self, new: NewCredential, user: str, *, by: str | None = None) -> IssuedCredential:
        """Make a credential; `by` tells the audit log what it was given for, such as a sign-in link.

        Raises RuleError for an invalid name or time, ForbiddenError for a disabled user, and UnknownUserError.
        """
        _check(new)
        secret = _PREFIX + secrets.token_urlsafe(_BYTES)
        at = self._ledger.now()
        expires = datetime.fromisoformat(at) + timedelta(days=new.days)
        until = expires.isoformat(timespec="microseconds")
        credential = Credential(self._new_id(), new.kind, user, new.name, new.scope, at, until, None)
        row: JsonObject = {**credential._asdict(), "digest": _digest(secret)}

        def work(unit: UnitOfWork) -> None:
            if unit.read(queries.IS_DISABLED, {"user": user}):
                raise disabled_error(user)
            unit.write(queries.REMOVE_EXPIRED, {"now": at})
            unit.write(queries.ADD, row)

        details: JsonObject = {"name": new.name, "scope": new.scope, "expiresAt": until}
        if by is not None:
            details["by"] = by
        self._commit(work, f"{new.kind}.issue", credential.id, user, details)
        return IssuedCredential(credential, secret)

    def find(self, secret: str, *kinds: CredentialKind) -> Credential | None:
        """Return the valid credential with this secret, of one of these kinds; note that it is used, once a minute.

        None if there is none, also if its user is disabled.
        """
        now = self._ledger.now()
        rows = self._store.read(queries.BY_DIGEST, {"digest": _digest(secret), "now": now})
        found = _credential(rows[0]) if rows else None
        if found is None or found.kind not in kinds:
            return None
        if found.used_at is None or datetime.fromisoformat(now) - datetime.fromisoformat(found.used_at) > _USED_EVERY:
            self._store.update(lambda unit: unit.write(queries.USE, {"id": found.id, "now": now}))
        return found

    def is_valid(self, id_: str) -> bool:
        """Return whether a credential has neither expired nor been revoked, and its user is not disabled."""
        return bool(self._store.read(queries.IS_VALID, {"id": id_, "now": self._ledger.now()}))

    def redeem_link(self, secret: str, session: NewCredential) -> IssuedCredential | None:
        """Begin a session by the secret of a link, which is used up; None if it is not valid."""
        now = self._ledger.now()
        found = self.find(secret, "link")
        taken: JsonObject = {"digest": _digest(secret), "kind": "link", "now": now}
        if found is None or not self._store.update(lambda unit: unit.write(queries.TAKE, taken)):
            return None
        return self.issue(session, found.user_id, by=f"link {found.id}")

    def list(self, user: str, kind: CredentialKind) -> "list[Credential]":
        """Return the user's valid credentials of a kind, oldest first."""
        asked: JsonObject = {"user": user, "kind": kind, "now": self._ledger.now()}
        return [_credential(row) for row in self._store.read(queries.OF_USER, asked)]

    def revoke(self, id_: str, user: str) -> None:
        """End one of the user's credentials at once. Raises NotFoundError."""

        def work(unit: UnitOfWork) -> None:
            if not unit.write(queries.REVOKE, {"id": id_, "user": user}):
                raise NotFoundError(f"You have no credential {id_!r}.")

        self._commit(work, "credential.revoke", id_, user, {})

    def _commit(
        self, work: Callable[[UnitOfWork], None], verb: str, subject: str, user: str, details: JsonObject
    ) -> None:
        action = AuditAction(verb, subject, user, user, details)
        self._ledger.commit(work, MutationRequest(user).mutation(verb, subject), [action], {"id": subject})


def disabled_error(user: str) -> ForbiddenError:
    """The error for a user whom the doors of a server do not let in."""
    return ForbiddenError(f"The user {user!r} is disabled.", next_step=NextStep("users.enable", user=user))


def _check(new: NewCredential) -> None:
    if not 0 < new.days <= MAX_DAYS:
        raise RuleError(
            f"A credential cannot be valid for {new.days:g} days.",
            rule="expiry",
            field="$.days",
            next_step=f"Give more than 0 and at most {MAX_DAYS} days.",
        )
    if new.name is not None and (not new.name.isprintable() or not 0 < len(new.name) <= _MAX_NAME):
        raise RuleError(
            f"The name of a token has 1 to {_MAX_NAME} printable characters.",
            rule="token_name",
            field="$.name",
            next_step="Give another name.",
        )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _credential(row: Row) -> Credential:
    return Credential(*(cast("str | None", row[name]) for name in Credential._fields))  # pyright: ignore[reportArgumentType]  # the table says so
