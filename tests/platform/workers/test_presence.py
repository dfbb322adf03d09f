"""Who is there, and who is gone (platform 10): by heartbeat anywhere, at once on the same machine."""

import os
import subprocess
import sys

import pytest
from tests.platform.stored_processes import Storing, step

from aeon.adapters.engines.retry import wait_until
from aeon.base.clock import SystemClock
from aeon.platform.runs.model import Job
from aeon.platform.workers.heartbeat import WorkerHeartbeat
from aeon.platform.workers.registry import (
    ExecutorProcess,
    ProcessIdentity,
    WorkerRegistry,
    current_process,
    is_dead,
    is_process_running,
)
from aeon.testing.clock import FakeClock

HERE = ProcessIdentity("here", 1, "b")
JOB = Job(
    id="r:a:1",
    run_id="r",
    step="a",
    attempt=1,
    user="ann",
    tool="t",
    name="get",
    owner="ann",
    worker="llm_call",
    effect="once",
    inputs={},
    timeout=30,
)


def executor(**fields):
    said = {"id": "x", "host": "here", "pid": 7, "birth": "b", "started_at": "", "last_heartbeat": ""}
    return ExecutorProcess(**{**said, **fields})


@pytest.mark.parametrize(
    ("host", "heartbeat", "runs", "gone"),
    [
        ("here", "2026-01-01T00:00:00+00:00", True, False),
        ("here", "2026-01-01T00:00:00+00:00", False, True),
        ("there", "2026-01-01T00:00:00+00:00", False, False),
        ("there", "2025-12-31T23:58:31+00:00", False, False),
        ("there", "2025-12-31T23:58:29+00:00", False, True),
        ("here", "2025-12-31T23:58:29+00:00", True, True),
    ],
)
def test_gone_is_who_is_silent_for_90_seconds_or_has_ended_here(host, heartbeat, runs, gone):
    """Platform 10"""
    found = executor(host=host, last_heartbeat=heartbeat)
    assert is_dead(found, "2026-01-01T00:00:00+00:00", HERE, lambda _pid, _birth: runs) is gone


def test_a_process_is_told_from_a_later_one_with_its_number():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_process_running(child.pid, "")
    assert not is_process_running(child.pid, "another birth")
    child.kill()
    child.wait()
    child.stdin.close()
    assert not is_process_running(child.pid, "")
    assert is_process_running(os.getpid(), current_process().start_time)


def test_what_workers_do_is_written_and_kept(store):
    registry = WorkerRegistry(store, FakeClock())
    first, second = registry.register("one", {"llm_call": 2}, [])
    busy = first.model_copy(update={"status": "busy", "current_job_id": "job", "processed_count": 3})
    assert registry.heartbeat("one", [busy])
    found = {each.id: each for each in registry.list_workers() if each.executor_id == "one"}
    assert (found[first.id].status, found[first.id].current_job_id, found[first.id].processed_count) == (
        "busy",
        "job",
        3,
    )
    assert found[second.id].status == "idle"
    assert registry.heartbeat("one", [])
    registry.deregister("one")
    assert [each for each in registry.list_workers() if each.executor_id == "one"] == []
    assert not registry.heartbeat("one", [busy])


EDGES = """
SELECT type, to_label, to_id FROM graph_edge WHERE from_label = 'Worker' AND from_id = :id ORDER BY type
"""
EDGES_TO_TOOL = "SELECT type, from_id FROM graph_edge WHERE to_label = 'Tool' AND to_id = :id AND type = 'EXECUTES'"


def test_a_busy_worker_has_edges_to_the_step_and_the_tool_of_its_job(world):
    """The specification, `Worker`: PROCESSES and EXECUTES, read as all edges are; and none to what is gone."""
    user, registry = world.user("ann"), WorkerRegistry(world.store, world.clock)
    storing = Storing(world)
    tool = storing.tool(user)
    process = storing.add(user, step("a", tool=tool.id))
    presence = WorkerHeartbeat(registry, f"of {user}", {"rest_api": 1}, SystemClock(), interval=0.2)
    presence.start()
    job = JOB.model_copy(update={"process": process.id, "step": "a", "tool": tool.id, "worker": "rest_api"})
    worker = presence.job_started(job)

    def edges():
        found = world.store.read(EDGES, {"id": worker})
        return {row["type"]: (row["to_label"], row["to_id"]) for row in found if row["type"] != "RUNS_IN"}

    busy = {"PROCESSES": ("ProcessStep", f"{process.id}/a"), "EXECUTES": ("Tool", tool.id)}
    assert wait_until(lambda: edges() == busy, 20)
    assert world.store.read(EDGES_TO_TOOL, {"id": tool.id}) == [{"type": "EXECUTES", "from_id": worker}]
    storing.remove(user, process)
    assert edges() == {"EXECUTES": ("Tool", tool.id)}
    presence.job_ended(worker, failed=False)
    assert wait_until(lambda: edges() == {}, 20)
    presence.close()


def test_who_sent_a_heartbeat_since_it_was_counted_dead_stays(store):
    registry = WorkerRegistry(store, SystemClock())

    def stored():
        return [each for each in registry.list_executors() if each.id == "waking"]

    registry.register("waking", {"llm_call": 1}, [])
    (as_counted,) = stored()
    assert registry.heartbeat("waking", [])
    registry.deregister_dead(as_counted)
    (still,) = stored()
    registry.deregister_dead(still)
    assert stored() == []


@pytest.mark.slow
def test_who_was_taken_for_gone_says_so_and_enters_again(store, caplog):
    """After a long sleep it is there again, by itself; what it had then, it asks for run by run (platform 43)."""
    registry = WorkerRegistry(store, SystemClock())
    presence = WorkerHeartbeat(registry, "sleeper", {"llm_call": 1}, SystemClock(), interval=0.2)
    presence.start()
    registry.deregister("sleeper")
    worker = presence.job_started(JOB)
    assert wait_until(lambda: "sleeper" in {each.id for each in registry.list_executors()}, 20)
    assert ["sent no heartbeat for too long and was removed" in record.message for record in caplog.records] == [True]
    presence.job_ended(worker, failed=False)
    presence.close()
    presence.close()
    assert "sleeper" not in {each.id for each in registry.list_executors()}
