"""The engine in SQL with a worker in another process does the same as every engine (platform 6-10): the shipped conformance suite."""

import pytest

from aeon.testing.engines import CASES, LANGUAGE_CASES, LANGUAGE_RECOVERY_CASES, RECOVERY_CASES

from .elsewhere import Conductor, Elsewhere, WithItsWorker

pytestmark = [pytest.mark.slow, pytest.mark.server]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def elsewhere(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("queued")
    is_sqlite = request.param == "sqlite"
    made = Elsewhere(f"sqlite:///{folder}/runs.db" if is_sqlite else request.getfixturevalue("postgres")(), folder)
    yield made
    made.close()


@pytest.mark.parametrize("case", [*CASES, *LANGUAGE_CASES], ids=lambda case: case.__name__)
def test_engine_whose_jobs_are_done_elsewhere(case, store, elsewhere):
    if not elsewhere.workers:
        elsewhere.ready()
    world = elsewhere.world(store, Conductor)
    try:
        case(world)
    finally:
        world.close()


@pytest.mark.parametrize("case", [*RECOVERY_CASES, *LANGUAGE_RECOVERY_CASES], ids=lambda case: case.__name__)
def test_engine_that_is_lost_with_its_worker(case, store, elsewhere):
    elsewhere.kill_all()
    world = elsewhere.world(store, WithItsWorker)
    try:
        case(world)
    finally:
        world.close()
