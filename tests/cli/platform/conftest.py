"""A real HTTP server that may answer late, and commands as processes that stay."""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.temporal_server import ONE_PARTITION, TemporalServer, missing_for_temporal

LONG_ENOUGH = 20.0
PATIENCE = 45.0
"""Seconds until a test gives up what a process is to do, on a machine that does other things, too."""

CATALOG = """
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {{type: object, required: [endpoint]}}
---
kind: Tool
name: item
service: shop
connectionParams: {{endpoint: "http://127.0.0.1:{port}"}}
operation: {{type: rest_request, path: "/{{id}}", allowPrivate: true}}
inputSchema: {{type: object, required: [id], properties: {{id: {{type: string}}}}}}
---
"""


class Shop:
    """Answers every GET, counted by its path and its job; those of `/slow` only once it is let go, those of `/lost` with a 404, that of `/huge` with 50 MB, those of `/cut` not."""

    def __init__(self):
        self.calls = Counter()
        self.jobs = Counter()
        self.lets_go = threading.Event()
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):  # the server's own name
                if self.path != "/":  # which a worker asks for the shop's health
                    shop.calls[self.path] += 1
                    shop.jobs[self.headers["Idempotency-Key"]] += 1
                if self.path == "/slow":
                    shop.lets_go.wait(LONG_ENOUGH)
                if self.path == "/cut":
                    self.close_connection = True
                    return
                body = b'{"path": "%s"}' % self.path.encode()
                if self.path == "/huge":
                    body = b'{"path": "%s"}' % (b"x" * 50_000_000)
                try:
                    self.send_response(404 if self.path == "/lost" else 200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # whoever asked was killed
                    return

            def log_message(self, *_said):
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.port = self._server.server_port

    def close(self):
        self.lets_go.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Background:
    """The command as a process that stays; what it says on stderr is at hand."""

    def __init__(self, argv, env, folder=None):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "aeon", *map(str, argv)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "COLUMNS": "200", **env},
            cwd=folder,
            text=True,
        )
        self.said = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        self.said.extend(iter(self.process.stderr.readline, ""))

    @property
    def err(self):
        """In one line, however it was wrapped."""
        return " ".join("".join(self.said).split())

    @property
    def report(self):
        """What it said, and the traces of defects that it names."""
        named = re.findall(r"\S+/crash-\S+?\.txt", self.err)
        return "\n".join([self.err, *(Path(each).read_text("utf-8") for each in named)])

    def says(self, text):
        until(lambda: text in self.err or self.process.poll() is not None, lambda: self.err)
        assert text in self.err, self.err

    def ends(self, number):
        """Sent that signal, its exit code."""
        self.process.send_signal(number)
        return self.waited()

    def waited(self):
        code = self.process.wait(PATIENCE)
        self._reader.join()
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.waited()
        self.process.stdout.close()
        self.process.stderr.close()


def until(is_so, what=lambda: "it never came to that", seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)


@pytest.fixture
def shop():
    server = Shop()
    yield server
    server.close()


@pytest.fixture
def background():
    """`background(*argv, folder=None, **env)`; the folder is the current one."""
    begun = []

    def begin(*argv, folder=None, **env):
        begun.append(Background(argv, env, folder))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()
    for each in begun:
        print(*each.process.args[3:], each.report, sep="\n")  # noqa: T201 - shown if the test fails


@pytest.fixture
def applied(aeon, shop):
    """`applied(text)`: a file with the shop's tool `item` and these documents, applied."""

    def apply(text):
        Path("shop.yaml").write_text(CATALOG.format(port=shop.port) + text)
        said = aeon("apply", "-f", "shop.yaml")
        assert said.code == 0, said.err

    return apply


@pytest.fixture(scope="module")
def tcp_server():
    """A PostgreSQL that listens on loopback, which is where an engine looks for it."""
    if missing := missing_for_postgres():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresTestServer(Path(folder), listen="127.0.0.1")
        server.start()
        yield server
        server.kill()


@pytest.fixture
def engine_at(request, tmp_path):
    """`engine_at(kind)`: the line of the settings that names an empty engine, in SQLite, PostgreSQL or Temporal."""
    servers = []

    def begin(kind):
        if kind == "SQLite":
            return ""
        if kind == "PostgreSQL":
            return f'address = "{request.getfixturevalue("tcp_server").create_database()}"\n'
        if missing := missing_for_temporal():
            pytest.skip(missing)
        servers.append(TemporalServer(tmp_path / "temporal", config=ONE_PARTITION))
        servers[-1].start()
        return f'address = "temporal://{servers[-1].address}/default"\n'

    yield begin
    for each in servers:
        each.stop()
