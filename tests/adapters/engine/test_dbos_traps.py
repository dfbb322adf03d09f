"""What DBOS does otherwise by itself, each met in practice (design.md, "DBOS, traps"), and what we have it do."""

import json
import sqlite3
import subprocess
import sys
import time
import tomllib
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import dbos
import pytest
from sqlalchemy import text

from aeon.adapters.engines.dbos import DbosEngine
from aeon.adapters.engines.dbos.database import Database
from aeon.adapters.engines.dbos.instance import JsonSerializer
from aeon.adapters.results import FileResultStore
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step

ROOT = Path(__file__).parents[3]


@pytest.fixture
def asked(tmp_path):
    """What SQLite answers on a connection as DBOS gets it."""
    database = Database(f"sqlite:///{tmp_path}/runs.db")

    def ask(query):
        with database.engine.connect() as connection:
            return connection.execute(text(query)).scalar_one()

    yield ask
    database.dispose()


@pytest.fixture
def world(store, tmp_path):
    made = EngineWorld(store, tmp_path, lambda *parts: DbosEngine(f"sqlite:///{tmp_path}/runs.db", *parts))
    made.file = tmp_path / "runs.db"
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
    connection = sqlite3.connect(file)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_the_clock_has_parts_of_seconds_whichever_sqlite_there_is(asked):
    """Before 3.42 `unixepoch('subsec')` is null, and DBOS does not start."""
    before = time.time()
    told = asked("SELECT unixepoch('subsec')")
    assert before <= told <= time.time()
    assert {asked("SELECT unixepoch('subsec')") % 1 for _ in range(5)} != {0.0}


OPENS = """
import sys, time
from sqlalchemy import text
from aeon.adapters.engines.dbos.database import Database
from aeon.memory.sqlite import SQLiteMemory

folder, rounds = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
begin = float(sys.stdin.readline())
for number in range(rounds):
    while time.time() < begin + number * 0.1:
        pass
    database = Database(f"sqlite:///{folder}/{number}.db")
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS a (b)"))
    database.dispose()
    SQLiteMemory(f"{folder}/{number}-memory.db").close()
"""
"""Opens new databases at the same moments as others do."""


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
    ended = [process.communicate(timeout=60)[1] for process in processes]
    assert ended == [""] * 8
    assert [process.returncode for process in processes] == [0] * 8


def test_writers_wait_for_each_other_and_a_commit_is_in_the_log(asked):
    """As shipped it has no WAL, and whoever meets another writer fails."""
    assert asked("PRAGMA journal_mode") == "wal"
    assert asked("PRAGMA synchronous") == 2
    assert asked("PRAGMA busy_timeout") == 30_000


def test_who_takes_a_run_over_has_it_though_another_starts_it_at_that_moment(world, monkeypatch):
    """Whoever accepted it was stopped before it started it: what is started under its id is left to whoever did, and
    the run would be carried out by nobody (platform 43).
    """
    tool = world.tool("echo", echo)
    process = world.process("late", [step("a", tool)])
    run = world.runs.accept(process, NewRun({"q": "q"}, executor="late"), MutationRequest(world.user))
    assert world.runs.repository.reassign(run.id, "late", world.engine.executor)
    resumed = dbos.DBOS.resume_workflow

    def late(id_, **how):
        """As if the other's start came right after the first look for it."""
        try:
            return resumed(id_, **how)
        except dbos.error.DBOSNonExistentWorkflowError:
            elsewhere = {"workflow_name": "aeon.run", "queue_name": "aeon-late", "workflow_id": id_}
            dbos.DBOS.enqueue_workflow_with_options(elsewhere, id_)
            raise

    monkeypatch.setattr(dbos.DBOS, "resume_workflow", late)
    world.engine.adopt([run.id])
    assert world.wait_for_end(run).state.phase == "completed"


def test_whatever_is_stored_is_json(world):
    """Its own serializer is pickle: a row could carry code."""
    world.wait_for_end(world.start_run(world.process("stored", [step("a", world.tool("a", echo))])))
    found = rows(world.file, "SELECT inputs FROM workflow_input") + rows(world.file, "SELECT done FROM aeon_attempts")
    assert len(found) == 2
    for (stored,) in found:
        json.loads(stored)


def test_what_is_no_json_is_not_stored(tmp_path):
    serializer = JsonSerializer(FileResultStore(tmp_path))
    with pytest.raises(TypeError):
        serializer.serialize({"x": object()})


def test_a_connection_in_use_when_the_engine_closes_is_closed_when_it_comes_back(tmp_path):
    """SQLAlchemy would keep it until it is collected: the file stays open, and its log keeps its room on the disk."""
    database = Database(f"sqlite:///{tmp_path}/runs.db")
    in_use = database.engine.connect()
    in_use.execute(text("CREATE TABLE a (b)"))
    database.close()
    database.dispose()
    assert open_files(tmp_path)
    in_use.close()
    assert open_files(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["runs.db"]


def test_the_version_is_a_constant(world):
    """By itself it is a digest of the code: after an update nothing that was under way would go on."""
    run = world.start_run(world.process("version", [step("a", world.tool("a", echo))]))
    world.wait_for_end(run)
    found = rows(world.file, "SELECT DISTINCT application_version FROM workflow_status")
    assert found == [("aeon-1",)]


def test_there_is_no_queue_where_no_other_process_serves_one(world):
    """Each is asked for again and again, at some milliseconds of processor time."""
    world.wait_for_end(world.start_run(world.process("alone", [step("a", world.tool("a", echo))])))
    assert rows(world.file, "SELECT name FROM queues") == []


def test_of_a_run_that_is_forgotten_no_row_is_left(world):
    """What is over stays for ever, unless somebody removes it."""
    run = world.start_run(world.process("over", [step("a", world.tool("a", echo))]))
    world.wait_for_end(run)
    world.wait_until(lambda: rows(world.file, "SELECT status FROM workflow_status") == [("SUCCESS",)])
    tables = [name for (name,) in rows(world.file, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    world.engine.forget([run.id])
    left = {table: str(rows(world.file, f"SELECT * FROM {table}")) for table in tables}  # its own names
    assert [table for table, said in left.items() if run.id in said] == []


def test_no_other_minor_version_is_taken():
    """Three majors came in fourteen months."""
    platform = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["platform"]
    assert "dbos>=3.4,<3.5" in platform
    assert version("dbos").startswith("3.4.")
