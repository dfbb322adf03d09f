"""The key above all others, carried so that nothing shows it by accident."""

import base64
import binascii
import re
from collections.abc import Callable
from typing import TypeAlias

from aeon.platform.vault import VaultError

KEY_BYTES = 32

RandomBytes: TypeAlias = Callable[[int], bytes]
"""So many new random bytes; `os.urandom` outside tests."""

_HEX = re.compile(r"[0-9A-Fa-f]{64}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{43}=?")


class MasterKey:
    """32 bytes. Neither `repr` nor `str` nor pickling shows them.

    They stay in the process's memory until it ends: Python cannot overwrite what it has copied, so nothing here
    pretends to.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        """Raises VaultError for anything but 32 bytes."""
        self._key = key
        wrong = type(key) is not bytes or len(key) != KEY_BYTES
        del key  # so that no traceback's locals show it
        if wrong:
            raise VaultError("That is no master key.", next_step=f"Give {KEY_BYTES} random bytes.")

    @classmethod
    def new(cls, fresh: RandomBytes) -> "MasterKey":
        return cls(fresh(KEY_BYTES))

    def reveal(self) -> bytes:
        """The key itself; for nothing but deriving others, and for the key file."""
        return self._key

    def __repr__(self) -> str:
        return "MasterKey([hidden])"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a master key is written to its key file only")


def parse_key(text: str) -> MasterKey | None:
    """The key that 64 hex digits or 43 base64 signs (either alphabet, with or without padding) stand for, else None."""
    text = text.strip()
    if _HEX.fullmatch(text):
        return MasterKey(bytes.fromhex(text))
    return _from_base64(text) if _BASE64.fullmatch(text) else None


def key_text(key: MasterKey) -> str:
    """The key as `parse_key` reads it."""
    return base64.b64encode(key.reveal()).decode()


def _from_base64(text: str) -> MasterKey | None:
    standard = text.rstrip("=").replace("-", "+").replace("_", "/") + "="
    try:
        return MasterKey(base64.b64decode(standard, validate=True))
    except binascii.Error:
        return None
