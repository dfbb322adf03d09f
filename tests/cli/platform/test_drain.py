"""Workers that drain: nothing is lost, done twice or cut off within the grace (platform 10). Real processes."""

import signal
import socket
from pathlib import Path

import pytest

from aeon.testing.temporal_server import TemporalServer, missing_for_temporal

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

ERRAND = """
kind: Process
name: errand
initialContext: [who]
steps:
  - {id: first, tool: item, inputs: {id: first}, output: first}
  - {id: slow, tool: item, inputs: {id: slow}, output: slow}
  - {id: last, tool: item, inputs: {id: last}, output: last}
outputTemplate: "{{who}} has {{step.last.body.path}}"
"""

JOBS = 60

MANY = f"""
kind: Process
name: many
initialContext: [who]
steps:
  - id: each
    tool: item
    inputs: {{id: "{{item}}"}}
    output: each
    forEach: {{items: {list(map(str, range(JOBS)))}, concurrency: 8}}
outputTemplate: "{{{{who}}}}"
"""


@pytest.fixture(params=["SQLite", "Temporal"])
def engine(request, tmp_path):
    """The settings of the folder: jobs are left to workers of their type."""
    address, server = "", None
    if request.param == "Temporal":
        if missing := missing_for_temporal():
            pytest.skip(missing)
        server = TemporalServer(tmp_path / "temporal")
        server.start()
        address = f'address = "temporal://{server.address}/default"\n'
    Path("aeon.toml").write_text(f"[engine]\n{address}rest_api = 0\n", encoding="utf-8")
    yield request.param
    if server is not None:
        server.stop()


def serving(background, *more):
    worker = background("serve", "worker", "--type", "rest_api", *more)
    worker.says("serves jobs: rest_api")
    return worker


def process_of(worker):
    return worker.err.partition("worker ")[2].partition(" serves")[0]


def test_no_job_is_lost_or_done_twice_while_workers_drain_under_load(aeon, applied, background, shop, engine):
    """Each worker that drains is followed by another one; the last of them drains by a command."""
    applied(MANY)
    running = background("process", "run", "many", "--input", "who=me")
    for count in (10, 25, 40):
        worker = serving(background, "--concurrency", "2")
        until(lambda count=count: sum(shop.jobs.values()) >= count, lambda worker=worker: running.err + worker.err)
        if count == 40:
            aeon("serve", "worker", "drain", process_of(worker))
            assert worker.waited() == 0, worker.err
        else:
            assert worker.ends(signal.SIGTERM) == 0, worker.err
        assert "drained" in worker.err
        assert "did not end in time" not in worker.err
    serving(background, "--concurrency", "8")
    assert running.waited() == 0, running.err
    jobs = {job: calls for job, calls in shop.jobs.items() if job}
    assert len(jobs) == JOBS
    assert set(jobs.values()) == {1}


def test_a_job_is_finished_within_the_grace(aeon, applied, background, shop, engine):
    applied(ERRAND)
    running = background("process", "run", "errand", "--input", "who=me")
    worker = serving(background)
    until(lambda: shop.calls["/slow"] == 1, lambda: running.err + worker.err)
    said = aeon("serve", "worker", "drain", f"{process_of(worker)}/rest_api/1")
    assert said.code == 0, said.err
    worker.says("drains: takes no new job or run; the jobs here have 25 s to end")
    assert set(aeon("serve", "worker", "list").cells("STATE")) >= {("draining",)}
    shop.lets_go.set()
    assert worker.waited() == 0, worker.err
    assert shop.calls["/slow"] == 1
    serving(background)
    assert running.waited() == 0, running.err
    assert shop.calls == {"/first": 1, "/slow": 1, "/last": 1}


