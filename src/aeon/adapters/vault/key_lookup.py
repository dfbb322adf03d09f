"""Where the master key comes from: the environment, the key file, the system's keyring, and only then a new one."""

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

_FORM = "Give 32 bytes in base64 or hex, as `openssl rand -base64 32` makes them"


class FoundMasterKeys(NamedTuple):
    """The master key, and where it was found. They are several, oldest first, when a change of key was cut off."""

    keys: tuple[MasterKey, ...]
    source: KeySource


class SystemKeyring(Protocol):
    """What Aeon asks of the package `keyring`."""

    def get_password(self, service_name: str, username: str, /) -> str | None: ...


def system_keyring() -> SystemKeyring | None:
    """The package `keyring` where it is installed; it is never required."""
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
    """The key of the vault at `vault`; where there is neither a key nor a vault, a new key in `key_file` (0600).

    The environment is only read: after this call delete AEON_MASTER_KEY from `os.environ`, so that no child process
    inherits it. Raises VaultError for a key that cannot be used and never looks for another instead, and for a vault
    whose key is gone: a new key would not open it.
    """
    # Asked first: another process that begins at the same time makes its key before its vault.
    vault_is_there = exists(vault)
    found = _from_environment(environment) or _from_key_file(key_file) or _from_keyring(keyring())
    if found is None and vault_is_there:
        raise _lost_key_error(vault, key_file)
    return found or _create(key_file, fresh)


def _from_environment(environment: Mapping[str, str]) -> FoundMasterKeys | None:
    if MASTER_KEY_VARIABLE not in environment:
        return None
    key = parse_key(environment[MASTER_KEY_VARIABLE])
    if key is None:
        raise VaultError(f"{MASTER_KEY_VARIABLE} does not hold a master key.", next_step=f"{_FORM}, or unset it.")
    return FoundMasterKeys((key,), "environment")


def _from_key_file(key_file: Path) -> FoundMasterKeys | None:
    keys = read_key_file(key_file)
    return FoundMasterKeys(keys, "key file") if keys else None


def _from_keyring(keyring: SystemKeyring | None) -> FoundMasterKeys | None:
    text = None if keyring is None else _read_keyring(keyring)
    if text is None:
        return None
    key = parse_key(text)
    del text  # so that the traceback of what follows does not show it
    if key is None:
        entry = " ".join(KEYRING_ENTRY)
        raise VaultError(f"The system's keyring holds no master key under {entry}.", next_step=f"{_FORM}.")
    return FoundMasterKeys((key,), "keyring")


def _read_keyring(keyring: SystemKeyring) -> str | None:
    try:
        return keyring.get_password(*KEYRING_ENTRY)
    except Exception as error:  # noqa: BLE001  # every backend raises what its system raises; the text may say anything
        kind = type(error).__name__
    # A machine without any keyring is a machine where the key is not in it.
    if kind == "NoKeyringError":
        return None
    raise VaultError(
        f"The system's keyring could not be asked for the master key ({kind}).",
        next_step=f"Unlock it, or set {MASTER_KEY_VARIABLE}.",
    )


def _create(key_file: Path, fresh: RandomBytes) -> FoundMasterKeys:
    is_new = create_key_file(key_file, fresh)
    return FoundMasterKeys(read_key_file(key_file), "new key file" if is_new else "key file")


def _lost_key_error(vault: Path, key_file: Path) -> VaultError:
    return VaultError(
        f"The vault {vault} is there, but its master key is not: {MASTER_KEY_VARIABLE} is not set, there is no "
        f"{key_file}, and the system's keyring has none.",
        next_step=f"Put a copy of the key back. Without one the secrets in it are lost for good; to start anew, move "
        f"{vault} away, and a new key is made when you enter the first secret again.",
    )
