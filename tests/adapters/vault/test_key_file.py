"""Changing the master key: whenever it is cut off, the key file holds a key that opens the vault."""

import pytest

from aeon.adapters.vault import change_key, find_master_key, master_key, open_vault
from aeon.adapters.vault.master_key import read_key_file
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


def test_after_a_change_the_file_holds_the_former_key_and_the_new_one(start, keys, path, tmp_path):
    """A copy of the vault that was made before opens with the same file."""
    vault = start()
    vault.put(KEY, {"key": CANARY})
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    copy.chmod(0o600)
    (old,) = read_key_file(keys)
    assert change_key(vault, keys) == 1
    former, new = read_key_file(keys)
    assert former.reveal() == old.reveal() != new.reveal()
    opened = open_vault(copy, read_key_file(keys), FakeClock())
    assert opened.open(KEY).reveal() == {"key": CANARY}
    opened.close()
    assert vault.open(KEY).reveal() == start().open(KEY).reveal() == {"key": CANARY}
    assert [each.name for each in keys.parent.iterdir()] == [keys.name]


def test_a_key_file_keeps_a_bounded_number_of_former_keys(start, keys):
    vault = start()
    vault.put(KEY, {"key": CANARY})
    for _ in range(20):
        change_key(vault, keys)
    assert len(read_key_file(keys)) == 16
    assert start().open(KEY).reveal() == {"key": CANARY}


@pytest.mark.parametrize("writes", [0])
@pytest.mark.parametrize("after", [False, True])
def test_a_change_that_is_cut_off_can_be_gone_on_from(start, keys, monkeypatch, writes, after):
    """Before and after the write of the key file: also before the vault's own change."""
    vault = start()
    vault.put(KEY, {"key": CANARY})
    real, done = master_key.replace_file, []

    def cut_off(path, fill):
        if len(done) == writes and not after:
            raise CutOffError
        real(path, fill)
        done.append(path)
        if len(done) == writes + 1:
            raise CutOffError

    with monkeypatch.context() as patched:
        patched.setattr(master_key, "replace_file", cut_off)
        with pytest.raises(CutOffError):
            change_key(vault, keys)
    again = start()
    assert again.open(KEY).reveal() == {"key": CANARY}
    assert change_key(again, keys) == 1
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
