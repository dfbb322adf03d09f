"""`aeon conversation forget` and `redact`: what was said is in no byte of any file, and everything else is (platform 28)."""

import os
from pathlib import Path

import pytest

from aeon.testing.wire_rules import TextResponse

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


def files_with(text):
    """The files of these folders that have a text in their bytes, or in their names."""
    wanted = text.encode()
    found = [file for folder in folders() for file in folder.rglob("*") if file.is_file()]
    return sorted({str(each) for each in found if wanted in each.read_bytes() or wanted in each.name.encode()})


@pytest.fixture
def said(aeon, double, monkeypatch):
    """A conversation with the marker in messages, answers, a tool's result and a large input; and one of eve's."""
    double(
        f"A {OURS} it is.",
        f"The {OURS} needs 40 minutes.",
        f"A {THEIRS} it is.",
        f"Many a {OURS}.",
    )
    monkeypatch.setenv("AEON_MODEL_CONTEXT", "131072")
    assert aeon("chat", f"What is a {OURS}?").code == 0
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


def test_of_a_forgotten_conversation_no_byte_is_left_platform_28(aeon, said):
    assert len(files_with(OURS)) >= 3
    tree = aeon("conversation", "tree", said, "--json").json
    done = aeon("conversation", "forget", said, "--yes")
    assert done.code == 0, done.err
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
