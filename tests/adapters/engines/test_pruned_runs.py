"""What is too old is removed, with all that was kept of it; what is open, or younger, stays whole."""

import sqlite3
import threading
from contextlib import closing
from datetime import datetime, timedelta

import pytest

from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.catalog.result_cache import CacheKey
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs import queries
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.claim_check import MAX_INLINE_CHARS
from aeon.platform.runs.retention import PruneResult, RunRetention
from aeon.platform.workers.result_cache.repository import SqlResultCache
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, failing, step

pytestmark = pytest.mark.slow

BIG = "x" * (MAX_INLINE_CHARS + 1)

LEFT = """
SELECT (SELECT count(*) FROM run_entries WHERE run_id IN (SELECT value FROM json_each(:runs)))
     + (SELECT count(*) FROM signals WHERE run_id IN (SELECT value FROM json_each(:runs)))
     + (SELECT count(*) FROM dead_jobs WHERE run_id IN (SELECT value FROM json_each(:runs))) AS left_over
"""
ALL = ("run_entries", "signals", "dead_jobs", "runs")


class Kept:
    """An engine's world, and what removes the runs that it has."""

    def __init__(self, store, folder):
        self.folder, self.store = folder, store
        self.world = EngineWorld(
            store, folder, lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{folder}/runs.db"), *parts)
        )

    def ended(self, name="errand", q="q", behaviour=echo):
        process = self.world.process(name, [step("a", self.world.tool(f"{name} tool", behaviour))])
        run = self.world.start_run(process, q)
        self.world.wait_for_end(run)
        return run

    def prune(self, before=None):
        """As if it were two days later; what ended before tomorrow, or before that instant."""
        now = datetime.fromisoformat(self.world.clock.now())
        before = before or (now + timedelta(days=1)).isoformat()
        later = (now + timedelta(days=2)).isoformat()
        return RunRetention(self.store, self.world.results, self.world.engine.forget, lambda: later).prune(before)

    def left(self, *runs):
        (row,) = self.store.read(LEFT, {"runs": [run.id for run in runs]})
        return row["left_over"]

    def files(self):
        return [file for file in (self.folder / "results").glob("*/*") if file.is_file()]

    def started(self):
        with closing(sqlite3.connect(self.folder / "runs.db")) as database:
            return {row[0] for row in database.execute("SELECT id FROM runs")}


@pytest.fixture
def kept(store, tmp_path):
    store.update(lambda unit: [unit.write(f"DELETE FROM {table}") for table in ALL])  # constants alone
    made = Kept(store, tmp_path)
    yield made
    made.world.close()


def test_an_old_run_goes_with_all_that_was_kept_of_it(kept):
    world = kept.world
    good, bad = kept.ended(q=BIG), kept.ended("bad", behaviour=failing)
    asking = world.process("ask", [step("a", world.tool("echo", echo), interactionMode="manual")])
    asked = world.start_run(asking)
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, asked.id)))
    world.runs.answer(world.user, asked.id, "a", "yes")
    world.wait_for_end(asked)
    runs = (good, bad, asked)
    assert kept.left(*runs) > 10
    assert {run.id for run in runs} <= kept.started()
    assert len(kept.files()) >= 3, "the inputs, the entry, and what the engine kept"
    pruned = kept.prune()
    assert (pruned.runs, kept.left(*runs), kept.files(), world.runs.list_runs(world.user)) == (3, 0, [], [])
    assert not {run.id for run in runs} & kept.started()
    with pytest.raises(NotFoundError):
        world.runs.view(world.user, good.id)
    assert kept.prune() == PruneResult(0, 0)


def test_a_process_says_how_long_the_runs_of_its_owner_are_kept(kept):
    """Platform 41: with what they called, longer or shorter than the others; not those of another user."""
    world = kept.world
    inner = world.process("inner", [step("i", world.tool("echo", echo))])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"})
    outer = world.process("outer", [call], retentionDays=1)
    long = world.process("long", [step("a", world.tool("echo2", echo))], retentionDays=30, shared=True)
    world.catalog.add_user(other := f"other-{world.user}")
    short_run, long_run = world.start_run(outer, BIG), world.start_run(long, BIG)
    others = world.runs.accept(long, NewRun({"q": "x"}, executor=world.engine.executor), MutationRequest(other))
    world.engine.start(others.id)
    for each in (short_run, long_run):
        world.wait_for_end(each)
    assert world.engine.wait(others.id, 20)
    yesterday = (datetime.fromisoformat(world.clock.now()) - timedelta(days=1)).isoformat()
    assert kept.prune(yesterday).runs == 2, "the short one, with what it called"
    assert kept.left(short_run) == 0
    assert kept.prune().runs == 1, "the other user's, as the settings say"
    assert [run.id for run in world.runs.list_runs(world.user)] == [long_run.id]
    assert world.runs.list_runs(other) == []
    assert world.view_of(long_run).run.inputs == {"q": BIG}
    world.processes.change(long.id, ProcessChange(retention_days=None), MutationRequest(world.user))
    assert kept.prune().runs == 1


