"""The configured model for scripts: a unix socket, a token of this run, bounded calls, no key (skills 11)."""

import http.client
import json
import socket
import stat
import threading

import pytest

from aeon.base.errors import LLMError
from aeon.llm.interface import LLMResponse
from aeon.skills.model_gateway import _MAX_BODY_BYTES, ModelGateway
from aeon.testing.llm import ScriptedAdapter

pytestmark = pytest.mark.server

QUESTION = {"messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def ask(gateway, body=QUESTION, *, token=None, path="/v1/chat/completions", length=None):
    environment = gateway.environment
    connection = UnixConnection(environment["AEON_MODEL_SOCKET"])
    headers = {"Authorization": f"Bearer {token or environment['AEON_MODEL_TOKEN']}"}
    if length is not None:
        headers["Content-Length"] = str(length)
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request("POST", path, sent, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def opened(*replies, **more):
    model = ScriptedAdapter(replies)
    return model, ModelGateway(lambda: model, **more)


def test_a_question_reaches_the_model_and_its_answer_comes_back():
    model, gateway = opened(LLMResponse("hello yourself", finish_reason="stop"))
    with gateway:
        status, body = ask(gateway)

    assert status == 200
    assert body["choices"][0]["message"]["content"] == "hello yourself"
    assert (model.requests[0].system_prompt, model.requests[0].prompt) == ("be brief", "hello")


def test_that_an_answer_was_cut_off_is_said():
    _, gateway = opened(LLMResponse("Once upon", finish_reason="length"))
    with gateway:
        assert ask(gateway)[1]["choices"][0]["finish_reason"] == "length"


def test_only_this_runs_token_is_taken():
    model, gateway = opened("x")
    with gateway:
        assert ask(gateway, token="not-this-runs")[0] == 401  # noqa: S106  # a wrong one

    assert model.requests == []


def test_a_script_that_writes_much_sees_why_it_is_refused():
    _, gateway = opened("x")
    much = b"x" * (_MAX_BODY_BYTES - 1)
    with gateway:
        assert ask(gateway, much, token="not-this-runs")[0] == 401  # noqa: S106  # a wrong one
        assert ask(gateway, much, path="/v1/models")[0] == 404


def test_the_socket_is_the_users_own_and_gone_in_the_end():
    _, gateway = opened()
    with gateway:
        folder = gateway.folder
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    assert not folder.exists()
    assert gateway.environment == {}


def test_calls_of_a_run_are_bounded():
    model, gateway = opened("one", "two", most_calls=1)
    with gateway:
        assert [ask(gateway)[0] for _ in range(2)] == [200, 429]

    assert len(model.requests) == 1


def test_a_model_that_does_not_answer_is_said():
    _, gateway = opened(LLMError("no weights"))
    with gateway:
        status, body = ask(gateway)

    assert status == 503
    assert "no weights" in body["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", {"messages": []}, {"messages": [{"role": "root", "content": "x"}]}, {"messages": "x"},
     {**QUESTION, "max_tokens": "many"}, {**QUESTION, "temperature": True}, b"\xff\xfe"],
)  # fmt: skip
def test_what_is_no_question_is_refused(body):
    model, gateway = opened("x")
    with gateway:
        assert ask(gateway, body)[0] == 400

    assert model.requests == []


def test_another_path_and_a_huge_body_are_refused():
    _, gateway = opened("x")
    with gateway:
        assert ask(gateway, path="/v1/models")[0] == 404
        assert ask(gateway, b"", length=10**6)[0] == 413


def test_answers_are_bounded_whatever_is_asked():
    model, gateway = opened("x")
    with gateway:
        ask(gateway, {**QUESTION, "max_tokens": 10**9})

    assert model.requests[0].max_tokens <= 4096


def test_a_temporary_folder_with_a_long_path_is_no_hindrance(tmp_path, monkeypatch):
    long = tmp_path / ("d" * 60) / ("e" * 60)
    long.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with ModelGateway(lambda: ScriptedAdapter(["hi"])) as gateway:
        folder = gateway.folder
        assert ask(gateway)[0] == 200
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()
    assert list(long.iterdir()) == []


def test_a_script_that_is_gone_before_its_answer_leaves_no_traceback(capfd):
    gone = threading.Event()
    asked: list[threading.Thread] = []
    is_asked = threading.Event()

    class Late(ScriptedAdapter):
        def complete(self, request, on_text=None):
            asked.append(threading.current_thread())
            is_asked.set()
            assert gone.wait(10)
            return super().complete(request, on_text)

    model = Late([LLMResponse("too late", finish_reason="stop")])
    with ModelGateway(lambda: model) as gateway:
        connection = UnixConnection(gateway.environment["AEON_MODEL_SOCKET"])
        headers = {"Authorization": f"Bearer {gateway.environment['AEON_MODEL_TOKEN']}"}
        connection.request("POST", "/v1/chat/completions", json.dumps(QUESTION).encode(), headers)
        assert is_asked.wait(10)
        connection.close()
        gone.set()
        asked[0].join(10)
    assert len(model.requests) == 1
    assert "Traceback" not in capfd.readouterr().err
