"""`aeon process job`: what runs wait for, and what failed for good (platform 10)."""

import signal

import pytest

from .conftest import until

pytestmark = pytest.mark.server

ERRAND = """
kind: Process
name: errand
initialContext: [who]
steps:
  - {{id: first, tool: item, inputs: {{id: first}}, output: first}}
  - {{id: get, tool: item, inputs: {{id: {what}}}, output: got}}
"""


def test_a_dead_job_is_told_of_and_retried(aeon, applied, shop):
    applied(ERRAND.format(what="lost"))
    failed = aeon("process", "run", "errand", "--input", "who=me")
    assert failed.code == 1
    (job,) = aeon("process", "job", "list", "--dead", "--json").json
    assert (job["step"], job["tool"], job["attempts"], job["retriedBy"]) == ("get", "item", 1, None)
    assert aeon("process", "job", "list", "--dead", "-o", "name").out == f"{job['id']}\n"
    assert aeon("process", "job", "list", "--dead").cells("ID", "TOOL", "ATTEMPTS") == [(job["id"], "item", "1")]
    assert aeon("process", "job", "list", "--dead", "--user", "ann").out == ""
    again = aeon("process", "job", "retry", job["id"])
    assert (again.code, shop.calls) == (1, {"/first": 1, "/lost": 2})
    new, old = aeon("process", "job", "list", "--dead", "--json").json
    assert (old["id"], old["retriedBy"]) == (job["id"], new["runId"])
    refused = aeon("process", "job", "retry", job["id"])
    assert (refused.code, f"aeon log show {new['runId']}" in " ".join(refused.err.split())) == (2, True)
    assert aeon("process", "job", "retry", "nothing").code == 2


@pytest.mark.slow
def test_open_jobs_are_told_of_with_their_worker(aeon, applied, background, shop):
    applied(ERRAND.format(what="slow"))
    running = background("process", "run", "errand", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 1)
    until(lambda: any(job["worker"] for job in aeon("process", "job", "list", "--json").json))
    (job,) = aeon("process", "job", "list", "--json").json
    assert (job["step"], job["tool"], job["status"], job["attempt"]) == ("get", "item", "running", 1)
    cells = aeon("process", "job", "list").cells("ID", "TYPE", "STATE", "SINCE", "PROCESS", "WHAT")
    what = f"item, by {job['worker']}"
    assert cells == [(job["id"], "rest_api", "running", job["since"][:19], "errand", what)]
    running.ends(signal.SIGKILL)
    job, whole = sorted(aeon("process", "job", "list", "--json").json, key=lambda each: each["type"] == "process")
    assert (whole["type"], whole["id"], whole["status"]) == ("process", job["run"], "queued")
    assert (job["status"], job["worker"]) == ("queued", None)
    assert [each["type"] for each in aeon("process", "job", "list", "--type", "process", "--json").json] == ["process"]
    assert aeon("process", "job", "list", "--type", "robot").code == 2
    assert aeon("process", "job", "list", "--user", "ann").out == ""
