"""Vaults on the disk that are closed when a test is over."""

import pytest

from aeon.adapters.vault import MasterKey
from aeon.adapters.vault.sqlite import SqliteVault
from aeon.testing.clock import FakeClock
from aeon.testing.vault import FIRST


@pytest.fixture
def path(tmp_path):
    return tmp_path / "own" / "vault.db"


@pytest.fixture
def opened(path):
    """Open the vault of this test, or another one."""
    vaults = []
    clock = FakeClock()

    def open_(master=FIRST, at=path):
        vaults.append(SqliteVault(at, MasterKey(master), clock))
        return vaults[-1]

    yield open_
    for vault in vaults:
        vault.close()
