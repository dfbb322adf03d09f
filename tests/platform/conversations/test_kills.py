"""Ten processes talk in the same conversations and are killed: nothing acknowledged is lost, nothing is there twice.

Platform 12, 19, 20, 22. `AEON_CHAOS_KILLS` says how often, `AEON_CHAOS_TALKS` how many changes each process makes.
"""

import contextlib
import random
import select
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from tests.chaos_sizes import print_counts, size_of

from aeon.adapters.store.postgresql import migrate, open_postgresql
from aeon.base.clock import SystemClock
from aeon.platform.ledger import Ledger
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.records import new_record

from .conftest import Talk

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(900)]

PROCESSES = 10
CHANGES = size_of("AEON_CHAOS_TALKS", in_ci=40)
KILLS = size_of("AEON_CHAOS_KILLS", in_ci=24)
SCRIPT = str(Path(__file__).with_name("talking_process.py"))

TURNS_WITHOUT_ONE_ACTIVE = """
SELECT t.id FROM conversation_turns AS t
WHERE (SELECT count(*) FROM alternatives AS a WHERE a.turn_id = t.id AND a.is_active = 1) <> 1
"""
ORPHANS = """
SELECT a.id FROM alternatives AS a JOIN conversation_turns AS t ON t.id = a.turn_id
WHERE (t.parent_id IS NULL) <> (a.responds_to_id IS NULL)
   OR (a.responds_to_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM alternatives AS p WHERE p.id = a.responds_to_id AND p.turn_id = t.parent_id))
"""
TIPS_OFF_THE_TREE = """
SELECT c.id FROM conversations AS c
WHERE c.tip_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM alternatives AS a WHERE a.id = c.tip_id AND a.conversation_id = c.id AND a.is_active = 1)
"""
TWICE = """
SELECT content FROM alternatives
WHERE content <> 'taken up' GROUP BY content HAVING count(*) > 1
"""


class Talker:
    """A process that talks, begun again after each kill where it was."""

    def __init__(self, place, who, answering):
        self.place, self.who, self.answering = place, who, answering
        self.acknowledged, self.errors = {}, []
        self.begin()

    def begin(self):
        first = max(self.acknowledged, default=0) + 1
        command = [sys.executable, SCRIPT, self.place, self.who, str(first), str(CHANGES), *self.answering]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.threads = [
            threading.Thread(target=self._hear, args=(self.process.stdout,)),
            threading.Thread(target=self.errors.extend, args=(self.process.stderr,)),
        ]
        for thread in self.threads:
            thread.start()

    def _hear(self, stream):
        for line in stream:
            if line.endswith("\n"):
                what, number = line.split()
                self.acknowledged[int(number)] = what

    def end(self, *, kills):
        if kills:
            self.process.kill()
        code = self.process.wait()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def talked(place, answering, chance, kill_server):
    """Ten processes, killed at random moments, each brought to its end."""
    talkers = [Talker(place, f"process-{number}", answering) for number in range(PROCESSES)]
    try:
        for _ in range(KILLS):
            select.select([], [], [], chance.uniform(0.05, 0.4))
            if kill_server is not None and chance.random() < 0.2:
                kill_server()
                continue
            talker = chance.choice(talkers)
            talker.end(kills=True)
            talker.begin()
        codes = [talker.end(kills=False) for talker in talkers]
        assert codes == [0] * PROCESSES, [talker.errors[-3:] for talker in talkers]
    finally:
        for talker in talkers:
            if talker.process.poll() is None:
                talker.end(kills=True)
    return talkers


def answering_in(store):
    """A user, and the Process that answers."""
    talk = Talk(store)
    return [talk.user, *talk.executor]


def check(store, talkers):
    for query in (TURNS_WITHOUT_ONE_ACTIVE, ORPHANS, TIPS_OFF_THE_TREE, TWICE):
        assert store.read(query) == [], query
    assert store.read("SELECT alternative_id FROM pieces") == []
    contents = {row["content"] for row in store.read("SELECT content FROM alternatives")}
    said = {f"{each.who} {n}" for each in talkers for n, what in each.acknowledged.items() if what == "message"}
    assert said <= contents, "an acknowledged message is lost"
    answered = {f"{each.who} {n}" for each in talkers for n, what in each.acknowledged.items() if what == "answer"}
    lost = answered - contents
    taken = store.read("SELECT count(*) AS n FROM alternatives WHERE content = 'taken up'")[0]["n"]
    assert len(lost) <= taken, "an acknowledged answer is lost"
    forks = {row["title"] for row in store.read("SELECT title FROM conversations WHERE forked_from_id IS NOT NULL")}
    assert {f"{each.who} {n}" for each in talkers for n, what in each.acknowledged.items() if what == "fork"} <= forks
    assert Ledger(store, SystemClock()).verify_audit_log(talkers[0].answering[0]) is None
    kinds = [what for each in talkers for what in each.acknowledged.values()]
    assert len(kinds) == PROCESSES * CHANGES
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
    print_counts(f"{store.dialect}: {counts}; {KILLS} kills")


def test_on_sqlite(tmp_path):
    place = tmp_path / "record"
    with contextlib.closing(new_record(place)) as store:
        answering = answering_in(store)
    talkers = talked(str(place), answering, random.Random(1), None)
    with contextlib.closing(new_record(place)) as store:
        assert store.read("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
        assert store.read("PRAGMA foreign_key_check") == []
        check(store, talkers)


def test_on_postgresql_with_its_server():
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

        try:
            with contextlib.closing(open_postgresql(address)) as store:
                answering = answering_in(store)
            talkers = talked(address, answering, random.Random(2), kill_server)
            with contextlib.closing(open_postgresql(address)) as store:
                check(store, talkers)
        finally:
            server.kill()
