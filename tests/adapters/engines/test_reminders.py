"""People are reminded of open questions by runs of a Process, each once, however many workers look (platform 41)."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.errors import RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.reminders import ReminderStarter
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, step

pytestmark = pytest.mark.slow


class Reminding:
    """A world with a run that asks a user, and a Process that reminds of it: at once, and every hour."""

    def __init__(self, world, store):
        self.world, self.store = world, store
        mail = step("mail", world.tool("mail", echo), inputs={"id": "{assignee}: {question.id}"})
        self.mail = world.process("mail", [mail], initialContext=["assignee", "question"])
        self.now = datetime.fromisoformat(world.clock.now())

    def asks(self, **remind):
        rules = {"assignee": "{q}", "remind": {"process": self.mail.id, **remind}}
        asking = step("ask", self.world.tool("echo", echo), interactionMode="manual", timeout=86_400, question=rules)
        run = self.world.start_run(self.world.process("asks", [asking]), self.world.user)
        self.world.wait_until(lambda: bool(self.world.runs.list_questions(self.world.user, run.id)))
        return run

    def due(self, hours=0.0):
        """What another worker starts so many hours later."""
        later = (self.now + timedelta(seconds=60, hours=hours)).isoformat()
        return ReminderStarter(self.store, self.world.runs).start_due(later)

    def executed(self, run):
        repository = self.world.runs.repository
        assert repository.reassign(run.id, "detached", self.world.engine.executor)
        self.world.engine.start(run.id)
        return self.world.wait_for_end(run)


@pytest.fixture
def reminding(store, tmp_path):
    store.update(lambda unit: unit.write("UPDATE questions SET remind_micros = NULL"))
    world = EngineWorld(store, tmp_path, lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{tmp_path}/runs.db"), *parts))
    yield Reminding(world, store)
    world.close()


def test_who_is_asked_is_reminded_until_there_is_an_answer(reminding):
    run = reminding.asks(every=3600)
    (first,) = reminding.due()
    assert (first.asking, first.step, first.refusal) == (run.id, "ask", None)
    view = reminding.executed(first.run)
    assert view.state.output == {"got": f"{reminding.world.user}: {reminding.world.user}"}
    assert view.run.trigger == "schedule"
    assert reminding.due() == []
    assert reminding.due(0.9) == []
    (second,) = reminding.due(1.5)
    assert second.run.id != first.run.id
    reminding.world.runs.answer(reminding.world.user, run.id, "ask", "yes")
    reminding.world.wait_for_end(run)
    assert reminding.due(9) == []


def test_many_workers_at_once_remind_once(reminding):
    reminding.asks(after=30)
    together = threading.Barrier(4, timeout=20)

    def work(_number):
        together.wait()
        return reminding.due()

    with ThreadPoolExecutor(4) as pool:
        started = [each for found in pool.map(work, range(4)) for each in found]
    assert len(started) == 1
    runs = reminding.world.runs.list_runs(reminding.world.user)
    assert [each.process_name for each in runs].count("mail") == 1
    assert reminding.due(24) == [], "without `every`, once"


def test_a_reminder_is_of_the_version_to_which_the_run_is_pinned(reminding):
    """A sharer who changes the Process later changes nothing for runs that were started before."""
    reminding.asks()
    steps = [step("mail", reminding.world.tool("other", echo), inputs={"id": "changed"})]
    change = ProcessChange.parsed({"steps": steps})
    reminding.world.processes.change(reminding.mail.id, change, MutationRequest(reminding.world.user))
    (started,) = reminding.due()
    assert started.run.digest == reminding.mail.digest
    reminding.executed(started.run)
    assert reminding.world.tools.calls["mail"] == 1


def test_a_reminder_that_cannot_start_is_reported_once(reminding):
    reminding.asks(every=60)
    change = ProcessChange(enabled=False)
    reminding.world.processes.change(reminding.mail.id, change, MutationRequest(reminding.world.user))
    (refused,) = reminding.due()
    assert (refused.run, "is disabled" in str(refused.refusal)) == (None, True)
    assert reminding.due(24) == []


def test_what_reminds_nobody_is_refused_when_it_is_saved(reminding):
    world = reminding.world
    needs = world.process("needs", [step("a", world.tool("x", echo))], initialContext=["q", "assignee"])

    asked = world.tool("y", echo)

    def problems(question):
        asking = step("ask", asked, interactionMode="manual", question=question)
        with pytest.raises(RuleError) as raised:
            world.process("wrong", [asking])
        return str(raised.value)

    assert "name an assignee" in problems({"remind": {"process": reminding.mail.id}})
    assert "there is no Process 'nothing'" in problems({"assignee": "me", "remind": {"process": "nothing"}})
    assert "'needs' needs q" in problems({"assignee": "me", "remind": {"process": needs.id}})
    assert "greater than or equal to 60" in problems({"assignee": "me", "remind": {"process": needs.id, "every": 5}})
