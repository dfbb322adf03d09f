"""Four processes that write everything there is, killed at random moments: nothing lost, doubled or half done.

`AEON_CHAOS_KILLS` says how often (platform 19, 20).
"""

import contextlib
import random
import select
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

import pytest
from tests.chaos_sizes import size_of

from aeon.adapters.store.postgresql import migrate, open_postgresql
from aeon.base.clock import SystemClock
from aeon.base.json import parse_strict
from aeon.platform.ledger import Ledger
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.records import new_record

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(900)]

KILLS = size_of("AEON_CHAOS_KILLS", in_ci=24)
WRITERS = 4
SCRIPT = str(Path(__file__).with_name("everything_process.py"))
KINDS = {"secret": "secrets", "service": "services", "tool": "tools", "process": "processes", "schedule": "schedules"}
DANGLING = """
SELECT e.type, e.from_id, e.to_id FROM graph_edge e
WHERE NOT EXISTS (SELECT 1 FROM graph_node n WHERE n.label = e.to_label AND n.id = e.to_id)
   OR NOT EXISTS (SELECT 1 FROM graph_node n WHERE n.label = e.from_label AND n.id = e.from_id)
"""


class Writer:
    """A process that writes, begun again after each kill where it was."""

    def __init__(self, place, who, folder):
        self.place, self.who, self.folder = place, who, folder
        self.acknowledged, self.broken, self.errors = set(), [], []
        self.begin()

    def begin(self):
        first = max((number for _, number in self.acknowledged), default=1)
        command = [sys.executable, SCRIPT, self.place, self.who, str(first), str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.threads = [
            threading.Thread(target=self._hear, args=(self.process.stdout,)),
            threading.Thread(target=self.errors.extend, args=(self.process.stderr,)),
        ]
        for thread in self.threads:
            thread.start()

    def _hear(self, stream):
        for line in stream:
            words = line.split()
            if words[0] == "broken":
                self.broken.append(line)
            elif line.endswith("\n"):
                self.acknowledged.add((words[0], int(words[1])))

    def kill(self):
        self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def has_begun(self):
        return self.process.poll() is not None or len(self.acknowledged) > 3


def wait(seconds):
    select.select([], [], [], seconds)


def killed(writers, chance, kill_server):
    """Kills at random moments, of writers and now and then of the server."""
    while not all(writer.has_begun() for writer in writers):
        wait(0.05)
    for _ in range(KILLS):
        wait(chance.uniform(0.05, 0.4))
        if kill_server is not None and chance.random() < 0.2:
            kill_server()
            continue
        writer = chance.choice(writers)
        writer.kill()
        writer.begin()
    wait(2.0)
    for writer in writers:
        writer.kill()


def check(store, writers):
    """What was acknowledged is there once; what is there is whole; no trail, reference or view is broken."""
    ledger = Ledger(store, SystemClock())
    for writer in writers:
        assert writer.broken == [], writer.errors[-5:]
        assert ledger.verify_audit_log(writer.who) is None
        deeds = Counter()
        for entry in ledger.audit_log(writer.who):
            deeds[entry["action"], parse_strict(entry["details"]).get("name")] += 1
        for kind, table in KINDS.items():
            made = {name for action, name in deeds if action == f"{kind}.create"}
            gone = {name for action, name in deeds if action == f"{kind}.delete"}
            rows = store.read(f"SELECT name FROM {table} WHERE owner_id = :who", {"who": writer.who})
            assert sorted(row["name"] for row in rows) == sorted(made - gone), kind
            assert all(deeds[f"{kind}.create", name] == 1 for name in made)
            said = {f"{writer.who} {number}" for what, number in writer.acknowledged if what == kind}
            assert said <= made, kind
        runs = store.read("SELECT id, events FROM runs WHERE owner_id = :who", {"who": writer.who})
        assert {f"{writer.who} {n}" for what, n in writer.acknowledged if what == "run"} <= {row["id"] for row in runs}
        started = sum(times for (action, _), times in deeds.items() if action == "run.start")
        assert started == len(runs)
        for run in runs:
            entries = store.read("SELECT n FROM run_entries WHERE run_id = :run ORDER BY n", {"run": run["id"]})
            assert [entry["n"] for entry in entries] == list(range(1, run["events"] + 1))
    assert store.read(DANGLING) == []
    assert sum(len(writer.acknowledged) for writer in writers) > KILLS


def test_on_sqlite(tmp_path):
    place = tmp_path / "record"
    new_record(place).close()
    writers = [Writer(str(place), f"writer {n}", tmp_path / "results") for n in range(WRITERS)]
    try:
        killed(writers, random.Random(1), None)
    finally:
        for writer in writers:
            writer.kill()
    store = new_record(place)
    assert store.read("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert store.read("PRAGMA foreign_key_check") == []
    check(store, writers)
    store.close()


def test_on_postgresql_with_its_server(tmp_path):
    """The server is killed, too: it syncs before it acknowledges."""
    if missing := missing_for_postgres():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresTestServer(Path(folder))
        server.start()
        address = server.create_database()
        migrate(address)

        def kill_server():
            server.kill()
            server.start()

        writers = [Writer(address, f"writer {n}", tmp_path / "results") for n in range(WRITERS)]
        try:
            killed(writers, random.Random(2), kill_server)
            with contextlib.closing(open_postgresql(address)) as store:
                check(store, writers)
        finally:
            for writer in writers:
                writer.kill()
            server.kill()
