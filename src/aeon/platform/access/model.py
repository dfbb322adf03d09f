"""Credentials, which a caller shows to be known as a user, and the accounts of users (platform 31)."""

from typing import Literal, NamedTuple, TypeAlias

from aeon.base.json import JsonObject

CredentialKind: TypeAlias = Literal["link", "session", "token"]
"""A link signs a browser in, once; a session is a signed-in browser; a token is for a program."""

Scope: TypeAlias = Literal["read", "write"]

Role: TypeAlias = Literal["user", "operator"]
"""What a user may do beyond their own things; `roles.py` says what that is."""


class Credential(NamedTuple):
    """A credential without its secret, of which the record keeps only the SHA-256. `name` is for people."""

    id: str
    kind: CredentialKind
    user_id: str
    name: str | None
    scope: Scope
    created_at: str
    expires_at: str
    used_at: str | None

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "id": self.id,
            "kind": self.kind,
            "userId": self.user_id,
            "name": self.name,
            "scope": self.scope,
            "createdAt": self.created_at,
            "expiresAt": self.expires_at,
            "usedAt": self.used_at,
        }


class NewCredential(NamedTuple):
    """A credential to issue, for `days` from now."""

    kind: CredentialKind
    days: float
    name: str | None = None
    scope: Scope = "write"


class IssuedCredential(NamedTuple):
    """A new credential and its secret, which nobody can read again."""

    credential: Credential
    secret: str


class Account(NamedTuple):
    """A user of the record: their role, whether the doors of a server let them in, and their share of busy workers.


    `version` is 0 for a user whose account was never changed.
    """

    name: str
    role: Role
    enabled: bool
    version: int
    created_at: str
    weight: int = 1

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "name": self.name,
            "role": self.role,
            "enabled": self.enabled,
            "weight": self.weight,
            "version": self.version,
            "createdAt": self.created_at,
        }


class AccountChange(NamedTuple):
    """What to change of an account; None leaves it as it is."""

    role: Role | None = None
    enabled: bool | None = None
    weight: int | None = None
    """1 to 100: the share of the jobs that busy workers take, compared with other users; for runs accepted later."""


class Identity(NamedTuple):
    """As whom an OpenID provider knows a user: `subject` is unique for the `issuer` and never given to another."""

    issuer: str
    subject: str

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {"issuer": self.issuer, "subject": self.subject}
