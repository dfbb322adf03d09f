"""A power cut takes what was not synced: each acknowledgement follows a sync of all that was written before it.

Shown by the system calls of a process that creates services and says each one that was acknowledged.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.server]

WRITES = 20
CALL = re.compile(r"^\d+\s+(pwrite64|write|fdatasync|fsync)\((\d+)<([^>]*)>(?:, \"(\d*)\\n\")?")


@pytest.fixture
def strace(tmp_path):
    """How to run a command so that its writes and syncs are noted in a file."""
    found = shutil.which("strace")
    if found is None:
        pytest.skip("strace is not installed: apt-get install strace")
    tried = subprocess.run([found, "-f", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"strace may not trace here: {tried.stderr.decode().strip()}")
    log = tmp_path / "calls"
    return [found, "-f", "-y", "-e", "trace=pwrite64,write,fdatasync,fsync", "-s", "16", "-o", str(log)], log


def test_platform_19_each_acknowledgement_follows_a_sync(strace, tmp_path):
    command, log = strace
    script = Path(__file__).with_name("writing.py")
    writer = subprocess.Popen(
        [*command, sys.executable, str(script), str(tmp_path / "record"), "1"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for _ in range(WRITES):
        assert writer.stdout.readline()
    os.killpg(writer.pid, signal.SIGKILL)
    writer.communicate()
    unsynced, acknowledged = set(), 0
    for line in log.read_text(errors="replace").splitlines():
        called = CALL.match(line)
        if called is None:
            continue
        call, descriptor, file, said = called.groups()
        if call in ("fdatasync", "fsync"):
            unsynced.discard(file)
        elif file.endswith("aeon.db-wal"):  # what a commit writes; a checkpoint syncs both files before it drops any
            unsynced.add(file)
        elif descriptor == "1" and said:
            assert unsynced == set(), f"{said} was acknowledged before {unsynced} was synced"
            acknowledged += 1
    assert acknowledged >= WRITES
