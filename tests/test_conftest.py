"""The suite's own rule: no network but loopback (style.md 12)."""

import socket
import threading

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 9), ("example.org", 80), ("10.0.0.1", 53)])
def test_connections_that_leave_the_machine_are_forbidden(address):
    with socket.socket() as sock, pytest.raises(RuntimeError, match="tried to connect"):
        sock.connect(address)
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(RuntimeError, match="tried to sendto"):
        sock.sendto(b"x", address)


def test_loopback_and_unix_sockets_work(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        accepting = threading.Thread(target=lambda: server.accept()[0].close())  # noqa: PLW0108  # two calls, not one
        accepting.start()
        socket.create_connection(server.getsockname()).close()
        accepting.join()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))
