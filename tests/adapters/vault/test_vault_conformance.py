"""Every vault obeys the one contract (platform 3)."""

import pytest

from aeon.testing.clock import FakeClock
from aeon.testing.vault import FIRST, InMemoryVault, VaultConformance, VaultContents


class TestSqliteVault(VaultConformance):
    @pytest.fixture(autouse=True)
    def place(self, opened):
        self.opened = opened

    def vault(self, master=FIRST):
        return self.opened(master)


class TestInMemoryVault(VaultConformance):
    @pytest.fixture(autouse=True)
    def place(self):
        self.clock, self.contents = FakeClock(), VaultContents()

    def vault(self, master=FIRST):
        return InMemoryVault(self.clock, master, self.contents)