def test_a_younger_run_and_the_results_that_it_refers_to_stay(kept):
    old = kept.ended("old", q=BIG)
    between = kept.world.clock.now()
    young = kept.ended("young", q=BIG)
    assert kept.prune(between).runs == 1
    assert kept.left(old) == 0
    kept.prune(between)
    seen = kept.world.runs.view(kept.world.user, young.id)
    assert (seen.run.inputs, seen.state.output) == ({"q": BIG}, {"got": BIG})


def test_an_old_result_of_a_run_that_is_kept_stays(kept):
    """Its inputs, what a step came to and what a person answered, all put down before the instant, and read after it."""
    world, lets_go, reached = kept.world, threading.Event(), threading.Event()

    def wait(given, key):
        reached.set()
        lets_go.wait(20)
        return echo(given, key)

    tool = world.tool("echo", echo)
    steps = [step("a", tool), step("ask", tool, interactionMode="manual"), step("w", world.tool("wait", wait))]
    run = world.start_run(world.process("long", steps), BIG)
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.runs.answer(world.user, run.id, "ask", BIG + "!")
    assert reached.wait(20)
    world.wait_until(lambda: world.runs.repository.list_summaries([run.id])[0].events == 6)
    between = world.clock.now()
    lets_go.set()
    world.wait_for_end(run)
    assert kept.prune(between).runs == 0
    seen = world.runs.view(world.user, run.id)
    assert [each.value for each in seen.state.steps] == [{"got": BIG}, BIG + "!", {"got": BIG}]
    assert seen.run.inputs == {"q": BIG}
    assert len(world.runs.repository.list_signals([run.id])) == 1


def test_an_open_run_and_what_it_called_stay_with_their_results(kept):
    """What an open run's engine keeps nothing in the record refers to: all of its age stays."""
    world, lets_go, reached = kept.world, threading.Event(), threading.Event()

    def wait(given, key):
        reached.set()
        lets_go.wait(20)
        return echo(given, key)

    inner = world.process("inner", [step("i", world.tool("echo", echo))])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"})
    outer = world.process("outer", [call, step("w", world.tool("wait", wait))])
    run = world.start_run(outer, BIG)
    assert reached.wait(20)
    files = len(kept.files())
    assert kept.prune() == PruneResult(0, 0)
    assert len(kept.files()) == files
    lets_go.set()
    assert world.wait_for_end(run).state.output == {"got": BIG}
    assert world.runs.view(world.user, f"{run.id}:c:1").state.output == {"got": BIG}
    assert kept.prune().runs == 2


def test_what_a_killed_one_left_the_next_one_removes(kept):
    run = kept.ended()

    class Killed(Exception):  # noqa: N818  # it is none of ours
        pass

    class Store:
        def __init__(self, store):
            self._store = store

        def read(self, *asked):
            return self._store.read(*asked)

        def update(self, work):
            return self._store.update(lambda unit: work(Unit(unit)))

    class Unit:
        def __init__(self, unit):
            self._unit = unit

        def write(self, query, params):
            if query == queries.PURGE_RUN:
                raise Killed
            return self._unit.write(query, params)

    now = kept.world.clock.now
    tomorrow = (datetime.fromisoformat(now()) + timedelta(days=1)).isoformat()
    with pytest.raises(Killed):
        RunRetention(Store(kept.store), kept.world.results, kept.world.engine.forget, now).prune(tomorrow)
    assert kept.prune().runs == 1
    assert kept.left(run) == 0


def test_what_is_kept_of_pure_tools_goes_when_it_was_not_used_and_its_results_stay_until_then(kept):
    cache = SqlResultCache(kept.store, kept.world.results, kept.world.clock)
    old, young = (CacheKey(f"tool {kept.world.user}", f"{kept.world.user} {which}") for which in ("old", "young"))
    cache.put(old, BIG)
    between = kept.world.clock.now()
    cache.put(young, BIG + "!")
    assert kept.prune(between).cached == 1
    assert (cache.get(old), cache.get(young)) == (None, (BIG + "!",))
    assert kept.prune(between).cached == 0
    later = kept.prune()
    assert (later.cached, later.results, kept.files()) == (1, 1, [])
    assert cache.get(young) is None


def test_a_retried_run_lives_on_without_the_one_before(kept):
    world = kept.world
    process = world.process("again", [step("a", world.tool("echo", echo)), step("b", world.tool("bad", failing))])
    run = world.start_run(process, BIG)
    world.wait_for_end(run)
    between = world.clock.now()
    again = world.runs.retry(run.id, MutationRequest(world.user))
    world.engine.start(again.id)
    world.wait_for_end(again)
    kept.prune(between)
    assert kept.left(run) == 0
    assert world.runs.view(world.user, again.id).state.steps[0].value == {"got": BIG}
