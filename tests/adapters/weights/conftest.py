"""A hub on loopback and a folder of wheels, both real, both tiny."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from aeon.adapters.weights.index import sha256_of_wheel
from aeon.adapters.weights.lockfile import LockedWheel
from aeon.adapters.weights.progress import WeightsProgress
from aeon.testing.weights import make_weights

CONTENT = b"GGUF" + bytes(range(256)) * 400


class Hub:
    """Serves `content` with ranges. `behaviours` are used up one per request: "cut", "stall", "hold", "404", ..."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.behaviours: list[str] = []
        self.requests: list[str | None] = []
        self.asked = threading.Event()
        self.released = threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                hub.answer(self)

            def handle(self):
                with suppress(ConnectionError):  # a client may leave early
                    super().handle()

            def log_message(self, *args):
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        wanted = handler.headers.get("Range")
        self.requests.append(wanted)
        self.asked.set()
        behaviour = self.behaviours.pop(0) if self.behaviours else "whole"
        if behaviour == "404":
            handler.send_error(404)
            return
        if behaviour == "hold":
            self.released.wait(30)
        start = 0 if wanted is None or behaviour == "ranges ignored" else int(wanted[6:-1])
        self.head(handler, start, behaviour)
        body = self.content[start:]
        handler.wfile.write(body[: len(body) // 2] if behaviour in {"cut", "stall"} else body)
        if behaviour == "stall":
            handler.wfile.flush()
            self.released.wait(30)
        handler.close_connection = behaviour in {"cut", "stall", "no length"}

    def head(self, handler: BaseHTTPRequestHandler, start: int, behaviour: str) -> None:
        size = len(self.content)
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        if behaviour != "no length":
            handler.send_header("Content-Length", str(size - start))
        handler.end_headers()


@pytest.fixture
def content() -> bytes:
    return CONTENT


@pytest.fixture
def spec(content):
    return make_weights(content)


@pytest.fixture
def hub(content) -> Iterator[Hub]:
    hub = Hub(content)
    thread = threading.Thread(target=hub.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield hub
    hub.released.set()
    hub.server.shutdown()
    hub.server.server_close()
    thread.join()


class Events(list[WeightsProgress]):
    """A report that keeps what it is told."""

    def __call__(self, progress: WeightsProgress) -> None:
        self.append(progress)

    @property
    def phases(self) -> list[str]:
        return [event.phase.value for event in self]


@pytest.fixture
def events() -> Events:
    return Events()


class Wheelhouse:
    """A folder of wheels, each with a part of a file and code that leaves a trace if anybody runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trace = folder / "code-was-run"

    @property
    def pip_arguments(self) -> tuple[str, ...]:
        return ("--no-index", f"--find-links={self.folder}")

    def path(self, project: str) -> Path:
        return self.folder / f"{project.replace('-', '_')}-1.0-py3-none-any.whl"

    def add(self, project: str, members: dict[str, bytes]) -> LockedWheel:
        package, path = project.replace("-", "_"), self.path(project)
        info = f"{package}-1.0.dist-info"
        with ZipFile(path, "w", ZIP_DEFLATED) as wheel:
            wheel.writestr(f"{package}/__init__.py", f"open({str(self.trace)!r}, 'w').close()")
            for name, body in members.items():
                wheel.writestr(f"{package}/{name}", body)
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return LockedWheel(project, "1.0", sha256_of_wheel(path))

    def split(self, content: bytes, parts: int) -> list[LockedWheel]:
        step = -(-len(content) // parts)
        return [
            self.add(f"sample-part{n}", {f"data/part{n:02}.bin": content[(n - 1) * step : n * step]})
            for n in range(1, parts + 1)
        ]


@pytest.fixture
def wheelhouse(tmp_path) -> Wheelhouse:
    folder = tmp_path / "wheelhouse"
    folder.mkdir()
    return Wheelhouse(folder)
