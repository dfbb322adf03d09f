"""A hundred kills at random moments: no acknowledged write is lost, none is half done, the trail stays whole."""

import os
import random
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from aeon.adapters.graph.embedded import open_embedded
from aeon.platform.catalog.catalog import Catalog
from aeon.testing.vault import InMemoryVault

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(900)]

KILLS = 52


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


ENGINE, KEEPER = re.compile(rb"^[^\0 ]*redis-server[\0 ]"), re.compile(rb"\0[^\0]*keeper\.py\0")


def processes_of(folder, kind):
    """The folder's processes whose command is of that kind."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
            if not kind.search(command):
                continue
            if str(folder).encode() in command or (entry / "cwd").resolve().is_relative_to(folder):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def engine_of(folder):
    """The folder's engine; None while there is none."""
    return next(iter(processes_of(folder, ENGINE)), None)


def check(folder, acknowledged):
    """Everything acknowledged is there, whole, and once."""
    store = open_embedded(folder)
    try:
        catalog = Catalog(store, InMemoryVault())
        rows = store.read("MATCH (s:Service)-[:OWNED_BY]->(:User {id: 'me'}) RETURN s.name AS name")
        names = sorted(int(row["name"].split()[1]) for row in rows)
        assert names == list(range(1, len(names) + 1))
        assert acknowledged <= len(names) <= acknowledged + 1
        for label in ("AuditEntry", "Event", "Request", "Service"):
            counted = {
                "AuditEntry": "MATCH (n:AuditEntry) RETURN count(n) AS n",
                "Event": "MATCH (n:Event) RETURN count(n) AS n",
                "Request": "MATCH (n:Request) RETURN count(n) AS n",
                "Service": "MATCH (n:Service) RETURN count(n) AS n",
            }[label]
            assert store.read(counted) == [{"n": len(names)}], label
        assert catalog.ledger.verify("me") is None
    finally:
        store.close()


def test_kills_of_aeon(tmp_path):
    """Platform 19 and 20: 52 times in the middle of writing."""
    chance, writer = random.Random(1), Writer(tmp_path / "graph")
    for _ in range(KILLS):
        with writer:
            writer.wait(chance.randint(1, 4))
            moment(chance)
    check(writer.folder, writer.acknowledged)


def test_a_crash_loop(tmp_path):
    """Engine, keeper, Aeon, or all at once, again and again for AEON_CRASH_LOOP_SECONDS (default 20)."""
    chance, writer = random.Random(3), Writer(tmp_path / "graph")
    end = time.monotonic() + float(os.environ.get("AEON_CRASH_LOOP_SECONDS", "20"))
    crashes = 0
    while time.monotonic() < end:
        with writer:
            writer.wait(chance.randint(1, 10))
            moment(chance)
            victims = processes_of(writer.folder, KEEPER) + processes_of(writer.folder, ENGINE)
            for victim in chance.choice([victims, victims[:1], victims[1:], []]):
                with suppress(ProcessLookupError):  # it ended with the one before
                    os.kill(victim, signal.SIGKILL)
            writer.wait(chance.randint(0, 3))
            moment(chance)
        crashes += 1
        if crashes % 100 == 0:
            check(writer.folder, writer.acknowledged)
    check(writer.folder, writer.acknowledged)
    assert crashes < writer.acknowledged


def test_kills_of_the_store(tmp_path):
    """Platform 19 and 20: the store is killed 52 times under one writer, which goes on by itself."""
    chance, writer = random.Random(2), Writer(tmp_path / "graph")
    for _ in range(KILLS // 4):
        with writer:
            for _ in range(4):
                writer.wait(chance.randint(1, 6))
                moment(chance)
                while (engine := engine_of(writer.folder)) is None:
                    writer.wait(1)  # what was said before the last kill may still be on its way
                os.kill(engine, signal.SIGKILL)
            writer.wait(2)
    check(writer.folder, writer.acknowledged)
