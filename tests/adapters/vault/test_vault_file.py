"""The vault's file: its owner's alone, refused when it is damaged or another's, and never changed by a refusal."""

import os
import re
import shlex
import shutil
import sqlite3
import stat
import subprocess
from contextlib import closing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.vault import MasterKey, open_vault, vault_file
from aeon.adapters.vault.sqlite import SqliteVault
from aeon.base.errors import MissingExtraError
from aeon.platform.vault import SecretKey, TamperedError, VaultError, WrongKeyError
from aeon.testing.clock import FakeClock
from aeon.testing.vault import CANARY, FIRST, SECOND

KEY = SecretKey("s", "u", "api_key", 1)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def names(folder):
    return [each.name for each in folder.iterdir()]


def fill(vault, count=1):
    for number in range(count):
        vault.put(KEY._replace(secret_id=f"s{number}"), {"key": f"{CANARY}-{number}"})
    vault.close()


@pytest.fixture
def filled(opened, path):
    """A closed vault of a few pages."""
    fill(opened(), 40)
    return path


def test_platform_3_the_file_and_its_folder_are_their_owners_alone(opened, path):
    old = os.umask(0)
    try:
        vault = opened()
        with vault._file.writing():
            vault._file.execute("DELETE FROM secrets")
            assert mode(path.with_name("vault.db-journal")) == 0o600
        assert (mode(path), mode(path.parent)) == (0o600, 0o700)
        assert names(path.parent) == ["vault.db"]
    finally:
        os.umask(old)


@pytest.mark.parametrize("open_to", [0o640, 0o604, 0o660, 0o602, 0o610])
def test_platform_3_a_file_that_others_may_read_is_refused_with_the_command_that_helps(filled, opened, open_to):
    filled.chmod(open_to)
    with pytest.raises(VaultError) as raised:
        opened()
    command = re.fullmatch(r"Run: (.*)", raised.value.advice)[1]
    subprocess.run(shlex.split(command), check=True)
    assert len(opened().list_secrets()) == 40


def test_platform_3_the_command_is_quoted_for_the_shell(tmp_path, opened):
    path = tmp_path / "it's mine" / "the vault.db"
    opened(at=path).close()
    path.chmod(0o644)
    with pytest.raises(VaultError) as raised:
        opened(at=path)
    assert shlex.split(raised.value.advice)[1:] == ["chmod", "600", str(path)]


@pytest.mark.parametrize("open_to", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_may_write_into_is_refused(filled, opened, path, open_to):
    """They could put a journal of theirs beside the vault."""
    for folder in (path.parent, path.parent / "new"):
        folder.mkdir(exist_ok=True)
        folder.chmod(open_to)
        with pytest.raises(VaultError) as raised:
            opened(at=folder / "vault.db")
        assert "chmod 700" in raised.value.advice
    assert names(path.parent / "new") == []


def test_a_link_leads_to_the_file_that_is_checked(filled, opened, tmp_path):
    link = tmp_path / "link.db"
    link.symlink_to(filled)
    assert len(opened(at=link).list_secrets()) == 40
    filled.chmod(0o644)
    with pytest.raises(VaultError) as raised:
        opened(at=link)
    assert str(filled) in raised.value.advice


def test_a_link_to_nothing_makes_no_vault(opened, tmp_path):
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "nothing")
    with pytest.raises(VaultError):
        opened(at=link)
    assert names(tmp_path) == ["link.db"]


@pytest.mark.parametrize("make", [lambda path: path.mkdir(mode=0o700), lambda path: os.mkfifo(path, 0o600)])
def test_what_is_no_file_is_refused(opened, tmp_path, make):
    make(tmp_path / "vault.db")
    with pytest.raises(VaultError) as raised:
        opened(at=tmp_path / "vault.db")
    assert "not a plain file" in raised.value.message


@pytest.mark.parametrize("content", [b"", b"x", b"not a database" * 1000, b"SQLite format 3\x00" + bytes(5000)])
def test_a_file_that_is_no_vault_is_refused_and_left_alone(opened, tmp_path, content):
    path = tmp_path / "vault.db"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(VaultError) as raised:
        opened(at=path)
    assert "start anew" in raised.value.advice
    assert path.read_bytes() == content
    assert names(tmp_path) == ["vault.db"]


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_another_programs_database_is_refused_and_left_alone(opened, tmp_path, journal):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA journal_mode = {journal}")
        other.execute("CREATE TABLE vault (salt, check_value, digest)")
    path.chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(VaultError) as raised:
        opened(at=path)
    assert "not a vault" in raised.value.message
    assert path.read_bytes() == before


def test_a_vault_of_a_later_format_is_refused(filled, opened):
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(VaultError) as raised:
        opened()
    assert "of this version" in raised.value.message


