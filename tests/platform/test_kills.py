"""Kills at random moments: no acknowledged write is lost, none is half done, the trail stays whole."""

import os
import random
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.chaos_sizes import size_of

from aeon.platform.catalog.service import Catalog
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(900)]

KILLS = size_of("AEON_CHAOS_KILLS", in_ci=40)


class Writer:
    """The writing process, begun again after what was acknowledged last."""

    def __init__(self, folder):
        self.folder, self.acknowledged = folder, 0

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("writing.py")), str(self.folder), str(self.acknowledged + 1)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # what a line is read from must hold nothing back from who reads the rest
        )
        return self

    def __exit__(self, *exc):
        self.process.kill()
        rest, errors = self.process.communicate()
        self.hear(rest)
        assert b"Traceback" not in errors, errors.decode()

    def hear(self, said):
        for line in said.splitlines():
            if line.isdigit():
                self.acknowledged = max(self.acknowledged, int(line))

    def wait(self, lines):
        for _ in range(lines):
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read().decode()
            self.hear(line)


def moment(chance):
    """A random part of what one write takes."""
    select.select([], [], [], chance.uniform(0, 0.003))


def check(folder, acknowledged):
    """Everything acknowledged is there, whole, and once."""
    store = new_record(folder)
    try:
        catalog = Catalog(store, InMemoryVault())
        rows = store.read("SELECT name FROM services WHERE owner_id = 'me'")
        names = sorted(int(row["name"].split()[1]) for row in rows)
        assert names == list(range(1, len(names) + 1))
        assert acknowledged <= len(names) <= acknowledged + 1
        for table in ("audit_entries", "requests", "services"):
            assert store.read(f"SELECT count(*) AS n FROM {table}") == [{"n": len(names)}], table
        assert catalog.ledger.verify_audit_log("me") is None
        assert store.read("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
        assert store.read("PRAGMA foreign_key_check") == []
    finally:
        store.close()


def test_kills_of_aeon(tmp_path):
    """Platform 19 and 20: in the middle of writing."""
    chance, writer = random.Random(1), Writer(tmp_path / "record")
    for _ in range(KILLS):
        with writer:
            writer.wait(chance.randint(1, 4))
            moment(chance)
    check(writer.folder, writer.acknowledged)


def test_a_crash_loop(tmp_path):
    """Again and again for AEON_CRASH_LOOP_SECONDS (default 20)."""
    chance, writer = random.Random(3), Writer(tmp_path / "record")
    end = time.monotonic() + float(os.environ.get("AEON_CRASH_LOOP_SECONDS", "20"))
    crashes = 0
    while time.monotonic() < end:
        with writer:
            writer.wait(chance.randint(1, 10))
            moment(chance)
        crashes += 1
        if crashes % 100 == 0:
            check(writer.folder, writer.acknowledged)
    check(writer.folder, writer.acknowledged)
    assert crashes < writer.acknowledged
