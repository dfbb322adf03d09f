"""A server as a process of its own: what it uses of memory and of a core, and requests to it."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
_PORT = re.compile(r"localhost:(\d+)/")


class Served:
    """A process that listens on `port`. `token` signs its requests."""

    def __init__(self, process: subprocess.Popen[str], port: int, token: str = "") -> None:
        self.process, self.port = process, port
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    @property
    def cpu(self) -> float:
        """Seconds of a core so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def memory(self) -> int:
        """Resident bytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, method: str, path: str, body: Any = None, over: http.client.HTTPConnection | None = None) -> Any:
        """The data of an answer, which must be no error."""
        connection = over or self.connection()
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": "application/json", **self.headers})
        answer = connection.getresponse()
        data = answer.read()
        assert answer.status < 400, (method, path, answer.status, data)
        if over is None:
            connection.close()
        return json.loads(data) if data else None

    def request(self, method: str, path: str, body: str = "") -> bytes:
        """The bytes of a request, for clients that must cost little."""
        headers = {"Host": f"127.0.0.1:{self.port}", **self.headers}
        if body:
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n{body}".encode()

    def load(self, path: str, seconds: float, clients: int = 8) -> tuple[float, float]:
        """(requests a second, milliseconds of CPU each) of clients that ask for one thing again and again."""
        counts = [0] * clients
        until = time.perf_counter() + seconds

        def client(number: int) -> None:
            asked = self.request("GET", path)
            with socket.create_connection(("127.0.0.1", self.port)) as wire:
                while time.perf_counter() < until:
                    wire.sendall(asked)
                    read_answer(wire)
                    counts[number] += 1

        cpu, began = self.cpu, time.perf_counter()
        threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        done = sum(counts)
        return done / (time.perf_counter() - began), (self.cpu - cpu) / done * 1e3

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def read_answer(wire: socket.socket) -> None:
    """Read one answer of known length."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += wire.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 20"), head
    (length,) = re.findall(rb"content-length: (\d+)", head)
    left = int(length) - len(body)
    while left > 0:
        left -= len(wire.recv(65536))


def start_bare() -> Served:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(Path(__file__).with_name("bare.py")), str(port)], text=True)
    served = Served(process, port)
    wait_for(served, "/")
    return served


def start_aeon(folder: Path, environ: dict[str, str]) -> Served:
    """`aeon serve` in a folder, ready."""
    command = [sys.executable, "-m", "aeon", "serve", "--port", "0"]
    process = subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    found = _PORT.search(process.stdout.readline())
    assert found is not None
    served = Served(process, int(found[1]))
    wait_for(served, "/health/ready")
    return served


def wait_for(served: Served, path: str) -> None:
    until = time.perf_counter() + 30
    while True:
        try:
            return served.ask("GET", path)
        except (OSError, AssertionError):
            assert time.perf_counter() < until
            time.sleep(0.005)
