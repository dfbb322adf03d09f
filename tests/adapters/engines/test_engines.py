"""Every engine does the same (platform 6-10): the shipped conformance suite."""

import threading
import time

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun
from aeon.testing.engines import CASES, LANGUAGE_CASES, LANGUAGE_RECOVERY_CASES, RECOVERY_CASES, EngineWorld
from aeon.testing.engines.world import echo, step, wait_for


def local(_folder, _request):
    return lambda book, workers, _results, clock, executor: LocalEngine(book, workers, clock, executor)


def on_sqlite(folder, _request):
    address = f"sqlite:///{folder}/runs.db"
    return lambda *parts: SqlEngine(RunDatabase(address), *parts)


def on_postgres(_folder, request):
    address = request.getfixturevalue("postgres")()
    return lambda *parts: SqlEngine(RunDatabase(address), *parts)


ENGINES = {"local": local, "sqlite": on_sqlite, "postgres": on_postgres}
SLOWER = [
    pytest.param("sqlite", marks=pytest.mark.slow),
    pytest.param("postgres", marks=[pytest.mark.slow, pytest.mark.server]),
]


def made(request, store, folder):
    world = EngineWorld(store, folder, ENGINES[request.param](folder, request))
    yield world
    world.close()


@pytest.fixture(params=["local", *SLOWER])
def world(request, store, tmp_path):
    yield from made(request, store, tmp_path)


@pytest.fixture(params=SLOWER)
def lasting_world(request, store, tmp_path):
    yield from made(request, store, tmp_path)


@pytest.mark.parametrize("case", [*CASES, *LANGUAGE_CASES], ids=lambda case: case.__name__)
def test_engine(case, world):
    case(world)


@pytest.mark.parametrize("case", [*RECOVERY_CASES, *LANGUAGE_RECOVERY_CASES], ids=lambda case: case.__name__)
def test_engine_that_keeps_its_work(case, lasting_world):
    case(lasting_world)


def test_who_lost_a_run_does_nothing_more_for_it(world):
    """Who has it then goes on (platform 43). On Temporal the server decides who has it."""
    goes_on = threading.Event()
    gate, tool = world.tool("gate", wait_for(goes_on)), world.tool("echo", echo)
    run = world.start_run(world.process("lost", [step("a", gate, timeout=60), step("b", tool, after=["a"])]))
    world.wait_until(lambda: world.tools.calls["gate"] == 1 and "step_started a" in world.event_names(run))
    before, book = world.event_names(run), world.runs.repository
    assert book.reassign(run.id, world.engine.executor, "another")
    goes_on.set()
    assert not world.engine.wait(run.id, 1.0)
    assert world.event_names(run) == before
    assert world.tools.calls["echo"] == 0
    assert book.reassign(run.id, "another", world.engine.executor)
    world.engine.adopt([run.id])
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls["echo"] == 1


def test_a_run_that_comes_back_is_carried_out_once(lasting_world):
    """Rule 43: who lost a run without a word, since it only waited, and gets it again, does not go on with it twice."""
    world, goes_on = lasting_world, threading.Event()
    gate, tool = world.tool("gate", wait_for(goes_on)), world.tool("echo", echo)
    inner = world.process("inner", [step("g", gate, timeout=60)])
    call = step("c", "", process=inner.id, inputs={"q": "{q}"}, timeout=120)
    run = world.start_run(world.process("outer", [call, step("b", tool, after=["c"])]))
    world.wait_until(lambda: world.tools.calls["gate"] == 1 and "step_started c" in world.event_names(run))
    assert world.runs.repository.reassign(run.id, world.engine.executor, "another")
    assert world.runs.repository.reassign(run.id, "another", world.engine.executor)
    world.engine.adopt([run.id])
    assert not world.engine.wait(run.id, 2.0)
    goes_on.set()
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls == {"gate": 1, "echo": 1}


def test_many_that_start_a_run_at_once_start_it_once(world):
    tool, meeting = world.tool("echo", echo), threading.Barrier(8)
    process = world.process("at once", [step("a", tool), step("b", tool, after=["a"])])
    run = world.runs.accept(process, NewRun({"q": "q"}, executor=world.engine.executor), MutationRequest(world.user))

    def start():
        meeting.wait()
        world.engine.start(run.id)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls["echo"] == 2


@pytest.mark.slow
def test_an_engine_that_has_nothing_to_do_asks_nothing(store, tmp_path, request, monkeypatch):
    """Neither the database nor anything else, and it has no thread for it."""
    asked, read = [], RunDatabase.read
    monkeypatch.setattr(RunDatabase, "read", lambda *given: asked.append(given) or read(*given))
    before = threading.active_count()
    world = EngineWorld(store, tmp_path, on_sqlite(tmp_path, request))
    try:
        opened = len(asked)
        threading.Event().wait(1.0)
        assert (len(asked), threading.active_count()) == (opened, before)
    finally:
        world.close()


@pytest.mark.slow
def test_an_engine_is_closed_at_once(store, tmp_path, request):
    """None of its threads sleeps so long that whoever ends a command waits for it."""
    world = EngineWorld(store, tmp_path, on_sqlite(tmp_path, request))
    goes_on = threading.Event()
    gate = world.tool("gate", wait_for(goes_on))
    world.start_run(world.process("open", [step("a", gate, timeout=60)]))
    world.wait_until(lambda: world.tools.calls["gate"] == 1)
    begun = time.monotonic()
    world.close()
    assert time.monotonic() - begun < 5.0
    goes_on.set()


@pytest.mark.slow
def test_several_engines_in_one_process_know_nothing_of_each_other(store, tmp_path, request):
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    worlds = [EngineWorld(store, folder, on_sqlite(folder, request)) for folder in folders]
    try:
        runs = [world.start_run(world.process("p", [step("a", world.tool("echo", echo))])) for world in worlds]
        assert [world.wait_for_end(run).state.phase for world, run in zip(worlds, runs, strict=True)] == [
            "completed",
            "completed",
        ]
        assert [world.tools.calls["echo"] for world in worlds] == [1, 1]
    finally:
        for world in worlds:
            world.close()
