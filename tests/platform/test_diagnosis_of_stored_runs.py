"""Why does this run not go on? Every reason, from a real run on a real record (platform 4, 5, 9, 10)."""

from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
from tests.platform.conftest import ENDPOINT, TOOL

from aeon.adapters.engines.local import LocalEngine
from aeon.adapters.operations.probes import HttpProbe
from aeon.base.next_steps import TEXTS
from aeon.cli.next_steps import COMMANDS, advice_of
from aeon.platform.catalog.health import HealthChecks
from aeon.platform.catalog.model import NewSecret, NewService, NewTool, ServiceChange, ToolChange
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.diagnosis import DiagnosisContext, ObstacleFinder, explain_run
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.admission import NewRun
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WorkerRegistry
from aeon.testing.clock import FakeClock
from aeon.testing.engines.world import EngineWorld, echo, failing, step, wait_for
from aeon.testing.records import new_record

KEY = {"name": "key", "type": "api_key", "value": {"key": "s3cret"}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    record = new_record(tmp_path_factory.mktemp("record"))
    yield record
    record.close()


class Asking(EngineWorld):
    """An engine's world that is asked why."""

    def __init__(self, store, folder):
        super().__init__(store, folder, lambda book, workers, _r, clock, who: LocalEngine(book, workers, clock, who))
        self.registry = WorkerRegistry(store, self.clock)
        self.registry.register(self.engine.executor, {"rest_api": 4}, [])

    def why(self, run, now=None, carrier=None, user=None):
        """The reasons, by step."""
        clock = self.clock if now is None else FakeClock(datetime.fromisoformat(now))
        around = DiagnosisContext(
            self.store,
            self.runs,
            self.registry,
            ObstacleFinder(self.store, self.catalog.tools, self.processes),
            clock,
            carrier or self.engine.executor,
        )
        return {each.step: each for each in explain_run(around, user or self.user, run.id)}

    def asking_first(self, *steps):
        """A run of these steps that waits for a person before them."""
        ask = step("ask", self.tool("asked", echo), interactionMode="manual")
        run = self.start_run(self.process("p", [ask, *steps]))
        self.wait_until(lambda: bool(self.runs.list_questions(self.user, run.id)))
        return run

    def check_health(self):
        """Twice: the second failure in a row means down."""
        checks = HealthChecks(
            self.store, self.catalog.tools, self.catalog.services, {"rest_api": HttpProbe()}, self.clock
        )
        for _ in range(2):
            list(checks.run(self.user, only_due=False))

    def shared_by(self, owner, *, needs_secret=False):
        """A shared tool of another user's, on his own service."""
        self.catalog.add_user(owner)
        told = {"name": "theirs", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT}
        new = NewService.parsed({**told, "requiresSecret": needs_secret})
        service = self.catalog.services.add(new, MutationRequest(owner))
        tool = {**TOOL, "name": "lent", "serviceId": service.id, "shared": True}
        if needs_secret:
            tool["secretId"] = self.catalog.secrets.add(NewSecret.parsed(KEY), MutationRequest(owner)).id
        return self.catalog.tools.add(NewTool.parsed(tool), MutationRequest(owner))


@pytest.fixture
def world(store, tmp_path):
    made = Asking(store, tmp_path)
    yield made
    made.close()


def test_a_person_is_waited_for_and_what_waits_for_that_step_says_so(world):
    run = world.asking_first(step("b", world.tool("bad", failing), after=["ask"]))
    said = world.why(run)
    assert said["ask"].asks == world.user
    assert said["b"].waits_for == ["ask"]
    world.registry.deregister(world.engine.executor)
    assert set(world.why(run)) == {"ask", "b"}
    world.runs.cancel(world.user, run.id)
    world.engine.wake(run.id)
    world.wait_for_end(run)
    assert "cancelled" in world.why(run)["b"].message


def test_a_run_that_nobody_carries_out_says_what_to_do(world):
    process = world.process("p", [step("a", world.tool("echo", echo))])
    run = world.runs.accept(process, NewRun({"q": 1}), MutationRequest(world.user))
    assert f"aeon log resume {run.id}" in world.why(run)[""].worded(COMMANDS)


def busy(given, key):
    raise OperationError("it is busy", is_transient=True)


def test_a_retry_says_how_long_still_and_why(world):
    """Platform 10: the second attempt comes 1 s after the first."""
    run = world.start_run(world.process("p", [step("a", world.tool("busy", busy))]))
    world.wait_until(lambda: world.view_of(run).state.steps[0].attempts == 2)
    started = [entry for entry in world.runs.list_entries(world.user, run.id) if entry.event.event == "step_started"][
        -1
    ]
    later = {seconds: datetime.fromisoformat(started.at) + timedelta(seconds=seconds) for seconds in (-60, 0.25, 1.5)}
    waits, set_back, over = (world.why(run, later[each].isoformat())["a"] for each in (0.25, -60, 1.5))
    assert (waits.kind, waits.attempt, waits.seconds) == ("retrying", 2, 0.75)
    assert waits.message == "Is retried in 0.8 s (attempt 2 of at most 4): it is busy."
    assert (set_back.kind, set_back.seconds) == ("retrying", 1.0)
    assert (over.kind, over.seconds) == ("running", 0.0)
    assert over.message == "Runs: tool 'busy', attempt 2 of at most 4; the one before failed: it is busy."


def overloaded(given, key):
    raise OperationError("it is overloaded", is_transient=True, retry_after=30)


def test_a_retry_waits_as_long_as_the_service_asked(world):
    run = world.start_run(world.process("p", [step("a", world.tool("busy", overloaded))]))
    world.wait_until(lambda: world.view_of(run).state.steps[0].attempts == 2)
    started = [entry for entry in world.runs.list_entries(world.user, run.id) if entry.event.event == "step_started"][
        -1
    ]
    now = datetime.fromisoformat(started.at) + timedelta(seconds=20)
    waits = world.why(run, now.isoformat())["a"]
    assert (waits.kind, waits.message) == (
        "retrying",
        "Is retried in 10.0 s (attempt 2 of at most 4): it is overloaded.",
    )


def test_a_tool_that_is_down_is_told_before_it_is_reached_and_while_it_is_retried(world):
    """Platform 5: since when, what the check said, and what to do."""
    tool = world.tool("busy", busy)
    run = world.asking_first(step("b", tool))
    assert world.why(run)["b"].obstacle is None
    world.check_health()
    found = world.why(run)["b"]
    assert (found.kind, found.obstacle.kind) == ("waits", "down")
    assert found.obstacle.since.startswith("20")
    assert found.message.startswith("Waits for 'ask'. It would fail when it is reached: the tool 'busy' is down: ")
    assert "private" in found.message
    assert f", since {found.obstacle.since[:19]}. `aeon tool health` checks it again" in found.worded(COMMANDS)
    world.runs.answer(world.user, run.id, "ask", "yes")
    world.engine.wake(run.id)
    world.wait_until(lambda: world.view_of(run).state.steps[1].attempts == 2)
    again = world.why(run)["b"]
    assert again.message.startswith("Is retried in ")
    assert "By now the tool 'busy' is down" in again.message


def test_what_is_disabled_is_told_tools_services_and_processes(world):
    tool = world.tool("off", echo)
    inner = world.process("inner", [step("x", world.tool("fine", echo))])
    run = world.asking_first(step("b", tool), step("c", "", process=inner.id, inputs={"q": "{q}"}))
    world.catalog.tools.change(tool, ToolChange(enabled=False), MutationRequest(world.user))
    world.processes.change(inner.id, ProcessChange(enabled=False), MutationRequest(world.user))
    said = world.why(run)
    assert [said[each].obstacle.kind for each in "bc"] == ["disabled", "disabled"]
    assert f"the tool 'off' of {world.user} is disabled. Enable it, or ask its owner to." in said["b"].worded(TEXTS)
    assert f"the process 'inner' of {world.user} is disabled" in said["c"].message
    world.catalog.tools.change(tool, ToolChange(enabled=True), MutationRequest(world.user))
    service = world.catalog.tools.get(world.user, tool).service_id
    world.catalog.services.change(service, ServiceChange(enabled=False), MutationRequest(world.user))
    assert "the service 'api'" in world.why(run)["b"].message


def test_what_is_shared_no_more_is_told_with_its_owner(world):
    """Platform 4"""
    owner = f"owner-of-{world.user}"
    lent = world.shared_by(owner)
    run = world.asking_first(step("b", lent.id))
    assert world.why(run)["b"].obstacle is None
    world.catalog.tools.change(lent.id, ToolChange(shared=False), MutationRequest(owner))
    found = world.why(run)["b"]
    assert found.obstacle.kind == "access"
    assert f"the tool 'lent' of {owner} is deleted, or no longer shared with {world.user}" in found.message
    assert "share it again" in found.worded(TEXTS)


def test_what_needs_a_secret_of_the_callers_is_told(world):
    """Platform 3"""
    lent = world.shared_by(f"owner-of-{world.user}", needs_secret=True)
    own = world.catalog.secrets.add(NewSecret.parsed(KEY), MutationRequest(world.user))
    world.catalog.tools.bind(lent.id, own.id, MutationRequest(world.user))
    run = world.asking_first(step("b", lent.id))
    assert world.why(run)["b"].obstacle is None
    world.catalog.tools.unbind(lent.id, MutationRequest(world.user))
    found = world.why(run)["b"]
    assert found.obstacle.kind == "secret"
    assert "bind it to the tool" in found.worded(TEXTS)


def test_a_deadline_is_told_when_it_is_near(world):
    ask = step("ask", world.tool("asked", echo), interactionMode="manual")
    far = datetime.fromisoformat(world.clock.now()).timestamp() + 1000
    run = world.start_run(world.process("p", [ask]), within=1000)
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    assert set(world.why(run)) == {"ask"}

    def before(seconds):
        return world.why(run, datetime.fromtimestamp(far - seconds).astimezone().isoformat())[""]

    assert (before(120).kind, round(before(120).seconds)) == ("deadline", 120)
    assert "it fails in 120 s" in before(120).message
    assert "has passed" in before(-5).message


def test_a_question_that_takes_no_answer_says_why_and_who_goes_on(world):
    """Nobody executes the run: the reasons are not those of a run that waits for a person."""
    ask = step("ask", world.tool("asked", echo), interactionMode="manual")
    late, told = (world.start_run(world.process(name, [ask])) for name in ("late", "told"))
    for run in (late, told):
        world.wait_until(lambda run=run: bool(world.runs.list_questions(world.user, run.id)))
    world.engine.close()
    world.registry.deregister(world.engine.executor)
    assert set(world.why(late)) == {"ask"}
    world.runs.answer(world.user, told.id, "ask", "yes")
    world.clock.jump(400)
    assert "Nobody answered within 60 s" in world.why(late)["ask"].message
    assert "Is answered" in world.why(told)["ask"].message
    for run in (late, told):
        assert f"aeon log resume {run.id}" in world.why(run)[""].worded(COMMANDS)


def test_a_run_of_another_engine_says_so(world):
    process = world.process("p", [step("a", world.tool("echo", echo))])
    run = world.runs.accept(process, NewRun({"q": 1}, executor=SELF_RECOVERING_EXECUTOR), MutationRequest(world.user))
    assert world.why(run)[""].kind == "engine"
    assert "engine.address" in str(world.why(run)[""].next_step)
    assert "" not in world.why(run, carrier=SELF_RECOVERING_EXECUTOR)


def test_a_run_that_is_not_there_says_in_which_record_it_was_looked_for(world):
    run = world.asking_first()
    world.catalog.add_user("stranger")
    with pytest.raises(NotFoundError, match="The search was in: ") as refused:
        world.why(run, user="stranger")
    assert world.store.name in str(refused.value)
    assert "aeon config list" in advice_of(refused.value)


def test_a_run_that_was_called_is_named(world):
    inner = world.process("inner", [step("ask", world.tool("asked", echo), interactionMode="manual")])
    run = world.start_run(world.process("p", [step("a", "", process=inner.id, inputs={"q": "{q}"})]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    assert world.why(run)["a"].worded(COMMANDS).endswith(f"`aeon log why {run.id}:a:1`.")


def test_a_wait_says_until_when(world):
    run = world.start_run(world.process("p", [{"id": "w", "wait": 90, "output": {"variable": "w"}}]))
    world.wait_until(lambda: world.why(run)["w"].kind == "running")
    asked = datetime.fromisoformat(world.clock.now()) + timedelta(seconds=30)
    found = world.why(run, now=asked.isoformat())["w"]
    until = datetime.strptime(found.message, "Waits until %Y-%m-%d %H:%M:%S UTC.").replace(tzinfo=UTC)
    assert 0 <= (until - asked).total_seconds() <= 60
    assert 55 < found.seconds <= 60


@pytest.mark.parametrize(
    ("effect", "said"),
    [("once", "the step fails as interrupted once"), ("idempotent", "it is made again once the run goes on")],
)
def test_a_call_that_was_cut_off_does_not_wait_for_a_worker(world, effect, said):
    """The advice to start a worker for its service did not help: nobody executed the run."""
    lets_go = Event()
    run = world.start_run(world.process("p", [step("a", world.tool("slow", wait_for(lets_go), effect))]))
    world.wait_until(lambda: "a" in world.why(run) and world.why(run)["a"].kind == "running")
    world.registry.deregister(world.engine.executor)
    why = world.why(run)
    assert said in why["a"].message
    assert not why["a"].next_step
    assert f"aeon log resume {run.id}" in why[""].worded(COMMANDS)
    lets_go.set()


def test_a_run_that_waits_for_its_process_needs_no_other_worker_than_the_one_that_is_up(world):
    process = world.process("p", [step("a", world.tool("echo", echo))])
    world.switch(process, paused=True)
    world.registry.register("worker", {"rest_api": 4}, ["process"])
    run = world.runs.accept(process, NewRun({"q": 1}), MutationRequest(world.user))
    assert world.why(run)[""].message == "Its process is paused."
    world.registry.deregister("worker")
