"""A full disk, a newer version, a record opened by many at once, and a clock that goes back (platform 19, 20).

Each with a clear error, recovery by itself, and nothing lost.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from aeon.adapters.vault import find_master_key, open_vault
from aeon.platform.catalog.health import HealthChecks, is_due
from aeon.platform.catalog.model import NewSecret, NewService, ServiceChange
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import ConflictError
from aeon.platform.ledger import MutationRequest
from aeon.platform.store import StoreFullError
from aeon.platform.vault import SecretKey, VaultError
from aeon.testing.clock import FakeClock
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

from .starting import SERVICE

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(300)]

DAY, HOUR = 86400.0, 3600.0


class Opened:
    """A catalog on a record in a folder, with what has been acknowledged."""

    def __init__(self, folder):
        self.acknowledged = []
        self.store = new_record(folder)
        self.catalog = Catalog(self.store, InMemoryVault())
        self.catalog.add_user("me")

    def add(self, name, key=None):
        made = self.catalog.services.add(NewService.parsed({"name": name, **SERVICE}), MutationRequest("me", key))
        self.acknowledged.append(name)
        return made

    def check(self):
        """Everything acknowledged is there, once, and the trail is whole."""
        rows = self.store.read("SELECT name FROM services WHERE owner_id = 'me'")
        assert sorted(row["name"] for row in rows) == sorted(set(self.acknowledged))
        entries = list(self.catalog.ledger.audit_log("me"))
        assert [entry["seq"] for entry in entries] == list(range(1, len(set(self.acknowledged)) + 1))
        assert self.catalog.ledger.verify_audit_log("me") is None

    def close(self):
        self.store.close()


def aeon(folder, *argv):
    """The command in a folder, as a process of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AEON_")}
    ended = subprocess.run([sys.executable, "-m", "aeon", *argv], cwd=folder, env=own, capture_output=True, check=False)
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


# Repeated


def test_a_secret_that_is_asked_for_again_is_kept_once(world):
    """Platform 3, 20: the value of the attempt that came second is in the vault no more."""
    user = world.user("u")
    request = MutationRequest(user, "key")
    new = NewSecret.parsed({"name": "key", "type": "api_key", "value": {"key": "one-1"}})
    first = world.catalog.secrets.add(new, request)
    assert world.catalog.secrets.add(new, request) == first
    assert [kept.key.secret_id for kept in world.vault.list_secrets()] == [first.id]


# Full


