"""Schedules in the record: checked as a whole, their owner's alone, each moment one process's to start."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, ProcessChange
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.schedules.model import NewSchedule, ScheduleChange
from aeon.platform.schedules.repository import ScheduleRepository

HOURLY = {"name": "hourly", "cron": "0 * * * *", "inputs": {"topic": "tea"}}


class Timed:
    """A world with a Process of one user's, and schedules."""

    def __init__(self, world):
        self.world, self.clock = world, world.clock
        self.processes = ProcessRepository(world.store, world.catalog)
        self.schedules = ScheduleRepository(world.store, world.catalog, self.processes)
        self.me = world.user("me")
        self.process = self.a_process(self.me)

    def a_process(self, user, **fields):
        tool = self.world.tool(user, self.world.service(user))
        step = {"id": "ask", "tool": tool.id, "inputs": {"id": "{topic}"}, "output": {"variable": "found"}}
        new = {"name": "research", "initialContext": ["topic"], "steps": [step], **fields}
        return self.processes.add(NewProcess.parsed(new), MutationRequest(user))

    def add(self, user=None, **fields):
        new = NewSchedule.parsed({**HOURLY, "process": self.process.id, **fields})
        return self.schedules.add(new, MutationRequest(user or self.me))

    def change(self, schedule, **fields):
        return self.schedules.change(schedule.id, ScheduleChange.parsed(fields), MutationRequest(self.me))

    def after(self, schedule, **away):
        since = datetime.fromisoformat(schedule.since).replace(minute=0, second=0, microsecond=0)
        return (since + timedelta(**away)).isoformat(timespec="microseconds")

    def due(self, now):
        """Of this world's only: the store is other tests', too."""
        return [firing for firing in self.schedules.list_due(now) if firing.schedule.owner_id == self.me]


@pytest.fixture
def timed(world):
    world.store.update(lambda unit: unit.write("UPDATE schedules SET due_micros = NULL"))
    return Timed(world)


def refused(call, *args, **fields):
    with pytest.raises(RuleError) as raised:
        call(*args, **fields)
    return {(each["path"], each["rule"]) for each in raised.value.details.get("problems", [])} or raised.value.rule


def test_every_field_comes_back(timed):
    schedule = timed.add(timeZone="Asia/Tokyo", catchUp="once", inputs={"topic": {"deep": [1, "x"]}})
    assert timed.schedules.get(timed.me, schedule.id) == schedule
    assert timed.schedules.find(timed.me, "hourly") == schedule
    assert (schedule.process, schedule.owner_id, schedule.since) == (timed.process.id, timed.me, schedule.created_at)
    once = timed.add(name="an instant", cron=None, at="2030-01-01T00:00:00+09:00")
    assert timed.schedules.list_own(timed.me) == [once, schedule]
    assert timed.schedules.list_own(timed.me, "an instant") == [schedule]


def test_everything_wrong_is_said_at_once(timed):
    wrong = {"cron": "61 * * * *", "timeZone": "Mars/Base", "at": "noon", "inputs": {"colour": 1}}
    assert refused(timed.add, **wrong) == {
        ("$.cron", "one_time"),
        ("$.cron", "cron_valid"),
        ("$.timeZone", "time_zone"),
        ("$.at", "instant"),
        ("$.inputs", "inputs_match"),
    }
    assert refused(timed.add, cron=None) == {("$.cron", "one_time")}
    assert refused(timed.add, cron=None, at="2020-01-01T00:00:00Z") == {("$.at", "at_future")}
    assert refused(timed.add, cron=None, at="2030-01-01T00:00:00") == {("$.at", "instant")}
    assert refused(timed.add, inputs={}) == {("$.inputs", "inputs_match")}
    assert refused(timed.add, catchUp="twice") == {("$.catchUp", "schema")}
    assert timed.schedules.list_own(timed.me) == []
    timed.add()
    assert refused(timed.add) == "name_unique"


def test_a_schedule_is_its_owner_s_alone(timed):
    """Platform 2: others see neither it nor, where it is not shared, its Process."""
    other = timed.world.user("other")
    schedule = timed.add()
    for call in (
        lambda: timed.schedules.get(other, schedule.id),
        lambda: timed.schedules.remove(schedule.id, MutationRequest(other)),
        lambda: timed.schedules.change(schedule.id, ScheduleChange(enabled=False), MutationRequest(other)),
        lambda: timed.add(other),
    ):
        with pytest.raises(NotFoundError):
            call()
    assert timed.schedules.list_own(other) == []


def test_another_s_shared_process_may_be_scheduled_and_he_learns_of_it(timed):
    """Platform 19. Unshared, the schedule can still be renamed and disabled."""
    other = timed.world.user("other")
    theirs = timed.a_process(other, name="theirs")
    share = ProcessChange(shared=True)
    timed.processes.change(theirs.id, share, MutationRequest(other))
    schedule = timed.add(process=theirs.id)
    told = [entry["action"] for entry in timed.world.catalog.ledger.audit_log(other) if entry["actorId"] == timed.me]
    assert told == ["process.use"]
    timed.processes.change(theirs.id, ProcessChange(shared=False), MutationRequest(other))
    assert timed.change(schedule, enabled=False).enabled is False
    with pytest.raises(NotFoundError):
        timed.change(schedule, enabled=True)


