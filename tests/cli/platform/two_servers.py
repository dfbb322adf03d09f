"""Two `aeon serve` processes for one record, and a proxy before them that sends each connection to the next one."""

import http.client
import itertools
import json
import re
import socket
import threading
from contextlib import suppress
from functools import partial

LINK = re.compile(r"http://(aeon-[a-z]{4}\.localhost:(\d+))/#(aeon_[\w-]+)")


class Proxy:
    """Passes each TCP connection on to the next of `targets`, which are functions that connect. Dead ones are left out."""

    def __init__(self, listening, targets):
        self.targets = targets
        self._listening = listening
        self.port = listening.getsockname()[1]
        self._turns = itertools.count()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):  # it is closed
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._join, args=(client, next(self._turns)), daemon=True).start()

    def _join(self, client, turn):
        with client:
            for number in range(len(self.targets)):
                target = self.targets[(turn + number) % len(self.targets)]
                with suppress(OSError), target() as server:  # a dead one refuses or resets
                    threading.Thread(target=self._copy, args=(client, server), daemon=True).start()
                    self._copy(server, client)
                    return

    @staticmethod
    def _copy(source, target):
        with suppress(OSError):  # one of them is gone
            while data := source.recv(65536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self):
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


class SharedMachine:
    """The host with the folder of the test, for servers that share both."""

    def start(self, background, *argv):
        """Starts a command that stays."""
        return background(*argv)

    def connect(self, port):
        """A connection to a port of its loopback."""
        return socket.create_connection(("127.0.0.1", port))

    def copy_vault(self, project):
        """Gives the machine the vault of the project, which it has."""

    def mount_results(self, folder):
        """Makes a folder the one of the large results; one machine needs none."""

    def reach(self, port):
        """Makes a port of the host's loopback one of the machine's, which it is."""

    def close(self):
        """Has nothing to close."""


class Servers:
    """A server on each machine; `call` asks through the proxy, so one after the other, and `call(..., at=0)` one of them."""

    def __init__(self, background, machines):
        self.proxy = Proxy(socket.create_server(("127.0.0.1", 0), backlog=128), [])
        self.name = f"aeon.example.test:{self.proxy.port}"
        self.processes = [each.start(background, "serve", "--port", "0", "--name", self.name) for each in machines]
        for process in self.processes:
            found = LINK.search(process.process.stdout.readline())
            assert found, (process.waited(), process.report)
            process.name, port, process.link = found.groups()
            process.port = int(port)
        pairs = zip(machines, self.processes, strict=True)
        self.proxy.targets = [partial(machine.connect, process.port) for machine, process in pairs]

    def connection(self, at=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.port, timeout=30)
        if at is not None:
            connection.sock = self.proxy.targets[at]()
            connection.sock.settimeout(connection.timeout)
        return connection

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
