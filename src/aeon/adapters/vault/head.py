"""The head of a vault's file: its salt, and what tells a wrong master key from damage."""

import hashlib
from typing import NamedTuple

from aeon.adapters.vault.master_key import MasterKey, RandomBytes
from aeon.adapters.vault.sealing import SALT_BYTES, VaultKeys


class VaultHeader(NamedTuple):
    """The one row of the table `vault`. `check_value` is derived from the master key and gives nothing of it away."""

    salt: bytes
    check_value: bytes
    digest: bytes

    @classmethod
    def new(cls, master: MasterKey, fresh: RandomBytes) -> "VaultHeader":
        salt = fresh(SALT_BYTES)
        check_value = VaultKeys(master, salt).check_value()
        return cls(salt, check_value, _digest(salt, check_value))

    def is_whole(self) -> bool:
        """Whether it is as it was written. Who changes it on purpose only turns the right key into a wrong one."""
        return self.digest == _digest(self.salt, self.check_value)


def _digest(salt: bytes, check_value: bytes) -> bytes:
    return hashlib.sha256(salt + check_value).digest()
