"""`aeon jobs`: what runs wait for, and what failed for good (platform 10)."""

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
    (job,) = aeon("jobs", "dead", "--json").json
    assert (job["step"], job["tool"], job["attempts"], job["retriedBy"]) == ("get", "item", 1, None)
    assert aeon("jobs", "dead").out.startswith(f"{job['id']} ")
    assert aeon("jobs", "dead", "--user", "ann").out == ""
    again = aeon("jobs", "retry", job["id"])
    assert (again.code, shop.calls) == (1, {"/first": 1, "/lost": 2})
    new, old = aeon("jobs", "dead", "--json").json
    assert (old["id"], old["retriedBy"]) == (job["id"], new["runId"])
    refused = aeon("jobs", "retry", job["id"])
    assert (refused.code, f"aeon runs show {new['runId']}" in " ".join(refused.err.split())) == (2, True)
    assert aeon("jobs", "retry", "nothing").code == 1


@pytest.mark.slow
def test_open_jobs_are_told_of_with_their_worker(aeon, applied, background, shop):
    applied(ERRAND.format(what="slow"))
    running = background("process", "run", "errand", "--input", "who=me")
    until(lambda: shop.calls["/slow"] == 1)
    until(lambda: any(job["worker"] for job in aeon("jobs", "list", "--json").json))
    (job,) = aeon("jobs", "list", "--json").json
    assert (job["step"], job["tool"], job["status"], job["attempt"]) == ("get", "item", "running", 1)
    said = f"rest_api {job['id']} running: item for errand, by {job['worker']}, since {job['since'][:19]}"
    assert said in aeon("jobs", "list").out
    running.ends(signal.SIGKILL)
    job, whole = sorted(aeon("jobs", "list", "--json").json, key=lambda each: each["type"] == "process")
    assert (whole["type"], whole["id"], whole["status"]) == ("process", job["run"], "queued")
    assert (job["status"], job["worker"]) == ("queued", None)
    assert [each["type"] for each in aeon("jobs", "list", "--type", "process", "--json").json] == ["process"]
    assert aeon("jobs", "list", "--type", "robot").code == 2
    assert aeon("jobs", "list", "--user", "ann").out == ""
