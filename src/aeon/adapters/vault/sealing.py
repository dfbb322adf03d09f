"""Envelope encryption: a data key per value, wrapped by an owner's key, both bound.

owner's key  = HKDF-SHA256(master key, the vault's salt, "owner" and the owner's id)
wrapped key  = AES-256-GCM(owner's key, data key, bound to the SecretKey)
ciphertext   = AES-256-GCM(data key, canonical JSON of the value, bound to the SecretKey and the instant of storing)
"""

import hashlib
import hmac
from dataclasses import dataclass, replace
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from aeon.adapters.vault.master_key import KEY_BYTES, MasterKey, RandomBytes
from aeon.base.json import canonical_json, parse_strict
from aeon.platform.vault import SecretKey, SecretValue

SALT_BYTES = 32
_NONCE_BYTES = 12
_SCHEME = "aeon vault 1"


@dataclass(frozen=True, slots=True, repr=False)
class SealedValue:
    """The stored form of one value, and when it was stored. Its `repr` shows nothing of it."""

    at: str
    wrapped_key: bytes
    ciphertext: bytes


class VaultKeys:
    """The keys derived from one master key for a vault with this salt.

    Failed decryption returns None instead of raising, because a traceback would contain keys in its locals.
    """

    __slots__ = ("_master", "_salt")

    def __init__(self, master: MasterKey, salt: bytes) -> None:
        self._master = master
        self._salt = salt

    def check_value(self) -> bytes:
        """Returns a value that identifies the master key without revealing anything of it."""
        return self._derive("check")

    def matches(self, check_value: bytes) -> bool:
        return hmac.compare_digest(self.check_value(), check_value)

    def digest(self, secret: SecretValue) -> str:
        """Returns the HMAC-SHA256 of a value, in hex."""
        return hmac.digest(self._derive("digest"), canonical_json(secret.reveal()).encode(), "sha256").hex()

    def seal(self, key: SecretKey, at: str, secret: SecretValue, fresh: RandomBytes) -> SealedValue:
        data_key = fresh(KEY_BYTES)
        text = canonical_json(secret.reveal()).encode()
        return SealedValue(
            at=at,
            wrapped_key=self.wrap(key, data_key, fresh),
            ciphertext=_encrypt(data_key, text, _associated_data("value", key, at), fresh),
        )

    def unseal(self, key: SecretKey, sealed: SealedValue) -> SecretValue | None:
        data_key = self.unwrap(key, sealed)
        bound = _associated_data("value", key, sealed.at)
        text = None if data_key is None else _decrypt(data_key, sealed.ciphertext, bound)
        return None if text is None else SecretValue(parse_strict(text.decode()))

    def wrap(self, key: SecretKey, data_key: bytes, fresh: RandomBytes) -> bytes:
        return _encrypt(self._derive("owner", key.owner_id), data_key, _associated_data("key", key), fresh)

    def unwrap(self, key: SecretKey, sealed: SealedValue) -> bytes | None:
        return _decrypt(self._derive("owner", key.owner_id), sealed.wrapped_key, _associated_data("key", key))

    def _derive(self, *purpose: str) -> bytes:
        info = canonical_json([_SCHEME, *purpose]).encode()
        return HKDF(SHA256(), KEY_BYTES, self._salt, info).derive(self._master.reveal())


def rewrap(
    key: SecretKey, sealed: SealedValue, old: VaultKeys, new: VaultKeys, fresh: RandomBytes
) -> SealedValue | None:
    """Returns the same ciphertext with its data key wrapped by new keys.

    Returns None if the old keys do not open it.
    """
    data_key = old.unwrap(key, sealed)
    return None if data_key is None else replace(sealed, wrapped_key=new.wrap(key, data_key, fresh))


def _associated_data(part: str, key: SecretKey, *more: str) -> bytes:
    """Returns the associated data, which is unique for each SecretKey (platform 3)."""
    return canonical_json([_SCHEME, part, key.secret_id, key.owner_id, key.type, key.version, *more]).encode()


def _encrypt(key: bytes, text: bytes, bound: bytes, fresh: RandomBytes) -> bytes:
    nonce = fresh(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, text, bound)


def _decrypt(key: bytes, blob: bytes, bound: bytes) -> bytes | None:
    if len(blob) <= _NONCE_BYTES:
        return None
    try:
        return AESGCM(key).decrypt(blob[:_NONCE_BYTES], blob[_NONCE_BYTES:], bound)
    except InvalidTag:
        return None


class VaultHeader(NamedTuple):
    """The single row of the table `vault`.

    `check_value` derives from the master key and reveals nothing of it.
    """

    salt: bytes
    check_value: bytes
    digest: bytes

    @classmethod
    def new(cls, master: MasterKey, fresh: RandomBytes) -> "VaultHeader":
        salt = fresh(SALT_BYTES)
        check_value = VaultKeys(master, salt).check_value()
        return cls(salt, check_value, _digest(salt, check_value))

    def is_whole(self) -> bool:
        """Returns whether the header is undamaged.

        Deliberate tampering could only make the right key be refused.
        """
        return self.digest == _digest(self.salt, self.check_value)


def _digest(salt: bytes, check_value: bytes) -> bytes:
    return hashlib.sha256(salt + check_value).digest()
