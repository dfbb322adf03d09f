"""Calls of real MCP servers on loopback: one of the tests' own over every transport, and one that others wrote."""

import asyncio
import os
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from aeon.adapters.operations.http_client import PinnedTransport
from aeon.adapters.operations.mcp import McpExecutor
from aeon.platform.catalog.operations import McpCall
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest
from aeon.platform.vault import SecretValue

from . import mcp_demo
from .served import Served

pytestmark = pytest.mark.server

STDIO = {"command": sys.executable, "args": [mcp_demo.__file__]}
TIME = {"command": str(Path(sys.executable).with_name("mcp-server-time")), "args": ["--local-timezone", "UTC"]}


@pytest.fixture
def executor():
    running = McpExecutor({"PATH": os.environ["PATH"], "AEON_MASTER_KEY": "s3cret", "LANG": "C.UTF-8"})
    yield running
    running.close()


@pytest.fixture
def ask(executor):
    def call(tool, given=None, *, connection=STDIO, protocol="stdio", secret=None, **operation):
        asked = McpCall.model_validate({"type": "mcp_call", "tool": tool, "allowPrivate": True, **operation})
        revealed = SecretValue(secret) if secret else None
        return executor.execute(OperationRequest("me", asked, protocol, connection, given or {}, revealed, {})).output

    return call


@pytest.fixture
def served(request):
    running = []

    def serve(protocol):
        app = mcp_demo.server.sse_app() if protocol == "sse" else mcp_demo.server.streamable_http_app()
        running.append(Served(app, "/sse" if protocol == "sse" else "/mcp"))
        return running[-1]

    yield serve
    for each in running:
        each.stop()


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(params=["stdio", "http", "sse"])
def anywhere(request, served, ask):
    """`ask` over each transport."""
    place = {"connection": STDIO}
    if request.param != "stdio":
        place = {"connection": {"endpoint": served(request.param).endpoint}}
    return lambda tool, given=None, **more: ask(tool, given, protocol=request.param, **place, **more)


def test_over_each_transport_a_tool_is_called(anywhere):
    assert anywhere("add", {"a": 1, "b": 2}) == {"result": 3}
    assert anywhere("add", {"n": 4}, arguments={"a": "{n}", "b": 1}) == {"result": 5}
    assert anywhere("say", {"text": "begin"}) == {
        "content": "begin\n[image]\nend",
        "parts": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}],
    }
    with pytest.raises(OperationError, match=r"answered with an error: .*it broke") as failed:
        anywhere("fail", {"text": "it broke"})
    assert not failed.value.is_transient


def test_a_server_that_others_wrote(ask, executor):
    names = [tool["name"] for tool in executor.list_tools("stdio", TIME)]
    assert names == ["get_current_time", "convert_time"]
    asked = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    assert "T21:00" in ask("convert_time", asked, connection=TIME)["target"]["datetime"]
    with pytest.raises(OperationError, match="Unknown tool"):
        ask("nothing", connection=TIME)
    with pytest.raises(OperationError, match="Invalid timezone"):
        ask("get_current_time", {"timezone": "Mars"}, connection=TIME)


def test_the_schemas_of_a_servers_tools_can_be_taken_over(executor):
    tools = {tool["name"]: tool for tool in executor.list_tools("stdio", STDIO)}
    assert tools["add"]["description"] == "The sum."
    assert tools["add"]["inputSchema"]["required"] == ["a", "b"]
    assert tools["add"]["outputSchema"]["properties"]["result"]["type"] == "integer"
    assert tools["say"]["outputSchema"] == {}


def test_platform_3_a_process_gets_nothing_of_ours_but_what_it_needs(ask):
    environ = ask("process", connection={**STDIO, "env": {"OWN": "1"}})["environ"]
    assert (environ["OWN"], environ["LANG"]) == ("1", "C.UTF-8")
    assert "AEON_MASTER_KEY" not in environ
    assert "s3cret" not in environ.values()
    assert set(environ) <= {"PATH", "HOME", "LANG", "OWN", "LOGNAME", "SHELL", "TERM", "USER", "LC_CTYPE"}


