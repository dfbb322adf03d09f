"""Kill -9 of workers of one type, and of whoever carries the runs out, at random moments (platform 10).

No completed step is done again, and none more than once more. A job that two workers were lost with may have failed.
"""

import random
from contextlib import closing

import pytest
from tests.chaos_sizes import size_of

from aeon.adapters.results import FileResultStore
from aeon.platform.runs.repository import SqlRunRepository
from aeon.testing.records import new_record

from .test_chaos import Carrier, Postgres, completed_once, effects, pause

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.timeout(300)]

KILLS = size_of("AEON_CHAOS_KILLS", in_ci=8)
"""In all; 50 by hand."""

RUNS = 12 + 2 * KILLS


@pytest.mark.parametrize("database", ["SQLite", "Postgres"])
def test_workers_and_conductor_are_killed(tmp_path, database, request):
    """And the server of the engine's database with them, where there is one."""
    chance = random.Random(7)
    conductor, *workers = everybody = [Carrier(tmp_path, kind, RUNS) for kind in ("conductor", "worker", "worker")]
    victims = [conductor, *workers, *workers]
    if database == "Postgres":
        victims.append(Postgres(tmp_path, request.getfixturevalue("mortal_postgres")))
    for each in everybody:
        assert each.begin()
    for _ in range(KILLS):
        pause(chance)
        victim = chance.choice(victims)
        victim.kill()
        if victim in workers:
            victim.begin_unheard()
        else:
            victim.begin()
        begin_who_gave_up(everybody)
    until_over(conductor)
    for each in everybody:
        each.kill()
    verify(tmp_path)


def begin_who_gave_up(everybody):
    """Whoever meets a dead server when it begins, or accepts a run, says so and ends."""
    for each in everybody:
        if each.process.poll() is not None:
            each.kill()
            each.begin_unheard()


def until_over(conductor):
    for _ in range(5):
        if conductor.heard("over", 120):
            return
        assert conductor.process.poll() is not None, "it never came to an end"
        begin_who_gave_up([conductor])
    raise AssertionError("it gave up again and again")


def verify(folder):
    begun = effects(folder)
    with closing(new_record(folder / "record")) as store:
        book = SqlRunRepository(store, FileResultStore(folder / "results"), None)
        runs = book.list_by_owner("me", 100_000, called=True)
        assert sorted(book.get_any(run.id).run.inputs["q"] for run in runs if run.parent_id is None) == list(
            range(RUNS)
        )
        failed = [run for run in runs if run.phase != "completed"]
        assert {(run.phase, run.failure["code"]) for run in failed} <= {("failed", "worker")}
        jobs = set()
        for run in runs:
            entries = list(book.entries(run.id))
            assert [each.n for each in entries] == list(range(1, len(entries) + 1))
            jobs |= completed_once(run, entries, begun)
    assert begun.keys() <= jobs
    assert max(len(times) for times in begun.values()) <= 2
    assert failed or begun.keys() == jobs
