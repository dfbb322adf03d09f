"""`aeon conversation forget` and `redact`: what was said is in no byte of any file, and everything else is (platform 28)."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from base64 import b64encode
from pathlib import Path

import pytest
from tests.cli.platform.conftest import background, until

from aeon.adapters.engines.retry import wait_until
from aeon.testing.temporal_server import TemporalServer, missing_for_temporal
from aeon.testing.wire_rules import StalledResponse, TextResponse

__all__ = ["background"]

ECHO = """
kind: Process
name: echo
description: Repeats the message before the answer, so that a large message is in inputs and outputs of its run.
initialContext: [answer, message]
steps:
  - id: converse
    tool: converse
    inputs: {answer: "{answer}"}
    output: reply
    execution: {timeout: 300}
outputTemplate: "{{message}} {{step.reply.text}}"
"""

OURS, THEIRS = "zeppelin", "platypus"


def folders():
    """The folders in which Aeon writes: the project's, and those of the user."""
    places = [Path.cwd(), Path(os.environ["HOME"]), Path(os.environ["XDG_STATE_HOME"])]
    return [*places, *(Path(os.environ[name]) for name in ("XDG_CACHE_HOME", "TMPDIR") if name in os.environ)]


def bytes_of(file):
    """What a file holds; nothing, if another process has removed it meanwhile."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def files_with(text, *others):
    """The files of these folders that have a text in their bytes, also as base64, or in their names."""
    found = [file for folder in [*folders(), *others] for file in folder.rglob("*") if file.is_file()]
    # whatever stands before it shifts base64 by 0, 1 or 2 bytes; what depends on the neighbours is cut off
    coded = [b64encode(b"\0" * shift + text.encode())[4 if shift else 0 : -4] for shift in range(3)]
    wanted = [text.encode(), *coded]
    return sorted(
        {
            str(each)
            for each in found
            if any(one in data for one in wanted for data in (bytes_of(each), each.name.encode()))
        }
    )


@pytest.fixture(autouse=True)
def own_temporary_files(tmp_path_factory, monkeypatch):
    """Temporary files lie where no other test has any, so that all of them can be looked at."""
    folder = str(tmp_path_factory.mktemp("t"))
    monkeypatch.setenv("TMPDIR", folder)
    monkeypatch.setattr(tempfile, "tempdir", folder)


@pytest.fixture
def said(aeon, double, monkeypatch):
    """A conversation with the marker in messages, answers, a tool's result and a large input; and one of eve's."""
    double(
        f"SELECT ship FROM {OURS} WHERE minutes = 40",
        f"The {OURS} needs 40 minutes.",
        f"A {THEIRS} it is.",
        f"Many a {OURS}.",
    )
    monkeypatch.setenv("AEON_MODEL_CONTEXT", "131072")
    attached = Path(f"{OURS}.csv")
    attached.write_text(f"ship,minutes\n{OURS},40\n")
    assert aeon("chat", "Which ship needs 40 minutes?", "--attach", attached).out == f"{OURS}\n"
    attached.unlink()
    Path("ship.txt").write_text(f"The {OURS} needs 40 minutes.")
    assert aeon("chat", f"How long does the {OURS} in ship.txt need?", "-c", "last").code == 0
    Path("ship.txt").unlink()
    assert aeon("chat", f"What is a {THEIRS}?", "--user", "eve").code == 0
    assert aeon("apply", "-f", "-", stdin=ECHO.encode()).code == 0
    large = aeon("chat", f"{OURS} " * 40_000, "-c", "last", "--process", "echo")
    assert large.code == 0, large.err
    (id_,) = aeon("conversation", "list", "-o", "name").out.split()
    assert aeon("conversation", "set", id_, "--title", f"On the {OURS}", "--tag", OURS).code == 0
    return id_


@pytest.mark.slow
def test_of_a_forgotten_conversation_no_byte_is_left_platform_28(aeon, said):
    assert len(files_with(OURS)) >= 3
    tree = aeon("conversation", "tree", said, "--json").json
    done = aeon("conversation", "forget", said, "--yes")
    assert done.code == 0, done.err
    assert "1 attached file(s)" in done.err
    assert "Backups" not in done.err
    assert files_with(OURS) == []
    assert any(THEIRS.encode() in Path(each).read_bytes() for each in files_with(THEIRS))
    after = aeon("conversation", "tree", said, "--json").json
    kept = (
        "id",
        "turnId",
        "respondsTo",
        "sequence",
        "isActive",
        "state",
        "createdAt",
        "endedAt",
        "runId",
        "executedBy",
    )
    assert [[each[name] for name in kept] for each in after] == [[each[name] for name in kept] for each in tree]
    assert all(each["content"] is None and each["forgottenBy"] == "me" for each in after)
    assert aeon("store", "check").code == 0
    assert aeon("store", "backup", "later.db").code == 0
    assert aeon("conversation", "export", "--all", "--to", "later.json").code == 0
    assert files_with(OURS) == []
    assert aeon("chat", f"What is a {THEIRS}?", "--user", "eve", "-c", "last").code in {0, 1}


def test_what_an_import_knew_besides_goes_too_platform_28(aeon):
    author = {"role": "assistant", "name": OURS, "metadata": {"by": OURS}}
    content = {"content_type": "text", "parts": [f"A {OURS}."]}
    message = {"author": author, "create_time": 1, "content": content, "metadata": {"model_slug": "m"}}
    node = {"id": "a", "parent": None, "children": [], "message": message}
    tree = {"conversation_id": "c", "title": OURS, "create_time": 1, "current_node": "a", "mapping": {"a": node}}
    Path("conversations.json").write_text(json.dumps([tree]))
    assert aeon("conversation", "import", "conversations.json").code == 0
    Path("conversations.json").unlink()
    assert files_with(OURS)
    assert aeon("conversation", "forget", "last", "--yes").code == 0
    assert files_with(OURS) == []


@pytest.mark.server
@pytest.mark.slow
def test_in_a_record_on_a_server_nothing_is_left_in_its_tables_platform_28(
    aeon, request, double, monkeypatch, postgres_server
):
    """Its write-ahead log keeps it until the server recycles it (decision 58)."""
    address = postgres_server.create_database()
    monkeypatch.setenv("AEON_STORE_ADDRESS", address)
    assert aeon("store", "migrate").code == 0
    said = request.getfixturevalue("said")
    name = address.partition("?")[0].rpartition("/")[2]
    ((number,),) = postgres_server.execute(f"SELECT oid FROM pg_database WHERE datname = '{name}'")
    tables = postgres_server.data / "base" / str(number)  # other tests have databases on this server, too
    postgres_server.execute("CHECKPOINT")
    assert files_with(OURS, tables)
    assert aeon("conversation", "forget", said, "--yes").code == 0
    postgres_server.execute("CHECKPOINT")
    assert files_with(OURS, tables) == []
    assert files_with(THEIRS, tables)


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_with_an_engine_on_a_server_its_histories_go_too_platform_28(aeon, double, tmp_path):
    if missing := missing_for_temporal():
        pytest.skip(missing)
    server = TemporalServer(tmp_path / "temporal")
    server.start()
    try:
        Path("aeon.toml").write_text(f'[engine]\naddress = "temporal://{server.address}/default"\n')
        double(f"A {OURS} it is.")
        assert aeon("chat", f"What is a {OURS}?").code == 0
        (run,) = [each["runId"] for each in newest_path(aeon) if each["runId"]]
        assert asyncio.run(has_history(server, run))
        assert aeon("conversation", "forget", "last", "--yes").code == 0
        assert wait_until(lambda: not asyncio.run(has_history(server, run)), 120)  # the server takes half a minute
        assert [each for each in files_with(OURS) if "temporal" not in Path(each).parts] == []
    finally:
        server.stop()


async def has_history(server, run):
    """Whether a Temporal server has the workflow of a run."""
    from temporalio.client import Client
    from temporalio.service import RPCError, RPCStatusCode

    client = await Client.connect(server.address)
    try:
        await client.get_workflow_handle(run).describe()
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        return False
    return True


def newest_path(aeon):
    return aeon("conversation", "show", "last", "--json").json["path"]


def test_a_temporary_conversation_leaves_no_byte_platform_28(aeon, double, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    server = double(f"A {OURS} it is.")
    told = aeon("chat", f"What is a {OURS}?", "--temporary")
    assert (told.code, told.out) == (0, f"A {OURS} it is.\n"), told.err
    assert OURS in str(server.requests[-1].body)
    assert files_with(OURS) == []
    assert not Path(".aeon/aeon.db").exists()
    assert aeon("conversation", "list", "-o", "name").out == ""
    assert aeon("chat", "Hello", "--temporary", "-c", "last").code == 2


def test_a_temporary_conversation_on_a_terminal_is_a_conversation_that_is_gone_platform_28(terminal, double):
    server = double(f"A {OURS} it is.", "Yes, it flies.", TextResponse("Another answer."))
    typed = f"What is a {OURS}?\nDoes the {OURS} fly?\n/regenerate\n/forget 1\ny\n/quit\n"
    code, screen = terminal("chat", "--temporary", typed=typed, env={"TERM": "dumb"})
    assert code == 0, screen
    assert "nothing of it is kept" in screen
    assert "go on with" not in screen
    assert [each["content"] for each in server.requests[1].body["messages"][1:]] == [
        f"What is a {OURS}?",
        f"A {OURS} it is.",
        f"Does the {OURS} fly?",
    ]
    assert files_with(OURS) == []


KILLED = """
import os, sys
from importlib import import_module
from aeon.cli.entrypoint import run

