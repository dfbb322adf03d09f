"""The record is away for long while an answer is made: it is not lost, and is there once (platform 10, 22 and 43).

`AEON_CHAOS_AWAY` says for how many seconds: a few are bridged. After a minute, the command has given up, and the next one
has the answer made again before it goes on.
"""

import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from tests.chaos_sizes import print_counts, size_of
from tests.cli.conftest import Ended

from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.wire_rules import TextResponse

AWAY = size_of("AEON_CHAOS_AWAY", in_ci=3)

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300 + 4 * AWAY)]

WHOLE = "Flour, eggs, milk and a pinch of salt."


class AwayPostgres:
    """A record whose server is stopped and started again."""

    def __init__(self, server):
        self._server = server

    def leave(self):
        self._server.stop()

    def come_back(self):
        self._server.start()


class AwaySqlite:
    """A record in which another program holds the lock, so that nothing can be written."""

    def __init__(self, path):
        self._path = path

    def leave(self):
        self._connection = sqlite3.connect(self._path, isolation_level=None, timeout=30, check_same_thread=False)
        self._connection.execute("BEGIN IMMEDIATE")

    def come_back(self):
        self._connection.close()


@pytest.fixture
def sqlite(aeon):
    assert aeon("init").code == 0
    assert aeon("conversation", "list").code == 0
    return AwaySqlite(Path(".aeon", "aeon.db").absolute())


@pytest.fixture
def postgresql(aeon, monkeypatch):
    if missing := missing_for_postgres():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresTestServer(Path(folder))
        server.start()
        monkeypatch.setenv("AEON_STORE_ADDRESS", server.create_database())
        assert aeon("store", "migrate").code == 0
        assert aeon("init").code == 0
        yield AwayPostgres(server)
        server.kill()


class AwayDuring:
    """An answer of the model, before which the record goes away; it ends after the outage or meanwhile."""

    def __init__(self, record, ends):
        self._record, self._ends = record, ends
        self._outage = threading.Thread(target=self._outlast)
        self._is_away = threading.Event()

    def play(self, exchange):
        self._outage.start()
        self._is_away.wait()
        if self._ends == "afterwards":
            self.join()
        TextResponse(WHOLE).play(exchange)

    def join(self):
        self._outage.join()

    def _outlast(self):
        self._record.leave()
        self._is_away.set()
        threading.Event().wait(AWAY)
        self._record.come_back()


class NextAnswer:
    """What the model answers to the newest message, whoever asks."""

    def __init__(self):
        self.model = None

    def play(self, exchange):
        is_second = "How are they made?" in str(self.model.requests[-1])
        TextResponse("In a pan." if is_second else WHOLE).play(exchange)


def in_another_process(*argv):
    ended = subprocess.run(
        [sys.executable, "-m", "aeon", *argv], capture_output=True, timeout=120 + 2 * AWAY, check=False
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


@pytest.mark.parametrize("ends", ["afterwards", "meanwhile"])
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_an_answer_is_not_lost_and_is_there_once(store, ends, aeon, double, request):
    outage = AwayDuring(request.getfixturevalue(store), ends)
    following = NextAnswer()
    model = following.model = double(outage, following, following)
    asked = in_another_process("chat", "What do pancakes need?", "--no-tools")
    outage.join()
    if asked.code:
        assert (asked.code, asked.out) == (1, "")
        assert "the message is kept" in " ".join(asked.err.split())
    else:
        assert asked.out == f"{WHOLE}\n"
    went_on = aeon("chat", "How are they made?", "-c", "last", "--no-tools")
    assert (went_on.code, went_on.out) == (0, "In a pan.\n"), went_on.err
    path = aeon("conversation", "show", "last", "--json").json["path"]
    assert [(each["content"], each["state"]) for each in path] == [
        ("What do pancakes need?", "complete"),
        (WHOLE, "complete"),
        ("How are they made?", "complete"),
        ("In a pan.", "complete"),
    ]
    assert len(model.requests) == (3 if asked.code else 2)
    print_counts(f"{store}, away for {AWAY} s, ends {ends}: exit code {asked.code}, {len(model.requests)} requests")
