"""Changing the master key: whenever it is cut off, the key file holds a key that opens the vault."""

import pytest

from aeon.adapters.vault import change_key, find_master_key, key_file, open_vault
from aeon.adapters.vault.key_file import read_key_file
from aeon.platform.vault import SecretKey, VaultError, WrongKeyError
from aeon.testing.clock import FakeClock
from aeon.testing.vault import CANARY

KEY = SecretKey("s", "u", "api_key", 1)


class CutOffError(Exception):
    """Where a process could have ended."""


@pytest.fixture
def keys(tmp_path):
    return tmp_path / "keys" / "master.key"


@pytest.fixture
def start(keys, path):
    """What every start does: find the key, open the vault."""
    vaults = []

    def start_():
        found = find_master_key({}, keys, vault=path, keyring=lambda: None)
        vaults.append(open_vault(path, found.keys, FakeClock()))
        return vaults[-1]

    yield start_
    for vault in vaults:
        vault.close()


def test_a_change_leaves_the_new_key_alone_in_the_file(start, keys):
    vault = start()
    vault.put(KEY, {"key": CANARY})
    (old,) = read_key_file(keys)
    assert change_key(vault, keys) == 1
    (new,) = read_key_file(keys)
    assert new.reveal() != old.reveal()
    assert vault.open(KEY).reveal() == start().open(KEY).reveal() == {"key": CANARY}
    assert [each.name for each in keys.parent.iterdir()] == [keys.name]


@pytest.mark.parametrize("writes", [0, 1])
@pytest.mark.parametrize("after", [False, True])
def test_a_change_that_is_cut_off_can_be_gone_on_from(start, keys, monkeypatch, writes, after):
    """Before and after each of the two writes of the key file: also before and after the vault's own change."""
    vault = start()
    vault.put(KEY, {"key": CANARY})
    real, done = key_file.replace, []

    def cut_off(path, fill):
        if len(done) == writes and not after:
            raise CutOffError
        real(path, fill)
        done.append(path)
        if len(done) == writes + 1:
            raise CutOffError

    with monkeypatch.context() as patched:
        patched.setattr(key_file, "replace", cut_off)
        with pytest.raises(CutOffError):
            change_key(vault, keys)
    again = start()
    assert again.open(KEY).reveal() == {"key": CANARY}
    assert change_key(again, keys) == 1
    assert len(read_key_file(keys)) == 1
    assert start().open(KEY).reveal() == {"key": CANARY}


def test_a_change_in_the_wake_of_another_is_refused_and_loses_nothing(start, keys):
    first, second = start(), start()
    first.put(KEY, {"key": CANARY})
    change_key(first, keys)
    with pytest.raises(WrongKeyError):
        change_key(second, keys)
    assert start().open(KEY).reveal() == {"key": CANARY}


def test_a_change_over_a_file_that_is_no_key_file_is_refused(start, keys):
    vault = start()
    keys.write_text("nonsense")
    with pytest.raises(VaultError):
        change_key(vault, keys)
    assert keys.read_text() == "nonsense"
    vault.put(KEY, {"key": CANARY})
