"""Runs on a real Temporal server: as on every engine, and what is Temporal's alone (platform 6 to 10)."""

import asyncio
import sys
import threading

import pytest
from tests.chaos_sizes import size_of

from aeon.adapters.engines.retry import wait_until
from aeon.adapters.results import FileResultStore
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.bootstrap.engines import EngineLocation, EngineParts, open_engine, open_worker
from aeon.platform.workers.capabilities import Capabilities
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.settings import EngineSettings
from aeon.testing.engines import CASES, LANGUAGE_CASES, LANGUAGE_RECOVERY_CASES, RECOVERY_CASES, EngineWorld
from aeon.testing.engines.world import echo, step
from aeon.testing.temporal_server import TemporalServer, missing_for_temporal

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(180)]

NAMESPACES = tuple(f"project-{n}" for n in range(120))
"""A namespace is one project's, and each test is one."""

WIDE = size_of("AEON_WIDE_STEPS", in_ci=2_100)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if missing := missing_for_temporal():
        pytest.skip(missing)
    server = TemporalServer(tmp_path_factory.mktemp("temporal"), namespaces=NAMESPACES)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def unused():
    return iter(NAMESPACES)


def test_a_namespace_is_the_first_graphs_for_good(server, unused, tmp_path):
    """With two, workers of each would be offered the other's runs."""
    namespace, other = next(unused), next(unused)

    def place(name, record):
        settings = EngineSettings().model_copy(update={"address": f"temporal://{server.address}/{name}"})
        return EngineLocation(tmp_path, settings, {}, lambda: record, bool)

    def worker(name, record):
        return open_worker(
            place(name, record),
            None,
            FileResultStore(tmp_path),
            executor="me",
            slots={},
            live_executors=set,
            is_wanted=bool,
            capabilities=Capabilities(),
        )

    for name, record in ((namespace, "first"), (namespace, "first"), (other, "second")):
        worker(name, record).close()
    refused = rf"'{namespace}' of Temporal holds the runs of another record \(first\), and yours is second"
    with pytest.raises(ConfigError, match=refused) as raised:
        worker(namespace, "second")
    assert "a namespace of its own" in raised.value.advice
    with pytest.raises(ConfigError, match=refused):
        open_engine(
            place(namespace, "second"), EngineParts(None, None, FileResultStore(tmp_path), None, None, None), "me"
        )


PATIENT = 120.0
"""Seconds without a heartbeat, for tests in which no worker is lost: a busy machine must not look like a lost one."""


@pytest.fixture
def opened(server, unused, store, tmp_path):
    """Opens a world on the server, in a namespace of its own."""
    worlds = []

    def opened(**more):
        from aeon.adapters.engines.temporal import TemporalEngine

        namespace = next(unused)
        given = {"slots": {"rest_api": 100}, "heartbeat": 4.0, **more}

        def make(book, workers, results, _clock, _executor):
            return TemporalEngine(server.address, namespace, book, workers, results, **given)

        worlds.append(EngineWorld(store, tmp_path / namespace, make))
        return worlds[-1]

    yield opened
    for world in worlds:
        world.close()


@pytest.fixture
def world(opened):
    return opened()


async def workflows(world, which="WorkflowType = 'aeon.run'"):
    return [each async for each in world.engine._client.list_workflows(which)]


async def history(world, run, run_id=None):
    return await world.engine._client.get_workflow_handle(run, run_id=run_id).fetch_history()


async def replayed(world):
    """Carry out again, from Temporal's record alone, whatever was carried out in this world."""
    from temporalio.worker import Replayer, UnsandboxedWorkflowRunner

    from aeon.adapters.engines.temporal.connection import data_converter
    from aeon.adapters.engines.temporal.workflow import RunWorkflow

    replayer = Replayer(
        workflows=[RunWorkflow],
        workflow_runner=UnsandboxedWorkflowRunner(),
        data_converter=data_converter(world.results),
        build_id="aeon-1",
    )
    runs = [run.id for run in world.runs.list_runs(world.user)]
    for run in runs:
        await replayer.replay_workflow(await history(world, run))
    return len(runs)


@pytest.mark.parametrize("case", [*CASES, *LANGUAGE_CASES], ids=lambda case: case.__name__)
def test_as_on_every_engine_and_its_record_replays(case, world):
    """Platform 6 to 10."""
    case(world)
    assert world.engine._connection.run(replayed(world))


@pytest.mark.parametrize("case", [*RECOVERY_CASES, *LANGUAGE_RECOVERY_CASES], ids=lambda case: case.__name__)
def test_an_engine_that_keeps_its_work(case, world):
    """Platform 9, 10."""
    case(world)


