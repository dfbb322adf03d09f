"""Secrets: metadata in the record, values in the vault, only for the owner (platform 3)."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import randbits

from aeon.base.json import JsonObject
from aeon.platform.catalog import queries
from aeon.platform.catalog.model import NewSecret, Secret, SecretChange
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, apply_change, audit_change, update_row
from aeon.platform.errors import ConflictError
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.store import Store, StoreUnavailableError, write_one
from aeon.platform.vault import SecretKey, SecretType, SecretValue, Vault, VaultError

QUERIES = EntityQueries(
    queries.SECRET, queries.SECRET_NAMED, queries.OWN_SECRETS, None, queries.VISIBLE_SECRETS, queries.USERS_OF_SECRET
)


class SecretRepository(EntityRepository[Secret]):
    """The secrets of all users. `reveal` returns a value for the one call that uses it.

    The vault is written before the record; `sweep` removes values that the record does not know.
    """

    list_step = "catalog.list_secrets"

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        vault: Vault,
        new_id: Callable[[], str],
        new_version: Callable[[], int] = lambda: randbits(53),
    ) -> None:
        super().__init__(store, ledger, Secret.from_row, QUERIES)
        self._ledger = ledger
        self._vault = vault
        self._new_id = new_id
        self._new_version = new_version

    def check(self, new: NewSecret) -> None:
        """Raises RuleError for a value that does not fit its type, before anything is stored."""
        self._vault.check(new.type, new.value)

    def add(self, new: NewSecret, request: MutationRequest) -> Secret:
        """Creates a secret for the caller."""
        mutation = request.mutation(
            "secret.create", parameters={**new.as_dict(), "value": self._digest(new.type, new.value)}
        )
        at = self._ledger.now()
        secret = Secret(
            id=self._new_id(),
            owner_id=request.user,
            name=new.name,
            type=new.type,
            shared=new.shared,
            vault_version=self._new_version(),
            created_at=at,
            updated_at=at,
        )
        with self._store_value(secret, new.value) as stored_value:
            created = self.create(write_one(queries.CREATE_SECRET, secret.as_row()), secret, mutation)
            stored_value.is_wanted = created.id == secret.id
        return created

    def change(self, id_: str, change: SecretChange, request: MutationRequest) -> Secret:
        """Renames the caller's secret, or shares or unshares it. Its type never changes."""
        before = self.get_own(request.user, id_)
        after = apply_change(before, change.requested_fields(), self._ledger.now())
        actions = audit_change(before, after, request.user)
        work = write_one(queries.CHANGE_SECRET, update_row(before, after))
        return self.replace(work, after, request.mutation("secret.change", id_, change.requested_fields()), actions)

    def rotate(self, id_: str, value: JsonObject, request: MutationRequest, *, since: int | None = None) -> Secret:
        """Replaces the value of the caller's secret; the id stays, and the old value is deleted.

        Raises ConflictError if the value has another vault version than `since`.
        """
        before = self.get_own(request.user, id_)
        if since not in (None, before.vault_version):
            raise ConflictError(f"The secret {before.name!r} was rotated in the meantime.")
        mutation = request.mutation("secret.rotate", id_, [self._digest(before.type, value), since])
        after = apply_change(before, {"vaultVersion": self._new_version()}, self._ledger.now())
        actions = [AuditAction("secret.rotate", id_, request.user, request.user, {"name": after.name})]
        with self._store_value(after, value) as stored_value:
            work = write_one(queries.CHANGE_SECRET, update_row(before, after))
            rotated = self.replace(work, after, mutation, actions)
            stored_value.is_wanted = rotated.vault_version == after.vault_version
        if stored_value.is_wanted:
            self._vault.forget(id_, before.vault_version)
        return rotated

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Deletes the caller's secret and its value. Raises ReferencedError while a tool uses it."""
        self.delete(queries.DELETE_SECRET, request.mutation("secret.delete", id_))
        self._vault.forget(id_)

    def reveal(self, user: str, id_: str) -> SecretValue:
        """Returns the value for the owner's own call (platform 3).

        Raises NotFoundError for all other users.
        """
        return self.get_with_value(user, id_)[1]

    def get_with_value(self, user: str, id_: str) -> tuple[Secret, SecretValue]:
        """Returns the owner's secret with its value, both of one version even during a rotation."""
        secret = self.get_own(user, id_)
        try:
            return secret, self._vault.open(_key(secret))
        except VaultError:
            after = self.get_own(user, id_)
            if after.vault_version == secret.vault_version:
                raise
            return after, self._vault.open(_key(after))

    def sweep(self, before: str) -> int:
        """Deletes values that the vault stored before that instant and the record does not know.

        Returns their number. A crash between the two writes leaves such values. Younger values may belong to a change
        in progress.
        """
        orphaned = [
            stored.key
            for stored in self._vault.list_secrets()
            if stored.at < before and not self._is_current(stored.key)
        ]
        for key in orphaned:
            self._vault.forget(key.secret_id, key.version)
        return len(orphaned)

    def _digest(self, kind: SecretType, value: JsonObject) -> str:
        """Returns a digest that identifies a repeated value, useless without the vault's key."""
        self._vault.check(kind, value)
        return self._vault.digest(value)

    def _is_current(self, key: SecretKey) -> bool:
        rows = self._store.read(queries.SECRET, {"user": key.owner_id, "id": key.secret_id})
        return bool(rows) and rows[0]["vault_version"] == key.version

    @contextmanager
    def _store_value(self, secret: Secret, value: JsonObject) -> Generator["_StoredValue"]:
        """Stores the value in the vault, and deletes it again unless the record knows it."""
        stored_value = _StoredValue()
        self._vault.put(_key(secret), value)
        try:
            yield stored_value
        except StoreUnavailableError as error:
            stored_value.is_wanted = error.may_have_happened
            raise
        finally:
            if not stored_value.is_wanted:
                self._vault.forget(secret.id, secret.vault_version)


@dataclass(slots=True)
class _StoredValue:
    """Whether a value stays in the vault after it was stored."""

    is_wanted: bool = False


def _key(secret: Secret) -> SecretKey:
    return SecretKey(secret.id, secret.owner_id, secret.type, secret.vault_version)
