"""A process that is stopped, and goes on after others took its runs over, does nothing more for them (platform 43)."""

import random
import select
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.chaos_sizes import print_counts, size_of

from aeon.adapters.results import FileResultStore
from aeon.platform.runs.repository import SqlRunRepository
from aeon.testing.records import new_record

from .test_chaos import completed_once, effects

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(900)]

STOPS = size_of("AEON_CHAOS_STOPS", in_ci=5)
RUNS, JOBS = ["all", "all"], ["conductor", "worker", "worker"]
"""Of each kind; 50 by hand."""

LEASE = 1.0
FENCED = "is now executed by another executor"
"""What a process logs that meant to store something for a run that others took over."""

TAKEN_OVER_WITHIN = 2.0
"""Seconds after the end of a lease in which another process goes on, and completes something."""


class Member:
    """One of several processes that share a folder. What it logs goes into a file there."""

    def __init__(self, folder, kind):
        self.log = folder / f"log-{time.monotonic_ns()}"
        script = Path(__file__).with_name("suspended_process.py")
        with self.log.open("w") as log:
            command = [sys.executable, str(script), str(folder), kind, str(LEASE)]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout.readline() == b"begun\n", self.log.read_text()

    def suspend(self, seconds):
        """Stopped for so long, as on a machine that sleeps, and going on."""
        self.process.send_signal(signal.SIGSTOP)
        select.select([], [], [], seconds)
        self.process.send_signal(signal.SIGCONT)

    def ended(self):
        """Whether it has carried everything out."""
        ready, _, _ = select.select([self.process.stdout], [], [], 120)
        return bool(ready) and self.process.stdout.readline() == b"over\n"

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def logs_of(members):
    return "".join(member.log.read_text() for member in members)


def pause(chance):
    """A random part of the time in which some runs are carried out."""
    select.select([], [], [], chance.uniform(0, 0.6))


@pytest.mark.parametrize(
    ("database", "kinds"),
    [
        pytest.param("sqlite", RUNS, id="sqlite-runs", marks=pytest.mark.nightly),
        pytest.param("sqlite", JOBS, id="sqlite-jobs"),
        pytest.param("postgres", RUNS, id="postgres-runs"),
        pytest.param("postgres", JOBS, id="postgres-jobs", marks=pytest.mark.nightly),
    ],
)
def test_who_goes_on_after_its_lease_repeats_nothing_that_completed(tmp_path, database, kinds, request):
    if database == "postgres":
        (tmp_path / "database").write_text(request.getfixturevalue("postgres")())
    chance = random.Random(7)
    members = [Member(tmp_path, kind) for kind in kinds]
    try:
        stops = 0
        while stops < STOPS or (FENCED not in logs_of(members) and stops < 5 * STOPS):
            pause(chance)
            chance.choice(members[-2:]).suspend(LEASE + TAKEN_OVER_WITHIN)
            stops += 1
        (tmp_path / "enough").touch()
        assert members[0].ended()
    finally:
        for member in members:
            member.close()
    logs = logs_of(members)
    assert "Traceback" not in logs, logs
    assert FENCED in logs, "no stop was in the middle of a step"
    print_counts(f"{stops} stops; a process said of {logs.count(FENCED)} runs that it lost them; {verify(tmp_path)}")


def verify(folder):
    """All runs completed, and no job was begun after it was known to be done. Returns what was counted."""
    begun = effects(folder)
    with closing(new_record(folder / "record")) as store:
        book = SqlRunRepository(store, FileResultStore(folder / "results"), None)
        runs = book.list_by_owner("me", 100_000, called=True)
        assert [(run.id, run.phase, run.failure) for run in runs if run.phase != "completed"] == []
        jobs = set()
        for run in runs:
            jobs |= completed_once(run, list(book.entries(run.id)), begun)
    assert begun.keys() == jobs
    twice = sum(len(times) > 1 for times in begun.values())
    return f"{len(runs)} runs, {len(jobs)} jobs, {twice} begun twice before they completed, 0 after"
