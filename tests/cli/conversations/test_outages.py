"""The record goes away while a message is said and answered: nothing acknowledged is lost (platform 8, 10, 22)."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.cli.conftest import Ended

from aeon.application.runs import RunService
from aeon.platform.conversations.turns import TurnRepository
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.wire_rules import TextResponse

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

WHOLE = "Flour, eggs, milk and a pinch of salt."


@pytest.fixture(scope="module")
def server():
    if missing := missing_for_postgres():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresTestServer(Path(folder))
        server.start()
        yield server
        server.kill()


@pytest.fixture
def record(aeon, server, monkeypatch):
    """The server of the record, which runs; the runs of Processes are in the folder, where nothing goes away."""
    server.start()
    monkeypatch.setenv("AEON_STORE_ADDRESS", server.create_database())
    assert aeon("store", "migrate").code == 0
    assert aeon("init").code == 0
    return server


@pytest.fixture
def _impatient(monkeypatch):
    """An outage of some seconds is bridged; here, any is too long."""
    monkeypatch.setattr("aeon.adapters.store.postgresql.store._RETRY_SECONDS", 0.2)


IMPATIENT = """
import sys
from aeon.adapters.store.postgresql import store
from aeon.cli.entrypoint import run

store._RETRY_SECONDS = 0.2
raise SystemExit(run(sys.argv[1:]))
"""


def in_another_process(*argv):
    """The command in a process of its own, so that the next one sees that its maker is dead."""
    ended = subprocess.run([sys.executable, "-c", IMPATIENT, *argv], capture_output=True, timeout=60, check=False)
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


class During:
    """An answer of the model, before which something happens to the record."""

    def __init__(self, happens, text=WHOLE):
        self.happens, self.text = happens, text

    def play(self, exchange):
        self.happens()
        TextResponse(self.text).play(exchange)


def path(aeon):
    return aeon("conversation", "show", "last", "--json").json["path"]


def said(ended):
    return " ".join(ended.err.split())


def restart(server):
    server.stop()
    server.start()


def test_an_outage_of_some_seconds_is_not_seen(aeon, record, double):
    double(During(lambda: restart(record)))
    answered = aeon("chat", "What do pancakes need?", "--no-tools")
    assert (answered.code, answered.out) == (0, f"{WHOLE}\n"), answered.err
    assert [each["state"] for each in path(aeon)] == ["complete", "complete"]


@pytest.mark.usefixtures("_impatient")
def test_where_the_record_is_away_nothing_is_said(aeon, record, double):
    model = double()
    record.stop()
    refused = aeon("chat", "What do pancakes need?")
    assert (refused.code, refused.out) == (1, "")
    assert "does not answer" in said(refused)
    assert model.requests == []
    record.start()
    assert aeon("conversation", "list", "-o", "name").out == ""


def test_an_answer_that_ends_while_the_record_is_away_is_completed_by_the_next_command(aeon, record, double):
    double(During(record.stop), WHOLE, "In a pan.")
    lost = in_another_process("chat", "What do pancakes need?", "--no-tools")
    assert (lost.code, lost.out) == (1, "")
    assert "does not answer" in said(lost)
    assert "the message is kept" in said(lost)
    record.start()
    conversation = aeon("conversation", "list", "-o", "name").out.strip()
    assert f"aeon chat -c {conversation[:8]}" in said(lost)
    assert [each["state"] for each in path(aeon)] == ["complete", "generating"]
    went_on = aeon("chat", "How are they made?", "-c", conversation[:8])
    assert (went_on.code, went_on.out) == (0, "In a pan.\n"), went_on.err
    assert [each["content"] for each in path(aeon)] == [
        "What do pancakes need?",
        WHOLE,
        "How are they made?",
        "In a pan.",
    ]


@pytest.mark.usefixtures("_impatient")
def test_a_message_whose_answer_could_not_begin_is_kept_and_answered_later(aeon, record, double, monkeypatch):
    double(WHOLE)
    with monkeypatch.context() as outage:
        begin = TurnRepository.begin_answer

        def away(*args):
            record.stop()
            return begin(*args)

        outage.setattr(TurnRepository, "begin_answer", away)
        lost = aeon("chat", "What do pancakes need?", "--no-tools")
    assert (lost.code, lost.out) == (1, "")
    assert "aeon conversation show last" in said(lost)
    record.start()
    (message,) = path(aeon)
    answered = aeon("conversation", "regenerate", message["id"])
    assert (answered.code, answered.out) == (0, f"{WHOLE}\n"), answered.err


@pytest.mark.usefixtures("_impatient")
def test_an_answer_whose_run_could_not_begin_is_started_by_the_next_command(aeon, record, double, monkeypatch):
    double(WHOLE, "In a pan.")
    with monkeypatch.context() as outage:
        start = RunService.start

        def away(*args, **named):
            record.stop()
            return start(*args, **named)

        outage.setattr(RunService, "start", away)
        lost = aeon("chat", "What do pancakes need?", "--no-tools")
    assert (lost.code, lost.out) == (1, "")
    record.start()
    assert path(aeon)[-1]["state"] == "generating"
    monkeypatch.setattr("aeon.application.answers._STARTING", 0.0)
    went_on = aeon("chat", "How are they made?", "-c", "last")
    assert (went_on.code, went_on.out) == (0, "In a pan.\n"), went_on.err
    assert [each["content"] for each in path(aeon)][1::2] == [WHOLE, "In a pan."]
