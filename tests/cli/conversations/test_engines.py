"""Conversations on PostgreSQL and on Temporal, with makers and readers in other processes (platform 8, 10, 22)."""

import json
import signal
import tempfile
from pathlib import Path

import pytest
from tests.cli.platform.conftest import background, until

from aeon.application.project import Project
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.temporal_server import TemporalServer, missing_for_temporal
from aeon.testing.wire_rules import StalledResponse, TextResponse

__all__ = ["background"]

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

WHOLE = "Flour, eggs, milk and a pinch of salt."


@pytest.fixture(scope="module")
def temporal_server(tmp_path_factory):
    if missing := missing_for_temporal():
        pytest.skip(missing)
    server = TemporalServer(tmp_path_factory.mktemp("temporal"), tuple(f"test{number}" for number in range(10)))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def tcp_server():
    """A PostgreSQL that listens on loopback, which is where an engine looks for it; the tests stop it."""
    if missing := missing_for_postgres():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresTestServer(Path(folder), listen="127.0.0.1")
        server.start()
        yield server
        server.kill()


@pytest.fixture(params=["postgresql", "temporal"])
def engine(request, aeon, monkeypatch):
    """`engine(**slots)`: the settings of an engine; runs execute as many jobs of a type themselves as `slots` says."""
    if request.param == "postgresql":
        server = request.getfixturevalue("tcp_server")
        address, record = server.create_database(), server.create_database()
        monkeypatch.setenv("AEON_STORE_ADDRESS", record)
        assert aeon("store", "migrate").code == 0
    else:
        server = request.getfixturevalue("temporal_server")
        address = f"temporal://{server.address}/{next(NAMESPACES)}"

    def configure(**slots):
        own = "".join(f"{name} = {number}\n" for name, number in slots.items())
        Path("aeon.toml").write_text(f'[engine]\naddress = "{address}"\n{own}', encoding="utf-8")

    return configure


NAMESPACES = (f"test{number}" for number in range(10))
"""A record needs a namespace of its own."""


def newest(aeon):
    return aeon("conversation", "show", "last", "--json").json["path"][-1]


def test_a_worker_elsewhere_makes_the_answer_and_the_chat_prints_it(aeon, engine, double, background):
    """The process of the chat executes no calls of models itself."""
    server = double(TextResponse(WHOLE))
    engine(llm_call=0)
    worker = background("serve", "worker", "--type", "llm_call")
    worker.says("serves jobs: llm_call")
    chat = background("chat", "What do pancakes need?")
    assert chat.waited() == 0, chat.err + worker.err
    assert chat.process.stdout.read() == f"{WHOLE}\n"
    assert len(server.requests) == 1
    assert newest(aeon)["content"] == WHOLE
    assert worker.ends(signal.SIGTERM) == 0


def test_a_reader_elsewhere_gets_every_piece_once(engine, double, background):
    """It begins when half of the answer is there; the model breaks off, and is asked again."""
    server = double(StalledResponse(WHOLE), TextResponse(WHOLE))
    engine()
    chat = background("chat", "What do pancakes need?")
    until(lambda: len(server.requests) == 1, lambda: chat.err)
    with Project.open() as project:
        conversations = project.conversations
        follower = conversations.follow(conversations.find_alternative("last").id)
        pieces = iter(follower)
        first = next(pieces)
        assert WHOLE.startswith(first)
        assert chat.process.poll() is None
        server.release()
        assert ("".join([first, *pieces]), follower.result.state) == (WHOLE, "complete")
        assert chat.waited() == 0
        late = conversations.follow(follower.result.id)
        assert "".join(late) == WHOLE


def test_an_answer_is_stopped_from_elsewhere(aeon, engine, double, background):
    server = double(StalledResponse(WHOLE))
    engine()
    chat = background("chat", "What do pancakes need?")
    until(lambda: len(server.requests) == 1, lambda: chat.err)
    with Project.open() as project:
        conversations = project.conversations
        answer = conversations.find_alternative("last")
        assert next(iter(conversations.follow(answer.id)))
    assert aeon("conversation", "stop", "last").code == 0
    stopped = newest(aeon)
    assert stopped["state"] == "stopped"
    assert WHOLE.startswith(stopped["content"])
    server.release()
    assert chat.waited() == 1
    assert newest(aeon) == stopped


def test_the_answer_of_a_killed_maker_is_taken_up_by_a_worker(aeon, engine, double, background):
    server = double(StalledResponse(WHOLE), TextResponse(WHOLE))
    engine()
    chat = background("chat", "What do pancakes need?")
    until(lambda: len(server.requests) == 1, lambda: chat.err)
    assert chat.ends(signal.SIGKILL) == -signal.SIGKILL
    assert newest(aeon)["state"] == "generating"
    worker = background("serve", "worker")
    until(lambda: newest(aeon)["state"] == "complete", lambda: worker.err)
    assert newest(aeon)["content"] == WHOLE
    asked = [each for each in server.requests if '"title"' not in json.dumps(each.body)]
    assert len(asked) == 2, "besides, the worker may have asked for a title already"
    assert worker.ends(signal.SIGTERM) == 0
