"""`UserService`: the users of one record, their roles, and whether the doors of a server let them in (platform 31)."""

import builtins

from aeon.application.pages import MAX_PAGE, Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.platform.access.accounts import AccountRepository
from aeon.platform.access.model import Account, AccountChange, Identity, Role
from aeon.platform.access.roles import Permission, is_allowed
from aeon.platform.errors import ForbiddenError, RuleError
from aeon.platform.ledger import MutationRequest

__all__ = ["Account", "AccountChange", "Identity", "Permission", "Role", "UserService"]


class UserService:
    """What one user does with the accounts of all. A door decides who may call it. Every method raises StoreError."""

    def __init__(self, accounts: AccountRepository, user: str) -> None:
        self._accounts = accounts
        self._user = user

    def require(self, permission: Permission, folder_owner: str) -> None:
        """Raise ForbiddenError unless this user's role allows it."""
        if not self.may(permission, folder_owner):
            raise ForbiddenError("Only an operator of this server may do this.", next_step="Ask an operator.")

    def may(self, permission: Permission, folder_owner: str) -> bool:
        """Return whether this user's role allows something; the owner of the project's folder is an operator."""
        role = "operator" if self._user == folder_owner else self._accounts.get(self._user).role
        return is_allowed(role, permission)

    def get(self, name: str) -> Account:
        """Return a user's account. Raises UnknownUserError."""
        return self._accounts.get(name)

    def list(self, *, after: str | None = None, limit: int = MAX_PAGE) -> Page[Account]:
        """Return a page of the users by name. Raises RuleError for an invalid cursor or limit."""
        position: str = "" if after is None else decode_cursor(after, str)[0]
        found = self._accounts.list(position, checked_limit(limit) + 1)
        return page_of(found, limit, encode_cursor([found[min(limit, len(found)) - 1].name]) if found else "")

    def create(self, name: str, role: Role = "user", *, key: str | None = None) -> Account:
        """Add a user. Raises RuleError for an invalid name, and ConflictError if there is one of that name."""
        return self._accounts.create(name, role, MutationRequest(self._user, key))

    def change(
        self, name: str, change: AccountChange, *, key: str | None = None, expected_version: int | None = None
    ) -> Account:
        """Change a user's role, or whether they are let in; a disabled user's sessions and tokens are dead at once.

        Raises UnknownUserError, VersionError, ConflictError, and RuleError for a user who would lock themself out.
        """
        if name == self._user and (change.enabled is False or change.role == "user"):
            raise RuleError(
                "You cannot disable yourself, or give up your own role of operator.",
                rule="own_account",
                next_step="Let another operator do it.",
            )
        return self._accounts.change(name, change, MutationRequest(self._user, key, expected_version))

    def list_identities(self, name: str) -> "builtins.list[Identity]":
        """Return the identities at OpenID providers as which a user may sign in. Raises UnknownUserError."""
        return self._accounts.list_identities(self.get(name).name)

    def link(self, name: str, identity: Identity, *, key: str | None = None) -> None:
        """Let a user sign in as this identity. Raises UnknownUserError, and ConflictError if it is another user's."""
        self._accounts.link(name, identity, MutationRequest(self._user, key))

    def unlink(self, name: str, identity: Identity, *, key: str | None = None) -> None:
        """Let a user no longer sign in as this identity. Raises NotFoundError."""
        self._accounts.unlink(name, identity, MutationRequest(self._user, key))
