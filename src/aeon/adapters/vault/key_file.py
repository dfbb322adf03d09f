"""The key file: a line for each master key that the vault has had, the newest last."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from aeon.adapters.vault.master_key import MasterKey, RandomBytes, key_text, parse_key
from aeon.adapters.vault.private_files import (
    check_private,
    create_file,
    exists,
    locked_folder,
    private_folder,
    replace_file,
)
from aeon.platform.vault import Vault, VaultError

_MAX_BYTES = 4096
"""Far more than a key file holds: a wrong path is not read to its end."""


_MAX_KEYS = 16
"""That a key file holds: the vault's, and the last of those before it."""


def read_key_file(path: Path) -> tuple[MasterKey, ...]:
    """The keys in it, none when there is no file. Raises VaultError when others may read it or it holds else."""
    text = _read(path)
    if text is None:
        return ()
    keys = [parse_key(line) for line in text.splitlines()]
    del text  # so that the traceback of what follows does not show it
    if not keys or None in keys:
        raise VaultError(
            f"The key file {path} does not hold a master key.",
            next_step="Put a copy of it in its place: lines of 32 bytes in base64 or hex.",
        )
    return tuple(key for key in keys if key is not None)


def create_key_file(path: Path, fresh: RandomBytes) -> bool:
    """Put a new key into a new file (0600); False when there is a file by now."""
    with _failures(path):
        private_folder(path.parent)
        return create_file(path, _lines([MasterKey.new(fresh)]))


def move_key_file(old: Path, new: Path) -> bool:
    """Move a key file to where there is none yet; whether there was one to move. Raises VaultError.

    The new one is whole and on the disk before the old one goes.
    """
    if exists(new) or not (keys := read_key_file(old)):
        return False
    with _failures(new):
        private_folder(new.parent)
        create_file(new, _lines(keys))
        old.unlink(missing_ok=True)  # another process may have moved it, too
    return True


def change_key(vault: Vault, path: Path, *, fresh: RandomBytes = os.urandom) -> int:
    """Put the vault under a new key, which is added to the key file; how many secrets it holds.

    Whenever it is cut off, the file holds a key that opens the vault. The former keys stay in it: copies of the
    project and backups of the vault need them. A key in the environment goes before the file, so the caller has it
    taken out there. Raises VaultError.
    """
    new = MasterKey.new(fresh)
    with _failures(path), locked_folder(private_folder(path.parent)):
        replace_file(path, _lines([*read_key_file(path)[1 - _MAX_KEYS :], new]))
        return vault.rewrap(new.reveal())


def _read(path: Path) -> str | None:
    with _failures(path):
        try:
            # Not blocking: a path to a pipe would wait for its writer.
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
