"""The master key, which nothing shows by accident, and its key file."""

import base64
import binascii
import os
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from aeon.adapters.vault.private_files import (
    check_private,
    create_file,
    exists,
    locked_folder,
    private_folder,
    replace_file,
)
from aeon.platform.vault import Vault, VaultError

KEY_BYTES = 32

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Returns a number of random bytes; `os.urandom` outside tests."""

_HEX = re.compile(r"[0-9A-Fa-f]{64}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{43}=?")


class MasterKey:
    """The 32 bytes of the key. `repr`, `str` and pickling do not reveal them.

    They stay in the process's memory until it ends: Python cannot overwrite its copies.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        """Raises VaultError for anything but 32 bytes."""
        self._key = key
        is_invalid = type(key) is not bytes or len(key) != KEY_BYTES
        del key  # so that no traceback's locals show it
        if is_invalid:
            raise VaultError("This is not a valid master key.", next_step=f"Give {KEY_BYTES} random bytes.")

    @classmethod
    def new(cls, fresh: RandomBytes) -> "MasterKey":
        return cls(fresh(KEY_BYTES))

    def reveal(self) -> bytes:
        """Returns the plain key, only for deriving other keys and for the key file."""
        return self._key

    def __repr__(self) -> str:
        return "MasterKey([hidden])"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a master key cannot be pickled")


def parse_key(text: str) -> MasterKey | None:
    """Parses 64 hex digits or 43 base64 characters (either alphabet, padding optional).

    Returns None for other text.
    """
    text = text.strip()
    if _HEX.fullmatch(text):
        return MasterKey(bytes.fromhex(text))
    return _from_base64(text) if _BASE64.fullmatch(text) else None


def key_text(key: MasterKey) -> str:
    """Returns the key as text for `parse_key`."""
    return base64.b64encode(key.reveal()).decode()


def _from_base64(text: str) -> MasterKey | None:
    standard = text.rstrip("=").replace("-", "+").replace("_", "/") + "="
    try:
        return MasterKey(base64.b64decode(standard, validate=True))
    except binascii.Error:
        return None


_MAX_BYTES = 4096
"""More than a key file needs, so that a wrong path is not read completely."""


_MAX_KEYS = 16
"""The maximum number of keys in a key file: the vault's key and its latest predecessors."""


def read_key_file(path: Path) -> tuple[MasterKey, ...]:
    """Returns the file's keys; none if it does not exist.

    Raises VaultError if it is readable by others or invalid.
    """
    text = _read(path)
    if text is None:
        return ()
    keys = [parse_key(line) for line in text.splitlines()]
    del text  # so that the traceback of what follows does not show it
    if not keys or None in keys:
        raise VaultError(
            f"The key file {path} does not contain a valid master key.",
            next_step="Restore a copy of it: lines of 32 bytes in base64 or hex.",
        )
    return tuple(key for key in keys if key is not None)


def create_key_file(path: Path, fresh: RandomBytes) -> bool:
    """Creates a key file (0600) with a new key; returns False if the file exists."""
    with _failures(path):
        private_folder(path.parent)
        return create_file(path, _lines([MasterKey.new(fresh)]))


def move_key_file(old: Path, new: Path) -> bool:
    """Moves a key file unless the target exists.

    Returns whether it was moved. Raises VaultError. The new file is complete and synced before the old one is deleted.
    """
    if exists(new) or not (keys := read_key_file(old)):
        return False
    with _failures(new):
        private_folder(new.parent)
        create_file(new, _lines(keys))
        old.unlink(missing_ok=True)  # another process may have moved it too
    return True


def change_key(vault: Vault, path: Path, *, fresh: RandomBytes = os.urandom) -> int:
    """Rewraps the vault with a new key, which is added to the key file.

    Returns the number of secrets. After an interruption at any point, the file contains a key that opens the vault.
    Former keys stay in it: copies of the project and backups of the vault need them. A key in the environment takes
    precedence over the file, so the caller must have it removed there. Raises VaultError.
    """
    new = MasterKey.new(fresh)
    with _failures(path), locked_folder(private_folder(path.parent)):
        replace_file(path, _lines([*read_key_file(path)[1 - _MAX_KEYS :], new]))
        return vault.rewrap(new.reveal())


def _read(path: Path) -> str | None:
    with _failures(path):
        try:
            # Non-blocking: opening a pipe would wait for its writer.
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            check_private(path, os.fstat(descriptor))
            return os.read(descriptor, _MAX_BYTES).decode("ascii", "replace")
        finally:
            os.close(descriptor)


def _lines(keys: Sequence[MasterKey]) -> Callable[[Path], None]:
    def fill(draft: Path) -> None:
        draft.write_text("".join(f"{key_text(key)}\n" for key in keys), "ascii")

    return fill


@contextmanager
def _failures(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise VaultError(
            f"The key file {path} cannot be used: {error.strerror}.",
            next_step="Check its path, its permissions and the free space.",
        ) from None
