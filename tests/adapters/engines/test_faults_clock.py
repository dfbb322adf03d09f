"""Somebody sets the machine's clock while runs wait (platform 7, 9, 10): the shipped cases for engines that go by it."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from aeon.adapters.engines.retry import wait_until
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun
from aeon.platform.schedules.model import NewSchedule
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.schedules.starter import ScheduleStarter
from aeon.platform.workers.heartbeat import WorkerHeartbeat
from aeon.platform.workers.maintenance import OrphanRecovery
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.clock import FakeClock
from aeon.testing.engines import CLOCK_CASES, CLOCK_RECOVERY_CASES, EngineWorld
from aeon.testing.engines.world import SettableClock, echo, step

from .test_engines import ENGINES

pytestmark = pytest.mark.slow


def made(request, store, folder):
    world = EngineWorld(store, folder, ENGINES[request.param](folder, request))
    yield world
    world.close()


SQLITE = pytest.param("sqlite", marks=pytest.mark.slow)


@pytest.fixture(params=["local", SQLITE])
def world(request, store, tmp_path):
    yield from made(request, store, tmp_path)


@pytest.fixture(params=[SQLITE])
def lasting_world(request, store, tmp_path):
    yield from made(request, store, tmp_path)


@pytest.mark.parametrize("case", CLOCK_CASES, ids=lambda case: case.__name__)
def test_engine_whose_clock_is_set(case, world):
    case(world)


@pytest.mark.parametrize("case", CLOCK_RECOVERY_CASES, ids=lambda case: case.__name__)
def test_engine_whose_clock_is_set_and_that_is_opened_anew(case, lasting_world):
    case(lasting_world)


DAY, HOUR = 86400.0, 3600.0


class Clock(FakeClock):
    """One that stands still, and can be set."""

    def __init__(self):
        super().__init__(tick=0)
        self.ahead = timedelta()

    def now(self):
        return (datetime.fromisoformat(super().now()) + self.ahead).isoformat(timespec="microseconds")


@pytest.mark.parametrize("jump", [DAY, -HOUR])
def test_whoever_beats_is_there_and_whoever_does_not_is_gone_whatever_the_clock_says(store, jump):
    """What was seen of another one counts, and 90 s without a heartbeat (platform 10) are 90 s."""
    mine, theirs, other = Clock(), Clock(), str(uuid4())
    here, there = WorkerRegistry(store, mine), WorkerRegistry(store, theirs)
    there.register(other, {"rest_api": 1}, [])

    def is_gone():
        return other in {each.id for each in here.list_dead_executors()}

    assert not is_gone()
    for clock in (mine, theirs):
        clock.sleep(30)
    there.heartbeat(other, [])
    assert not is_gone()
    mine.ahead = timedelta(seconds=jump)
    assert not is_gone()
    mine.sleep(90)
    assert not is_gone()
    mine.sleep(1)
    assert is_gone()
    theirs.sleep(100)
    there.heartbeat(other, [])
    assert not is_gone()
    there.deregister(other)


def test_a_process_is_heard_of_at_once_when_the_clock_was_set(store):
    """Whoever looks for the first time goes by the clock."""
    clock, executor = SettableClock(), str(uuid4())
    registry = WorkerRegistry(store, clock)
    presence = WorkerHeartbeat(registry, executor, {"rest_api": 1}, clock)
    presence.start()

    def is_heard():
        (found,) = [each for each in registry.list_executors() if each.id == executor]
        return found.last_heartbeat > when

    clock.jump(DAY)
    when = clock.now()
    assert wait_until(is_heard, 10)
    assert executor not in {each.id for each in WorkerRegistry(store, clock).list_dead_executors()}
    presence.close()


def test_a_run_that_nobody_has_is_taken_over_though_it_was_accepted_in_what_is_now_the_future(world):
    process = world.process("left", [step("a", world.tool("echo", echo))])
    run = world.runs.accept(process, NewRun({"q": "q"}), MutationRequest(world.user))
    caretaker = OrphanRecovery(
        world.runs.repository, WorkerRegistry(world.store, world.clock), world.engine, world.clock
    )
    assert run.id not in {each.id for each in caretaker.adopt()}
    world.clock.jump(-HOUR)
    assert run.id in {each.id for each in caretaker.adopt()}
    assert world.wait_for_end(run).state.phase == "completed"


@pytest.mark.parametrize("catch_up", ["skip", "once"])
def test_schedules_start_nothing_twice_and_go_on_when_the_clock_was_ahead_for_a_while(world, catch_up):
    """Each moment is one run, whichever way it comes."""
    schedules = ScheduleRepository(world.store, world.catalog, world.processes)
    process = world.process("often", [step("a", world.tool("echo", echo))])
    told = {"name": "often", "process": process.id, "cron": "0 * * * *", "inputs": {"q": "q"}, "catchUp": catch_up}
    schedule = schedules.add(NewSchedule.parsed(told), MutationRequest(world.user))
    starter = ScheduleStarter(schedules, world.processes, world.runs, world.engine)
    first = datetime.fromisoformat(schedule.since).replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)

    def started(*, hours=0.0, seconds=5.0):
        found = starter.start_due((first + timedelta(hours=hours, seconds=seconds)).isoformat(timespec="microseconds"))
        return [each.firing.run_id for each in found if each.firing.schedule.id == schedule.id]

    (one,) = started()
    (ahead,) = started(hours=24)
    assert started(hours=0.5) == []
    (two,) = started(hours=1)
    assert started(hours=1) == []
    again = started(hours=-0.5) + started() + started(hours=1) + started(hours=24)
    assert set(again) == {one, two, ahead}
    for run in (one, two, ahead):
        world.wait_until(lambda run=run: world.runs.repository.get_phase(run) == "completed")
    assert world.tools.jobs == {f"{run}:a:1": 1 for run in (one, two, ahead)}