def test_a_signal_told_twice_is_taken_once(world):
    """Platform 9: the first answer counts."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("hears", [step(name, tool, interactionMode="manual") for name in "ab"]))
    for name in "ab":
        world.wait_until(
            lambda name=name: any(each.step == name for each in world.runs.list_questions(world.user, run.id))
        )
        world.runs.answer(world.user, run.id, name, name)
        for _ in range(2):
            world.engine.wake(run.id)
            world.engine._sent_signals.clear()
    assert world.wait_for_end(run).state.output == "b"
    assert world.event_names(run).count("answer_given a") == 1


def test_what_nobody_told_the_run_it_hears_later(world, monkeypatch):
    """Platform 9: an answer that was written down is taken, also when whoever gave it could not tell of it."""
    monkeypatch.setattr("aeon.adapters.engines.temporal.engine._SIGNAL_POLL_INTERVAL", 0.2)
    world.reopen()
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("hears", [step("a", tool, interactionMode="manual")]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.runs.answer(world.user, run.id, "a", "yes")
    assert world.wait_for_end(run).state.output == "yes"


def test_a_cancelled_job_hears_of_it_within_seconds_and_its_late_answer_reaches_nobody(world):
    """Platform 10: the worker is free again, though the thread goes on."""
    begun, heard, goes_on = threading.Event(), threading.Event(), threading.Event()

    def hang(given, key):
        begun.set()
        goes_on.wait(30)
        return echo(given, key)

    carry_out = LocalWorkerPool.execute

    async def watched(workers, job, confirm):
        try:
            return await carry_out(workers, job, confirm)
        except asyncio.CancelledError:
            heard.set()
            raise

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LocalWorkerPool, "execute", watched)
        run = world.start_run(world.process("stopped", [step("s", world.tool("hang", hang), timeout=60)]))
        assert begun.wait(20)
        world.runs.cancel(world.user, run.id)
        world.engine.wake(run.id)
        assert world.wait_for_end(run).state.phase == "cancelled"
        assert heard.wait(6)
    goes_on.set()
    assert world.event_names(run)[-1] == "run_cancelled"


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_large_results_travel_by_reference(world, size):
    """Temporal refuses payloads of 2 MB; ours are named in its record, and stand elsewhere."""
    large, tool = world.tool("large", lambda _given, _key: "x" * size), world.tool("echo", echo)
    steps = [step("a", large), step("b", tool, after=["a"], inputs={"id": "{step.a}"})]
    run = world.start_run(world.process("large", steps))
    assert world.wait_for_end(run).state.output == {"got": "x" * size}
    assert len(world.engine._connection.run(history(world, run.id)).to_json()) < 40_000


def test_a_full_record_is_continued_in_another_workflow(opened):
    """No step runs twice, none is left out, whatever is open: questions, called runs, what waits for its turn."""
    world = opened(room=60)
    tool, once = world.tool("echo", echo), world.tool("once", echo, effect="once")
    inner = world.process("asked", [step("ask", tool, interactionMode="manual")])
    steps = [step(f"w{n}", once, mode="parallel") for n in range(30)]
    steps += [step("sub", "", process=inner.id, inputs={"q": "{q}"}, mode="parallel")]
    steps += [step("ask", tool, interactionMode="manual", mode="parallel")]
    steps += [step(f"s{n}", once) for n in range(30)]
    run = world.start_run(world.process("long", steps))
    world.wait_until(lambda: world.tools.calls["once"] == 30)
    for asking in (f"{run.id}:sub:1", run.id):
        world.wait_until(lambda asking=asking: bool(world.runs.list_questions(world.user, asking)))
        world.runs.answer(world.user, asking, "ask", "yes")
        world.engine.wake(asking)
    assert world.wait_for_end(run).state.phase == "completed"
    assert set(world.tools.jobs.values()) == {1}
    assert world.tools.calls["once"] == 60
    told = world.engine._connection.run(workflows(world, f"WorkflowId = '{run.id}'"))
    assert [each.status.name for each in told].count("CONTINUED_AS_NEW") >= 3


def test_more_at_once_than_a_run_may_have_under_way(opened):
    """Temporal stops at 2,000 under way, and at 51,200 events: a wide Process goes in parts, each step once."""
    world = opened(room=400, heartbeat=PATIENT)
    tool = world.tool("echo", echo)
    steps = [step(f"w{n}", tool, mode="parallel", timeout=300) for n in range(500)]
    run = world.start_run(world.process("wide", steps))
    assert world.engine.wait(run.id, 170)
    assert world.view_of(run).state.phase == "completed"
    assert (len(world.tools.jobs), set(world.tools.jobs.values())) == (500, {1})


@pytest.mark.timeout(620)
def test_thousands_of_steps_beside_each_other(opened):
    """A run of more steps than Temporal lets one have under way ends; 10,000 took this machine over five minutes."""
    world = opened(heartbeat=PATIENT)
    tool = world.tool("echo", echo)
    steps = [step(f"w{n}", tool, mode="parallel", timeout=300) for n in range(WIDE)]
    run = world.start_run(world.process("wide", steps))
    assert world.engine.wait(run.id, 600)
    assert world.view_of(run).state.phase == "completed"
    assert (len(world.tools.jobs), set(world.tools.jobs.values())) == (WIDE, {1})


def test_a_run_that_was_stopped_on_temporal_itself_is_taken_over(world):
    """Platform 10: where a run stands is in its entries, never in the engine alone."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("a", tool), step("ask", tool, interactionMode="manual")]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.engine._connection.run(terminated(world, run.id))
    world.runs.answer(world.user, run.id, "ask", "yes")
    world.engine.wake(run.id)
    world.engine.adopt([run.id])
    assert world.wait_for_end(run).state.output == "yes"
    assert world.tools.calls == {"echo": 1}


