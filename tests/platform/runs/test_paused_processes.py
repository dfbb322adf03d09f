"""Pausing a Process with its runs: what no run may slip through, and who may do it (platform 41)."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from aeon.adapters.engines.local import LocalEngine
from aeon.platform.errors import ForbiddenError, VersionError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import ProcessChange
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.process_pauses import ProcessPauses, below_process
from aeon.testing.engines.world import EngineWorld, echo, step

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
def record(request, tmp_path_factory):
    if request.param == "sqlite":
        from aeon.testing.records import new_record

        made = new_record(tmp_path_factory.mktemp("record"))
    else:
        made = request.getfixturevalue("postgres_record")()
    yield made
    made.close()


@pytest.fixture
def world(record, tmp_path):
    made = EngineWorld(
        record, tmp_path, lambda book, workers, _results, clock, executor: LocalEngine(book, workers, clock, executor)
    )
    yield made
    made.close()


def paused(world, run):
    return [each.event.event for each in world.runs.repository.list_signals([run])]


def test_no_run_slips_through_while_its_process_is_paused(world):
    """Runs are accepted by eight threads while another one pauses: each is told, or was accepted as a paused one."""
    process = world.process("busy", [step("a", world.tool("echo", echo))])
    together, accepted = threading.Barrier(9, timeout=20), []

    def accept(_number):
        together.wait()
        for _ in range(12):
            new = NewRun({"q": "x"}, executor="nobody")
            accepted.append(world.runs.accept(process, new, MutationRequest(world.user)).id)

    def pause(_number):
        together.wait()
        return world.switch(process, paused=True)

    with ThreadPoolExecutor(9) as pool:
        told = pool.submit(pause, 0)
        list(pool.map(accept, range(8)))
    assert len(accepted) == 96
    assert set(told.result()) <= set(accepted)
    assert [run for run in accepted if paused(world, run) != ["run_paused"]] == []
    assert sorted(world.switch(process, paused=False)) == sorted(accepted)
    assert all(paused(world, run) == ["run_paused", "run_unpaused"] for run in accepted)


def test_its_owner_alone_pauses_a_process_in_the_version_that_was_read(world):
    process = world.process("shared", [step("a", world.tool("echo", echo))])
    world.processes.change(process.id, ProcessChange(shared=True), MutationRequest(world.user))
    world.catalog.add_user(other := f"other-{world.user}")
    pauses = ProcessPauses(world.catalog.ledger, world.processes)
    with pytest.raises(ForbiddenError):
        pauses.switch(process.id, MutationRequest(other), paused=True)
    with pytest.raises(VersionError):
        pauses.switch(process.id, MutationRequest(world.user, None, 1), paused=True)
    assert not world.processes.get(world.user, process.id).paused
    after = pauses.switch(process.id, MutationRequest(world.user, None, 2), paused=True).process
    assert (after.paused, after.version, after.digest) == (True, 3, process.digest)
    last = list(world.catalog.ledger.audit_log(world.user))[-1]
    assert last["action"] == "process.change"
    run = world.runs.accept(after, NewRun({"q": 1}), MutationRequest(other))
    assert paused(world, run.id) == ["run_paused"], "the run of another user waits, too"
    world.runs.unpause(other, run.id)
    assert paused(world, run.id) == ["run_paused", "run_unpaused"], "which that user may let go on"


def test_what_a_run_called_is_below_it_and_its_callers_are_not():
    def row(id_, parent, process="other"):
        return {"id": id_, "parent_id": parent, "process_id": process}

    rows = [
        row("root", None),
        row("b", "root", "p"),
        row("c", "root"),
        row("d", "b"),
        row("e", "d"),
        row("f", None, "p"),
    ]
    assert below_process("p", rows) == ["b", "d", "e", "f"]
