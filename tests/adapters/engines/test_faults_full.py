"""The disk of the engine's database is full in the middle of runs (platform 10): nothing is lost, nothing is made again
that was kept, and the runs go on by themselves once there is room, here or in the next process.
"""

import threading
import time
from pathlib import Path

import pytest
from tests.platform.test_faults import fill, small_disk

from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step

from .test_run_database import open_files

pytestmark = [pytest.mark.slow, pytest.mark.server]


class FullDisk:
    """A disk of 3 MB that can be filled, and runs whose database lies on it."""

    def __init__(self, disk, store, folder):
        self.disk = disk
        address = f"sqlite:///{disk}/runs.db"
        self.world = EngineWorld(store, folder, lambda *parts: SqlEngine(RunDatabase(address), *parts))
        self.goes_on = threading.Event()

    def fill(self):
        fill(self.disk, 0)

    def free(self):
        Path(self.disk, "filling").unlink(missing_ok=True)

    def begun(self):
        """A run that waits in the middle of large results, with a Process that it calls before it ends."""
        world = self.world
        tool = world.tool("echo", echo)
        large = world.tool("large", lambda _given, _key: "x" * 200_000)
        gate = world.tool("gate", self._wait)
        inner = world.process("inner", [step("i", large), step("j", tool)])
        call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
        steps = [step("a", large), step("g", gate), step("b", large), call, step("z", tool)]
        run = world.start_run(world.process("outer", steps))
        world.wait_until(lambda: world.tools.calls["gate"] == 1)
        return run

    def _wait(self, given, key):
        self.goes_on.wait(30)
        return echo(given, key)


@pytest.fixture
def full(store, tmp_path):
    with small_disk(tmp_path / "disk", "3m") as disk:
        made = FullDisk(disk, store, tmp_path)
        yield made
        made.goes_on.set()
        made.free()
        made.world.close()


def begin_for_ever(world, process):
    while True:
        world.start_run(process, "x" * 1000)


def burned(seconds):
    """Seconds of CPU that this process spends while a run waits so long in vain."""
    before = time.process_time()
    threading.Event().wait(seconds)
    return time.process_time() - before


def test_a_run_waits_while_the_disk_is_full_and_goes_on_when_there_is_room(full):
    """It waits without burning the machine; each job is carried out once."""
    run = full.begun()
    full.fill()
    full.goes_on.set()
    assert burned(1.0) < 0.5
    assert full.world.view_of(run).state.phase == "running"
    full.free()
    assert full.world.wait_for_end(run).state.phase == "completed"
    assert max(full.world.tools.jobs.values()) == 1


def test_a_run_that_another_one_calls_is_started_once_there_is_room(full):
    """Its caller does not fail of it."""
    run = full.begun()
    refused, begin = threading.Event(), full.world.engine._journal.start

    def begin_on_a_full_disk(*which):
        if not refused.is_set():
            full.fill()
        try:
            return begin(*which)
        except EngineUnavailableError:
            refused.set()
            raise

    full.world.engine._journal.start = begin_on_a_full_disk
    full.goes_on.set()
    assert refused.wait(20)
    full.free()
    assert full.world.wait_for_end(run).state.phase == "completed"
    assert max(full.world.tools.jobs.values()) == 1


def test_what_a_process_could_not_keep_before_it_ended_is_made_once_more(full):
    """The next process goes on; what was kept is not made again."""
    run = full.begun()
    full.fill()
    full.goes_on.set()
    burned(0.3)
    full.world.reopen(while_closed=full.free)
    assert full.world.wait_for_end(run).state.phase == "completed"
    assert full.world.tools.jobs[f"{run.id}:a:1"] == 1
    assert max(full.world.tools.jobs.values()) <= 2


def test_a_start_that_cannot_be_kept_says_so_and_the_run_is_not_lost(full):
    """Whoever starts it is told what to do; what was accepted is taken over when there is room."""
    world = full.world
    process = world.process("one", [step("a", world.tool("echo", echo))])
    full.fill()
    with pytest.raises(EngineUnavailableError, match="is unavailable") as raised:
        begin_for_ever(world, process)
    assert "Free some space" in raised.value.advice
    full.free()
    world.reopen()
    left = world.runs.list_runs(world.user, 1000)
    for run in left:
        assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.jobs.total() == len(left)


def test_an_engine_that_is_opened_on_a_full_disk_says_so_and_another_one_goes_on_later(full):
    run = full.begun()
    full.world.engine.close()
    full.world.wait_until(lambda: open_files(full.disk) == [])  # until then the log's room is not taken
    full.fill()
    with pytest.raises(EngineUnavailableError, match="is unavailable"):
        full.world.open()
    full.free()
    full.goes_on.set()
    full.world.reopen()
    assert full.world.wait_for_end(run).state.phase == "completed"
