"""A FalkorDB server on loopback, folders for embedded graphs, and no engine left when the tests are done."""

import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from aeon.adapters.graph import memory, open_server
from aeon.adapters.graph.embedded.engine import installed_engine

PASSWORD = "open sesame 'quoted'"  # noqa: S105  # of a server of the tests' own


@dataclass
class Server:
    """A server process of the tests' own."""

    port: int
    process: subprocess.Popen

    @property
    def address(self) -> str:
        return f"falkordb://127.0.0.1:{self.port}"

    def client(self) -> redis.Redis:
        patient = Retry(ConstantBackoff(0.05), 200)
        return redis.Redis(port=self.port, password=PASSWORD, retry=patient)

    def emptied(self):
        with self.client() as client:
            client.flushall()
        return open_server(self.address, lambda: PASSWORD)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_server(folder: Path, port: int) -> Server:
    engine = installed_engine()
    flags = ["--port", str(port), "--bind", "127.0.0.1", "--requirepass", PASSWORD, "--save", "", "--dir", str(folder)]
    command = [str(engine.server), *flags, "--appendonly", "yes", "--loadmodule", str(engine.module)]
    server = Server(port, subprocess.Popen(command, stdout=subprocess.DEVNULL))
    with server.client() as client:
        client.ping()
    return server


@pytest.fixture(scope="session")
def servers(tmp_path_factory):
    """Two servers."""
    started = [start_server(tmp_path_factory.mktemp("server"), free_port()) for _ in range(2)]
    yield started
    for server in started:
        server.stop()


@pytest.fixture
def server(servers):
    return servers[0]


@pytest.fixture(scope="session", autouse=True)
def memory_folders(tmp_path_factory):
    """Graphs in memory have their folders here, and leave none."""
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("memory"))
    yield Path(tempfile.tempdir)
    left = list(Path(tempfile.tempdir).iterdir())
    tempfile.tempdir = before
    assert left == []


@pytest.fixture
def store():
    """An empty graph in memory."""
    graph = memory()
    yield graph
    graph.close()