def test_what_is_due_is_fired_by_one(timed):
    """Whoever notes it first; a restart finds the same run."""
    schedule = timed.add()
    assert timed.due(timed.after(schedule, minutes=59)) == []
    now = timed.after(schedule, hours=1, seconds=10)
    (firing,) = timed.due(now)
    assert firing.instant == timed.after(schedule, hours=1)
    assert timed.due(now)[0].run_id == firing.run_id
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda _: timed.schedules.mark_fired(firing), range(8)))
    assert sorted(won) == [False] * 7 + [True]
    assert timed.due(now) == []
    assert timed.due(timed.after(schedule, hours=2))[0].instant == timed.after(schedule, hours=2)


def test_several_moments_are_noted_one_after_another(timed):
    schedule = timed.add(cron="*/20 * * * * *")
    firings = timed.due(timed.after(schedule, minutes=5))
    assert [timed.schedules.mark_fired(each) for each in firings] == [True] * len(firings)
    assert len(firings) == 3
    assert not timed.schedules.mark_fired(firings[0])


def test_what_is_late_is_settled_or_caught_up_once(timed):
    skipping, catching = timed.add(), timed.add(name="catching", catchUp="once")
    now = timed.after(skipping, hours=5, minutes=30)
    (firing,) = timed.due(now)
    assert (firing.schedule.id, firing.instant) == (catching.id, timed.after(catching, hours=5))
    assert timed.schedules.get(timed.me, skipping.id).since == now
    timed.schedules.mark_fired(firing)
    assert timed.due(now) == []
    assert len(timed.due(timed.after(skipping, hours=6))) == 2


def test_one_instant_is_over_after_it(timed):
    schedule = timed.add(cron=None, at="2026-05-01T12:00:00+02:00")
    (firing,) = timed.due("2026-05-01T10:00:30+00:00")
    assert timed.schedules.mark_fired(firing)
    assert timed.due("2027-01-01T00:00:00+00:00") == []
    timed.clock.sleep(300 * 86400)
    timed.change(schedule, enabled=False)
    assert refused(timed.change, schedule, enabled=True) == {("$.at", "at_future")}
    again = timed.change(schedule, at="2028-01-01T00:00:00Z", enabled=True)
    assert (again.cron, again.enabled) == (None, True)
    assert timed.change(schedule, cron="0 0 * * *").at is None


def test_a_changed_schedule_begins_anew(timed):
    """Nothing of before is caught up, and what was read before the change is not settled."""
    schedule = timed.add(catchUp="once")
    (firing,) = timed.due(timed.after(schedule, hours=3, minutes=30))
    timed.clock.sleep(3 * 3600 + 1800)
    timed.change(schedule, cron="30 * * * *")
    assert not timed.schedules.mark_fired(firing)
    assert timed.due(timed.after(schedule, hours=3, minutes=59)) == []
    timed.change(schedule, enabled=False)
    timed.clock.sleep(7200)
    assert timed.due(timed.after(schedule, hours=6)) == []
    timed.change(schedule, enabled=True)
    assert timed.due(timed.after(schedule, hours=5, minutes=45)) == []
    renamed = timed.change(schedule, name="another name")
    (next_one,) = timed.due(timed.after(schedule, hours=6, minutes=30))
    assert (next_one.schedule.name, next_one.schedule.since) == ("another name", renamed.since)


def test_what_changed_meanwhile_is_not_written_over(timed, monkeypatch):
    schedule = timed.add()
    own = timed.schedules.get_own

    def overtaken(user, id_):
        found = own(user, id_)
        monkeypatch.setattr(timed.schedules, "get_own", own)
        timed.change(schedule, name="theirs")
        return found

    monkeypatch.setattr(timed.schedules, "get_own", overtaken)
    with pytest.raises(ConflictError):
        timed.change(schedule, name="mine")


def test_a_removed_schedule_fires_no_more(timed):
    schedule = timed.add()
    (firing,) = timed.due(timed.after(schedule, hours=1))
    timed.schedules.remove(schedule.id, MutationRequest(timed.me))
    assert timed.due(timed.after(schedule, hours=1)) == []
    assert not timed.schedules.mark_fired(firing)
    with pytest.raises(NotFoundError):
        timed.schedules.get(timed.me, schedule.id)
    trail = [entry["action"] for entry in timed.world.catalog.ledger.audit_log(timed.me)]
    assert trail[-2:] == ["schedule.create", "schedule.delete"]


def test_a_repeated_request_makes_one_schedule(timed):
    """Platform 20."""
    new = NewSchedule.parsed({**HOURLY, "process": timed.process.id})
    request = MutationRequest(timed.me, "key")
    assert timed.schedules.add(new, request) == timed.schedules.add(new, request)
