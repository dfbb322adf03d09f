"""Every vault obeys the one contract (platform 3)."""

import pytest

from aeon.adapters.vault import LazyVault
from aeon.platform.vault import VaultError, WrongKeyError
from aeon.testing.clock import FakeClock
from aeon.testing.vault import FIRST, InMemoryVault, VaultConformance, VaultContents


class TestSqliteVault(VaultConformance):
    @pytest.fixture(autouse=True)
    def place(self, opened):
        self.opened = opened

    def vault(self, master=FIRST):
        return self.opened(master)


class TestLazyVault(VaultConformance):
    @pytest.fixture(autouse=True)
    def place(self, opened):
        self.opened = opened

    def vault(self, master=FIRST):
        vault = LazyVault(lambda: self.opened(master))
        vault.list_secrets()  # the suite expects the errors of the opening here
        return vault


class TestInMemoryVault(VaultConformance):
    @pytest.fixture(autouse=True)
    def place(self):
        self.clock, self.contents = FakeClock(), VaultContents()

    def vault(self, master=FIRST):
        return InMemoryVault(self.clock, master, self.contents)


def test_a_lazy_vault_is_opened_at_its_first_use_and_once(opened):
    openings = []
    vault = LazyVault(lambda: openings.append(1) or opened())
    assert openings == []
    assert [vault.list_secrets(), vault.list_secrets()] == [[], []]
    assert openings == [1]


def test_a_lazy_vault_that_was_never_used_stays_closed(opened):
    openings = []
    vault = LazyVault(lambda: openings.append(1) or opened())
    vault.close()
    with pytest.raises(VaultError):
        vault.list_secrets()
    assert openings == []


def test_a_lazy_vault_raises_the_errors_of_the_opening_at_each_use(opened):
    opened()
    vault = LazyVault(lambda: opened(b"2" * 32))
    for _ in range(2):
        with pytest.raises(WrongKeyError):
            vault.list_secrets()
