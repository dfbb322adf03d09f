"""`aeon serve worker --metrics`: what a worker tells Prometheus, read by its own parser (platform 18)."""

import re
import signal
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from .conftest import until

pytestmark = [pytest.mark.slow, pytest.mark.server]

VISIT = """
kind: Process
name: "visit \\"me\\""
initialContext: [ids]
steps:
  - {id: go, tool: item, forEach: {items: "{ids}", as: id, failures: lost}, inputs: {id: "{id}"}, output: gone}
"""


def told(where):
    """The samples by name and labels."""
    with urllib.request.urlopen(where, timeout=10) as answer:  # noqa: S310  # on loopback
        text = answer.read().decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, *sorted(sample.labels.items())): sample.value for sample in samples}


def test_a_worker_tells_runs_calls_and_what_waits(aeon, applied, background, shop):
    applied(VISIT)
    worker = background("serve", "worker", "--metrics", "127.0.0.1:0")
    worker.says("serves runs")
    (where,) = re.findall(r"metrics: (http://\S+)", worker.err)
    assert aeon("process", "run", 'visit "me"', "--input", 'ids=["a", "lost", "canary-secret"]', "-d").code == 0
    of_run = ("phase", "completed"), ("process", 'visit "me"')
    until(lambda: told(where).get(("aeon_run_seconds_count", *of_run)) == 1, lambda: str(told(where)))
    found = told(where)
    assert found["aeon_call_seconds_count", ("code", ""), ("tool", "item")] == 2
    assert found["aeon_calls_failed_total", ("code", "OperationError"), ("tool", "item")] == 1
    assert found["aeon_run_seconds_bucket", ("le", "+Inf"), *of_run] == 1
    assert found["aeon_backlog_seconds", ("type", "process")] == 0
    assert found["aeon_backlog_seconds", ("type", "rest_api")] == 0
    assert not any("canary" in str(key) for key in found)
    again = background("serve", "worker", "--metrics", where.removeprefix("http://").removesuffix("/metrics"))
    assert again.waited() == 2
    assert "cannot be served" in again.err
    assert worker.ends(signal.SIGTERM) == 0


def test_what_is_no_address_is_refused(aeon):
    refused = aeon("serve", "worker", "--metrics", "9464")
    assert refused.code == 2
    assert "127.0.0.1:9464" in refused.err


def test_the_age_of_the_oldest_queued_job_is_told_by_type(applied, background, shop):
    """Also by a worker that serves another type: any worker can be asked (platform 10)."""
    Path("aeon.toml").write_text("[engine]\nrest_api = 0\n", encoding="utf-8")
    applied(VISIT)
    worker = background("serve", "worker", "--type", "llm_call", "--metrics", "127.0.0.1:0")
    worker.says("serves jobs")
    (where,) = re.findall(r"metrics: (http://\S+)", worker.err)
    background("process", "run", 'visit "me"', "--input", 'ids=["a"]')
    until(lambda: told(where)["aeon_backlog_seconds", ("type", "rest_api")] >= 1, lambda: str(told(where)))
    assert told(where)["aeon_backlog_seconds", ("type", "llm_call")] == 0
    background("serve", "worker", "--type", "rest_api")
    until(lambda: told(where)["aeon_backlog_seconds", ("type", "rest_api")] == 0, lambda: str(told(where)))
    until(lambda: shop.calls["/a"] == 1)
