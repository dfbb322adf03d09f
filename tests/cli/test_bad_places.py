"""Places that cannot be written, and readers that are gone: said clearly, code 1, whole entries kept (core 13)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aeon.observability.log import read_log

LIMITED = """
import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-m", "aeon", *sys.argv[2:]])
"""
"""Runs the command with no file larger than so many bytes: to the command, a disk that is full."""


def limited(limit: int, *argv: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *map(str, argv)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("entries", "kept"), [(0, 0), (0.5, 0), (1.5, 1)])
def test_a_disk_that_fills_up_keeps_every_whole_entry(aeon, plan_file, monkeypatch, entries, kept):
    monkeypatch.setenv("AEON_MEMORY_PATH", ":memory:")
    assert aeon("run", "--plan", plan_file, "--log", "whole.jsonl").code == 0
    sizes = [len(line) for line in Path("whole.jsonl").read_bytes().splitlines(keepends=True)]
    limit = sum(int(size * min(1, max(0, entries - number))) for number, size in enumerate(sizes))
    ended = limited(limit, "run", "--plan", plan_file, "--log", "run.jsonl")
    told = " ".join(ended.stderr.split())
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "error: The log run.jsonl could not be written" in told
    assert "Traceback" not in told
    if not kept:
        assert "next: Nothing was done yet. Free disk space" in told
        assert not Path("run.jsonl").exists()
        return
    assert "next: Free space, then continue with: aeon log resume run.jsonl" in told
    assert len(read_log(Path("run.jsonl")).entries) == kept
    resumed = aeon("log", "resume", "run.jsonl")
    assert (resumed.code, resumed.out) == (0, "it is 352\n")
    assert aeon("log", "replay", "run.jsonl").code == 0


@pytest.mark.slow
def test_a_memory_that_fills_up_is_a_warning(plan_file):
    """Core 14."""
    ended = limited(20_000, "run", "--plan", plan_file)
    assert (ended.returncode, ended.stdout) == (0, "it is 352\n")
    assert "warning: The memory" in ended.stderr


@pytest.mark.parametrize("place", ["log_dir", "log", "default", "folder"])
def test_a_place_that_is_none(aeon, plan_file, monkeypatch, place):
    Path("file").write_text("mine")
    Path("folder").mkdir()
    options = {"log": ["--log", "file/run.jsonl"], "folder": ["--log", "folder"]}.get(place, [])
    if place == "log_dir":
        monkeypatch.setenv("AEON_RUN_LOG_DIR", "file")
    if place == "default":
        Path(".aeon").write_text("mine")
    ended = aeon("run", "--plan", plan_file, *options)
    assert (ended.code, ended.out) == (1, "")
    assert "error: The log " in ended.err
    assert "next: Choose another p" in ended.err
    assert Path("file").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.parametrize(("stdout", "options"), [("full", []), ("gone", []), ("gone", ["--json"])])
def test_an_answer_that_cannot_be_given_is_code_1_and_its_log_is_named(plan_file, stdout, options):
    with _unwritable(stdout) as out:
        ended = subprocess.run(
            [sys.executable, "-m", "aeon", "run", "--plan", plan_file, "--log", "run.jsonl", *options],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    told = " ".join(ended.stderr.split())
    assert ended.returncode == 1
    assert "error: The answer could not be written to stdout" in told
    assert told.endswith("log: run.jsonl"), "and nothing of Python's own after it"
    assert len(read_log(Path("run.jsonl")).entries) == 3


@pytest.mark.slow
@pytest.mark.parametrize("argv", [["tool", "list"], ["--help"]])
def test_a_full_disk_under_stdout_is_no_defect(argv):
    with _unwritable("full") as out:
        ended = subprocess.run(
            [sys.executable, "-m", "aeon", *argv], stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        "error: Something could not be written: No space left on device.\nnext: Free disk space"
    )
    assert not Path(".aeon").exists()


def _unwritable(kind: str):
    if kind == "full":
        return Path("/dev/full").open("wb", buffering=0)
    reading, writing = os.pipe()
    os.close(reading)
    return os.fdopen(writing, "wb", buffering=0)


@pytest.mark.parametrize(
    "command", [("conversation", "list"), ("doctor",), ("run", "hello"), ("config", "list"), ("init",)]
)
def test_a_current_folder_that_was_deleted_is_reported_as_such(process, tmp_path, monkeypatch, command):
    """It was called a defect in Aeon."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ended = process(*command)
    monkeypatch.chdir(tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "The current folder was deleted." in ended.err
    assert "next: Change to a folder that exists" in ended.err


def test_help_needs_no_current_folder(process, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ended = process("--help")
    monkeypatch.chdir(tmp_path)
    assert ended.code == 0
