"""The accounts of users, and their identities at OpenID providers (platform 31)."""

from collections.abc import Callable
from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.access import queries
from aeon.platform.access.model import Account, AccountChange, Identity, Role
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.errors import ConflictError, NotFoundError, RuleError, UnknownUserError
from aeon.platform.ledger import AuditAction, Ledger, Mutation, MutationRequest
from aeon.platform.store import DuplicateError, Row, Store, UnitOfWork

MAX_WEIGHT: Final = 100
"""The greatest share of a user among others of the weight 1."""

_MAX_IDENTITY: Final = 1000
"""The most characters of an issuer or a subject that the audit log repeats."""


class AccountRepository:
    """The accounts of all users. Thread- and process-safe. Users are never removed: the audit log names them.

    Every method raises StoreError.
    """

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger

    def get(self, name: str) -> Account:
        """Return a user's account. Raises UnknownUserError."""
        rows = self._store.read(queries.ACCOUNT, {"user": name})
        if not rows or name == DEFAULTS_OWNER:
            raise UnknownUserError(f"There is no user {name!r}.")
        return _account(rows[0])

    def list(self, after: str, limit: int) -> "list[Account]":
        """Return a page of the accounts by name, from the first after `after`."""
        asked: JsonObject = {"after": after, "hidden": DEFAULTS_OWNER, "limit": limit}
        return [_account(row) for row in self._store.read(queries.ACCOUNTS, asked)]

    def create(self, name: str, role: Role, request: MutationRequest) -> Account:
        """Add a user. Raises RuleError for an invalid name, and ConflictError if there is one of that name."""
        mutation = request.mutation("user.create", name, {"role": role})
        if self._ledger.earlier_answer(mutation) is None:
            if self._store.read(queries.ACCOUNT, {"user": name}):
                raise _taken(name)
            self._ledger.ensure_user(name)
            row = self._row(Account(name, role, enabled=True, version=1, created_at=""))
            self._commit(_write(queries.ADD_ACCOUNT, row), mutation, {"role": role}, _taken(name))
        return self.get(name)

    def change(self, name: str, change: AccountChange, request: MutationRequest) -> Account:
        """Change a user's role, whether the doors of a server let them in, or their share of busy workers.

        Disabling ends all sessions, links and tokens of the user in the same transaction. Raises UnknownUserError,
        RuleError for a weight that is not 1 to 100, ConflictError if somebody else has changed it meanwhile, and
        VersionError.
        """
        if change.weight is not None and not 1 <= change.weight <= MAX_WEIGHT:
            raise RuleError(
                f"The weight {change.weight} is not valid.", rule="weight", next_step=f"Give 1 to {MAX_WEIGHT}."
            )
        before = self.get(name)
        changed: JsonObject = {key: value for key, value in change._asdict().items() if value is not None}
        if not changed:
            request.require_version(before.version)
            return before
        row = self._row(before._replace(**changed, version=before.version + 1))

        def version(unit: UnitOfWork) -> int:
            rows = unit.read(queries.VERSION, {"user": name})
            return rows[0]["version"] if rows else 0

        def work(unit: UnitOfWork) -> None:
            if version(unit) != before.version:
                raise ConflictError(f"The user {name!r} was changed in the meantime.")
            unit.write(queries.SET_ACCOUNT, row)
            if change.enabled is False:
                unit.write(queries.REVOKE_ALL, {"user": name})

        mutation = request.mutation("user.change", name, changed)
        self._commit(mutation.expecting(version, work), mutation, changed, ConflictError())
        return self.get(name)

    def user_of(self, identity: Identity) -> str | None:
        """Return the user with this identity; None if there is none."""
        rows = self._store.read(queries.USER_OF, {**identity._asdict()})
        return rows[0]["user_id"] if rows else None

    def list_identities(self, name: str) -> "list[Identity]":
        """Return the identities of a user."""
        rows = self._store.read(queries.IDENTITIES, {"user": name})
        return [Identity(row["issuer"], row["subject"]) for row in rows]

    def link(self, name: str, identity: Identity, request: MutationRequest) -> None:
        """Let a user sign in as this identity.

        Raises UnknownUserError, and ConflictError if it is linked to a user already.
        """
        self.get(name)
        row: JsonObject = {**identity._asdict(), "user": name, "at": self._ledger.now()}
        mutation = request.mutation("user.link", name, identity.as_dict())
        linked = ConflictError(
            f"{identity.subject!r} of {identity.issuer} is linked to a user already.",
            next_step="Unlink it from that user first.",
        )
        self._commit(_write(queries.LINK, row), mutation, identity.as_dict(), linked)

    def unlink(self, name: str, identity: Identity, request: MutationRequest) -> None:
        """Let a user no longer sign in as this identity; sessions go on. Raises NotFoundError."""
        row: JsonObject = {**identity._asdict(), "user": name}

        def work(unit: UnitOfWork) -> None:
            if not unit.write(queries.UNLINK, row):
                raise NotFoundError(f"The user {name!r} has no identity {identity.subject!r} of {identity.issuer}.")

        self._commit(work, request.mutation("user.unlink", name, identity.as_dict()), identity.as_dict())

    def record_refusal(self, user: str, identity: Identity, reason: str) -> None:
        """Note in a user's audit log that somebody with this identity was not let in."""
        subject = identity.subject[:_MAX_IDENTITY]
        details: JsonObject = {"issuer": identity.issuer[:_MAX_IDENTITY], "subject": subject, "reason": reason}
        action = AuditAction("session.refuse", user, user, user, details)
        self._ledger.commit(lambda _: None, MutationRequest(user).mutation("session.refuse", user), [action], {})

    def _row(self, account: Account) -> JsonObject:
        return {
            "user": account.name,
            "role": account.role,
            "enabled": int(account.enabled),
            "weight": account.weight,
            "version": account.version,
            "at": self._ledger.now(),
        }

    def _commit(
        self,
        work: Callable[[UnitOfWork], None],
        mutation: Mutation,
        details: JsonObject,
        duplicate: ConflictError | None = None,
    ) -> None:
        """Commit a change of the user whom `mutation` names. Raises `duplicate` if another one was first."""
        action = AuditAction(mutation.verb, mutation.target, mutation.user, mutation.target, details)
        try:
            self._ledger.commit(work, mutation, [action], {"name": mutation.target})
        except DuplicateError:
            if duplicate is None:
                raise
            raise duplicate from None


def _write(query: str, row: JsonObject) -> Callable[[UnitOfWork], None]:
    def work(unit: UnitOfWork) -> None:
        unit.write(query, row)

    return work


def _taken(name: str) -> ConflictError:
    return ConflictError(f"There is a user {name!r} already.", next_step="Choose another name, or change that user.")


def _account(row: Row) -> Account:
    return Account(row["name"], row["role"], bool(row["enabled"]), row["version"], row["created_at"], row["weight"])
