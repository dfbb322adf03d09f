"""Finds the master key in the environment, key file or keyring, or creates one."""

import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeAlias, cast

from aeon.adapters.vault.master_key import MasterKey, RandomBytes, create_key_file, parse_key, read_key_file
from aeon.adapters.vault.private_files import exists
from aeon.platform.vault import VaultError

MASTER_KEY_VARIABLE = "AEON_MASTER_KEY"

KEYRING_ENTRY = ("aeon", "master-key")
"""Service and name of the key in the system's keyring: `keyring set aeon master-key`."""

KeySource: TypeAlias = Literal["environment", "key file", "keyring", "new key file"]

_FORM = "Give 32 bytes in base64 or hex, as `openssl rand -base64 32` prints them"


class FoundMasterKeys(NamedTuple):
    """The master key and its source.

    After an interrupted change of key there are several keys, oldest first.
    """

    keys: tuple[MasterKey, ...]
    source: KeySource


class SystemKeyring(Protocol):
    """The part of the package `keyring` that Aeon uses."""

    def get_password(self, service_name: str, username: str, /) -> str | None: ...


def system_keyring() -> SystemKeyring | None:
    """Returns the package `keyring` if it is installed; it is optional."""
    try:
        return cast(SystemKeyring, importlib.import_module("keyring"))
    except ImportError:
        return None


def find_master_key(
    environment: Mapping[str, str],
    key_file: Path,
    *,
    vault: Path,
    keyring: Callable[[], SystemKeyring | None] = system_keyring,
    fresh: RandomBytes = os.urandom,
) -> FoundMasterKeys:
    """Finds the vault's key; creates one in `key_file` (0600) if neither key nor vault exists.

    The environment is only read: delete AEON_MASTER_KEY from `os.environ` after this call, so that no child process
    inherits it. Raises VaultError for an invalid key, without trying other sources, and for a vault whose key is
    missing: a new key would not open it.
    """
    # Checked first: another process that starts at the same time creates its key before its vault.
    vault_exists = exists(vault)
    found = _from_environment(environment) or _from_key_file(key_file) or _from_keyring(keyring())
    if found is None and vault_exists:
        raise _lost_key_error(vault, key_file)
    return found or _create(key_file, fresh)


def _from_environment(environment: Mapping[str, str]) -> FoundMasterKeys | None:
    if MASTER_KEY_VARIABLE not in environment:
        return None
    key = parse_key(environment[MASTER_KEY_VARIABLE])
    if key is None:
        raise VaultError(
            f"{MASTER_KEY_VARIABLE} does not contain a valid master key.", next_step=f"{_FORM}, or unset it."
        )
    return FoundMasterKeys((key,), "environment")


def _from_key_file(key_file: Path) -> FoundMasterKeys | None:
    keys = read_key_file(key_file)
    return FoundMasterKeys(keys, "key file") if keys else None


def _from_keyring(keyring: SystemKeyring | None) -> FoundMasterKeys | None:
    text = None if keyring is None else _read_keyring(keyring)
    if text is None:
        return None
    key = parse_key(text)
    del text  # so that no later traceback shows it
    if key is None:
        entry = " ".join(KEYRING_ENTRY)
        raise VaultError(
            f"The system's keyring does not contain a valid master key under {entry}.", next_step=f"{_FORM}."
        )
    return FoundMasterKeys((key,), "keyring")


def _read_keyring(keyring: SystemKeyring) -> str | None:
    try:
        return keyring.get_password(*KEYRING_ENTRY)
    except Exception as error:  # noqa: BLE001  # each backend has its own errors, whose text may contain anything
        kind = type(error).__name__
    # A machine without a keyring has no key in it.
    if kind == "NoKeyringError":
        return None
    raise VaultError(
        f"The master key could not be read from the system's keyring ({kind}).",
        next_step=f"Unlock it, or set {MASTER_KEY_VARIABLE}.",
    )


def _create(key_file: Path, fresh: RandomBytes) -> FoundMasterKeys:
    is_new = create_key_file(key_file, fresh)
    return FoundMasterKeys(read_key_file(key_file), "new key file" if is_new else "key file")


def _lost_key_error(vault: Path, key_file: Path) -> VaultError:
    return VaultError(
        f"The vault {vault} exists, but its master key is missing: {MASTER_KEY_VARIABLE} is not set, {key_file} does "
        "not exist, and the system's keyring has no key.",
        next_step=f"Restore a copy of the key. Without it, the vault's secrets are lost for good; to start anew, move "
        f"{vault} away, and Aeon creates a new key when you enter the first secret.",
    )
