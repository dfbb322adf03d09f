"""Every engine does the same (platform 6-10): the shipped conformance suite."""

import threading
import time

import dbos as dbos_library
import pytest

from aeon.adapters.engines.dbos import DbosEngine
from aeon.adapters.engines.local import LocalEngine
from aeon.testing.engines import CASES, RECOVERY_CASES, EngineWorld
from aeon.testing.engines.world import echo, step, wait_for


def local(_folder, _request):
    return lambda book, workers, _results, clock, executor: LocalEngine(book, workers, clock, executor)


def dbos(folder, _request):
    address = f"sqlite:///{folder}/runs.db"
    return lambda *parts: DbosEngine(address, *parts)


def dbos_on_postgres(_folder, request):
    address = request.getfixturevalue("postgres")()
    return lambda *parts: DbosEngine(address, *parts)


ENGINES = {"local": local, "dbos-sqlite": dbos, "dbos-postgres": dbos_on_postgres}
SLOWER = [
    pytest.param("dbos-sqlite", marks=pytest.mark.slow),
    pytest.param("dbos-postgres", marks=[pytest.mark.slow, pytest.mark.server]),
]


def made(request, store, folder):
    world = EngineWorld(store, folder, ENGINES[request.param](folder, request))
    yield world
    world.close()


@pytest.fixture(params=["local", *SLOWER])
def world(request, store, tmp_path):
    yield from made(request, store, tmp_path)


@pytest.fixture(params=SLOWER)
def lasting_world(request, store, tmp_path):
    yield from made(request, store, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_engine(case, world):
    case(world)


@pytest.mark.parametrize("case", RECOVERY_CASES, ids=lambda case: case.__name__)
def test_engine_that_keeps_its_work(case, lasting_world):
    case(lasting_world)


def test_who_lost_a_run_does_nothing_more_for_it(world):
    """Who has it then goes on (platform 43). On Temporal the server decides who has it."""
    goes_on = threading.Event()
    gate, tool = world.tool("gate", wait_for(goes_on)), world.tool("echo", echo)
    run = world.start_run(world.process("lost", [step("a", gate, timeout=60), step("b", tool, after=["a"])]))
    world.wait_until(lambda: world.tools.calls["gate"] == 1 and "step_started a" in world.event_names(run))
    before, book = world.event_names(run), world.runs.repository
    assert book.reassign(run.id, world.engine.executor, "another")
    goes_on.set()
    assert not world.engine.wait(run.id, 1.0)
    assert world.event_names(run) == before
    assert world.tools.calls["echo"] == 0
    assert book.reassign(run.id, "another", world.engine.executor)
    world.engine.adopt([run.id])
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls["echo"] == 1


def test_a_run_that_comes_back_is_carried_out_once(lasting_world):
    """Rule 43: who lost a run without a word, since it only waited, and gets it again, does not go on with it twice."""
    world, goes_on = lasting_world, threading.Event()
    gate, tool = world.tool("gate", wait_for(goes_on)), world.tool("echo", echo)
    inner = world.process("inner", [step("g", gate, timeout=60)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
    run = world.start_run(world.process("outer", [call, step("b", tool, after=["c"])]))
    world.wait_until(lambda: world.tools.calls["gate"] == 1 and "step_started c" in world.event_names(run))
    assert world.runs.repository.reassign(run.id, world.engine.executor, "another")
    assert world.runs.repository.reassign(run.id, "another", world.engine.executor)
    world.engine.adopt([run.id])
    assert not world.engine.wait(run.id, 2.0)
    goes_on.set()
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls == {"gate": 1, "echo": 1}


@pytest.mark.slow
def test_dbos_does_not_look_at_what_is_not_used(store, tmp_path, request):
    """An engine that has nothing to do costs next to nothing."""
    world = EngineWorld(store, tmp_path, dbos(tmp_path, request))
    try:
        looking = dbos_library._dbos._get_or_create_dbos_registry().internal_queues()
        assert [each._polling_interval_sec for each in looking] == [3600.0]
    finally:
        world.close()


@pytest.mark.slow
def test_dbos_is_closed_at_once(store, tmp_path, request):
    """None of its threads sleeps so long that whoever ends a command waits for it."""
    world = EngineWorld(store, tmp_path, dbos(tmp_path, request))
    begun = time.monotonic()
    world.close()
    assert time.monotonic() - begun < 5.0
