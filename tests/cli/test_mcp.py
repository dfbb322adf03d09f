"""`aeon serve mcp` as a real process: spoken to by the official client, by hand, and left in every way."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from aeon.base.json import parse_strict

pytestmark = pytest.mark.slow

SERVER = [sys.executable, "-m", "aeon", "serve", "mcp"]
HELLO = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]
SLEEP = f"sleep 47{os.getpid()}"
"""No other test's."""

TELLING = """
import os
from aeon.tools.interface import Tool

class Tell(Tool):
    name = "tell"
    description = "Prints noise and tells the key."
    input_schema = {"type": "object"}
    output_schema = {"type": "object"}

    def invoke(self, **kwargs):
        print("noise")
        os.write(1, b"more noise\\n")
        return {"key": os.environ["OPENAI_API_KEY"]}

TOOLS = [Tell()]
"""

CLIENT = """
import asyncio, os, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main():
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "aeon", "serve", "mcp"], env=dict(os.environ))
    async with Client(stdio_client(parameters, errlog=sys.__stderr__)) as client:
        await client.call_tool("sleeper.nap", {})

asyncio.run(main())
"""


@pytest.fixture
def sleeper():
    """A skill of this project that says that it is there and then sleeps."""
    scripts = Path("skills/sleeper/scripts")
    scripts.mkdir(parents=True)
    (scripts / "nap.sh").write_text(f"#!/bin/sh\necho napping > $AEON_SKILL_DATA/napping\n{SLEEP}\n")
    (scripts / "nap.sh").chmod(0o755)
    manifest = {
        "name": "sleeper",
        "version": "1.0.0",
        "description": "Sleeps.",
        "scripts": [{"name": "nap", "path": "scripts/nap.sh", "description": "Sleeps."}],
    }
    (scripts.parent / "skill.json").write_text(json.dumps(manifest))


def asked(ask, *words, **environ):
    """What `ask(client)` gives, by the official client, of a server that is started with these words more."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def main():
        parameters = StdioServerParameters(command=SERVER[0], args=[*SERVER[1:], *words], env={**os.environ, **environ})
        async with Client(stdio_client(parameters, errlog=sys.__stderr__)) as client:
            return await ask(client)

    return asyncio.run(main())


@pytest.fixture
def started():
    """`started(*messages)`: the server as a process, spoken to by hand, nobody knowing it but the test."""
    running = []

    def start(*messages):
        process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        running.append(process)
        write(process, *messages)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(BrokenPipeError):
                stream.close()


def write(process, *messages):
    for message in messages:
        process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def read(process):
    return parse_strict(process.stdout.readline().decode())


def call(number, name, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def processes(words):
    """The ids of the processes whose command line is these words."""
    return [number for number, said in _command_lines() if said == words]


def _command_lines():
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield int(place.parent.name), place.read_text().replace("\0", " ").strip()


def until(is_so):
    """Other processes do not say when they are so far."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end, "it never came to that"


def napping():
    return any(Path("skills").rglob("napping")) and processes(SLEEP)


def test_the_kernel_and_every_skill_are_listed(sleeper):
    async def ask(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asked(ask)}
    assert {"answer", "memory.remember", "memory.recall", "dice-roller.roll", "sleeper.nap"} <= tools.keys()
    assert {tool.input_schema["type"] for tool in tools.values()} == {"object"}
    assert tools["answer"].output_schema["required"] == ["answer", "steps", "status", "trusted", "marks"]
    hints = {name: tool.annotations.model_dump(exclude_none=True) for name, tool in tools.items()}
    assert hints["memory.recall"] == {"read_only_hint": True, "open_world_hint": False}
    assert hints["memory.remember"]["idempotent_hint"]
    assert [name for name, known in hints.items() if not known] == ["sleeper.nap"]


def test_a_skill_of_the_project_that_is_named_like_a_shipped_one_has_no_hints_of_its_own():
    manifest = {"name": "memory", "version": "1.0.0", "description": "Mine."}
    scripts = Path("skills/memory/scripts")
    scripts.mkdir(parents=True)
    (scripts / "recall.sh").write_text("#!/bin/sh\n")
    (scripts / "recall.sh").chmod(0o755)
    named = [{"name": "recall", "path": "scripts/recall.sh", "description": "Mine."}]
    (scripts.parent / "skill.json").write_text(json.dumps({**manifest, "scripts": named}))

    async def ask(client):
        return {tool.name: tool.annotations.read_only_hint for tool in (await client.list_tools()).tools}

    assert asked(ask)["memory.recall"] is None


