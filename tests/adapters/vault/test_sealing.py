"""The laws of the envelope: whatever goes in comes out, and nothing that was changed or moved does (platform 3)."""

import os
import sqlite3
from contextlib import closing
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aeon.adapters.vault.master_key import MasterKey
from aeon.adapters.vault.sealing import SealedValue, VaultKeys
from aeon.platform.vault import SecretKey, SecretValue, TamperedError, VaultError
from aeon.testing.vault import CANARY, FIRST, SECOND, VALUES

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
KEYS = st.builds(SecretKey, NAMES, NAMES, st.sampled_from(["api_key", "password"]), st.integers(1, 2**63 - 1))
STRINGS = st.text(st.characters(exclude_categories=[]), min_size=1)
COLUMNS = {
    "secret_id": "TEXT",
    "owner_id": "TEXT",
    "type": "TEXT",
    "version": "INTEGER",
    "at": "TEXT",
    "wrapped_key": "BLOB",
    "ciphertext": "BLOB",
}
KEPT = [
    SecretKey("s1", "u1", "api_key", 1),
    SecretKey("s1", "u1", "api_key", 2),
    SecretKey("s2", "u1", "api_key", 1),
    SecretKey("t3", "u1", "password", 1),
    SecretKey("s4", "u2", "api_key", 1),
]
INSTANT = "2026-01-01T00:00:00.000000+00:00"


@pytest.fixture
def filled(opened):
    vault = opened()
    for key in KEPT:
        vault.put(key, VALUES[key.type])
    return vault


@pytest.fixture
def edit(path):
    """Change the vault's file as a stranger would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        yield connection.execute


def read(edit, key, column):
    query = f"SELECT CAST({column} AS BLOB) FROM secrets WHERE secret_id = ? AND version = ?"  # of COLUMNS
    return edit(query, (key.secret_id, key.version)).fetchone()[0]


def write(edit, key, column, raw):
    query = (
        f"UPDATE secrets SET {column} = CAST(? AS {COLUMNS[column]}) "  # of COLUMNS
        "WHERE secret_id = ? AND version = ?"
    )
    edit(query, (raw, key.secret_id, key.version))


def open_all(vault):
    return [vault.open(kept.key) for kept in vault.list_secrets()]


@given(KEYS, st.dictionaries(STRINGS, STRINGS))
def test_any_value_survives(key, value):
    keys = VaultKeys(MasterKey(FIRST), bytes(32))
    sealed = keys.seal(key, INSTANT, SecretValue(value), os.urandom)
    assert keys.unseal(key, sealed).reveal() == value


def test_any_value_survives_on_the_disk(opened):
    vault = opened()

    @given(STRINGS, STRINGS)
    def law(username, password):
        vault.put(SecretKey("s", "u", "password", 1), {"username": username, "password": password})
        assert opened_again.open(SecretKey("s", "u", "password", 1)).reveal()["password"] == password
        vault.forget("s")

    opened_again = opened()
    law()


@given(KEYS, KEYS)
def test_what_is_sealed_for_one_key_opens_for_no_other(key, other):
    assume(key != other)
    keys = VaultKeys(MasterKey(FIRST), bytes(32))
    sealed = keys.seal(key, INSTANT, SecretValue({"key": CANARY}), os.urandom)
    assert keys.unseal(other, sealed) is None


@pytest.mark.parametrize(
    "other", [VaultKeys(MasterKey(SECOND), bytes(32)), VaultKeys(MasterKey(FIRST), bytes(31) + b"x")]
)
def test_another_master_key_or_vault_opens_nothing(other):
    keys = VaultKeys(MasterKey(FIRST), bytes(32))
    sealed = keys.seal(KEPT[0], INSTANT, SecretValue({"key": CANARY}), os.urandom)
    assert other.unseal(KEPT[0], sealed) is None
    assert not other.matches(keys.check_value())


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_bytes_from_anywhere_open_nothing(wrapped_key, ciphertext):
    keys = VaultKeys(MasterKey(FIRST), bytes(32))
    assert keys.unseal(KEPT[0], SealedValue(INSTANT, wrapped_key, ciphertext)) is None


def test_the_same_value_is_never_encrypted_to_the_same_bytes():
    keys = VaultKeys(MasterKey(FIRST), bytes(32))
    one, two = (keys.seal(KEPT[0], INSTANT, SecretValue({"key": CANARY}), os.urandom) for _ in range(2))
    assert one.ciphertext != two.ciphertext
    assert one.wrapped_key != two.wrapped_key


@pytest.mark.parametrize("column", COLUMNS)
def test_platform_3_every_flipped_byte_of_a_row_is_noticed(filled, edit, column):
    key = KEPT[0]
    before = read(edit, key, column)
    edit("CREATE TEMP TABLE kept AS SELECT * FROM secrets")
    for at, byte in enumerate(before):
        write(edit, key, column, before[:at] + bytes([byte ^ 2]) + before[at + 1 :])
        with pytest.raises(VaultError):
            filled.open(key)
        with pytest.raises(TamperedError):
            open_all(filled)
        edit("DELETE FROM secrets")
        edit("INSERT INTO secrets SELECT * FROM kept")
    assert len(open_all(filled)) == len(KEPT)


@pytest.mark.parametrize(
    "columns", [["wrapped_key"], ["ciphertext"], ["wrapped_key", "ciphertext", "at"]], ids=",".join
)
@pytest.mark.parametrize(("one", "other"), list(combinations(KEPT, 2)), ids=str)
def test_platform_3_every_swap_of_two_rows_is_noticed(filled, edit, columns, one, other):
    for column in columns:
        first, second = read(edit, one, column), read(edit, other, column)
        write(edit, one, column, second)
        write(edit, other, column, first)
    for key in (one, other):
        with pytest.raises(TamperedError):
            filled.open(key)


@pytest.mark.parametrize(
    ("column", "value"),
    [("secret_id", "s9"), ("owner_id", "u2"), ("type", "oauth_token"), ("version", 9), ("at", "2000")],
)
def test_platform_3_a_row_that_was_moved_does_not_open(filled, edit, column, value):
    write(edit, KEPT[0], column, value)
    with pytest.raises(VaultError):
        filled.open(KEPT[0])
    with pytest.raises(TamperedError):
        open_all(filled)


@pytest.mark.parametrize("odd", [None, 5, 1.5, "text", b"", "caf\udce9".encode("utf-8", "surrogateescape")], ids=ascii)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_row_of_odd_types_is_noticed_and_not_quoted(filled, edit, column, odd):
    """SQLite's own error would quote a text that does not decode."""
    raw = "CAST(? AS TEXT)" if isinstance(odd, bytes) else "?"
    try:
        edit(f"UPDATE secrets SET {column} = {raw} WHERE secret_id = 's2'", (odd,))  # of COLUMNS
    except sqlite3.IntegrityError:
        return
    with pytest.raises(VaultError) as raised:
        open_all(filled)
    assert "caf" not in str(raised.value)