def test_a_truncated_file_is_refused_and_left_alone(filled, opened, tmp_path):
    content = filled.read_bytes()
    cut = tmp_path / "cut.db"

    @given(st.integers(0, len(content) - 1))
    def law(length):
        cut.write_bytes(content[:length])
        cut.chmod(0o600)
        with pytest.raises(VaultError):
            opened(at=cut)
        assert cut.read_bytes() == content[:length]

    law()


def test_platform_3_a_flipped_byte_of_the_file_never_gives_a_wrong_value(filled, opened, tmp_path):
    """It is noticed, or it lies where nothing is kept."""
    content = filled.read_bytes()
    bent = tmp_path / "bent.db"
    values = {f"s{number}": f"{CANARY}-{number}" for number in range(40)}

    @given(st.integers(0, len(content) - 1), st.integers(1, 255))
    def law(at, change):
        bent.write_bytes(content[:at] + bytes([content[at] ^ change]) + content[at + 1 :])
        bent.chmod(0o600)
        with suppress(VaultError):
            vault = opened(at=bent)
            found = {kept.key.secret_id: vault.open(kept.key).reveal()["key"] for kept in vault.list_secrets()}
            assert found == values

    law()


@pytest.mark.parametrize("word", [b"CREATE TABLE secrets", b"version INTEGER", b"WITHOUT ROWID"])
def test_damage_in_the_tables_own_text_is_noticed(filled, opened, word):
    """SQLite's own error then fails to decode the text that it quotes."""
    content = filled.read_bytes()
    filled.write_bytes(content.replace(word, word[:3] + b"\x91" + word[4:]))
    with pytest.raises(VaultError) as raised:
        opened()
    assert "start anew" in raised.value.advice


def test_a_wrong_key_and_a_damaged_head_are_told_apart(filled, opened):
    with pytest.raises(WrongKeyError):
        opened(SECOND)
    with closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute("UPDATE vault SET check_value = zeroblob(32)")
    with pytest.raises(TamperedError) as raised:
        opened()
    assert "head" in raised.value.message


def test_a_vault_without_its_head_is_refused(filled, opened):
    with closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute("DELETE FROM vault")
    with pytest.raises(TamperedError):
        opened()


def test_a_copy_of_the_file_alone_is_whole(opened, path, tmp_path):
    """No second file holds what was just written."""
    vault = opened()
    vault.put(KEY, {"key": CANARY})
    copy = tmp_path / "copy.db"
    shutil.copy2(path, copy)
    assert opened(at=copy).open(KEY).reveal() == {"key": CANARY}


@pytest.mark.parametrize("put_another", [False, True])
def test_a_write_to_a_file_that_was_moved_away_is_refused(opened, path, tmp_path, put_another):
    """Otherwise it would be lost unnoticed."""
    vault = opened()
    path.rename(tmp_path / "away.db")
    if put_another:
        opened().close()
    with pytest.raises(VaultError) as raised:
        vault.put(KEY, {"key": CANARY})
    assert "still in its place" in raised.value.advice


def test_a_vault_that_stays_busy_says_so(opened, monkeypatch):
    monkeypatch.setattr(vault_file, "_BUSY_SECONDS", 0)
    one, other = opened(), opened()
    with one._file.writing(), pytest.raises(VaultError) as raised:
        other.put(KEY, {"key": CANARY})
    assert "try again" in raised.value.advice
    other.put(KEY, {"key": CANARY})
    assert one.open(KEY).reveal() == {"key": CANARY}


def test_what_is_forgotten_is_overwritten(opened, path):
    vault = opened()
    vault.put(KEY._replace(owner_id="owner-to-forget"), {"key": CANARY})
    assert b"owner-to-forget" in path.read_bytes()
    vault.forget("s")
    assert b"owner-to-forget" not in path.read_bytes()


def test_without_cryptography_the_error_names_the_extra(path, uninstall):
    uninstall("cryptography")
    with pytest.raises(MissingExtraError) as raised:
        open_vault(path, [MasterKey(FIRST)], FakeClock())
    assert "aeon-orchestrator[platform]" in raised.value.advice
    assert not path.exists()


def test_a_folder_that_cannot_be_made_is_said(opened, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(VaultError) as raised:
        opened(at=tmp_path / "file" / "vault.db")
    assert raised.value.advice


def test_the_first_key_that_opens_it_is_used(filled):
    clock = FakeClock()
    with closing(open_vault(filled, [MasterKey(SECOND), MasterKey(FIRST)], clock)) as vault:
        assert isinstance(vault, SqliteVault)
    with pytest.raises(WrongKeyError):
        open_vault(filled, [MasterKey(SECOND)], clock)
