"""Every engine does the same (platform 6-10): the shipped conformance suite."""

import time

import dbos as dbos_library
import pytest

from aeon.adapters.engine.dbos import DbosEngine
from aeon.adapters.engine.local import LocalEngine
from aeon.testing.engines import CASES, SURVIVING, EngineWorld


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


@pytest.mark.parametrize("case", SURVIVING, ids=lambda case: case.__name__)
def test_engine_that_keeps_its_work(case, lasting_world):
    case(lasting_world)


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
