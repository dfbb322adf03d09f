"""Opens a vault with the first of several keys that fits."""

from collections.abc import Sequence
from pathlib import Path

from aeon.adapters.vault.master_key import MasterKey
from aeon.adapters.vault.requirements import require_cryptography
from aeon.base.clock import Clock
from aeon.platform.vault import Vault, WrongKeyError


def open_vault(path: Path, keys: Sequence[MasterKey], clock: Clock) -> Vault:
    """Opens the vault at `path`, or creates it with the first key.

    A key file contains several keys after an interrupted change of key; one of them opens the vault. Raises
    MissingExtraError without `cryptography`, WrongKeyError if no key opens the vault, and VaultError if it is unusable.
    """
    require_cryptography()
    from aeon.adapters.vault.sqlite import SqliteVault

    for key in keys[:-1]:
        try:
            return SqliteVault(path, key, clock)
        except WrongKeyError:
            continue
    return SqliteVault(path, keys[-1], clock)