@contextmanager
def small_disk(folder, size):
    """A file system of its own for a folder; skips where this user may mount none."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("only who may mount a file system can fill one up")
    try:
        yield folder
    finally:
        subprocess.run([shutil.which("umount"), "-l", str(folder)], check=False)


def fill(folder, leaving):
    """Take the room of a disk but for so many bytes."""
    disk = os.statvfs(folder)
    with Path(folder, "filling").open("ab") as file, suppress(OSError):
        for _ in range(max(0, disk.f_bavail * disk.f_frsize - leaving) // 4096):
            file.write(b"x" * 4096)
            file.flush()


def add_for_ever(record):
    for number in count():
        record.add(f"service {number}")


def test_a_full_disk_refuses_writes_and_loses_nothing(tmp_path):
    with small_disk(tmp_path / "disk", "8m") as disk:
        record = Opened(disk / "record")
        fill(disk, 300_000)
        with pytest.raises(StoreFullError, match="full") as raised:
            add_for_ever(record)
        assert "Free some space" in raised.value.advice
        assert not raised.value.may_have_happened
        assert record.acknowledged
        record.check()
        Path(disk, "filling").unlink()
        record.add("after")
        record.close()
        again = Opened(disk / "record")
        again.acknowledged = record.acknowledged
        again.check()
        again.close()


def test_a_record_on_a_full_disk_can_be_read_and_taken_out(tmp_path):
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    with small_disk(project / ".aeon", "8m") as disk:
        assert aeon(project, "init")[0] == 0
        fill(disk, 40_000)  # SQLite needs 32 KB beside the file even to read
        code, out, err = aeon(project, "store", "export", "-")
        assert (code, '"name":"my_tools"' in out) == (0, True), err
        code, out, err = aeon(project, "tool", "service", "rename", "aeon graph", "x", "--user", "aeon")
        said = " ".join(err.split())
        assert (code, out, "full" in said, "Free some space" in said, "Trace" in said) == (1, "", True, True, False)
        Path(disk, "filling").unlink()
        code, out, _ = aeon(project, "init", "--json")
        assert (code, json.loads(out)["tools"]) == (0, 0)


def test_a_vault_on_a_full_disk_keeps_what_it_has(tmp_path):
    with small_disk(tmp_path / "disk", "2m") as disk:
        folder = disk / "own"
        folder.mkdir(0o700)
        keys = find_master_key({}, folder / "master.key", vault=folder / "vault.db").keys
        vault = open_vault(folder / "vault.db", keys, FakeClock())
        kept = {}

        def put_for_ever():
            for number in count():
                put(number)

        def put(number):
            value = {"key": f"{number} " * 2000}
            vault.put(SecretKey(f"s{number}", "me", "api_key", 1), value)
            kept[SecretKey(f"s{number}", "me", "api_key", 1)] = value

        fill(disk, 400_000)
        with pytest.raises(VaultError, match="full") as raised:
            put_for_ever()
        assert "Free some space" in raised.value.advice
        assert kept
        assert {each.key for each in vault.list_secrets()} == set(kept)
        Path(disk, "filling").unlink()
        put(len(kept))
        vault.close()
        again = open_vault(folder / "vault.db", keys, FakeClock())
        assert {each.key: again.open(each.key).reveal() for each in again.list_secrets()} == kept
        again.close()


# Changed by another version


def test_a_record_of_a_newer_aeon_is_refused_and_left_alone(tmp_path):
    """Through the commands; not a byte of the file is touched."""
    (tmp_path / ".git").mkdir()
    assert aeon(tmp_path, "init")[0] == 0
    file = tmp_path / ".aeon" / "aeon.db"
    with closing(sqlite3.connect(file)) as newer:
        newer.execute("UPDATE meta SET value = '9999' WHERE key = 'version'")
        newer.execute("CREATE TABLE later (x TEXT)")
        newer.commit()
    before = file.read_bytes()
    code, _, err = aeon(tmp_path, "init")
    said = " ".join(err.split())
    assert (code, "9999" in said, "newer Aeon" in said, "Trace" in said) == (1, True, True, False)
    assert file.read_bytes() == before


# Opened by many at once


def test_ten_processes_that_open_a_new_record_at_once_lose_nothing(tmp_path):
    """Platform 19: ten writers of one trail."""
    folder, script = tmp_path / "record", str(Path(__file__).with_name("starting.py"))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    users = [subprocess.Popen([sys.executable, script, str(folder), f"user {n}", "5"], **pipes) for n in range(10)]
    assert {user.stdout.readline() for user in users} == {"ready\n"}
    for user in users:
        user.stdin.write("go\n")
        user.stdin.flush()
    assert {user.stdout.readline() for user in users} == {"done\n"}
    record = Opened(folder)
    for user in users:
        user.communicate("end\n")
    record.acknowledged = [f"user {n} {each}" for n in range(10) for each in range(5)]
    record.check()
    record.close()


# The clock goes back


def go_back(world, seconds):
    world.clock._passed -= seconds


def test_the_trail_stays_whole_and_in_order_when_the_clock_goes_back(world):
    """Platform 19: entries follow each other by number, whatever their times say."""
    user = world.user("u")
    service = world.service(user)
    for name in "abc":
        go_back(world, HOUR)
        service = world.catalog.services.change(service.id, ServiceChange(name=name), MutationRequest(user))
    entries = list(world.catalog.ledger.audit_log(user))
    assert [entry["seq"] for entry in entries] == [1, 2, 3, 4]
    assert [entry["at"] for entry in entries] == sorted((entry["at"] for entry in entries), reverse=True)
    assert world.catalog.ledger.verify_audit_log(user) is None
    assert (service.version, service.name) == (4, "c")


def test_an_answer_is_kept_at_least_a_day_by_any_clock_and_what_is_forgotten_stays_so(world):
    """Platform 20: a clock that went back makes an answer last longer. Shorter would do a thing twice."""
    user, new = world.user("u"), NewService.parsed({"name": "api", **SERVICE})
    request = MutationRequest(user, "key")
    first = world.catalog.services.add(new, request)
    go_back(world, 2 * DAY)
    assert world.catalog.services.add(new, request) == first
    with pytest.raises(ConflictError):
        world.catalog.services.add(NewService.parsed({"name": "other", **SERVICE}), request)
    world.clock.sleep(3 * DAY + HOUR)
    other = NewService.parsed({"name": "second", **SERVICE})
    second = world.catalog.services.add(other, request)
    assert second.id != first.id
    go_back(world, 3 * DAY)
    assert world.catalog.services.add(other, request) == second


def test_health_is_checked_on_when_the_clock_goes_back(world):
    """Platform 5."""
    user = world.user("u")
    tool = world.tool(user, world.service(user))

    class Well:
        asked = 0

        def problem(self, _protocol, _connection, *, allow_private):
            self.asked += 1

    probe = Well()
    checks = HealthChecks(world.store, world.catalog.tools, world.catalog.services, {"rest_api": probe}, world.clock)
    for expected in (1, 2):
        list(checks.run(user, only_due=True))
        list(checks.run(user, only_due=True))
        assert probe.asked == expected
        go_back(world, HOUR)
    checked = world.catalog.tools.get(user, tool.id).last_health_check
    assert is_due(checked, 0, world.clock.now())


def test_what_is_swept_out_of_the_vault_is_never_in_use_whatever_the_clock_says(world):
    """An orphan from the future waits until the clock has come that far; what is younger may be under way."""
    user = world.user("u")
    before = world.secret(user, "before", value="early")
    world.vault.put(SecretKey("orphan", user, "api_key", 1), {"key": "lost"})
    go_back(world, 2 * HOUR)
    after = world.secret(user, "after", value="late")
    assert world.catalog.secrets.sweep(world.clock.now()) == 0
    world.clock.sleep(3 * HOUR)
    assert world.catalog.secrets.sweep(world.clock.now()) == 1
    values = [world.catalog.secrets.reveal(user, each.id).reveal() for each in (before, after)]
    assert values == [{"key": "early"}, {"key": "late"}]


def test_changes_are_in_order_by_version_when_their_times_are_not(world):
    """Platform 2: of two changes made from one state, the second is refused, whatever the clock says."""
    user = world.user("u")
    service = world.service(user)
    go_back(world, HOUR)
    changed = world.catalog.services.change(service.id, ServiceChange(name="new"), MutationRequest(user))
    assert (changed.version, changed.created_at) == (2, service.created_at)
    assert world.catalog.services.get(user, service.id) == changed
    world.catalog.services.change(service.id, ServiceChange(shared=True), MutationRequest(user))
    assert world.catalog.services.list_own(user)[0].version == 3
