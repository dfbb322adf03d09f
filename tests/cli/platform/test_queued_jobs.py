"""Jobs that are left to workers of their type, on the engine that needs no server (platform 10)."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow]

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

ASKS = """
kind: Process
name: asks
initialContext: [who]
steps:
  - {id: sure, tool: item, inputs: {id: "{who}"}, output: sure, execution: {interactionMode: manual}}
  - {id: last, tool: item, inputs: {id: last}, output: last}
outputTemplate: "{{step.sure}}"
"""


@pytest.fixture
def left_to_workers():
    """The settings of the folder: this process makes no calls itself."""
    Path("aeon.toml").write_text("[engine]\nrest_api = 0\n", encoding="utf-8")


def serving(background, *more):
    worker = background("serve", "worker", "--type", "rest_api", *more)
    worker.says("serves jobs: rest_api")
    return worker


def test_jobs_are_carried_out_by_workers_of_their_type(aeon, applied, background, shop, left_to_workers):
    """Without one a job waits, and it is said what for."""
    applied(ERRAND)
    running = background("process", "run", "errand", "--input", "who=me")
    running.says("first started")
    running.says("first: Waits for a worker of the type rest_api: there is none.")
    assert "Start one: aeon serve worker --type rest_api" in aeon("log", "why", "last").out
    (job,) = aeon("process", "job", "list", "--type", "rest_api", "--json").json
    assert (job["step"], job["status"], job["worker"]) == ("first", "queued", None)
    worker = serving(background, "--concurrency", "2", "--type", "llm_call")
    worker.says("[engine] llm_call = 0")  # which runs would carry out themselves
    until(lambda: shop.calls["/slow"] == 1)
    assert "Runs: tool 'item', attempt 1" in aeon("log", "why", "last").out
    until(lambda: aeon("process", "job", "list", "--json").json[0]["worker"])
    (job,) = aeon("process", "job", "list", "--json").json
    assert (job["type"], job["step"], job["status"]) == ("rest_api", "slow", "running")
    shop.lets_go.set()
    assert running.waited() == 0, running.err
    assert shop.calls == {"/first": 1, "/slow": 1, "/last": 1}
    assert max(shop.jobs.values()) == 1
    assert worker.ends(signal.SIGTERM) == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_another_worker_goes_on_with_what_one_left(applied, background, shop, left_to_workers, number):
    """Platform 10: once more, under the same key; what was done is not done again."""
    applied(ERRAND)
    running = background("process", "run", "errand", "--input", "who=me")
    worker = serving(background, "--grace", "0")
    until(lambda: shop.calls["/slow"] == 1)
    worker.ends(number)
    serving(background)
    until(lambda: shop.calls["/slow"] == 2)
    shop.lets_go.set()
    assert running.waited() == 0, running.err
    assert shop.calls == {"/first": 1, "/slow": 2, "/last": 1}
    assert sorted(shop.jobs.values()) == [1, 1, 2]


def test_runs_go_on_with_a_worker_for_runs_alone(aeon, applied, background, shop, left_to_workers):
    """A run whose process is killed waits in a queue of its own; its job meanwhile goes on where it is."""
    applied(ERRAND)
    running = background("process", "run", "errand", "--input", "who=me")
    serving(background)
    until(lambda: shop.calls["/slow"] == 1)
    running.ends(signal.SIGKILL)
    queued = aeon("process", "job", "list", "--type", "process", "--json").json
    assert [(each["status"], each["process"]) for each in queued] == [("queued", "errand")]
    assert "waits for a worker" in aeon("process", "job", "list").out
    worker = background("serve", "worker", "--type", "process")
    worker.says("of errand is adopted")
    shop.lets_go.set()
    worker.says("of errand is completed")
    assert shop.calls == {"/first": 1, "/slow": 1, "/last": 1}
    mine = [each for each in aeon("serve", "worker", "list", "--json").json if each["executorId"] in worker.err]
    assert mine == []


def test_a_person_answers_at_a_terminal(aeon, applied, background, shop):
    """`aeon serve worker --type human` puts one question after another, and the runs go on (platform 9)."""
    applied(ASKS)
    shop.lets_go.set()
    assert aeon("process", "run", "asks", "--input", "who=tea").code == 3
    (question,) = aeon("process", "job", "list", "--type", "human", "--json").json
    assert (question["status"], question["step"], question["asks"]) == ("waits", "sure", "me")
    assert aeon("process", "job", "list").cells("STATE", "PROCESS", "WHAT") == [("waits", "asks", "sure waits for me")]
    background("serve", "worker", "--type", "process").says("of asks is adopted")
    serving(background)
    ours, theirs = pty.openpty()
    person = subprocess.Popen(
        [sys.executable, "-m", "aeon", "serve", "worker", "--type", "human"], stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    while b"answer (JSON or text)" not in seen:
        seen += os.read(ours, 4096)
    os.write(ours, b"yes\n")
    while b"the run continues" not in seen:
        seen += os.read(ours, 4096)
    person.send_signal(signal.SIGINT)
    assert person.wait(20) == 130
    os.close(ours)
    assert b'"id": "tea"' in seen
    until(lambda: aeon("log", "list").cells("STATE") == [("completed",)])
    assert aeon("log", "show", "last", "--json").json["output"] == "yes"
    assert aeon("process", "job", "list").out == ""
