"""Kill -9 at random moments on Temporal: of the process, of the server, and of both together (platform 10)."""

import random
import select
import signal
import subprocess
import sys
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import pytest
from tests.chaos_sizes import print_counts, size_of

from .temporal_world import World, calls, fan

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(1500)]

KILLS = size_of("AEON_CHAOS_KILLS", in_ci=3)
"""100 by hand."""

STOPS = size_of("AEON_CHAOS_STOPS", in_ci=3)
"""50 by hand."""

SUSPENDED = 6.0
"""Seconds; a heartbeat is waited for 4."""

RUNS = 2 * KILLS
WIDTH = 6
VICTIMS = (["process"], ["process", "server"])


def begun_anew(server, world, kind="all"):
    """A process that carries everything out; one that meets a server which is only starting is begun once more."""
    script = Path(__file__).with_name("temporal_process.py")
    command = [sys.executable, str(script), server.address, str(world.folder), kind]
    for _ in range(5):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if process.stdout.readline() == b"ready\n":
            return process
        ended(process)
    raise AssertionError("it never was ready")


def ended(process):
    process.kill()
    process.communicate()


def counted(world):
    found = calls(world.hands.file)
    return {job: found.count(job) for job in set(found)}


def completed(world, runs):
    """The jobs whose steps are known to have completed."""
    return {
        f"{run}:{entry.event.step}:{entry.event.attempt}"
        for run in runs
        for entry in world.entries(run)
        if entry.event.event == "step_completed"
    }


def completion_times(world, runs):
    """When each job's step completed, in seconds since 1970."""
    return {
        f"{run}:{entry.event.step}:{entry.event.attempt}": datetime.fromisoformat(entry.at).timestamp()
        for run in runs
        for entry in world.entries(run)
        if entry.event.event == "step_completed"
    }


def times_begun(world):
    """When each job had its effect: once, or once more in another process."""
    begun = defaultdict(list)
    for line in world.hands.file.with_name("times").read_text().splitlines():
        at, job = line.split()
        begun[job].append(float(at))
    return begun


def test_kills_at_random_moments(tmp_path, server):
    chance = random.Random(11)
    world = World(tmp_path / "world").furnish()
    process = fan(world, width=WIDTH)
    runs = [world.accept(process, number) for number in range(RUNS)]
    known = {}
    for _ in range(KILLS):
        carrier = begun_anew(server, world)
        select.select([], [], [], chance.uniform(0, 2))
        victims = chance.choice(VICTIMS)
        if "server" in victims:
            server.kill()
        ended(carrier)
        done, counts = completed(world, runs), counted(world)
        known |= {job: counts[job] for job in done - known.keys()}
        if "server" in victims:
            server.start()
    carrier = begun_anew(server, world)
    world.wait_until(lambda: not world.runs.repository.list_open())
    ended(carrier)
    counts = counted(world)
    assert {world.runs.view("me", run).state.phase for run in runs} == {"completed"}
    assert len(counts) == RUNS * (WIDTH + 2)
    assert {job: counts[job] for job in known} == known, "a completed step was made again"
    assert max(counts.values()) <= 1 + KILLS
    assert sum(counts.values()) - len(counts) <= 4 * KILLS, "more than what was under way was made again"
    for run in runs:
        assert [entry.n for entry in world.entries(run)] == list(range(1, 2 * (WIDTH + 2) + 3))
    world.close()


def test_a_process_that_is_stopped_at_random_moments_and_goes_on_repeats_nothing(tmp_path, server):
    """It sleeps for longer than a heartbeat is waited for; the other one goes on with its runs and jobs (platform 43)."""
    chance = random.Random(13)
    world = World(tmp_path / "world").furnish()
    process = fan(world, width=WIDTH)
    carriers, runs = [begun_anew(server, world, "slow") for _ in range(2)], []
    try:
        for turn in range(STOPS):
            runs += [world.accept(process, number) for number in range(4 * turn, 4 * turn + 4)]
            starting = begun_anew(server, world, "slow")  # it starts what is open, and is the next to be stopped
            select.select([], [], [], chance.uniform(0, 0.5))
            carriers.append(starting)
            stopped = chance.choice(carriers)
            stopped.send_signal(signal.SIGSTOP)
            select.select([], [], [], SUSPENDED)
            stopped.send_signal(signal.SIGCONT)
            ended(carriers.pop(0))
        world.wait_until(lambda: not world.runs.repository.list_open())
    finally:
        for carrier in carriers:
            carrier.send_signal(signal.SIGCONT)
            ended(carrier)
    assert {world.runs.view("me", run).state.phase for run in runs} == {"completed"}
    done, begun = completion_times(world, runs), times_begun(world)
    assert begun.keys() == done.keys()
    assert len(done) == len(runs) * (WIDTH + 2)
    repeated = [job for job, times in begun.items() if any(at > done[job] for at in times)]
    assert repeated == [], "a completed step was made again"
    twice = sum(len(times) > 1 for times in begun.values())
    print_counts(
        f"{STOPS} stops; {len(runs)} runs, {len(done)} jobs, {twice} begun twice before they completed, 0 after"
    )
    world.close()