def test_a_called_run_that_takes_too_long_is_stopped(world):
    """Platform 7, 8: the time of a step runs for a Process, too."""
    inner = world.process("slow", [step("ask", world.tool("echo", echo), interactionMode="manual")])
    call = step("sub", "", process=inner.id, inputs={"q": "{q}"}, timeout=1)
    run = world.start_run(world.process("waits", [call]))
    assert world.wait_for_end(run).run.failure["code"] == "timed_out"
    assert world.runs.view(world.user, f"{run.id}:sub:1").run.phase == "cancelled"
    assert world.engine._connection.run(replayed(world))


def test_a_run_that_became_anothers_is_left_alone(world):
    """Platform 10: nobody carries on what somebody else has taken over, whatever he is told."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("ask", [step("ask", tool, interactionMode="manual"), step("b", tool)]))
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    world.runs.repository.claim(run.id, "another")
    world.runs.answer(world.user, run.id, "ask", "yes")
    world.engine.wake(run.id)
    ended = "WorkflowType = 'aeon.run' AND ExecutionStatus = 'Completed'"
    world.wait_until(lambda: world.engine._connection.run(workflows(world, ended)) != [])
    assert world.event_names(run) == ["run_started", "step_started ask"]


async def terminated(world, run):
    await world.engine._client.get_workflow_handle(run).terminate()


def test_what_is_forgotten_is_gone_from_temporal_and_not_from_the_book(world):
    """Platform 19 is about conversations: a run's record stays until it is purged, Temporal's is no part of it."""
    run = world.start_run(world.process("short", [step("a", world.tool("echo", echo))]))
    world.wait_for_end(run)
    world.wait_until(lambda: world.engine._connection.run(workflows(world)) != [])
    world.engine.forget([run.id])
    assert wait_until(
        lambda: world.engine._connection.run(workflows(world)) == [], 90
    )  # the server takes half a minute
    world.engine.forget([run.id])
    world.engine.start(run.id)
    assert world.view_of(run).state.output == {"got": "q"}
    assert world.tools.calls == {"echo": 1}


def test_where_nobody_answers_or_there_is_no_such_namespace_it_says_so(server, store, tmp_path):
    """An error says what is wrong, where, and what to do."""
    from aeon.adapters.engines.temporal import TemporalEngine, TemporalError

    with pytest.raises(TemporalError, match=r"No Temporal answers at 127\.0\.0\.1:1"):
        TemporalEngine("127.0.0.1:1", "default", None, None, None, slots={})
    with pytest.raises(TemporalError, match=r"no namespace 'none'.*temporal operator namespace create"):
        TemporalEngine(server.address, "none", None, None, None, slots={})


def test_without_the_package_it_names_the_extra(monkeypatch, uninstall):
    """What a command lacks, its error names."""
    for name in [each for each in sys.modules if each.startswith("aeon.adapters.engines.temporal")]:
        monkeypatch.delitem(sys.modules, name)
    uninstall("temporalio")
    with pytest.raises(MissingExtraError, match=r"needs temporalio\. Install aeon-orchestrator\[temporal\]"):
        __import__("aeon.adapters.engines.temporal")
