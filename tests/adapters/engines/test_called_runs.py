"""What becomes of a run that a step called when somebody else carries out the one that called it (platform 10)."""

import threading

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import step, wait_for


@pytest.fixture
def world(store, tmp_path):
    world = EngineWorld(
        store,
        tmp_path,
        lambda book, workers, _results, clock, executor: LocalEngine(book, workers, clock, executor),
    )
    yield world
    world.close()


def test_who_loses_a_run_leaves_what_it_called_to_its_successor(world):
    inner_goes_on, beside_goes_on = threading.Event(), threading.Event()
    gate, beside = world.tool("gate", wait_for(inner_goes_on)), world.tool("beside", wait_for(beside_goes_on))
    inner = world.process("inner", [step("g", gate, timeout=60)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, mode="parallel", timeout=120)
    run = world.start_run(world.process("outer", [step("b", beside, mode="parallel", timeout=60), call]))
    world.wait_until(lambda: world.tools.calls.keys() == {"gate", "beside"})
    taken_for_dead = world.engine
    world.open()
    assert world.runs.repository.reassign(run.id, taken_for_dead.executor, world.engine.executor)
    beside_goes_on.set()
    world.wait_until(lambda: not taken_for_dead._tasks.is_executed(run.id))
    world.engine.adopt([run.id])
    inner_goes_on.set()
    assert world.wait_for_end(run).state.phase == "completed"
    taken_for_dead.close()
