"""A real OTLP receiver on loopback, which answers as it is told."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

LONG_ENOUGH = 20.0


class Collector:
    """Keeps what it is sent. `status` and `body` are what it answers; until it is let go, if it is slow."""

    def __init__(self):
        self.requests, self.bodies = [], []
        self.headers = []
        self.paths = []
        self.status, self.body = 200, b""
        self.lets_go = threading.Event()
        self.lets_go.set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):  # the server's own name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.lets_go.wait(LONG_ENOUGH)
                collector.take(self.path, dict(self.headers), body)
                try:
                    self.send_response(collector.status)
                    self.send_header("Content-Length", str(len(collector.body)))
                    self.end_headers()
                    self.wfile.write(collector.body)
                except OSError:  # whoever asked has given up
                    return

            def log_message(self, *_said):
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def take(self, path, headers, body):
        if headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.paths.append(path)
        self.headers.append(headers)
        self.bodies.append(body)
        self.requests.append(ExportTraceServiceRequest.FromString(body))

    @property
    def spans(self):
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def resource(self):
        return said(self.requests[-1].resource_spans[0].resource.attributes)

    def close(self):
        self.lets_go.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def said(attributes):
    """Attributes as a dict."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


@pytest.fixture
def collector(monkeypatch):
    """Open, and named by the environment."""
    made = Collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.address)
    yield made
    made.close()
