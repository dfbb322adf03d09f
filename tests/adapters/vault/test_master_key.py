"""Where the master key comes from, in which order, and when a new one is made: only where there is no vault."""

import base64
import os
import pickle
import stat
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.vault import MASTER_KEY_VARIABLE, MasterKey, find_master_key
from aeon.adapters.vault.key_lookup import KEYRING_ENTRY
from aeon.adapters.vault.master_key import key_text, parse_key, read_key_file
from aeon.platform.vault import VaultError
from aeon.testing.vault import CANARY, FIRST, SECOND

KEYS = st.binary(min_size=32, max_size=32)


class Keyring:
    """A keyring with what a test gives it; `asked` holds the entries that were asked for."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def get_password(self, service, name, /):
        self.asked.append((service, name))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class NoKeyringError(RuntimeError):
    """As the package `keyring` names it."""


@pytest.fixture
def key_file(tmp_path):
    return tmp_path / "keys" / "master.key"


@pytest.fixture
def find(key_file, path):
    def find_(environment=None, keyring=None):
        return find_master_key(environment or {}, key_file, vault=path, keyring=lambda: keyring)

    return find_


def keep(path, text):
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)


def revealed(found):
    return [key.reveal() for key in found.keys]


@given(KEYS)
def test_a_key_is_read_in_hex_and_in_either_base64(key):
    safe = base64.urlsafe_b64encode(key).decode()
    texts = [key.hex(), key.hex().upper(), key_text(MasterKey(key)), safe, safe.rstrip("="), f" {safe}\n"]
    assert {parse_key(text).reveal() for text in texts} == {key}


@given(
    st.text() | st.binary(max_size=40).map(bytes.hex) | st.binary(max_size=40).map(base64.b64encode).map(bytes.decode)
)
def test_what_is_no_key_is_read_as_none(text):
    key = parse_key(text)
    assert key is None or len(key.reveal()) == 32


def test_a_master_key_is_not_pickled():
    with pytest.raises(TypeError):
        pickle.dumps(MasterKey(FIRST))


def test_the_first_start_makes_a_key_that_only_its_owner_reads(find, key_file):
    old = os.umask(0)
    try:
        found = find()
    finally:
        os.umask(old)
    assert found.source == "new key file"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(key_file.parent.stat().st_mode) == 0o700
    assert [each.name for each in key_file.parent.iterdir()] == [key_file.name]
    again = find()
    assert (again.source, revealed(again)) == ("key file", revealed(found))


def test_the_environment_goes_before_the_file_and_the_file_before_the_keyring(find, key_file):
    keyring = Keyring(SECOND.hex())
    assert find({}, keyring).source == "keyring"
    keep(key_file, key_text(MasterKey(FIRST)))
    assert find({}, keyring).source == "key file"
    environment = {MASTER_KEY_VARIABLE: SECOND.hex()}
    found = find(environment, keyring)
    assert (found.source, revealed(found)) == ("environment", [SECOND])
    assert environment == {MASTER_KEY_VARIABLE: SECOND.hex()}


def test_the_keyring_is_asked_for_its_own_entry(find):
    keyring = Keyring(FIRST.hex())
    assert revealed(find({}, keyring)) == [FIRST]
    assert keyring.asked == [KEYRING_ENTRY]


@pytest.mark.parametrize("keyring", [None, Keyring(None), Keyring(NoKeyringError("no backend"))])
def test_a_machine_without_a_keyring_makes_a_key_file(find, keyring):
    assert find({}, keyring).source == "new key file"


@pytest.mark.parametrize(
    ("keyring", "said"), [(Keyring("nonsense"), "aeon master-key"), (Keyring(RuntimeError(CANARY)), "RuntimeError")]
)
def test_a_keyring_that_cannot_be_used_makes_no_new_key(find, key_file, keyring, said):
    """Its key may be the right one, once it is unlocked."""
    with pytest.raises(VaultError) as raised:
        find({}, keyring)
    assert said in raised.value.message
    assert not key_file.exists()


@pytest.mark.parametrize("text", ["", " ", CANARY, FIRST.hex()[:-1], base64.b64encode(FIRST + b"x").decode()])
def test_a_variable_without_a_key_is_an_error_and_nothing_else_is_tried(find, key_file, text):
    keep(key_file, key_text(MasterKey(FIRST)))
    with pytest.raises(VaultError) as raised:
        find({MASTER_KEY_VARIABLE: text})
    assert MASTER_KEY_VARIABLE in raised.value.message
    assert CANARY not in str(raised.value)


@pytest.mark.parametrize("text", ["", "\n", CANARY, f"{FIRST.hex()}\n{CANARY}\n", FIRST.hex() * 100])
def test_a_key_file_without_a_key_is_an_error_and_left_as_it_is(find, key_file, text):
    keep(key_file, text)
    with pytest.raises(VaultError) as raised:
        find()
    assert str(key_file) in raised.value.message
    assert CANARY not in str(raised.value)
    assert key_file.read_text() == text


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_platform_3_a_key_file_that_others_may_read_is_refused(find, key_file, mode):
    keep(key_file, key_text(MasterKey(FIRST)))
    key_file.chmod(mode)
    with pytest.raises(VaultError) as raised:
        find()
    assert f"chmod 600 {key_file}" in raised.value.advice
    key_file.chmod(0o400)
    assert revealed(find()) == [FIRST]


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: os.mkfifo(path, 0o600)])
def test_a_key_file_that_is_no_file_is_refused_without_waiting_for_it(find, key_file, make):
    key_file.parent.mkdir()
    make(key_file)
    with pytest.raises(VaultError) as raised:
        find()
    assert "not a plain file" in raised.value.message


@pytest.mark.parametrize("is_there", [lambda path: path.write_text("x"), lambda path: path.symlink_to("nothing")])
def test_a_vault_without_its_key_never_gets_a_new_one(find, key_file, path, is_there):
    path.parent.mkdir()
    is_there(path)
    with pytest.raises(VaultError) as raised:
        find({}, Keyring(None))
    assert all(str(each) in raised.value.message for each in (path, key_file, MASTER_KEY_VARIABLE))
    assert "lost for good" in raised.value.advice
    assert "start anew" in raised.value.advice
    assert not key_file.exists()


def test_a_key_file_that_cannot_be_made_is_said(find, key_file):
    key_file.parent.write_text("x")
    with pytest.raises(VaultError) as raised:
        find()
    assert str(key_file) in raised.value.message


STARTER = """
import sys
from pathlib import Path
from aeon.adapters.vault import find_master_key
sys.stdin.readline()
found = find_master_key({}, Path(sys.argv[1]), vault=Path(sys.argv[2]), keyring=lambda: None)
print(found.source)
"""


def test_processes_that_start_at_once_make_one_key(key_file, path):
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", STARTER, key_file, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for starter in starters:
        starter.stdin.write("\n")
        starter.stdin.flush()
    sources = [starter.communicate(timeout=60)[0].strip() for starter in starters]
    assert sorted(sources) == ["key file", "key file", "new key file"]
    assert len(read_key_file(key_file)) == 1