def test_what_outlasts_the_grace_continues_elsewhere(applied, background, shop, engine):
    applied(ERRAND)
    running = background("process", "run", "errand", "--input", "who=me")
    worker = serving(background, "--grace", "1")
    until(lambda: shop.calls["/slow"] == 1, lambda: running.err + worker.err)
    assert worker.ends(signal.SIGTERM) == 0, worker.err
    assert "drained; 1 job(s) did not end in time and continue elsewhere" in worker.err
    shop.lets_go.set()
    serving(background)
    assert running.waited() == 0, running.err
    assert shop.calls == {"/first": 1, "/slow": 2, "/last": 1}
    assert max(shop.jobs.values()) == 2, "under the same key"


def test_a_worker_for_runs_finishes_the_step_and_leaves_the_run(aeon, applied, background, shop):
    """The next worker continues the run where it was left."""
    applied(ERRAND)
    running = background("process", "run", "errand", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 1)
    running.ends(signal.SIGKILL)
    first = background("serve", "worker")
    first.says("is adopted")
    until(lambda: shop.calls["/slow"] == 2)
    first.process.send_signal(signal.SIGTERM)
    first.says("drains")
    shop.lets_go.set()
    assert first.waited() == 0, first.err
    assert shop.calls == {"/first": 1, "/slow": 2}
    background("serve", "worker").says("of errand is completed")
    assert shop.calls == {"/first": 1, "/slow": 2, "/last": 1}


def test_a_second_signal_ends_a_worker_that_drains(applied, background, shop):
    applied(ERRAND)
    running = background("process", "run", "errand", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 1)
    running.ends(signal.SIGKILL)
    worker = background("serve", "worker")
    worker.says("is adopted")
    until(lambda: shop.calls["/slow"] == 2)
    worker.process.send_signal(signal.SIGTERM)
    worker.says("drains")
    assert worker.ends(signal.SIGTERM) == 143


def test_workers_of_a_machine_drain_together_and_others_are_named(aeon, applied, background, shop):
    applied(ERRAND)
    workers = [background("serve", "worker") for _ in range(2)]
    for worker in workers:
        worker.says("serves runs")
    missing = aeon("serve", "worker", "drain", "--host", "elsewhere")
    assert missing.code == 2, missing.err
    assert (missing.code, "There is no live worker on the machine 'elsewhere'" in missing.err) == (2, True)
    assert aeon("serve", "worker", "drain").code == 2
    said = aeon("serve", "worker", "drain", "--host", socket.gethostname())
    assert {word for word in said.err.split() if "-" in word} == {process_of(each) for each in workers}
    assert [worker.waited() for worker in workers] == [0, 0]


@pytest.mark.parametrize("asks", ["signal", "command"])
def test_a_server_that_ends_lets_its_jobs_end_and_leaves_its_runs(aeon, applied, background, shop, asks):
    applied(ERRAND)
    server = background("serve", "--port", "0")
    server.says("open this link")
    assert aeon("process", "run", "errand", "--input", "who=me", "--detach").code == 0
    until(lambda: shop.calls["/slow"] == 1, lambda: server.err)
    if asks == "signal":
        server.process.send_signal(signal.SIGTERM)
    else:
        assert aeon("serve", "worker", "drain", "--host", socket.gethostname()).code == 0
    server.says("drains: takes no new job or run; the jobs here have 25 s to end")
    shop.lets_go.set()
    assert server.waited() == 0, server.err
    assert shop.calls == {"/first": 1, "/slow": 1}
    background("serve", "worker").says("of errand is completed")
    assert shop.calls == {"/first": 1, "/slow": 1, "/last": 1}


def test_an_interrupted_server_waits_for_no_job(aeon, applied, background, shop):
    applied(ERRAND)
    server = background("serve", "--port", "0")
    server.says("open this link")
    assert aeon("process", "run", "errand", "--input", "who=me", "--detach").code == 0
    until(lambda: shop.calls["/slow"] == 1, lambda: server.err)
    assert server.ends(signal.SIGINT) == 0, server.err
    assert "drains" not in server.err
