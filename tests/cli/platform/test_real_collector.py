"""Spans of a run, sent as it goes on to OpenTelemetry's own collector, which writes what it has understood.

It is built by `go build -C .ci/otelcol -o FILE .`; then run the tests with AEON_TEST_OTELCOL=FILE.
"""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from .conftest import until

pytestmark = [pytest.mark.server, pytest.mark.slow]

PROGRAM = os.environ.get("AEON_TEST_OTELCOL", "")  # before each test has an environment of its own

PROCESSES = """
kind: Process
name: inner
initialContext: [id]
steps:
  - {id: get, tool: item, inputs: {id: "{id}"}, output: got}
---
kind: Process
name: outer
initialContext: [id]
steps:
  - {id: call, process: inner, inputs: {id: "{id}"}, output: called}
  - {id: approve, tool: item, dependsOn: [call], inputs: {id: "{id}"}, output: said, execution: {interactionMode: manual, timeout: 300}}
"""

CONFIG = """
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters: {{file: {{path: {file}, flush_interval: 100ms}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{traces: {{receivers: [otlp], exporters: [file]}}}}
"""


class OtelCollector:
    """The collector as a process; `spans()` are those that it has written, by id."""

    def __init__(self, program, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._file = folder / "spans.json"
        config = folder / "otelcol.yaml"
        config.write_text(CONFIG.format(port=self.port, file=self._file))
        self._log = (folder / "otelcol.log").open("wb")
        self._process = subprocess.Popen([program, "--config", config], stdout=self._log, stderr=self._log)
        try:
            until(self._answers, (folder / "otelcol.log").read_text)
        except BaseException:
            self.close()
            raise

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def spans(self):
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        found = {}
        for line in lines:
            for resource in json.loads(line)["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found |= {span["spanId"]: span for span in scope["spans"]}
        return found

    def close(self):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)
        self._log.close()

    def _answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def otelcol(tmp_path):
    if not Path(PROGRAM).is_file():
        pytest.skip("OpenTelemetry's collector is not there: see this file's first lines")
    (tmp_path / "otelcol").mkdir()
    collector = OtelCollector(PROGRAM, tmp_path / "otelcol")
    yield collector
    collector.close()


def steps_of(collector):
    return sorted(
        attribute(span, "aeon.step.id") for span in collector.spans().values() if attribute(span, "aeon.step.id")
    )


def attribute(span, name):
    values = (each["value"] for each in span["attributes"] if each["key"] == name)
    return next((next(iter(value.values())) for value in values), None)


def test_a_real_collector_gets_each_step_as_it_ends_and_the_family_as_one_trace(aeon, applied, background, otelcol):
    applied(PROCESSES)
    worker = background("serve", "worker", OTEL_EXPORTER_OTLP_ENDPOINT=otelcol.address)
    run = aeon("process", "run", "outer", "--input", "id=private-x", "--detach", "--json").json["id"]
    until(lambda: steps_of(otelcol) == ["call", "get"], lambda: worker.err)
    assert aeon("log", "why", run).out.startswith("approve: Waits for an answer")
    assert aeon("log", "answer", run, "approve", "yes").code in {0, 3}
    until(lambda: len(otelcol.spans()) == 5, lambda: worker.err)
    spans = otelcol.spans()
    assert len({span["traceId"] for span in spans.values()}) == 1
    (root,) = (span for span in spans.values() if not span.get("parentSpanId"))
    by_step = {attribute(span, "aeon.step.id"): span for span in spans.values() if attribute(span, "aeon.step.id")}
    (inner,) = (
        span for span in spans.values() if span["spanId"] != root["spanId"] and not attribute(span, "aeon.step.id")
    )
    assert by_step["call"]["parentSpanId"] == by_step["approve"]["parentSpanId"] == root["spanId"]
    assert inner["parentSpanId"] == by_step["call"]["spanId"]
    assert by_step["get"]["parentSpanId"] == inner["spanId"]
    assert [link["spanId"] for link in by_step["call"]["links"]] == [inner["spanId"]]
    assert "private-x" not in json.dumps(list(spans.values()))
    assert worker.ends(signal.SIGTERM) == 0, worker.err
