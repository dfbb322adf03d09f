"""`aeon serve worker --type`: jobs of one type, for runs that go on in other processes, over a real Temporal server."""

import signal
from pathlib import Path

import pytest

from aeon.testing.temporal_server import TemporalServer, missing_for_temporal

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]

MANY = """
kind: Process
name: many
initialContext: [who]
steps:
""" + "".join(
    f"  - {{id: s{n}, tool: item, inputs: {{id: slow}}, output: s{n}, execution: {{mode: parallel}}}}\n"
    for n in range(4)
)


@pytest.fixture
def temporal(tmp_path):
    if missing := missing_for_temporal():
        pytest.skip(missing)
    server = TemporalServer(tmp_path / "temporal")
    server.start()
    Path("aeon.toml").write_text(
        f'[engine]\naddress = "temporal://{server.address}/default"\nrest_api = 1\n', encoding="utf-8"
    )
    yield server
    server.stop()


def test_a_typed_worker_carries_out_jobs_of_runs_elsewhere(aeon, applied, background, shop, temporal):
    """Of four jobs at once the process of the run has room for one, and the worker for the others (platform 10)."""
    applied(MANY)
    worker = background("serve", "worker", "--type", "rest_api", "--concurrency", "3")
    worker.says("serves jobs: rest_api")
    running = background("process", "run", "many", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 4, lambda: running.err + worker.err)
    listed = aeon("serve", "worker", "list", "--json").json
    mine = [each for each in listed if each["executorId"] in worker.err]
    assert [each["type"] for each in mine] == ["rest_api"] * 3
    shop.lets_go.set()
    assert running.waited() == 0, running.err
    assert shop.calls == {"/slow": 4}
    assert worker.ends(signal.SIGTERM) == 0


def test_a_worker_for_runs_alone_carries_out_no_job(aeon, applied, background, shop, temporal):
    """What nobody serves waits; runs and jobs each go on with a worker of their own type (platform 10)."""
    settings = Path("aeon.toml")
    settings.write_text(settings.read_text(encoding="utf-8").replace("rest_api = 1", "rest_api = 0"), encoding="utf-8")
    applied(MANY)
    shop.lets_go.set()
    running = background("process", "run", "many", "--input", "who=me")
    running.says("s0 started")
    running.ends(signal.SIGKILL)
    background("serve", "worker", "--type", "process").says("serves runs")
    assert "Start one: aeon serve worker --type rest_api" in aeon("log", "why", "last").out
    background("serve", "worker", "--type", "rest_api").says("serves jobs: rest_api")
    until(lambda: aeon("log", "list").cells("STATE") == [("completed",)])
    assert shop.calls == {"/slow": 4}