def test_skills_are_called_and_say_in_words_what_is_wrong():
    async def ask(client):
        kept = await client.call_tool("memory.remember", {"key": "tea", "value": "green"})
        found = await client.call_tool("memory.recall", {"key": "tea"})
        wrong = await client.call_tool("memory.recall", {"key": 1})
        lost = await client.call_tool("csv-report.report", {"path": "no.csv"})
        return kept, found, wrong, lost

    kept, found, wrong, lost = asked(ask)
    assert kept.structured_content["memory"] == {"key": "tea", "isNew": True}
    assert found.structured_content["memory"]["text"] == "green"
    assert (wrong.is_error, lost.is_error) == (True, True)
    assert "The arguments do not match the input schema: $.arguments.key: 1 is not of type" in wrong.content[0].text
    assert "no.csv" in lost.content[0].text


STORED = """
kind: Service
name: graph
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: mine
description: What uses what is mine.
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Tool
name: answer
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
"""


def printed(*words):
    """What the command prints, in a process of its own: the client keeps the stderr that it was imported with."""
    return subprocess.run([*SERVER[:3], *words], check=True, capture_output=True, text=True).stdout


def test_stored_tools_are_offered_to_their_user_where_that_is_asked_for():
    """design.md: Aeon serves its tools by MCP. What is named like the kernel itself is told apart."""
    Path("tools.yaml").write_text(STORED)
    printed("apply", "-f", "tools.yaml")

    async def ask(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        mine = tools.get("mine")
        assert ("catalog.answer" in tools) == (mine is not None)
        calls = [client.call_tool("mine", {}) for _ in range(10 if mine else 0)]
        return mine, tools["answer"].description, await asyncio.gather(*calls)

    mine, answer, calls = asked(ask, "--tools", "catalog")
    assert (mine.description, mine.input_schema) == ("What uses what is mine.", {"type": "object"})
    assert mine.annotations.model_dump(exclude_none=True) == {"read_only_hint": True}
    assert answer.startswith("Plans a request")
    called_alone = json.loads(printed("tool", "call", "mine"))
    assert [called.structured_content for called in calls] == [called_alone] * 10
    assert asked(ask)[0] is None
    assert asked(ask, "--tools", "catalog", "--user", "ann")[0] is None


def test_a_slow_skill_holds_up_no_other(sleeper):
    async def ask(client):
        slow = asyncio.create_task(client.call_tool("sleeper.nap", {}))
        await asyncio.to_thread(until, napping)
        found = await client.call_tool("memory.recall", {"key": "tea"})
        was_done = slow.done()
        slow.cancel()
        return was_done, found.structured_content["memory"]["found"]

    assert asked(ask) == (False, False)
    assert not processes(SLEEP)


def test_a_call_that_its_client_takes_back_ends_its_script_and_nothing_else(sleeper, started):
    server = started(*HELLO, call(1, "sleeper.nap"))
    read(server)
    until(napping)
    taken_back = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "late"}}
    write(server, taken_back)
    until(lambda: not processes(SLEEP))
    write(server, call(2, "memory.recall", key="tea"))
    answers = iter(lambda: read(server), None)
    answer = next(each for each in answers if each.get("id") == 2)
    assert answer["result"]["structuredContent"]["memory"]["found"] is False
    assert server.poll() is None


def test_half_a_surrogate_pair_in_a_scripts_result_does_not_end_the_server(started):
    scripts = Path("skills/halves/scripts")
    scripts.mkdir(parents=True)
    (scripts.parent / "SKILL.md").write_text("---\nname: halves\ndescription: Cuts.\n---\nRun scripts/cut.sh.\n")
    (scripts / "cut.sh").write_text(r"""echo '{"u": "cut \ud83d"}'""")
    server = started(*HELLO, call(1, "halves.cut"), call(2, "memory.recall", key="tea"))
    assert read(server)["id"] == 0
    answers = {answer["id"]: answer["result"] for answer in (read(server), read(server))}
    assert answers[1]["structuredContent"] == {"u": "cut \\ud83d"}
    assert answers[2]["structuredContent"]["memory"]["found"] is False


