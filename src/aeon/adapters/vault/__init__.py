"""The vault: encrypted values in their own file, and the master key (platform 3)."""

from aeon.adapters.vault.factory import open_vault
from aeon.adapters.vault.key_lookup import MASTER_KEY_VARIABLE, FoundMasterKeys, find_master_key
from aeon.adapters.vault.lazy import LazyVault
from aeon.adapters.vault.master_key import MasterKey, change_key, move_key_file
from aeon.adapters.vault.requirements import require_cryptography

__all__ = [
    "MASTER_KEY_VARIABLE",
    "FoundMasterKeys",
    "LazyVault",
    "MasterKey",
    "change_key",
    "find_master_key",
    "move_key_file",
    "open_vault",
    "require_cryptography",
]
