"""A power cut takes what was not synced: an attempt counts as kept only when it was (platform 42).

Shown by the system calls of a process that keeps attempts and says each that was kept.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.platform.test_power_cut import CALL

pytestmark = [pytest.mark.slow, pytest.mark.server]


@pytest.fixture
def traced(tmp_path):
    """Has attempts kept; gives the names of calls that write and sync the log, and `told` for each that was kept."""
    found = shutil.which("strace")
    if found is None or subprocess.run([found, "-f", "-o", "/dev/null", "true"], check=False).returncode:
        pytest.skip("strace is not installed, or may not trace here")

    def trace(*given):
        log = tmp_path / "calls"
        command = [found, "-f", "-y", "-e", "trace=pwrite64,write,fdatasync,fsync", "-s", "16", "-o", str(log)]
        script = Path(__file__).with_name("keeping_process.py")
        subprocess.run([*command, sys.executable, str(script), str(tmp_path), *given], check=True, capture_output=True)
        return list(calls(log.read_text(errors="replace").splitlines()))

    return trace


def calls(lines):
    for line in lines:
        if (called := CALL.match(line)) is None:
            continue
        call, descriptor, file, said = called.groups()
        if file.endswith("runs.db-wal"):
            yield "synced" if call in ("fdatasync", "fsync") else "written"
        elif descriptor == "1" and said:
            yield "told"


def test_each_attempt_is_synced_before_it_counts_as_kept(traced):
    unsynced, told = False, 0
    for call in traced("20", "one", "full"):
        if call == "told":
            assert not unsynced
            told += 1
        else:
            unsynced = call == "written"
    assert told == 20


def test_attempts_of_runs_that_go_on_at_once_share_a_sync(traced):
    """A hundred at once do not cost a hundred syncs."""
    found = traced("100", "all", "full")
    assert found.count("told") == 100
    assert 0 < found.count("synced") <= 40


def test_relaxed_they_are_written_and_not_synced(traced):
    found = traced("20", "one", "relaxed")
    assert found.count("told") == 20
    assert found.count("synced") <= 3  # of the new file itself