def test_a_session_is_kept_and_its_process_ends_with_the_executor(ask, executor):
    pid = ask("process")["pid"]
    assert ask("process")["pid"] == pid
    other = ask("process", connection={**STDIO, "env": {"OWN": "1"}})["pid"]
    assert other != pid
    executor.close()
    executor.close()
    assert not is_running(pid)
    assert not is_running(other)
    with pytest.raises(OperationError, match="could not be reached"):
        ask("process")


def test_a_session_that_died_is_opened_anew(ask):
    pid = ask("process")["pid"]
    os.kill(pid, signal.SIGKILL)
    again = ask("process")["pid"]
    assert again != pid
    with pytest.raises(OperationError, match="connection was lost") as lost:
        ask("die")
    assert not lost.value.is_transient
    assert ask("process")["pid"] not in (pid, again)


def test_a_call_that_takes_too_long_is_cancelled_on_the_server(ask):
    pid = ask("process")["pid"]
    with pytest.raises(OperationError, match=r"no answer within 0\.3 s") as late:
        ask("hang", timeout=0.3)
    assert late.value.is_transient
    assert ask("was_cancelled") == {"result": True}
    assert ask("process")["pid"] == pid


def test_a_server_that_never_says_hello_is_given_up(ask, executor, tmp_path):
    note = tmp_path / "pid"
    silent = {"command": "/bin/sh", "args": ["-c", f"echo $$ > {note}; exec sleep 60"]}
    with pytest.raises(OperationError, match="no answer within"):
        ask("add", connection=silent, timeout=0.5)
    executor.close()
    assert not is_running(int(note.read_text()))


def test_threads_share_a_session(ask):
    with ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(lambda n: ask("add", {"a": n, "b": n})["result"], range(20)))
        pids = set(pool.map(lambda _: ask("process")["pid"], range(8)))
    assert sums == [2 * n for n in range(20)]
    assert len(pids) == 1


@pytest.mark.parametrize("protocol", ["http", "sse"])
@pytest.mark.parametrize("secret", [{"key": "k1"}, {"access_token": "k1"}])
def test_platform_3_a_secret_is_a_bearer_and_nothing_else(served, ask, protocol, secret):
    server = served(protocol)
    server.wanted = "Bearer k1"
    place = {"protocol": protocol, "connection": {"endpoint": server.endpoint}}
    assert ask("add", {"a": 1, "b": 1}, secret=secret, **place) == {"result": 2}
    assert server.bearers == {"Bearer k1"}
    with pytest.raises(OperationError) as refused:
        ask("add", {"a": 1, "b": 1}, secret={"key": "wrong1"}, **place)
    assert refused.value.is_unauthorized
    assert "wrong1" not in str(refused.value)


@pytest.mark.parametrize("protocol", ["http", "sse"])
def test_a_session_whose_token_has_ended_says_so(served, ask, protocol):
    """So that it is refreshed, and the next one is a session of its own."""
    server = served(protocol)
    place = {"protocol": protocol, "connection": {"endpoint": server.endpoint}}
    server.wanted = "Bearer k1"
    assert ask("add", {"a": 1, "b": 1}, secret={"access_token": "k1"}, **place) == {"result": 2}
    server.wanted = "Bearer k2"
    with pytest.raises(OperationError) as refused:
        ask("add", {"a": 1, "b": 1}, secret={"access_token": "k1"}, **place)
    assert refused.value.is_unauthorized
    assert ask("add", {"a": 1, "b": 1}, secret={"access_token": "k2"}, **place) == {"result": 2}


@pytest.mark.parametrize("protocol", ["http", "sse"])
def test_a_private_address_is_reached_only_where_it_is_allowed(served, ask, executor, protocol):
    """Also by a session that another tool has opened there."""
    place = {"protocol": protocol, "connection": {"endpoint": served(protocol).endpoint}}
    assert ask("add", {"a": 1, "b": 1}, **place) == {"result": 2}
    with pytest.raises(OperationError, match=r"127\.0\.0\.1, which is private") as refused:
        ask("add", {"a": 1, "b": 1}, allowPrivate=False, **place)
    assert "allowPrivate" in refused.value.advice
    with pytest.raises(OperationError, match="which is private"):
        executor.list_tools(protocol, place["connection"])


