"""Whether a command was sent, and that none is ever sent twice."""

import socket
import threading

import pytest

from aeon.adapters.graph.falkordb.link import LateAnswerError, Link, pool_of
from aeon.adapters.graph.falkordb.session import Session
from aeon.platform.graph import GraphUnavailableError

pytestmark = pytest.mark.server


class Deaf:
    """A server that reads every command and hangs up, or that reads and says nothing."""

    def __init__(self, *, hangs_up: bool) -> None:
        self.hangs_up = hangs_up
        self.heard: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            with connection:
                while command := connection.recv(10_000):
                    if b"QUIT" in command:
                        return
                    self.heard.append(command)
                    if self.hangs_up:
                        break

    def close(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"QUIT")
            self.thread.join()
        self.listener.close()


@pytest.fixture(params=[True, False], ids=["hangs up", "silent"])
def deaf(request):
    server = Deaf(hangs_up=request.param)
    yield server
    server.close()


@pytest.fixture
def link(deaf):
    made = Link(pool_of("Connection", host="127.0.0.1", port=deaf.port), "server", lambda: None)
    yield made
    made.close()


def test_a_command_whose_answer_is_lost_was_sent_once(deaf, link):
    with pytest.raises((GraphUnavailableError, LateAnswerError)) as raised:
        link.ask("SET", "a", "b", timeout=0.1)
    assert len(deaf.heard) == 1
    if deaf.hangs_up:
        assert raised.value.may_have_happened


def test_a_command_never_sent_cannot_have_happened():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    revived: list[int] = []
    link = Link(pool_of("Connection", host="127.0.0.1", port=port), "server", lambda: revived.append(1))
    with pytest.raises(GraphUnavailableError) as raised:
        Session(link, "g").write("CREATE (:N)")
    assert not raised.value.may_have_happened
    assert revived == [1]
    link.close()


@pytest.mark.parametrize("deaf", [True], indirect=True)
def test_a_read_is_asked_once_more_and_a_write_is_not(deaf, link):
    session = Session(link, "g")
    with pytest.raises(GraphUnavailableError) as raised:
        session.write("CREATE (:N)")
    assert raised.value.may_have_happened
    assert len(deaf.heard) == 1
    with pytest.raises(GraphUnavailableError) as raised:
        session.read("MATCH (n) RETURN n")
    assert not raised.value.may_have_happened
    assert len(deaf.heard) == 3
