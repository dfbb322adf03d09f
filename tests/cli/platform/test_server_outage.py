"""The database goes away under a server that runs, while it makes an answer: it says so, and goes on afterwards.

`AEON_CHAOS_AWAY` says for how many seconds.
"""

import tempfile
import threading
from pathlib import Path

import pytest
from tests.chaos_sizes import size_of

from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.wire_rules import TextResponse

from .conftest import until
from .two_servers import Servers, SharedMachine

AWAY = size_of("AEON_CHAOS_AWAY", in_ci=3)

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300 + 4 * AWAY)]

WHOLE = "Flour, eggs, milk and a pinch of salt."


@pytest.fixture
def database(monkeypatch):
    """The server of the record and of the engine, which listens at the same place again."""
    if missing := missing_for_postgres():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresTestServer(Path(folder), listen="127.0.0.1")
        server.start()
        for name in ("AEON_STORE_ADDRESS", "AEON_ENGINE_ADDRESS"):
            monkeypatch.setenv(name, server.create_database())
        yield server
        server.kill()


class Held:
    """An answer that is sent once the server is released."""

    def play(self, exchange):
        exchange.wait_for_release()
        TextResponse(WHOLE).play(exchange)


@pytest.mark.parametrize("ends", ["afterwards", "meanwhile"])
def test_a_server_outlives_the_absence_of_its_database_platform_10_and_22(ends, database, aeon, double, background):
    assert aeon("store", "migrate").code == 0
    assert aeon("init").code == 0
    model = double(Held(), WHOLE, WHOLE)
    servers = Servers(background, [SharedMachine()])
    program = {"Authorization": f"Bearer {aeon('serve', 'token', 'create', 'test').out.strip()}"}

    def call(method, path, body=None, **headers):
        return servers.call(method, path, body, **program, **headers)

    place = call("POST", "/api/v1/conversations", {"title": "Pancakes"})[2]["id"]

    def ask(text):
        said = call("POST", f"/api/v1/conversations/{place}/messages", {"content": text})[2]["id"]
        return call("POST", f"/api/v1/messages/{said}/answers", {"process": "reply_plain"})[2]["id"]

    def is_complete(answer):
        status, _, data = call("GET", f"/api/v1/messages/{answer}")
        return status == 200 and data["state"] == "complete"

    answer = ask("What do pancakes need?")
    until(lambda: model.requests, lambda: servers.processes[0].report)
    database.stop()
    if ends == "meanwhile":
        model.release()
    until(lambda: servers.call("GET", "/health/ready")[0] == 503)
    assert servers.call("GET", "/health/live")[0] == 200
    threading.Event().wait(AWAY)
    status, _, problem = call("GET", "/api/v1/conversations")
    assert (status, problem["status"]) == (503, 503)
    database.start()
    model.release()
    until(lambda: servers.call("GET", "/health/ready")[0] == 200, lambda: servers.processes[0].report)
    until(lambda: is_complete(answer), lambda: servers.processes[0].report)
    path = call("GET", f"/api/v1/conversations/{place}/path")[2]["data"]
    assert [(each["content"], each["state"]) for each in path] == [
        ("What do pancakes need?", "complete"),
        (WHOLE, "complete"),
    ]
    following = ask("How are they made?")
    until(lambda: is_complete(following), lambda: servers.processes[0].report)
    assert servers.processes[0].process.poll() is None
    servers.close()
