"""Every engine does the same (platform 6-10): the shipped conformance suite."""

import pytest

from aeon.adapters.engine.dbos import DbosEngine
from aeon.adapters.engine.local import LocalEngine
from aeon.testing.engines import CASES, SURVIVING, EngineWorld


def local(_folder):
    return lambda book, workers, _results, clock, executor: LocalEngine(book, workers, clock, executor)


def dbos(folder):
    address = f"sqlite:///{folder}/runs.db"
    return lambda *parts: DbosEngine(address, *parts)


ENGINES = {"local": local, "dbos-sqlite": dbos}
SLOWER = [pytest.param("dbos-sqlite", marks=pytest.mark.slow)]


@pytest.fixture(params=["local", *SLOWER])
def world(request, store, tmp_path):
    made = EngineWorld(store, tmp_path, ENGINES[request.param](tmp_path))
    yield made
    made.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_engine(case, world):
    case(world)


@pytest.mark.slow
@pytest.mark.parametrize("case", SURVIVING, ids=lambda case: case.__name__)
def test_engine_that_keeps_its_work(case, store, tmp_path):
    world = EngineWorld(store, tmp_path, dbos(tmp_path))
    try:
        case(world)
    finally:
        world.close()