@pytest.mark.parametrize("protocol", ["http", "sse"])
def test_the_address_that_was_checked_is_the_one_that_is_connected_to(served, protocol):
    """A name that leads elsewhere at its second look-up is not looked up again."""
    server, looked_up = served(protocol), []

    def resolve(host, _port):
        looked_up.append(host)
        return ["127.0.0.1" if len(looked_up) == 1 else "10.0.0.1"]

    executor = McpExecutor({}, resolve)
    asked = McpCall(tool="add", allow_private=True)
    connection = {"endpoint": server.endpoint.replace("127.0.0.1", "localhost")}
    for n in range(2):
        work = OperationRequest("me", asked, protocol, connection, {"a": n, "b": 1}, None, {})
        assert executor.execute(work).output == {"result": n + 1}
    executor.close()
    assert looked_up == ["localhost"]
    assert server.hosts == {connection["endpoint"].split("/")[2]}


def test_what_is_pinned_to_one_host_asks_no_other():
    async def ask_another():
        transport = PinnedTransport("here.example", "127.0.0.1", verify=True, on_refusal=lambda: None)
        async with httpx2.AsyncClient(transport=transport) as client:
            await client.get("http://there.example/")

    with pytest.raises(httpx2.ConnectError, match="another host"):
        asyncio.run(ask_another())


@pytest.mark.parametrize("protocol", ["http", "sse"])
def test_a_server_that_is_not_there_is_told(ask, protocol):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(OperationError, match="could not be reached: ConnectError") as missing:
        ask("add", protocol=protocol, connection={"endpoint": f"http://127.0.0.1:{port}/mcp"})
    assert missing.value.is_transient


@pytest.mark.parametrize(
    ("protocol", "connection", "secret", "match"),
    [
        ("stdio", {"command": "no-such-command"}, None, "'no-such-command' was not found"),
        ("stdio", {"command": "x", "args": "y"}, None, "`args` must be a list"),
        ("stdio", {"command": "x", "env": {"A": 1}}, None, "`env` an object of strings"),
        ("stdio", {"command": "x"}, {"key": "k1"}, "stdio cannot use a secret"),
        ("stdio", {"command": "aeon:self", "args": ["k1"]}, None, "aeon:self does not accept arguments"),
        ("stdio", {"command": "aeon:self", "env": {"PATH": "k1"}}, None, "aeon:self does not accept arguments"),
        ("http", {"endpoint": "file:///etc/passwd"}, None, "must be an http or https address"),
        ("http", {"endpoint": "http://me:k1@localhost/"}, None, "without a user"),
        ("sse", {"endpoint": "http://localhost/"}, {"username": "u", "password": "k1"}, "cannot be a bearer"),
        ("http", {"endpoint": "http://localhost/"}, {"key": "k1\n"}, "the header 'authorization'"),
    ],
)
def test_a_connection_that_cannot_be_used_is_refused(ask, protocol, connection, secret, match):
    with pytest.raises(OperationError, match=match) as refused:
        ask("add", protocol=protocol, connection=connection, secret=secret)
    assert "k1" not in str(refused.value)


def test_platform_3_aeon_itself_is_reached_with_its_settings_and_without_the_master_key(tmp_path, monkeypatch):
    """By no path that is written anywhere: by the interpreter that runs."""
    monkeypatch.chdir(tmp_path)
    environ = {**os.environ, "AEON_MASTER_KEY": "s3cret", "AEON_SKILLS_DISABLED": "storyteller"}
    executor = McpExecutor(environ)
    try:
        names = {tool["name"] for tool in executor.list_tools("stdio", {"command": "aeon:self"})}
        (server,) = [
            place.parent
            for place in Path("/proc").glob("[0-9]*/cmdline")
            if place.parent.joinpath("cmdline").read_bytes().endswith(b"-m\0aeon\0serve\0mcp\0")
            and str(os.getpid()) == _parent(place.parent)
        ]
        environment = server.joinpath("environ").read_bytes()
    finally:
        executor.close()
    assert {"answer", "memory.recall"} <= names
    assert "storyteller.narrate" not in names
    assert b"s3cret" not in environment
    assert not server.exists()


def _parent(process):
    return process.joinpath("stat").read_text().rpartition(")")[2].split()[1]
