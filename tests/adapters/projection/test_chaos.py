"""Sixty processes are killed, each at a random moment, and the graph equals the record in the end (decision 31)."""

import os
import random
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.chaos_sizes import size_of

from aeon.adapters.projection import open_falkordb, open_neo4j
from aeon.adapters.store.postgresql import migrate
from aeon.base.clock import SystemClock
from aeon.platform.projection import Projector, find_differences
from aeon.testing.falkordb_server import FalkorTestServer, missing_for_falkordb
from aeon.testing.neo4j_server import Neo4jTestServer, jars_folder, missing_for_neo4j
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres

from .record_of import record_of

pytestmark = [pytest.mark.server, pytest.mark.slow]

HERE = Path(__file__).parent
VICTIMS = ("writer", "projector", "projector, which rebuilds", "server")


class Process:
    """A Python process that says when it is ready, and is killed and started again."""

    def __init__(self, script, arguments, **environment):
        self.script, self.arguments = script, arguments
        self.environment = {**os.environ, **environment}
        self.process = None

    def start(self, *more):
        command = [sys.executable, str(HERE / self.script), *map(str, self.arguments), *map(str, more)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=self.environment, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def kill(self):
        assert self.process.poll() is None, "it ended by itself"
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def killed_one_after_another(victims, record, server, kind, chance, database=None):
    """Kill the writer, the projector, the server of the graph or of the record, each at a random moment."""
    writer = Process("writer_process.py", [record])
    projector = Process("projector_process.py", [record, kind, server.address], PASSWORD=server.password)
    writer.start(0)
    projector.start()
    with ExitStack() as ended:
        ended.callback(projector.kill)
        ended.callback(writer.kill)
        for number, victim in enumerate(victims, 1):
            time.sleep(chance.uniform(0, 0.3))
            match victim:
                case "writer":
                    writer.kill()
                    writer.start(number)
                case "server":
                    server.kill()
                    server.start()
                case "database":
                    database.kill()
                    database.start()
                case "projector":
                    projector.kill()
                    projector.start()
                case "projector, which rebuilds":
                    projector.kill()
                    projector.start("rebuild")


def assert_equal_in_the_end(record, target):
    with closing(record_of(record)) as store, closing(target):
        projector = Projector(store, target, SystemClock(), builder_timeout=0.1)
        projector.sync()
        assert list(find_differences(store, target)) == []
        status = projector.status()
        assert (status.state, status.behind) == ("following", 0)
        assert target.count() > 30
        [events] = store.read("SELECT count(*) AS n FROM events")
        assert events["n"] == 1


@pytest.fixture
def falkordb(tmp_path):
    if missing := missing_for_falkordb():
        pytest.skip(missing)
    server = FalkorTestServer(tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.mark.timeout(300)
def test_kills_with_falkordb(tmp_path, falkordb):
    record, chance = str(tmp_path / "record"), random.Random(7)
    kills = size_of("AEON_CHAOS_KILLS", in_ci=16)
    victims = chance.sample(VICTIMS * kills, k=kills)
    killed_one_after_another(victims, record, falkordb, "falkordb", chance)
    assert_equal_in_the_end(record, open_falkordb(falkordb.address, falkordb.password))


@pytest.mark.timeout(300)
def test_kills_with_a_record_in_postgresql(tmp_path_factory, falkordb):
    if missing := missing_for_postgres():
        pytest.skip(missing)
    database, chance = PostgresTestServer(tmp_path_factory.mktemp("postgres")), random.Random(7)
    database.start()
    record = database.create_database()
    migrate(record)
    try:
        victims = chance.sample([*VICTIMS, "database"] * 2, k=8)
        killed_one_after_another(victims, record, falkordb, "falkordb", chance, database)
        assert_equal_in_the_end(record, open_falkordb(falkordb.address, falkordb.password))
    finally:
        database.kill()


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_kills_with_neo4j(tmp_path):
    if missing := missing_for_neo4j():
        pytest.skip(missing)
    server, record, chance = Neo4jTestServer(jars_folder(), tmp_path), str(tmp_path / "record"), random.Random(7)
    server.start()
    try:
        killed_one_after_another(VICTIMS, record, server, "neo4j", chance)
        assert_equal_in_the_end(record, open_neo4j(server.address, server.password))
    finally:
        server.kill()
