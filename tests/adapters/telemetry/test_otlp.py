"""Spans at an OTLP endpoint, and endpoints that are down, slow, or answer what they should not."""

import logging
import os
import socket
import subprocess
import sys
import threading

import pytest
from tests.adapters.telemetry.conftest import said

from aeon.adapters.telemetry.environment import read_otlp_settings
from aeon.adapters.telemetry.otlp import OtlpReceiver
from aeon.platform.runs.span_export import SpanExportError
from aeon.platform.runs.spans import Span, SpanEvent, TraceContext

SPAN = Span(
    TraceContext(2**127 + 1, 2**63 + 5),
    TraceContext(2**127 + 1, 9),
    "execute_tool get",
    "client",
    1_000_000_001,
    2_000_000_002,
    "timed_out",
    {"aeon.step.id": "a", "aeon.step.attempt": 2, "aeon.step.cached": True},
    [SpanEvent("aeon.step.skipped", 1_500_000_000, {"aeon.step.id": "b"})],
    [TraceContext(3, 4)],
)


@pytest.fixture
def receiver():
    """The receiver that these variables mean, with half a second for a batch."""

    def make(**environ):
        return OtlpReceiver(read_otlp_settings({**os.environ, "OTEL_EXPORTER_OTLP_TIMEOUT": "0.5", **environ}))

    return make


def test_a_span_arrives_as_it_is(collector, receiver):
    receiver().export([SPAN])
    (span,) = collector.spans
    assert collector.paths == ["/v1/traces"]
    assert (span.trace_id.hex(), span.span_id.hex()) == ("8" + "0" * 30 + "1", "8000000000000005")
    assert span.parent_span_id.hex() == "0000000000000009"
    assert (span.name, span.start_time_unix_nano, span.end_time_unix_nano) == (SPAN.name, SPAN.begin, SPAN.end)
    assert (span.status.code, span.status.message) == (2, "timed_out")
    assert said(span.attributes) == SPAN.attributes
    assert [(event.name, event.time_unix_nano) for event in span.events] == [("aeon.step.skipped", 1_500_000_000)]
    assert [link.span_id.hex() for link in span.links] == ["0000000000000004"]


def test_the_service_is_called_aeon_unless_the_environment_says_otherwise(collector, receiver, monkeypatch):
    receiver().export([SPAN])
    assert collector.resource["service.name"] == "aeon"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "shop")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
    receiver().export([SPAN])
    assert (collector.resource["service.name"], collector.resource["deployment.environment"]) == ("shop", "test")


def test_headers_and_compression_are_the_environments(collector, receiver, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    receiver().export([SPAN])
    assert collector.headers[0]["authorization"] == "Bearer abc"
    assert collector.headers[0]["Content-Encoding"] == "gzip"
    assert len(collector.spans) == 1


def test_the_endpoint_of_traces_is_taken_as_it_stands(collector, receiver, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{collector.address}/here")
    receiver().export([SPAN])
    assert collector.paths == ["/here"]


@pytest.mark.parametrize("status", [301, 400, 401, 404, 413, 500])
def test_an_answer_that_is_no_yes_is_told_and_only_what_is_invalid_is_final(collector, receiver, status):
    collector.status = status
    with pytest.raises(SpanExportError, match=f"HTTP status {status}") as refused:
        receiver().export([SPAN])
    assert refused.value.is_final == (status in (400, 413))


@pytest.mark.timeout(30)
def test_an_endpoint_that_is_busy_is_asked_again_in_its_time(collector, receiver):
    collector.status = 503
    with pytest.raises(SpanExportError, match="503"):
        receiver().export([SPAN])


def test_rubbish_in_an_answer_is_no_trouble(collector, receiver):
    collector.body = b"\xff\x00<html>" * 100
    receiver().export([SPAN])


def test_nobody_there_is_told_at_once_and_logged_by_nobody_else(receiver, caplog, capfd):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://user:pa55word@127.0.0.1:{closed.getsockname()[1]}"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        with pytest.raises(SpanExportError, match="no response") as refused:
            receiver().export([SPAN])
    assert "pa55word" not in str(refused.value)
    assert capfd.readouterr().err == ""


@pytest.mark.timeout(30)
def test_one_that_is_slow_is_given_up_in_time_and_asked_anew_later(collector, receiver):
    taker = receiver()
    collector.lets_go.clear()
    with pytest.raises(SpanExportError):
        taker.export([SPAN])
    collector.lets_go.set()
    taker.export([SPAN])
    assert collector.spans


@pytest.mark.slow
@pytest.mark.timeout(30)
def test_an_answer_that_trickles_is_left_behind(receiver, monkeypatch):
    """The client's own timeout begins anew with each byte."""
    server = socket.create_server(("127.0.0.1", 0))
    is_over = threading.Event()

    def trickle():
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while not is_over.wait(0.1):
                connection.sendall(b".")

    thread = threading.Thread(target=trickle)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
    with pytest.raises(SpanExportError, match="in time"):
        receiver().export([SPAN])
    is_over.set()
    thread.join()
    server.close()


def test_another_protocol_is_refused_with_what_to_set(collector, receiver):
    with pytest.raises(SpanExportError, match="OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"):
        receiver(OTEL_EXPORTER_OTLP_PROTOCOL="grpc").export([SPAN])
    assert not collector.requests


def test_a_defect_of_what_sends_is_told_and_raises_nothing_else(collector, receiver):
    with pytest.raises(SpanExportError, match="the exporter failed with"):
        receiver().export([SPAN._replace(kind="nonsense")])
    receiver().export([SPAN])


def test_a_missing_extra_is_told_with_its_command(collector, receiver, monkeypatch, uninstall):
    uninstall("requests")
    monkeypatch.delitem(sys.modules, "aeon.adapters.telemetry.exporter", raising=False)
    with pytest.raises(SpanExportError, match=r"pip install 'aeon-orchestrator\[otel\]'"):
        receiver().export([SPAN])


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_SDK_DISABLED": "True"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_SERVICE_NAME": "s"},
    ],
)
def test_it_is_off_unless_an_endpoint_is_named(environ):
    assert read_otlp_settings(environ) is None


def test_what_is_asked_for_is_short_and_without_contents():
    asked = read_otlp_settings({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://u:p@h:1/x"})
    assert asked == ("https://h:1", "http/protobuf", 3.0, False)
    more = {"OTEL_EXPORTER_OTLP_TIMEOUT": "10000", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "TRUE"}
    assert read_otlp_settings({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:x", **more})[2:] == (10.0, True)
    assert read_otlp_settings({"OTEL_EXPORTER_OTLP_ENDPOINT": "h", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}).seconds == 3.0


def test_nothing_global_is_set_and_nothing_is_loaded_without_an_endpoint(collector, receiver):
    """Style 17"""
    code = (
        "import sys, aeon.bootstrap.process_runtime, aeon.bootstrap.telemetry as t; "
        "print(t.open_span_sender(None, None, None, {}, 'me'), "
        "sorted(m for m in sys.modules if m.startswith(('opentelemetry.sdk', 'opentelemetry.exporter', "
        "'opentelemetry.proto', 'requests', 'aeon.adapters.telemetry.')) and not m.endswith('.environment')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None []"
    receiver().export([SPAN])
    from opentelemetry import trace

    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
    assert logging.getLogger("opentelemetry").propagate
