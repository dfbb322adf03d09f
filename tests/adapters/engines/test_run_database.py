"""The engine's database: durable, shared by processes, closed before the engine, and with nothing in it that is not JSON."""

import json
import re
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from aeon.adapters.engines.sql import RunDatabase, SqlEngine, queries
from aeon.adapters.engines.sql.journal import Journal
from aeon.adapters.results import FileResultStore
from aeon.base.errors import ConfigError
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.lease import HaltError
from aeon.platform.store import DialectQuery
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step


@pytest.fixture
def world(store, tmp_path):
    file = tmp_path / "runs.db"
    made = EngineWorld(store, tmp_path, lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{file}"), *parts))
    made.file = file
    yield made
    made.close()


def open_files(folder):
    """Names of the folder's files that this process has open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found.append(descriptor.readlink())
    return [path.name for path in found if path.parent == folder]


def rows(file, query):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


OPENS = """
import sys, time
from aeon.adapters.engines.sql import RunDatabase
from aeon.memory.sqlite import SQLiteMemory

folder, rounds = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
begin = float(sys.stdin.readline())
ids = []
for number in range(rounds):
    while time.time() < begin + number * 0.1:
        pass
    database = RunDatabase(f"sqlite:///{folder}/{number}.db")
    ids.append(database.id)
    database.close()
    SQLiteMemory(f"{folder}/{number}-memory.db").close()
print(*ids)
"""
"""Opens new databases at the same moments as others do."""


@pytest.mark.slow
def test_eight_processes_that_open_new_databases_at_once_all_succeed(tmp_path):
    """Measured E12: asked to change the journal, SQLite does not wait for others. 25 times eight, and as many memories."""
    command = [sys.executable, "-c", OPENS, str(tmp_path), "25"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(8)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    begin = time.time() + 0.5
    for process in processes:
        process.stdin.write(f"{begin}\n")
        process.stdin.flush()
    ended = [process.communicate(timeout=60) for process in processes]
    assert [said for _, said in ended] == [""] * 8
    assert [process.returncode for process in processes] == [0] * 8
    assert len({told for told, _ in ended}) == 1, "each database has one id"


@pytest.mark.server
@pytest.mark.slow
def test_several_that_open_a_new_database_on_a_server_at_once_all_succeed(postgres):
    address, ids = postgres(), []

    def opened():
        with closing(RunDatabase(address)) as database:
            ids.append(database.id)

    threads = [threading.Thread(target=opened) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 8
    assert len(set(ids)) == 1


@pytest.mark.parametrize(("is_durable", "synchronous"), [(True, 2), (False, 1)])
def test_a_commit_is_in_the_log_and_synced_unless_that_is_not_wanted(tmp_path, is_durable, synchronous):
    with closing(RunDatabase(f"sqlite:///{tmp_path}/runs.db", is_durable=is_durable)) as database:
        assert database.read("PRAGMA journal_mode") == [{"journal_mode": "wal"}]
        assert database.read("PRAGMA synchronous") == [{"synchronous": synchronous}]


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.parametrize(("is_durable", "setting"), [(True, "on"), (False, "off")])
def test_a_server_that_does_not_sync_is_made_to_unless_that_is_not_wanted(postgres, is_durable, setting):
    """Relaxed, its own setting holds."""
    address = postgres()
    with closing(RunDatabase(address)) as database:
        name = database.read("SELECT current_database() AS name")[0]["name"]
        database.update(lambda unit: unit.write(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    with closing(RunDatabase(address, is_durable=is_durable)) as database:
        assert database.read("SHOW synchronous_commit") == [{"synchronous_commit": setting}]


def test_writers_wait_for_each_other(tmp_path):
    """As many threads and processes as there are: none fails because another one writes."""
    address, failures = f"sqlite:///{tmp_path}/runs.db", []
    databases = [RunDatabase(address) for _ in range(4)]

    def write(database, name):
        journal = Journal(database, FileResultStore(tmp_path / "results"))
        try:
            for number in range(25):
                assert journal.start(f"{name} {number}", "mine")
        except Exception as error:  # noqa: BLE001  # seen by the test
            failures.append(error)

    threads = [
        threading.Thread(target=write, args=(each, f"{n} {m}")) for n, each in enumerate(databases) for m in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert databases[0].read("SELECT count(*) AS number FROM runs") == [{"number": 200}]
    for database in databases:
        database.close()


@pytest.mark.parametrize("is_first", [True, False])
def test_who_takes_a_run_over_has_it_though_another_starts_it_at_that_moment(world, is_first):
    """Whoever accepted it was stopped before it started it: what is started under its id is left to whoever did, and
    the run would be carried out by nobody (platform 43).
    """
    tool = world.tool("echo", echo)
    process = world.process("late", [step("a", tool)])
    run = world.runs.accept(process, NewRun({"q": "q"}, executor="late"), MutationRequest(world.user))
    assert world.runs.repository.reassign(run.id, "late", world.engine.executor)
    with closing(RunDatabase(f"sqlite:///{world.file}")) as elsewhere:
        late = Journal(elsewhere, world.results)
        if is_first:
            assert late.start(run.id, "late")
        world.engine.adopt([run.id])
        if not is_first:
            assert not late.start(run.id, "late")
        assert not late.is_owner(run.id, "late")
    assert world.wait_for_end(run).state.phase == "completed"


def test_whatever_is_stored_is_json(world):
    """A row never carries code."""
    world.wait_for_end(world.start_run(world.process("stored", [step("a", world.tool("a", echo))])))
    ((stored,),) = rows(world.file, "SELECT result FROM attempts")
    assert json.loads(stored)["event"]["output"] == {"got": "q"}


def test_a_connection_in_use_when_the_engine_closes_is_closed_when_it_comes_back(tmp_path):
    """Otherwise the file stays open, and its log keeps its room on the disk."""
    database = RunDatabase(f"sqlite:///{tmp_path}/runs.db")
    in_use, goes_on = threading.Event(), threading.Event()

    def work(unit):
        unit.read("SELECT 1 AS one")
        in_use.set()
        goes_on.wait(20)

    thread = threading.Thread(target=database.update, args=(work,))
    thread.start()
    assert in_use.wait(20)
    database.close()
    assert open_files(tmp_path)
    goes_on.set()
    thread.join()
    assert open_files(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["runs.db"]


def test_once_it_is_closed_nothing_is_read_or_written(tmp_path):
    database = RunDatabase(f"sqlite:///{tmp_path}/runs.db")
    database.close()
    database.close()
    for act in (lambda: database.read("SELECT 1 AS one"), lambda: database.update(lambda unit: None)):
        with pytest.raises(HaltError, match="closed"):
            act()


def test_of_a_run_that_is_forgotten_no_row_is_left(world):
    """What is over stays for ever, unless somebody removes it."""
    run = world.start_run(world.process("over", [step("a", world.tool("a", echo))]))
    world.wait_for_end(run)
    tables = [name for (name,) in rows(world.file, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert run.id in str(rows(world.file, "SELECT * FROM attempts"))
    world.engine.forget([run.id])
    left = {table: str(rows(world.file, f"SELECT * FROM {table}")) for table in tables}  # its own names
    assert [table for table, said in left.items() if run.id in said] == []


PARAMS = {
    **dict.fromkeys(
        (
            "run",
            "token",
            "result",
            "call",
            "id",
            "worker",
            "executor",
            "job",
            "key",
            "value",
            "prefix",
            "owner",
            "needs",
            "at",
        ),
        "x",
    ),
    **dict.fromkeys(("step", "attempt", "limit", "priority", "turn", "length", "queued_at"), 1),
    **{key: ["x", "y"] for key in ("runs", "others", "ids", "workers", "executors")},
}


_ASKED_OTHERWISE = (
    *("_", "SCHEMA", "VERSION", "FROM_VERSION", "CREATE", "HAS_", "LOCK"),
    *("TRANSFER", "FORGET_EXECUTIONS"),  # when a record is moved or restored
)


def texts():
    """All queries that are asked while runs are executed."""
    for name, query in vars(queries).items():
        if name.isupper() and not name.startswith(_ASKED_OTHERWISE):
            for each in query if isinstance(query, tuple) and not isinstance(query, DialectQuery) else [query]:
                yield name, each


def test_no_query_reads_a_whole_table(tmp_path):
    """However many runs and jobs there are."""
    with closing(RunDatabase(f"sqlite:///{tmp_path}/runs.db")) as database:
        plans = {(name, str(query)): database._store.explain(query, PARAMS) for name, query in texts()}
    assert len(plans) >= 20
    scans = re.compile(r"SCAN (?!json_each|kind|level|queue|CONSTANT)(?!jobs USING COVERING INDEX jobs_running)")
    assert [name for (name, _), plan in plans.items() if scans.search(plan)] == []


EARLIER = "CREATE TABLE aeon_attempts (run TEXT, step INTEGER, attempt INTEGER, done TEXT)"


def test_runs_of_an_earlier_development_version_are_refused_and_left_as_they_are(tmp_path):
    file = tmp_path / "runs.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(EARLIER)
    with pytest.raises(ConfigError, match="earlier development version") as raised:
        RunDatabase(f"sqlite:///{file}")
    assert "adopt the runs" in raised.value.advice
    assert rows(file, "SELECT name FROM sqlite_master") == [("aeon_attempts",)]


@pytest.mark.server
@pytest.mark.slow
def test_runs_of_an_earlier_development_version_on_a_server_are_refused(postgres):
    import psycopg

    address = postgres()
    with psycopg.connect(address) as connection:
        connection.execute(EARLIER)
    with pytest.raises(ConfigError, match="earlier development version"):
        RunDatabase(address)


@pytest.mark.server
@pytest.mark.slow
def test_who_may_not_create_the_schema_is_told_who_may(postgres):
    import psycopg

    address = postgres()
    with psycopg.connect(address) as connection:
        connection.execute("CREATE ROLE limited LOGIN")
    limited = address.replace("postgres@", "limited@")
    with pytest.raises(ConfigError, match="permission denied") as raised:
        RunDatabase(limited)
    assert "CREATE SCHEMA aeon_runs" in raised.value.advice
    with psycopg.connect(address) as connection:
        connection.execute("CREATE SCHEMA aeon_runs AUTHORIZATION limited")
    with closing(RunDatabase(limited)) as database:
        assert database.id


@pytest.mark.server
@pytest.mark.slow
def test_an_address_names_no_schema_of_its_own(postgres):
    with pytest.raises(
        ConfigError, match=r"engine\.address is not a PostgreSQL address. It has unknown options: schema"
    ):
        RunDatabase(f"{postgres()}&schema=mine")


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path):
    file = tmp_path / "runs.db"
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(ConfigError, match="not a database") as raised:
        RunDatabase(f"sqlite:///{file}")
    assert "adopt the runs" in raised.value.advice
    assert file.read_bytes() == b"no database" * 1000


def test_attempts_of_version_2_are_kept_without_a_digest(tmp_path):
    address = f"sqlite:///{tmp_path}/runs.db"
    with closing(RunDatabase(address)) as database:
        older = (
            "ALTER TABLE attempts DROP COLUMN call",
            "INSERT INTO attempts (run, step, attempt, result) VALUES ('r', 0, 1, '{}')",
            "UPDATE meta SET value = '2' WHERE key = 'version'",
        )
        database.update(lambda unit: [unit.write(each) for each in older])
    for _ in range(2):
        with closing(RunDatabase(address)) as database:
            assert database.read("SELECT result, call FROM attempts") == [{"result": "{}", "call": ""}]


def test_tables_of_a_newer_version_are_refused(tmp_path):
    address = f"sqlite:///{tmp_path}/runs.db"
    with closing(RunDatabase(address)) as database:
        database.update(lambda unit: unit.write("UPDATE meta SET value = '4' WHERE key = 'version'"))
    with pytest.raises(ConfigError, match="has version 4"):
        RunDatabase(address)
