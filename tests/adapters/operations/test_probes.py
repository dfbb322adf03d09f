"""Health probes: any answer will do, and they are no way round what a call would be refused."""

import socket
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from aeon.adapters.operations.host_addresses import is_public
from aeon.adapters.operations.probes import HttpProbe, McpProbe, SocketProbe


class Counting(BaseHTTPRequestHandler):
    def do_GET(self):  # the server's name
        self.server.asked.append((self.path, self.headers["host"]))
        self.send_response(self.server.status)
        self.send_header("Location", "http://10.0.0.1/")
        self.end_headers()

    def log_message(self, *args):
        pass


@contextmanager
def serving(status=404):
    with ThreadingHTTPServer(("127.0.0.1", 0), Counting) as server:
        server.asked, server.status = [], status
        thread = threading.Thread(target=partial(server.serve_forever, 0.01))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def test_a_service_answers_when_one_of_its_addresses_does():
    with serving() as server:
        connection = {"endpoint": f"http://api.example:{server.server_port}/"}
        for kind in (HttpProbe, SocketProbe):
            found, gone = ["::1", "127.0.0.1"], ["::1", "127.0.0.2"]
            assert kind(lambda _host, _port, found=found: found).problem("http", connection, allow_private=True) is None
            problem = kind(lambda _host, _port, gone=gone: gone).problem("http", connection, allow_private=True)
            assert "cannot be reached" in problem


def test_of_a_private_address_a_probe_says_what_a_call_would():
    """And asks nothing, whatever its path would do there."""
    with serving() as server:
        connection = {"endpoint": f"http://127.0.0.1:{server.server_port}/shutdown"}
        for probe in (HttpProbe(), McpProbe(), SocketProbe()):
            assert "which is private" in probe.problem("http", connection, allow_private=False)
        assert server.asked == []


@pytest.mark.parametrize(("status", "problem"), [(404, None), (302, None), (503, "it answers 503")])
def test_it_is_asked_once_under_its_name_and_redirects_are_not_followed(status, problem):
    with serving(status) as server:
        connection = {"endpoint": f"http://api.example:{server.server_port}/v1"}
        probe = HttpProbe(lambda _host, _port: ["127.0.0.1"])
        assert probe.problem("http", connection, allow_private=True) == problem
        assert server.asked == [("/v1", f"api.example:{server.server_port}")]
    gone = {"endpoint": f"http://127.0.0.1:{free_port()}"}
    assert HttpProbe().problem("http", gone, allow_private=True) == "it cannot be reached (ConnectError)"


def test_a_host_that_is_not_found_and_what_is_no_address_are_said():
    def nowhere(_host, _port):
        raise OSError(-2, "Name or service not known")

    assert "'api.example' was not found" in HttpProbe(nowhere).problem(
        "http", {"endpoint": "http://api.example"}, allow_private=True
    )
    for endpoint in ("ftp://x", "http://", "http://x:port", "", "http://[::1"):
        assert (
            HttpProbe().problem("http", {"endpoint": endpoint}, allow_private=True)
            == "its endpoint is not a valid http address"
        )


def test_graphs_are_asked_nothing():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"127.0.0.1:{listening.getsockname()[1]}"
        assert SocketProbe().problem("bolt", {"endpoint": f"bolt://{place}"}, allow_private=True) is None
        assert SocketProbe().problem("bolt", {"endpoint": f"falkordb://{place}"}, allow_private=True) is None
    gone = SocketProbe().problem("bolt", {"endpoint": f"bolt://127.0.0.1:{free_port()}"}, allow_private=True)
    assert gone == "it cannot be reached (ConnectionRefusedError)"
    assert (
        SocketProbe().problem("bolt", {"endpoint": "bolt://x:port"}, allow_private=True)
        == "its endpoint is not a valid bolt address"
    )


def test_what_is_aeons_own_answers_and_a_program_must_be_there():
    assert HttpProbe().problem("http", {"endpoint": "aeon:model"}, allow_private=True) is None
    assert SocketProbe().problem("bolt", {"endpoint": "aeon:graph"}, allow_private=True) is None
    assert McpProbe().problem("stdio", {"command": sys.executable}, allow_private=True) is None
    assert McpProbe().problem("stdio", {"command": "aeon:self"}, allow_private=False) is None
    assert (
        McpProbe().problem("stdio", {"command": "no-such-command"}, allow_private=True)
        == "there is no program 'no-such-command'"
    )


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),  # noqa: S104  # an address that is refused
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True),
    ],
)
def test_which_addresses_are_public(address, expected):
    assert is_public(address) is expected
