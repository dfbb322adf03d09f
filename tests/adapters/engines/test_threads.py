"""However many runs are open, a process has at most 64 threads for them (E10)."""

import threading
from functools import partial

import pytest
from tests.chaos_sizes import size_of

from aeon.adapters.engines.local import LocalEngine
from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.settings import EngineSettings
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

RUNS = size_of("AEON_OPEN_RUNS", in_ci=400)
THREADS = 64


def local(_request, _folder):
    return lambda book, workers, _results, clock, executor: LocalEngine(book, workers, clock, executor)


def on_sqlite(_request, folder):
    return partial(SqlEngine, RunDatabase(f"sqlite:///{folder}/runs.db"))


def on_postgres(request, _folder):
    return partial(SqlEngine, RunDatabase(request.getfixturevalue("postgres")()))


def on_temporal(request, _folder):
    def make(book, workers, results, _clock, _executor):
        from aeon.adapters.engines.temporal import TemporalEngine

        return TemporalEngine(address, "default", book, workers, results, slots=EngineSettings().slots)

    address = request.getfixturevalue("server").address
    return make


ENGINES = {"local": local, "sqlite": on_sqlite, "postgres": on_postgres, "temporal": on_temporal}
ON_SERVERS = [pytest.param(name, marks=pytest.mark.server) for name in ("postgres", "temporal")]


@pytest.fixture(params=["local", "sqlite", *ON_SERVERS])
def world(request, store, tmp_path):
    make = ENGINES[request.param](request, tmp_path)

    def as_by_default(book, workers, *rest):
        workers._slots, workers._otherwise = EngineSettings().slots, 0
        return make(book, workers, *rest)

    made = EngineWorld(store, tmp_path, as_by_default)
    yield made
    made.close()


class Held:
    """A function that makes its callers wait until it is let go, but for the test itself."""

    def __init__(self, act):
        self.act = act
        self.caller = threading.current_thread()
        self.lets_go = threading.Event()

    def __call__(self, *given, **named):
        if threading.current_thread() is not self.caller:
            self.lets_go.wait(60)
        return self.act(*given, **named)


def test_many_runs_that_wait_for_a_slow_record_share_few_threads(world, monkeypatch):
    tool = world.tool("echo", echo)
    process = world.process("many", [step("a", tool), step("b", tool, after=["a"])])
    before = threading.active_count()
    held = Held(world.store.read)
    monkeypatch.setattr(world.store, "read", held)
    # Temporal's server takes minutes for as many as the others.
    count = max(100, RUNS // 10) if world.engine.name.startswith("Temporal") else RUNS
    runs = [world.start_run(process) for _ in range(count)]
    waiting = threading.active_count() - before
    held.lets_go.set()
    assert all(world.engine.wait(run.id, 200) for run in runs), "no run waits for ever, however busy the machine is"
    assert waiting <= THREADS
    assert world.tools.calls["echo"] == 2 * count


def test_jobs_that_take_long_leave_threads_to_the_rest(world):
    """As many as there are workers for them; the record is asked meanwhile, of all runs."""
    goes_on = threading.Event()

    def wait(given, key):
        goes_on.wait(120)
        return echo(given, key)

    process = world.process("long", [step("a", world.tool("wait", wait), timeout=120)])
    before = threading.active_count()
    runs = [world.start_run(process) for _ in range(40)]
    slots = EngineSettings().slots["rest_api"]
    world.wait_until(lambda: world.tools.calls["wait"] == slots)
    unwanted = runs[-1]
    world.runs.cancel(world.user, unwanted.id)
    world.engine.wake(unwanted.id)
    assert world.wait_for_end(unwanted).state.phase == "cancelled"
    assert threading.active_count() - before <= THREADS
    goes_on.set()
    assert {world.wait_for_end(run).state.phase for run in runs[:-1]} == {"completed"}