def test_answer_runs_the_kernel_and_keeps_its_log(double, add):
    double(add)

    async def ask(client):
        return await client.call_tool("answer", {"request": "Tell me what is 15 * 23 plus 7?"})

    result = asked(ask)
    assert not result.is_error, result.content
    assert (result.structured_content["answer"], result.structured_content["status"]) == ("it is 352", "completed")
    assert (result.structured_content["trusted"], result.structured_content["marks"]) == (True, {})
    assert [(step["tool"], step["status"]) for step in result.structured_content["steps"]] == [
        ("calculator", "complete"),
        ("echo", "complete"),
    ]
    assert len(list(Path(".aeon/logs").glob("*.jsonl"))) == 1


def test_answers_side_by_side_and_each_with_the_skills_that_fit_it(double, add):
    double(add, add)

    async def ask(client):
        asking = [client.call_tool("answer", {"request": f"add, and roll {n} dice"}) for n in (2, 3)]
        return await asyncio.gather(*asking)

    assert [result.structured_content["answer"] for result in asked(ask)] == ["it is 352", "it is 352"]


def test_a_run_that_fails_is_an_error_in_words():
    """No model answers at that address."""

    async def ask(client):
        return await client.call_tool("answer", {"request": "add"})

    result = asked(ask, AEON_MODEL_BASE_URL="http://127.0.0.1:9/v1", AEON_MODEL_NAME="none")
    assert result.is_error
    assert "no plan could be made" in result.content[0].text.lower()


def test_platform_3_stdout_is_the_protocols_alone_and_no_key_is_told(double, installed, started, monkeypatch):
    """Whatever a tool prints, to the stream or to its descriptor."""
    installed("aeon_tell", TELLING, "tell = aeon_tell:TOOLS")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-tell-4711")
    double({"goal": "tell", "steps": [{"step_id": "s", "description": "tell", "tool": "tell", "arguments": {}}]})
    server = started(*HELLO, call(1, "answer", request="tell"))
    assert read(server)["id"] == 0
    answer = read(server)
    assert answer["result"]["structuredContent"]["steps"][0]["result"] == {"key": "[hidden]"}
    server.stdin.close()
    assert server.wait(20) == 0
    assert server.stdout.read() == b""
    assert b"noise\nmore noise\n" in server.stderr.read()


def test_garbage_is_passed_over(started):
    server = started(b"garbage\n\xff\xfe\x00\n{}\n[1]\n\n", *HELLO, b'{"jsonrpc": "2.0"\n')
    assert read(server)["id"] == 0
    write(server, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}})
    assert "error" in read(server)
    write(server, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
    assert read(server) == {"jsonrpc": "2.0", "id": 2, "result": {}}
    server.stdin.close()
    assert server.wait(20) == 0


def test_a_closed_stdin_ends_it(started):
    server = started()
    server.stdin.close()
    assert (server.wait(20), server.stdout.read(), server.stderr.read()) == (0, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_nothing_is_asked(started, number):
    server = started(*HELLO)
    read(server)
    server.send_signal(number)
    assert (server.wait(20), server.stderr.read()) == (128 + number, b"interrupted\n")


@pytest.mark.parametrize(
    ("leave", "code"),
    [
        (lambda server: server.stdin.close(), 141),
        (lambda server: server.send_signal(signal.SIGINT), 130),
        (lambda server: server.send_signal(signal.SIGTERM), 143),
        (lambda server: server.kill(), -9),
        (lambda server: (server.stdout.close(), write(server, {"jsonrpc": "2.0", "id": 2, "method": "ping"})), 141),
    ],
    ids=["closed", "interrupted", "terminated", "killed", "unheard"],
)
def test_left_in_the_middle_of_a_call_it_ends_at_once_and_leaves_no_process(sleeper, started, leave, code):
    server = started(*HELLO, call(1, "sleeper.nap"))
    read(server)
    until(napping)
    leave(server)
    assert server.wait(20) == code
    until(lambda: not processes(SLEEP))
    if code != -9:
        assert server.stderr.read() in (b"", b"interrupted\n")


def test_a_client_that_is_killed_leaves_neither_server_nor_script(sleeper):
    client = subprocess.Popen([sys.executable, "-c", CLIENT])
    until(napping)
    servers = [number for number in processes(" ".join(SERVER)) if _parent(number) == client.pid]
    assert servers
    client.kill()
    client.wait()
    until(lambda: not any(map(_lives, servers)) and not processes(SLEEP))


def _parent(number):
    with suppress(OSError):
        return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])


def _lives(number):
    return Path(f"/proc/{number}").exists()
