"""Files that never end, such as devices and pipes, are refused by the commands that read files."""

import os

import pytest

from aeon.cli.platform import catalog


@pytest.mark.parametrize("argv", [["apply", "-f"], ["process", "check"]], ids=" ".join)
def test_no_more_is_read_than_a_file_may_have(aeon, monkeypatch, argv):
    monkeypatch.setattr(catalog, "_MAX_TEXT", 1_000)
    ended = aeon(*argv, "/dev/zero")
    assert (ended.code, ended.out) == (2, "")
    assert "/dev/zero has more than 1,000 characters" in ended.err


@pytest.mark.parametrize("argv", [["log", "show"], ["log", "replay"]], ids=" ".join)
def test_what_is_no_file_is_no_log(aeon, tmp_path, argv):
    os.mkfifo(tmp_path / "log.jsonl")
    ended = aeon(*argv, tmp_path / "log.jsonl")
    assert (ended.code, ended.out) == (2, "")
    assert "is not a file" in ended.err
