"""The way in: a vault with the first of the keys that opens it."""

from collections.abc import Sequence
from pathlib import Path

from aeon.adapters.vault.master_key import MasterKey
from aeon.adapters.vault.requirements import require_cryptography
from aeon.base.clock import Clock
from aeon.platform.vault import Vault, WrongKeyError


def open_vault(path: Path, keys: Sequence[MasterKey], clock: Clock) -> Vault:
    """Open the vault at `path`, or make it there with the first key.

    Several keys are what a key file holds when a change of key was cut off; one of them opens it. Raises
    MissingExtraError without `cryptography`, WrongKeyError when no key opens it, VaultError when it cannot be used.
    """
    require_cryptography()
    from aeon.adapters.vault.sqlite import SqliteVault

    for key in keys[:-1]:
        try:
            return SqliteVault(path, key, clock)
        except WrongKeyError:
            continue
    return SqliteVault(path, keys[-1], clock)
