"""Kill -9 at random moments, of what carries runs out and of the engine's store: nothing is lost or done again that was
done (platform 10). Effects are counted in a file beside.
"""

import random
import select
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from tests.chaos_sizes import size_of

from aeon.adapters.results import FileResultStore
from aeon.platform.runs.machine.events import AttemptStarted, StepCompleted
from aeon.platform.runs.repository import SqlRunRepository
from aeon.testing.records import new_record

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(900)]

KILLS = size_of("AEON_CHAOS_KILLS", in_ci=8)
"""Of each kind of victim; 50 by hand."""

RUNS = 40 + 2 * KILLS

LATE = 1.0
"""Seconds by which a job, claimed before the database was lost, may write down after it that it began."""


class Carrier:
    """The process, begun again whenever it is gone."""

    def __init__(self, folder, kind="all", runs=RUNS):
        script = Path(__file__).with_name("chaos_process.py")
        self.command = [sys.executable, str(script), str(folder), str(runs), kind]
        self.process = None

    def begin(self):
        self.begin_unheard()
        return self.heard("begun", 60)

    def begin_unheard(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)

    def heard(self, word, seconds):
        """Whether it said so in that time; False when it ended, or did not."""
        until = time.monotonic() + seconds
        said = b""
        while time.monotonic() < until:
            ready, _, _ = select.select([self.process.stdout], [], [], 0.1)
            if ready:
                chunk = self.process.stdout.read(4096)
                if not chunk:
                    return False
                said += chunk
                if word.encode() in said:
                    return True
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()
        errors = self.process.stderr.read()
        assert b"Traceback" not in errors, errors.decode()
        self.process.stdout.close()
        self.process.stderr.close()


def pause(chance):
    """A random part of the time in which some runs are carried out."""
    select.select([], [], [], chance.uniform(0, 0.6))


class Postgres:
    """The server of the engine's database, which is begun again soon."""

    def __init__(self, folder, server):
        (folder / "database").write_text(server.create_database())
        self.kill, self.begin = server.kill, server.start


@pytest.mark.parametrize("victims", ["carrier", "carrier on Postgres", "carrier and Postgres"])
def test_kills(tmp_path, victims, request):
    chance = random.Random(5)
    beside = None
    if victims == "carrier and Postgres":
        beside = Postgres(tmp_path, request.getfixturevalue("mortal_postgres"))
    elif victims == "carrier on Postgres":
        (tmp_path / "database").write_text(request.getfixturevalue("postgres")())
    carrier, losses = Carrier(tmp_path), []
    for _ in range(KILLS):
        if carrier.begin():
            pause(chance)
        if beside and chance.random() < 0.4:
            beside.kill()
            pause(chance)
            beside.begin()
            losses.append(time.time())
            pause(chance)
        carrier.kill()
        losses.append(time.time())
    for _ in range(5):
        if carrier.begin() and carrier.heard("over", 240):
            break
        carrier.kill()
    else:
        raise AssertionError("it never came to an end")
    carrier.kill()
    verify(tmp_path, losses)


def effects(folder):
    """When each job was begun, and by which process."""
    begun = defaultdict(list)
    for line in (folder / "effects").read_text().splitlines():
        at, pid, key = line.split()
        begun[key].append((float(at), pid))
    return begun


def verify(folder, losses):
    """``losses``: when each of them was over, of a process or of the database."""
    begun = effects(folder)
    with closing(new_record(folder / "record")) as store:
        book = SqlRunRepository(store, FileResultStore(folder / "results"), None)
        runs = book.list_by_owner("me", 100_000, called=True)
        assert sorted(book.get_any(run.id).run.inputs["q"] for run in runs if run.parent_id is None) == list(
            range(RUNS)
        )
        assert {run.phase for run in runs} == {"completed"}
        assert len(runs) == 2 * RUNS
        jobs = set()
        for run in runs:
            entries = list(book.entries(run.id))
            assert [each.n for each in entries] == list(range(1, len(entries) + 1))
            said = [
                (each.event.event, getattr(each.event, "step", ""), getattr(each.event, "attempt", 0))
                for each in entries
            ]
            assert len(said) == len(set(said)), said
            jobs |= completed_once(run, entries, begun)
    assert begun.keys() == jobs
    repeated = sum(len(times) - 1 for times in begun.values())
    assert repeated <= len(losses) * 16, "more than what was under way"
    for job, times in begun.items():
        lost = sum(at > min(times)[0] - LATE for at in losses)
        assert len(times) <= 1 + lost, (job, times, losses)


def completed_once(run, entries, begun):
    """The jobs of a run; none of them was begun after it was known to be done."""
    jobs = {each.event.step: each.event.job for each in entries if isinstance(each.event, AttemptStarted)}
    for each in entries:
        if isinstance(each.event, StepCompleted) and (job := jobs[each.event.step]) in begun:
            done = datetime.fromisoformat(each.at).timestamp()
            assert all(at <= done for at, _ in begun[job]), (run.id, job)
    return {job for step, job in jobs.items() if step != "c"}
