"""What runs, workers and schedules wrote is read back from the graph's journal as it was, property by property."""

import os
import signal
from datetime import datetime, timedelta

import pytest
from tests.platform.test_kills import engine_of
from tests.platform.test_replays import Twice

from aeon.adapters.engine.local import LocalEngine
from aeon.adapters.graph import open_embedded
from aeon.platform.ledger import Request
from aeon.platform.metrics.metrics import Metrics
from aeon.platform.processes.runs.claims import LARGEST_INLINE
from aeon.platform.processes.runs.measuring import Measuring
from aeon.platform.processes.runs.pruning import Pruning
from aeon.platform.processes.schedules.model import NewSchedule, ScheduleChange
from aeon.platform.processes.schedules.schedules import Schedules
from aeon.platform.processes.schedules.starting import Starter
from aeon.platform.workers.registry import Registry
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, failing, step
from aeon.testing.graph.world import content_of

pytestmark = [pytest.mark.slow, pytest.mark.server]

BIG = "x" * (LARGEST_INLINE + 1)


def everything(world, store):
    """Each kind of mutation that runs, schedules, workers and measuring know."""
    user = Request(world.user)
    good, bad = world.tool("echo", echo), world.tool("bad", failing)
    old = world.begin(world.process("old", [step("a", good), step("b", bad)]))
    world.ended(old)
    before = (datetime.fromisoformat(world.clock.now()) + timedelta(microseconds=1)).isoformat()
    inner = world.process("inner", [step("i", good)])
    ask = step("ask", good, interactionMode="manual")
    whole = world.process("whole", [step("c", "", process=inner.id, inputs={"q": "{q}"}), ask, step("b", bad)])
    run = world.begin(whole, BIG)
    world.until(lambda: bool(world.runs.questions(world.user, run.id)))
    world.runs.answer(world.user, run.id, "ask", "yes")
    world.ended(run)
    again = world.runs.retry(world.user, run.id, user)
    world.engine.start(again.id)
    world.ended(again)
    fired(world, store, inner.id)
    measuring = Measuring(store, world.runs.book, Metrics(store, world.catalog.ledger).values)
    assert measuring.catch_up() > 4
    Pruning(store, world.results, world.engine.forget, world.clock.now).prune(before)
    registry = Registry(store, world.clock)
    (worker,) = registry.register("here", {"rest_api": 1}, ["process"])
    registry.beat("here", [worker.model_copy(update={"status": "busy", "current_job_id": "j"})])
    registry.register("gone", {"rest_api": 2}, [])
    registry.retire("gone")


def fired(world, store, process):
    schedules = Schedules(store, world.catalog, world.processes)
    new = {"name": "hourly", "process": process, "cron": "0 * * * *", "inputs": {"q": "tea"}}
    schedule = schedules.add(NewSchedule.parsed(new), Request(world.user))
    since = datetime.fromisoformat(schedule.since).replace(minute=0, second=0, microsecond=0)
    starter = Starter(schedules, world.processes, world.runs, world.engine)
    (started,) = starter.start_due((since + timedelta(hours=1, seconds=10)).isoformat())
    world.until(lambda: world.runs.book.phase(started.firing.run) == "completed")
    schedules.change(schedule.id, ScheduleChange(enabled=False), Request(world.user))


@pytest.mark.parametrize("is_twice", [False, True], ids=["once", "among writes that are taken back"])
def test_all_that_was_written_is_there_after_the_graph_was_killed(tmp_path, is_twice):
    """Neither a node nor a property of one is lost, and nothing that was removed is back (platform 10, 18, 19)."""
    store = open_embedded(tmp_path / "graph")
    asked = Twice(store) if is_twice else store
    world = EngineWorld(asked, tmp_path, lambda book, workers, _r, clock, who: LocalEngine(book, workers, clock, who))
    everything(world, asked)
    world.close()
    before = content_of(store.export())
    os.kill(engine_of(tmp_path / "graph"), signal.SIGKILL)
    assert content_of(store.export()) == before
    assert world.catalog.ledger.verify(world.user) is None
    store.close()
