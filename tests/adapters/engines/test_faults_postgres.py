"""The server of the engine's database is killed under runs (platform 10): nothing is lost, nothing is made again that was
kept, and the runs go on by themselves once it is there again.
"""

import threading

import pytest

from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.server]


@pytest.fixture
def world(store, tmp_path, mortal_postgres):
    address = mortal_postgres.create_database()
    world = EngineWorld(store, tmp_path, lambda *parts: SqlEngine(RunDatabase(address), *parts))
    yield world
    world.close()


@pytest.fixture
def goes_on():
    event = threading.Event()
    yield event
    event.set()


def begun(world, goes_on):
    """A run that waits between two steps, with a Process that it calls before it ends."""
    tool, gate = world.tool("echo", echo), world.tool("gate", wait_for(goes_on))
    inner = world.process("inner", [step("i", tool), step("j", tool)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
    steps = [step("a", tool), step("g", gate, timeout=60), step("b", tool), call, step("z", tool)]
    run = world.start_run(world.process("outer", steps))
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    return run


def test_a_run_waits_while_the_server_is_gone_and_goes_on_when_it_is_back(world, goes_on, mortal_postgres):
    run = begun(world, goes_on)
    mortal_postgres.kill()
    goes_on.set()
    assert not world.engine.wait(run.id, 1.0)
    mortal_postgres.start()
    assert world.wait_for_end(run).state.phase == "completed"
    assert max(world.tools.jobs.values()) == 1


def test_a_server_that_is_killed_between_any_two_steps_is_not_noticed(world, goes_on, mortal_postgres):
    """Connections that died with it are made anew."""
    run = begun(world, goes_on)
    mortal_postgres.kill()
    mortal_postgres.start()
    goes_on.set()
    assert world.wait_for_end(run).state.phase == "completed"
    assert max(world.tools.jobs.values()) == 1


def test_the_next_process_goes_on_with_what_stood_when_the_server_died(world, goes_on, mortal_postgres):
    """What was kept is not made again; what was under way is made once more."""
    run = begun(world, goes_on)
    mortal_postgres.kill()
    goes_on.set()
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    world.reopen(while_closed=mortal_postgres.start)
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.jobs[f"{run.id}:a:1"] == 1
    assert max(world.tools.jobs.values()) <= 2


def test_a_start_while_it_is_gone_says_so_and_the_run_is_not_lost(world, mortal_postgres):
    process = world.process("one", [step("a", world.tool("echo", echo))])
    mortal_postgres.kill()
    with pytest.raises(EngineUnavailableError, match="is unavailable") as raised:
        world.start_run(process)
    assert "start its server" in raised.value.advice
    mortal_postgres.start()
    world.reopen()
    (run,) = world.runs.list_runs(world.user)
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.jobs.total() == 1


def test_an_engine_says_whether_its_server_answers(world, mortal_postgres):
    world.engine.check()
    mortal_postgres.kill()
    with pytest.raises(EngineUnavailableError):
        world.engine.check()
    mortal_postgres.start()
    world.wait_until(lambda: is_there(world.engine))


def is_there(engine):
    try:
        engine.check()
    except EngineUnavailableError:
        return False
    return True
