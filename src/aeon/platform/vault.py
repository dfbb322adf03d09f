"""The port to the vault, which stores secrets outside of the record (platform 3)."""

from typing import Literal, NamedTuple, Protocol, TypeAlias

from aeon.base.errors import AeonError
from aeon.base.json import JsonObject

SecretType: TypeAlias = Literal["api_key", "oauth_token", "password", "certificate"]


class VaultError(AeonError):
    """The vault cannot be used; nothing in it was changed."""


class WrongKeyError(VaultError):
    """The master key does not open this vault."""

    next_step = "Provide the key that it was created with: AEON_MASTER_KEY, the key file, or the system's keyring."


class TamperedError(VaultError):
    """A secret's ciphertext was changed, moved or truncated."""

    next_step = "Restore the vault's file from a backup, or rotate the secret."


class SecretKey(NamedTuple):
    """The secret, owner, type and version that a ciphertext is bound to."""

    secret_id: str
    owner_id: str
    type: SecretType
    version: int


class StoredSecret(NamedTuple):
    """A stored secret's key, and when it was stored: an ISO 8601 instant in UTC."""

    key: SecretKey
    at: str


_PUBLIC_PARTS = ("username", "client_id", "token_url", "expires_at", "grant", "scope", "audience")
"""Parts of values that give no access by themselves."""


class SecretValue:
    """A secret's value for the moment of its use. `repr`, `str` and pickling do not reveal it.

    The value is an object of strings by the secret's type: api_key `key`; password `username`, `password`; certificate
    `certificate`, `private_key` in PEM; oauth_token `access_token` and, where it can be refreshed, `refresh_token`,
    `token_url`, `client_id`, `client_secret`, `expires_at`. An oauth_token with `grant` client_credentials has the
    last four instead, and `scope` and `audience` if its server wants them; its `access_token` is fetched.
    """

    __slots__ = ("_value",)

    def __init__(self, value: JsonObject) -> None:
        self._value = value

    def reveal(self) -> JsonObject:
        """Returns the plain value, only for the request that needs it."""
        return dict(self._value)

    def all_strings(self) -> tuple[str, ...]:
        """Returns every string of the value, none of which may be stored or shown."""
        return tuple(str(part) for part in self._value.values() if part)

    def secret_strings(self) -> tuple[str, ...]:
        """Returns the strings that give access."""
        return tuple(str(word) for part, word in self._value.items() if word and part not in _PUBLIC_PARTS)

    def public_strings(self) -> tuple[str, ...]:
        """Returns the strings that name an owner or a location, and give no access by themselves."""
        return tuple(str(word) for part, word in self._value.items() if word and part in _PUBLIC_PARTS)

    def __repr__(self) -> str:
        return "SecretValue([hidden])"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a secret cannot be pickled")


class Vault(Protocol):
    """Stores encrypted values by SecretKey.

    Threads and processes may share one. Errors contain no value and no key.
    """

    def check(self, kind: SecretType, value: JsonObject) -> None:
        """Raises RuleError with every problem of an invalid value, without repeating it."""
        ...

    def digest(self, value: JsonObject) -> str:
        """Returns a keyed hex digest of a value that fits its type: equal for equal values.

        It reveals nothing without the master key, and differs under another master key.
        """
        ...

    def put(self, key: SecretKey, value: JsonObject) -> None:
        """Encrypts and stores a value.

        Each key is written only once: a rotation creates a new version. Raises RuleError for a value that does not fit
        its type, VaultError.
        """
        ...

    def open(self, key: SecretKey) -> SecretValue:
        """Returns the value.

        Raises WrongKeyError, TamperedError, and VaultError if it does not exist.
        """
        ...

    def forget(self, secret_id: str, version: int | None = None) -> None:
        """Deletes one version of a secret, or all versions; does nothing if there is none."""
        ...

    def list_secrets(self) -> list[StoredSecret]:
        """Lists the stored secrets, so that unreferenced ones can be swept."""
        ...

    def rewrap(self, new_master: bytes) -> int:
        """Rewraps every secret with another master key, all or none, and returns their number.

        Values stay the same.
        """
        ...

    def close(self) -> None: ...
