"""Two `aeon serve` processes on one project, and a proxy before them that sends each connection to the next one."""

import http.client
import itertools
import json
import re
import socket
import threading
from contextlib import suppress

LINK = re.compile(r"http://(aeon-[a-z]{4}\.localhost:(\d+))/#(aeon_[\w-]+)")


class RoundRobin:
    """A proxy of TCP connections; a dead server is left out."""

    def __init__(self):
        self.ports = []
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listening.getsockname()[1]
        self._turns = itertools.count()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):  # it is closed
            while True:
                client, _ = self.listening.accept()
                threading.Thread(target=self._join, args=(client, next(self._turns)), daemon=True).start()

    def _join(self, client, turn):
        for port in (self.ports[turn % 2], self.ports[(turn + 1) % 2]):
            with suppress(ConnectionRefusedError), client, socket.create_connection(("127.0.0.1", port)) as server:
                threading.Thread(target=self._copy, args=(client, server), daemon=True).start()
                self._copy(server, client)
                return

    @staticmethod
    def _copy(source, target):
        with suppress(OSError):  # one of them is gone
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def close(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()


class Servers:
    """Both servers; `call` asks through the proxy, so one after the other, and `call(..., at=0)` one of them."""

    def __init__(self, background):
        self.proxy = RoundRobin()
        self.name = f"aeon.example.test:{self.proxy.port}"
        self.processes = [self._start(background) for _ in range(2)]
        self.proxy.ports = [each.port for each in self.processes]

    def _start(self, background):
        process = background("serve", "--port", "0", "--name", self.name)
        line = process.process.stdout.readline()
        process.name, port, process.link = LINK.search(line).groups()
        process.port = int(port)
        return process

    def connection(self, at=None):
        port = self.proxy.port if at is None else self.processes[at].port
        return http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def call(self, method, path, body=None, *, at=None, **headers):
        """(status, headers, data) of one request on a connection of its own."""
        connection = self.connection(at)
        text = None if body is None else json.dumps(body)
        try:
            fields = {"Host": self.name, "Content-Type": "application/json", **headers}
            connection.request(method, path, text, fields)
            answer = connection.getresponse()
            return answer.status, answer.headers, json.loads(answer.read() or "null")
        finally:
            connection.close()

    def events(self, path, *, at, **headers):
        """All events of a stream: (id, name, data)."""
        connection = self.connection(at)
        connection.request("GET", path, headers={"Host": self.name, **headers})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        found = []
        for block in answer.read().decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            if "event" in fields:
                found.append((fields.get("id"), fields["event"], json.loads(fields["data"])))
        connection.close()
        return found

    def close(self):
        self.proxy.close()
