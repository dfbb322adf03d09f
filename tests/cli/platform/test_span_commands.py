"""`aeon process run` and `aeon serve worker` send spans where OpenTelemetry's own variables name an endpoint."""

import signal
import sys
from pathlib import Path

import pytest
from tests.adapters.telemetry.conftest import Collector, said

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow]

FETCH = """
kind: Process
name: fetch
initialContext: [id]
steps:
  - {id: first, tool: item, inputs: {id: "{id}"}, output: first}
outputTemplate: "{{step.first.body.path}}"
"""

SLOW = """  - {id: second, tool: item, dependsOn: [first], inputs: {id: slow}, output: second}
"""


@pytest.fixture
def collector():
    made = Collector()
    yield made
    made.close()


def steps_of(collector):
    return [told["aeon.step.id"] for span in collector.spans if "aeon.step.id" in (told := said(span.attributes))]


def test_a_run_is_sent_when_its_command_ends_and_without_contents(aeon, applied, collector, monkeypatch):
    applied(FETCH)
    assert aeon("process", "run", "fetch", "--input", "id=private").code == 0
    assert collector.requests == []
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
    assert aeon("process", "run", "fetch", "--input", "id=private").code == 0
    assert steps_of(collector) == ["first"]
    assert "private" not in str(collector.requests)
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    assert aeon("process", "run", "fetch", "--input", "id=private").code == 0
    assert "/private" in str(collector.requests[-1])


def test_no_file_of_a_project_turns_it_on(aeon, applied, collector):
    applied(FETCH)
    Path("aeon.toml").write_text(f'[engine]\notel = "{collector.address}"\n')
    Path(".env").write_text(f"OTEL_EXPORTER_OTLP_ENDPOINT={collector.address}\n")
    aeon("process", "run", "fetch", "--input", "id=x")
    Path("aeon.toml").unlink()
    assert aeon("process", "run", "fetch", "--input", "id=x").code == 0
    assert collector.requests == []


def test_an_endpoint_that_is_down_fails_no_run_and_a_worker_sends_what_waited(aeon, applied, background, collector):
    applied(FETCH)
    down = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    running = background("process", "run", "fetch", "--input", "id=x", **down)
    assert running.waited() == 0
    assert running.err.count("did not accept spans") == 1
    assert "Traceback" not in running.err
    worker = background("serve", "worker", OTEL_EXPORTER_OTLP_ENDPOINT=collector.address)
    until(lambda: steps_of(collector) == ["first"])
    assert worker.ends(signal.SIGTERM) == 0


def test_a_missing_extra_is_one_warning_and_the_run_goes_on(aeon, applied, collector, monkeypatch, uninstall, caplog):
    applied(FETCH)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
    uninstall("opentelemetry.sdk.trace")
    monkeypatch.delitem(sys.modules, "aeon.adapters.telemetry.exporter", raising=False)
    assert aeon("process", "run", "fetch", "--input", "id=x").code == 0
    (warning,) = [each.getMessage() for each in caplog.records if each.name == "aeon.telemetry"]
    assert "pip install 'aeon-orchestrator[otel]'" in warning


APPROVE = """
kind: Process
name: approve
initialContext: [id]
steps:
  - {id: first, tool: item, inputs: {id: "{id}"}, output: first}
  - {id: approve, tool: item, dependsOn: [first], inputs: {id: "{id}"}, output: said, execution: {interactionMode: manual, timeout: 300}}
  - {id: last, tool: item, dependsOn: [approve], inputs: {id: "{id}"}, output: last}
outputTemplate: "{{step.said}}"
"""


def test_a_command_that_runs_a_process_sends_its_steps_as_it_goes_on(applied, background, collector, shop):
    applied(FETCH.replace("name: fetch", "name: fetch_slowly").replace("outputTemplate", SLOW + "outputTemplate"))
    running = background(
        "process", "run", "fetch_slowly", "--input", "id=x", OTEL_EXPORTER_OTLP_ENDPOINT=collector.address
    )
    until(lambda: shop.calls["/slow"] == 1 and steps_of(collector) == ["first"], lambda: running.err)
    shop.lets_go.set()
    assert running.waited() == 0, running.err
    assert steps_of(collector) == ["first", "second"]


def test_a_step_is_sent_while_the_next_waits_for_a_person_and_kill_9_loses_none(aeon, applied, background, collector):
    """The worker is killed; another one adopts the run, and the ids fit at the end."""
    applied(APPROVE)
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}
    worker = background("serve", "worker", **endpoint)
    run = aeon("process", "run", "approve", "--input", "id=x", "--detach", "--json").json["id"]
    until(lambda: steps_of(collector) == ["first"])
    assert aeon("log", "why", run).out.startswith("approve: Waits for an answer")
    (first,) = collector.spans
    assert worker.ends(signal.SIGKILL) != 0
    following = background("serve", "worker", **endpoint)
    assert aeon("log", "answer", run, "approve", "yes").code in {0, 3}
    until(lambda: any("aeon.run.id" in said(span.attributes) for span in collector.spans))
    assert sorted({*steps_of(collector)}) == ["approve", "first", "last"]
    by_id = {span.span_id: span for span in collector.spans}
    (root,) = (span for span in by_id.values() if not span.parent_span_id)
    assert {span.parent_span_id for span in by_id.values()} == {b"", root.span_id}
    assert (first.parent_span_id, {span.trace_id for span in by_id.values()}) == (root.span_id, {first.trace_id})
    assert len(by_id) == 4
    assert following.ends(signal.SIGTERM) == 0
