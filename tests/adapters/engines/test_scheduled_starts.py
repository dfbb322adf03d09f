"""Each moment of a schedule is one run, however many workers look and wherever one of them stops."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.schedules.model import NewSchedule, ScheduleChange
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.schedules.starter import ScheduleStarter
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step


class KilledError(Exception):
    """What stands for the end of the process at that point."""


class Killed(ScheduleRepository):
    """Ends before a moment is settled, as a process does that is killed."""

    def mark_fired(self, firing, problem=None):
        raise KilledError


class Scheduled:
    """A world with a Process, and a schedule that has a moment due."""

    def __init__(self, world, store):
        self.world, self._store = world, store
        self.process = world.process("errand", [step("a", world.tool("echo", echo))])
        schedules = self.schedules(ScheduleRepository)
        new = {"name": "hourly", "process": self.process.id, "cron": "0 * * * *", "inputs": {"q": "tea"}}
        self.schedule = schedules.add(NewSchedule.parsed(new), MutationRequest(world.user))
        since = datetime.fromisoformat(self.schedule.since).replace(minute=0, second=0, microsecond=0)
        self.now = (since + timedelta(hours=1, seconds=10)).isoformat()

    def schedules(self, kind):
        return kind(self._store, self.world.catalog, self.world.processes)

    def starter(self, kind=ScheduleRepository):
        """Another worker's."""
        return ScheduleStarter(self.schedules(kind), self.world.processes, self.world.runs, self.world.engine)

    def runs(self):
        return self.world.runs.list_runs(self.world.user)

    def ended(self):
        self.world.wait_until(lambda: all(run.phase in ENDED_PHASES for run in self.runs()))
        return self.runs()


@pytest.fixture
def scheduled(store, tmp_path):
    store.update(lambda unit: unit.write("UPDATE schedules SET due_micros = NULL"))
    world = EngineWorld(store, tmp_path, lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{tmp_path}/runs.db"), *parts))
    yield Scheduled(world, store)
    world.close()


def test_many_workers_at_once_start_one_run(scheduled):
    together = threading.Barrier(4, timeout=20)

    def work(_number):
        starter = scheduled.starter()
        together.wait()
        return starter.start_due(scheduled.now)

    with ThreadPoolExecutor(4) as pool:
        started = [each for found in pool.map(work, range(4)) for each in found]
    assert [(each.process, each.refusal) for each in started] == [("errand", None)]
    (run,) = scheduled.ended()
    assert (run.id, run.trigger) == (started[0].firing.run_id, "schedule")
    assert scheduled.world.runs.view(run.owner_id, run.id).run.inputs == {"q": "tea"}
    assert scheduled.world.tools.calls["echo"] == 1


@pytest.mark.parametrize("is_over", [True, False])
def test_a_worker_that_is_killed_between_starting_and_noting_starts_nothing_twice(scheduled, is_over):
    """Whoever comes next starts the same run, which is no other one, whether it has ended meanwhile or not."""
    with pytest.raises(KilledError):
        scheduled.starter(Killed).start_due(scheduled.now)
    if is_over:
        scheduled.ended()
    (started,) = scheduled.starter().start_due(scheduled.now)
    assert [run.id for run in scheduled.ended()] == [started.firing.run_id]
    assert scheduled.world.tools.calls["echo"] == 1
    assert scheduled.starter().start_due(scheduled.now) == []


def test_what_may_not_be_started_is_told_once_and_not_tried_for_ever(scheduled):
    change = ProcessChange(enabled=False)
    scheduled.world.processes.change(scheduled.process.id, change, MutationRequest(scheduled.world.user))
    (refused,) = scheduled.starter().start_due(scheduled.now)
    assert "is disabled" in str(refused.refusal)
    assert scheduled.starter().start_due(scheduled.now) == []
    assert scheduled.runs() == []


def test_a_schedule_keeps_its_last_start_and_why_a_later_one_was_refused(scheduled):
    world, user = scheduled.world, scheduled.world.user

    def kept():
        found = scheduled.schedules(ScheduleRepository).get_own(user, scheduled.schedule.id)
        return found.started_at and datetime.fromisoformat(found.started_at), found.run, found.problem

    def now(hours):
        return datetime.fromisoformat(scheduled.now) + timedelta(hours=hours)

    assert kept() == (None, None, None)
    (started,) = scheduled.starter().start_due(now(0).isoformat())
    last = (datetime.fromisoformat(started.firing.instant), started.firing.run_id)
    assert kept() == (*last, None)
    world.processes.change(scheduled.process.id, ProcessChange(enabled=False), MutationRequest(user))
    scheduled.starter().start_due(now(1).isoformat())
    assert kept() == (*last, f"The process 'errand' of {user} is disabled.")
    world.processes.change(scheduled.process.id, ProcessChange(enabled=True), MutationRequest(user))
    (again,) = scheduled.starter().start_due(now(2).isoformat())
    assert kept() == (datetime.fromisoformat(again.firing.instant), again.firing.run_id, None)


def test_the_schedules_of_a_paused_process_start_nothing_and_do_not_catch_up_unless_they_say_so(scheduled):
    """Platform 41"""
    world, early = scheduled.world, scheduled.schedule
    world.switch(scheduled.process, paused=True)
    assert scheduled.starter().start_due(scheduled.now) == []
    later = (datetime.fromisoformat(scheduled.now) + timedelta(hours=5, minutes=10)).isoformat()
    assert scheduled.starter().start_due(later) == []
    world.switch(scheduled.process, paused=False)
    assert scheduled.starter().start_due(later) == []
    change = ScheduleChange(catch_up="once")
    scheduled.schedules(ScheduleRepository).change(early.id, change, MutationRequest(world.user))
    world.switch(scheduled.process, paused=True)
    much_later = (datetime.fromisoformat(later) + timedelta(hours=5)).isoformat()
    assert scheduled.starter().start_due(much_later) == []
    world.switch(scheduled.process, paused=False)
    (caught_up,) = scheduled.starter().start_due(much_later)
    assert caught_up.refusal is None
    assert [run.trigger for run in scheduled.ended()] == ["schedule"]
