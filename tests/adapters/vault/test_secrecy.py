"""No value and no key turns up in any file, error, log line or traceback (platform 3)."""

import base64
import logging
import os
import traceback

import pytest

from aeon.adapters.vault import MasterKey, change_key, find_master_key
from aeon.adapters.vault.master_key import KEY_BYTES, create_key_file, key_text
from aeon.adapters.vault.sqlite import SqliteVault
from aeon.base.errors import AeonError
from aeon.platform.vault import SecretKey
from aeon.testing.clock import FakeClock
from aeon.testing.vault import CANARY, FIRST, SECOND

KEY = SecretKey("s", "u", "api_key", 1)
MASTER = bytes(range(100, 132))


def spellings(secret):
    """The ways in which bytes may be written somewhere."""
    shown = repr(secret)[2:-1].encode()
    return [secret, shown, secret.hex().encode(), base64.b64encode(secret), base64.urlsafe_b64encode(secret)]


FORBIDDEN = [spelling for secret in (CANARY.encode(), MASTER) for spelling in spellings(secret)]


def written(folder):
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def found_in(content):
    return [spelling for spelling in FORBIDDEN if spelling in content]


class RecordedBytes:
    """The system's random bytes, remembered."""

    def __init__(self):
        self.given = []

    def __call__(self, count):
        self.given.append(os.urandom(count))
        return self.given[-1]


def test_platform_3_no_file_holds_a_value_or_a_key(path, tmp_path):
    fresh = RecordedBytes()
    vault = SqliteVault(path, MasterKey(MASTER), FakeClock(), fresh=fresh)
    vault.put(KEY, {"key": CANARY})
    vault.put(KEY._replace(version=2), {"key": CANARY})
    with vault._file.writing():  # the journal holds what the pages held before
        vault._file.execute("DELETE FROM secrets WHERE version = 1")
        assert path.with_name("vault.db-journal").stat().st_size > 0
        content = written(tmp_path)
    content += written(tmp_path)
    vault.rewrap(SECOND)
    vault.close()
    content += written(tmp_path)
    assert b"api_key" in content
    assert found_in(content) == []
    wide = [drawn for drawn in fresh.given if len(drawn) == KEY_BYTES]
    salts = [drawn for drawn in wide if drawn in content]
    assert (len(wide), len(salts)) == (4, 2)  # two data keys and, for the two heads, two salts


def failures(path, tmp_path):
    """Every way to fail that a test can bring about, as a function that raises."""
    clock = FakeClock()
    vault = SqliteVault(path, MasterKey(MASTER), clock)
    vault.put(KEY, {"key": CANARY})
    other = tmp_path / "other.db"
    SqliteVault(other, MasterKey(SECOND), clock).close()
    broken = SqliteVault(tmp_path / "broken.db", MasterKey(MASTER), clock)
    broken.put(KEY, {"key": CANARY})
    broken._file.execute("UPDATE secrets SET ciphertext = substr(ciphertext, 1, 20), wrapped_key = zeroblob(60)")
    gone = SqliteVault(tmp_path / "gone.db", MasterKey(MASTER), clock)
    (tmp_path / "gone.db").unlink()
    closed = SqliteVault(tmp_path / "closed.db", MasterKey(MASTER), clock)
    closed.close()
    yield lambda: vault.put(KEY, {"key": CANARY})
    yield lambda: vault.put(KEY._replace(owner_id="v"), {"key": CANARY})
    yield lambda: vault.put(KEY._replace(version=0), {"key": CANARY})
    yield lambda: vault.put(KEY._replace(version=2), {"key": CANARY, CANARY: CANARY})
    yield lambda: vault.put(KEY._replace(version=2), CANARY)
    yield lambda: vault.open(KEY._replace(version=2))
    yield lambda: SqliteVault(other, MasterKey(MASTER), clock)
    yield lambda: broken.open(KEY)
    yield lambda: broken.rewrap(SECOND)
    yield lambda: gone.put(KEY, {"key": CANARY})
    yield lambda: closed.put(KEY, {"key": CANARY})
    yield lambda: closed.open(KEY)
    yield lambda: find_master_key({"AEON_MASTER_KEY": CANARY}, tmp_path / "key", vault=path)
    yield lambda: find_master_key({}, tmp_path / "key", vault=path, keyring=lambda: None)
    yield from key_file_failures(path, tmp_path, vault, closed)
    vault.close()
    broken.close()
    gone.close()


def key_file_failures(path, tmp_path, vault, closed):
    bad, shared, good = (tmp_path / name for name in ("bad", "shared", "good"))
    for file, text in ((bad, CANARY), (shared, key_text(MasterKey(MASTER))), (good, key_text(MasterKey(MASTER)))):
        file.write_text(text)
        file.chmod(0o644 if file is shared else 0o600)
    yield lambda: find_master_key({}, bad, vault=path)
    yield lambda: find_master_key({}, shared, vault=path)
    yield lambda: find_master_key({}, tmp_path / "key", vault=path, keyring=TalkativeKeyring)
    yield lambda: create_key_file(bad / "key", os.urandom)
    yield lambda: change_key(closed, good)
    yield lambda: MasterKey(CANARY)


class TalkativeKeyring:
    def get_password(self, _service, _name, /):
        raise RuntimeError(f"the keyring says {CANARY}")


def own_locals(error):
    """What the local variables of the vault's own functions show, in the order of the traceback and of its causes."""
    while error is not None:
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_globals["__name__"].startswith("aeon.adapters.vault"):
                # The environment is the caller's own, and his to delete the key from.
                shown = {name: value for name, value in frame.f_locals.items() if name != "environment"}
                yield frame.f_code.co_qualname, repr(shown)
        error = error.__cause__ or error.__context__


def test_platform_3_no_error_log_line_or_local_variable_shows_a_value_or_a_key(path, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    count = 0
    for fail in failures(path, tmp_path):
        with pytest.raises(AeonError) as raised:
            fail()
        error = raised.value
        said = f"{error} {error!r} {error.as_dict()} {''.join(traceback.format_exception(error))}"
        assert found_in(said.encode()) == []
        shown = [(name, text) for name, text in own_locals(error) if found_in(text.encode())]
        assert shown == [], error
        assert error.advice
        count += 1
    assert count == 20
    assert caplog.text == ""


@pytest.mark.parametrize("thing", [MasterKey(MASTER), [MasterKey(MASTER)]])
def test_platform_3_a_master_key_does_not_show_itself(thing):
    assert found_in(f"{thing} {thing!r}".encode()) == []


def test_platform_3_an_opened_vault_does_not_show_its_key(path):
    vault = SqliteVault(path, MasterKey(FIRST), FakeClock())
    assert found_in(f"{vault!r} {vars(vault)}".encode()) == []
    vault.close()
