"""Ctrl-C, SIGTERM and SIGHUP while skills run: the result kept, the right code, no process left (skills 4)."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aeon.testing.wire_rules import StalledResponse

pytestmark = pytest.mark.slow


def started(*argv: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "aeon", *map(str, argv)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    """Read stderr until `words` come."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"{words!r} never came")


def running(folder: Path) -> list[str]:
    """The command lines of what still runs below a skill's data folder."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "cwd").readlink().is_relative_to(folder.absolute()):
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("level", ["plain", "auto"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_the_scripts_are_ended_and_what_was_done_is_kept(aeon, skill, plan, number, code, level):
    folder = skill("talker", say="speaks", nap="naps")
    nap = ("b", "talker/scripts/nap.sh", {"dependencies": ["a"]})
    last = ("c", "talker/scripts/say.sh", {"dependencies": ["b"]})
    file = plan(("a", "talker/scripts/say.sh"), nap, last)
    with started("skill", "run", file, "--trace", "t.json", "--sandbox", level) as process:
        wait_for(process, "napping")
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, "said hello\n")
    assert "interrupted; all processes were ended" in err
    assert "Traceback" not in err
    assert running(folder) == []
    result = json.loads(Path("t.json").read_text())
    assert [node["state"] for node in result["executionTrace"]] == ["completed", "failed", "skipped"]
    assert result["finalState"] == {"said": {"text": "hello"}}
    assert result["canReplan"] is False
    assert aeon("log", "replay", "t.json").code == 0


def on_a_terminal(theirs, *argv: object) -> subprocess.Popen[bytes]:
    """A command whose controlling terminal that is, as in a window or over a network."""
    command = ["setsid", "--ctty", sys.executable, "-m", "aeon", *map(str, argv)]
    return subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)


def read_until(ours: int, words: bytes) -> None:
    seen = b""
    while words not in seen:
        try:
            seen += os.read(ours, 65536)
        except OSError:  # nobody holds the other end
            pytest.fail(f"the command ended after: {seen.decode()}")


def test_a_terminal_that_goes_away_leaves_what_was_done_and_nothing_else(skill, plan, monkeypatch, tmp_path):
    """As when a window is closed, or a connection drops: what is told meanwhile can be told to nobody."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    folder = skill("talker", say="speaks", nap="naps")
    file = plan(("a", "talker/scripts/say.sh"), ("b", "talker/scripts/nap.sh", {"dependencies": ["a"]}))
    ours, theirs = pty.openpty()
    with on_a_terminal(theirs, "skill", "run", file, "--trace", "t.json") as process:
        os.close(theirs)
        read_until(ours, b"napping")
        os.close(ours)
        assert process.wait(20) == 129
    assert running(folder) == []
    assert list(temporary.iterdir()) == []
    assert json.loads(Path("t.json").read_text())["finalState"] == {"said": {"text": "hello"}}


WAITS = """#!/bin/sh
echo '{"version": "0", "type": "log", "level": "info", "message": "waiting"}'
until [ -e go ]; do sleep 0.05; done
echo '{"version": "0", "type": "done", "ok": true, "summary": "went on"}'
"""


def test_under_nohup_it_outlives_its_terminal(skill, plan):
    skill("talker", wait=WAITS)
    command = ["nohup", sys.executable, "-m", "aeon", "skill", "run", str(plan(("a", "talker/scripts/wait.sh")))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for(process, "waiting")
        process.send_signal(signal.SIGHUP)
        Path("go").touch()
        out, _ = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "went on\n")


@pytest.mark.parametrize("level", ["plain", "auto"])
def test_asked_again_it_does_not_wait_for_a_script_that_will_not_end(skill, plan, level):
    folder = skill("talker", deaf="is deaf")
    with started(
        "skill", "run", plan(("a", "talker/scripts/deaf.sh")), "--trace", "t.json", "--sandbox", level
    ) as process:
        wait_for(process, "info: deaf")
        process.send_signal(signal.SIGINT)
        wait_for(process, "interrupt again")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert time.monotonic() - began < 4, "the polite five seconds are not waited for"
    assert "Traceback" not in err
    assert running(folder) == []
    assert json.loads(Path("t.json").read_text())["failedTools"] == ["a"]


def test_an_interruption_while_planning_leaves_nothing(double):
    double(StalledResponse())
    with started("skill", "run", "tell me a story") as process:
        wait_for(process, "planning")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert "interrupted" in err
    assert "Traceback" not in err
    assert list(Path(".aeon/logs").iterdir()) == []


def test_an_interruption_while_it_is_planned_again_keeps_what_was_run(skill, double):
    """Skills 4: scripts ran, and what they came to is told, whatever becomes of the next plan."""
    skill("talker", say="speaks", fail="fails")
    node = {"toolId": "t1", "toolPath": "talker/scripts/fail.sh", "input": {}}
    made = {"scripts": [node["toolPath"]], "count": 1, "tools": [node]}
    double({"skills": ["talker"]}, made, StalledResponse())
    with started("skill", "run", "let the talker talk", "--trace", "t.json", "--sandbox", "plain") as process:
        wait_for(process, "attempt 1 failed")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert "trace: t.json" in err
    assert "Traceback" not in err
    assert json.loads(Path("t.json").read_text())["failedTools"] == ["t1"]


@pytest.mark.parametrize("milliseconds", [20, 150, 300, 450, 600])
def test_ctrl_c_at_any_moment_ends_in_order(skill, plan, milliseconds):
    """From the command's first line, while it loads, to after the last node."""
    folder = skill("talker", say="speaks")
    program = "import sys; from aeon.cli import main; print('up', flush=True); main()"
    file = plan(*((f"n{n}", "talker/scripts/say.sh") for n in range(10)))
    argv = [sys.executable, "-c", program, "skill", "run", str(file), "--trace", "t.json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        try:
            process.wait(milliseconds / 1000)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert "Traceback" not in err
    assert process.returncode in (0, 130)
    assert running(folder) == []
    if Path("t.json").exists():
        json.loads(Path("t.json").read_text())