module, _, path = sys.argv[1].partition(":")
*outer, name = path.split(".")
owner = import_module(module)
for each in outer:
    owner = getattr(owner, each)
setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), 9))
run(sys.argv[2:])
"""

MOMENTS = {
    "the record alone is done": "aeon.application.conversation_erasing:ConversationErasing.finish",
    "the engine has lost its large results": "aeon.adapters.engines.sql.journal:Journal.forget",
    "the engine is done": "aeon.platform.runs.erasing:_remove",
    "the runs are done": "aeon.adapters.store.sqlite.store:SqliteStore.compact",
    "all but the end is done": "aeon.platform.conversations.erasing:ErasureRepository.end",
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_what_a_kill_has_interrupted_is_completed_by_whoever_comes_next_platform_28(aeon, said, moment):
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, MOMENTS[moment], "conversation", "forget", said, "--yes"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr
    path = aeon("conversation", "show", said, "--json").json["path"]
    assert {each["content"] for each in path} == {None}, "the record is the first to be done"
    if "record" in moment:
        assert aeon("chat", "What is 2 + 2?", "--user", "eve").out == "4\n"
    else:
        resumed = aeon("conversation", "forget", "--resume")
        assert (resumed.code, "nothing is left" in resumed.err) == (0, True)
    assert files_with(OURS) == []
    assert files_with(THEIRS)
    assert aeon("store", "check").code == 0


def test_one_message_is_forgotten_and_the_rest_goes_on_platform_28(aeon, double):
    server = double(f"A {OURS} it is.", "It flies.", "It lands.")
    assert aeon("chat", "What is up there?").code == 0
    assert aeon("chat", "And then?", "-c", "last").code == 0
    path = aeon("conversation", "show", "last", "--json").json["path"]
    refused = aeon("conversation", "forget", path[1]["id"])
    assert (refused.code, "add --yes" in refused.err) == (2, True)
    assert "0 message(s), 1 answer(s)" in " ".join(refused.err.split())
    assert "2 message(s) and answer(s) that follow stay" in " ".join(refused.err.split())
    for _ in range(2):
        assert aeon("conversation", "forget", path[1]["id"], "--yes").code == 0
        assert files_with(OURS) == []
    assert "[2] answer (erased):\n[erased]" in aeon("conversation", "show", "last").out
    assert aeon("chat", "And now?", "-c", "last").out == "It lands.\n"
    assert OURS not in str(server.requests[-1].body)
    why = aeon("conversation", "why", path[3]["id"], "--prompt")
    assert (why.code, "was erased" in why.err) == (1, True)
    left_out = aeon("conversation", "why", "last", "--json").json["leftOut"]
    assert [(each["alternative"], each["reason"]) for each in left_out] == [(path[1]["id"], "erased")]


def test_the_machines_owner_redacts_for_a_reason_and_both_users_see_it_platform_28(aeon, double):
    double(f"A {OURS} it is.")
    assert aeon("chat", "Hello", "--user", "eve").code == 0
    (id_,) = aeon("conversation", "list", "-o", "name", "--user", "eve").out.split()
    redact = ("conversation", "redact", id_, "--reason", "a court says so", "--yes", "--owner")
    assert aeon(*redact, "me").code == 2, "it is not there"
    assert aeon(*redact, "nobody").code == 2
    assert aeon(*redact, "eve").code == 0
    assert files_with(OURS) == []
    for user in ("me", "eve"):
        log = aeon("store", "audit", "list", "--user", user, "--json").out
        assert "conversation.redact" in log
        assert "a court says so" in log


def test_what_is_to_be_forgotten_must_be_named(aeon):
    for argv in ([], ["last", "--resume"]):
        assert aeon("conversation", "forget", *argv).code == 2


@pytest.mark.server
@pytest.mark.slow
def test_an_answer_that_is_made_elsewhere_is_stopped_and_nothing_of_it_is_left_platform_28(aeon, double, background):
    """Its run ends when the model answers; what is left until then is erased later."""
    server = double(StalledResponse(f"The {OURS} needs a mast, some rope and a pinch of salt."))
    chat = background("chat", f"What does a {OURS} need?")
    until(lambda: len(server.requests) == 1)
    told = aeon("conversation", "forget", "last", "--yes")
    assert told.code == 0, told.err
    path = aeon("conversation", "show", "last", "--json").json["path"]
    assert (path[0]["state"], path[0]["content"]) == ("complete", None)
    assert path[1]["state"] in {"stopped", "failed"}
    server.release()
    chat.waited()
    assert aeon("conversation", "forget", "--resume").code == 0
    assert files_with(OURS) == []


@pytest.mark.server
@pytest.mark.slow
def test_a_worker_completes_what_a_kill_has_interrupted_platform_28(said, background):
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, MOMENTS["the engine is done"], "conversation", "forget", said, "--yes"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr
    assert files_with(OURS)
    worker = background("serve", "worker")
    until(lambda: not files_with(OURS))
    assert worker.ends(signal.SIGTERM) == 0
