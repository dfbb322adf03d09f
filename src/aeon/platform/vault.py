"""The port to the vault: secrets go in, come out only to be used, and never stand in the record (platform 3)."""

from typing import Literal, NamedTuple, Protocol, TypeAlias

from aeon.base.errors import AeonError
from aeon.base.json import JsonObject

SecretType: TypeAlias = Literal["api_key", "oauth_token", "password", "certificate"]


class VaultError(AeonError):
    """The vault cannot be used; nothing in it was changed."""


class WrongKeyError(VaultError):
    """The master key does not open this vault."""

    next_step = "Give the key that it was made with: AEON_MASTER_KEY, the key file, or the system's keyring."


class TamperedError(VaultError):
    """A secret's ciphertext was changed, moved or cut."""

    next_step = "Restore the vault's file from a copy, or rotate the secret."


class SecretKey(NamedTuple):
    """What a ciphertext is bound to: it opens for no other secret, owner, type or version."""

    secret_id: str
    owner_id: str
    type: SecretType
    version: int


class StoredSecret(NamedTuple):
    """A secret's value in the vault, and since when: an instant as ISO 8601 in UTC."""

    key: SecretKey
    at: str


_NAMES = ("username", "client_id", "token_url", "expires_at")
"""Parts of values that open nothing by themselves."""


class SecretValue:
    """A secret's value for the moment of its use. Neither `repr` nor `str` nor pickling shows it.

    The value is an object of strings by the secret's type: api_key `key`; password `username`, `password`; certificate
    `certificate`, `private_key` in PEM; oauth_token `access_token` and, where it can be refreshed, `refresh_token`,
    `token_url`, `client_id`, `client_secret`, `expires_at`.
    """

    __slots__ = ("_value",)

    def __init__(self, value: JsonObject) -> None:
        self._value = value

    def reveal(self) -> JsonObject:
        """The value itself; for nothing but the request that needs it."""
        return dict(self._value)

    def all_strings(self) -> tuple[str, ...]:
        """Every string in it that must appear in nothing that is kept."""
        return tuple(str(part) for part in self._value.values() if part)

    def secret_strings(self) -> tuple[str, ...]:
        """Those of `words` that open something."""
        return tuple(str(word) for part, word in self._value.items() if word and part not in _NAMES)

    def public_strings(self) -> tuple[str, ...]:
        """Those of `words` that say whose the secret is or where it holds, and open nothing by themselves."""
        return tuple(str(word) for part, word in self._value.items() if word and part in _NAMES)

    def __repr__(self) -> str:
        return "Revealed([hidden])"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")


class Vault(Protocol):
    """Encrypted values by SecretKey. Threads and processes may share one. Errors never contain a value or a key."""

    def check(self, kind: SecretType, value: JsonObject) -> None:
        """Raises RuleError for a value that does not fit its type, all that is wrong and nothing of it repeated."""
        ...

    def digest(self, value: JsonObject) -> str:
        """A digest of a value that fits its type, in hex, under a key of the vault's own: equal for equal values.

        It tells nothing without the master key. Under another master key it is another one.
        """
        ...

    def put(self, key: SecretKey, value: JsonObject) -> None:
        """Encrypt and keep a value. A key is written once: a rotation is a new version.

        Raises RuleError for a value that does not fit its type, VaultError.
        """
        ...

    def open(self, key: SecretKey) -> SecretValue:
        """The value. Raises WrongKeyError, TamperedError, VaultError when there is none."""
        ...

    def forget(self, secret_id: str, version: int | None = None) -> None:
        """Delete one version of a secret, or all of them; what is not there is no error."""
        ...

    def list_secrets(self) -> list[StoredSecret]:
        """What there is, so that what nothing refers to can be swept."""
        ...

    def rewrap(self, new_master: bytes) -> int:
        """Put every secret under another master key, all or none; how many. The values stay as they are."""
        ...

    def close(self) -> None: ...
