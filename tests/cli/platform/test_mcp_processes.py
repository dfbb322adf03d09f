"""Processes by `aeon serve mcp --tools catalog`: started, looked at, answered, cancelled by the official client, and left."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import CATALOG, until

pytestmark = [pytest.mark.slow, pytest.mark.server]

AEON = [sys.executable, "-m", "aeon"]
STORED = """
kind: Service
name: graph
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: mine
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Process
name: greet
description: Greets by name.
initialContext: [who]
steps:
  - {id: look, tool: mine, output: found}
outputTemplate: "Hello {{who}}"
---
kind: Process
name: Morning report
steps:
  - {id: look, tool: mine, output: found}
outputTemplate: "Nothing new"
---
kind: Process
name: ask
initialContext: [what]
steps:
  - {id: look, tool: mine, output: found}
  - id: approve
    tool: mine
    dependsOn: [look]
    output: said
    execution: {interactionMode: manual, timeout: 300}
outputTemplate: "{{what}}: {{step.said}}"
---
kind: Process
name: asks_below
steps:
  - {id: below, process: ask, inputs: {what: tea}, output: said}
outputTemplate: "{{step.said}}"
"""


@pytest.fixture(autouse=True)
def stored():
    Path("stored.yaml").write_text(STORED)
    printed("apply", "-f", "stored.yaml")


def printed(*words):
    return subprocess.run([*AEON, *words], check=True, capture_output=True, text=True).stdout


def asked(ask, *words):
    """What `ask(call)` gives, `call(name, **arguments)` being a call by the official client."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def main():
        parameters = StdioServerParameters(
            command=AEON[0], args=[*AEON[1:], "serve", "mcp", "--tools", "catalog", *words], env={**os.environ}
        )
        async with Client(stdio_client(parameters, errlog=sys.__stderr__)) as client:
            ask.client = client
            return await ask(lambda name, **given: client.call_tool(name, given))

    return asyncio.run(main())


def told(result):
    assert not result.is_error, result.content
    return result.structured_content


def test_a_process_is_a_tool_that_gives_what_its_run_comes_to():
    async def ask(call):
        tools = {tool.name: tool for tool in (await ask.client.list_tools()).tools}
        done = await asyncio.gather(*[call("process.greet", who=name) for name in ("Ann", "Ben", "Cem")])
        return (
            tools,
            [told(each) for each in done],
            await call("process.greet", who="Ann", age=7),
            await call("process.greet"),
        )

    tools, done, unknown, missing = asked(ask)
    greet = tools["process.greet"]
    assert (greet.description, greet.input_schema["required"]) == ("Greets by name.", ["who"])
    assert {"run.look", "run.answer", "run.cancel", "process.Morning_report", "mine"} <= tools.keys()
    assert [(each["phase"], each["output"]) for each in done] == [
        ("completed", f"Hello {name}") for name in ("Ann", "Ben", "Cem")
    ]
    assert (unknown.is_error, missing.is_error) == (True, True)
    assert "'age' was unexpected" in unknown.content[0].text
    runs = [run["id"] for run in json.loads(printed("log", "list", "--json"))]
    assert set(runs) == {each["run"] for each in done}  # nothing was begun for arguments that do not fit


@pytest.mark.parametrize("name", ["ask", "asks_below"])
def test_a_run_that_asks_a_person_says_so_and_goes_on_with_the_answer(name):
    """Platform 9, also where a run that it called is the one that asks."""
    given = {"what": "tea"} if name == "ask" else {}

    async def ask(call):
        waits = told(await call(f"process.{name}", **given))
        (question,) = waits["questions"]
        seen = told(await call("run.look", run=waits["run"]))
        lost = await call("run.answer", run=waits["run"], step="nobody", answer=1)
        done = told(await call("run.answer", run=waits["run"], step=question["step"], answer="green"))
        late = await call("run.answer", run=waits["run"], step=question["step"], answer="black")
        return waits, question, seen, lost, done, late

    waits, question, seen, lost, done, late = asked(ask)
    assert late.is_error
    assert "It has ended: it is completed" in late.content[0].text
    assert "run.look" in late.content[0].text
    assert (waits["phase"], waits["output"], question["step"]) == ("running", None, "approve")
    assert seen == waits
    assert lost.is_error
    assert "approve" in lost.content[0].text
    assert (done["run"], done["phase"], done["output"], done["questions"]) == (
        waits["run"],
        "completed",
        "tea: green",
        [],
    )


def test_a_run_outlives_the_server_and_is_gone_on_with_by_the_next_one():
    async def begin(call):
        return told(await call("process.ask", what="tea"))["run"]

    async def go_on(call):
        return told(await call("run.answer", run=run, step="approve", answer="black"))

    run = asked(begin)
    done = asked(go_on)
    assert (done["phase"], done["output"]) == ("completed", "tea: black")


def test_a_run_is_cancelled_once_and_another_user_has_none_of_it():
    async def ask(call):
        run = told(await call("process.ask", what="tea"))["run"]
        cancelled = told(await call("run.cancel", run=run))
        return cancelled, await call("run.cancel", run=run)

    async def strange(call):
        tools = [tool.name for tool in (await strange.client.list_tools()).tools]
        return tools, await call("run.look", run=cancelled["run"])

    cancelled, again = asked(ask)
    assert (cancelled["phase"], cancelled["questions"]) == ("cancelled", [])
    assert again.is_error
    assert "has ended" in again.content[0].text
    tools, looked = asked(strange, "--user", "ann")
    assert "process.ask" not in tools
    assert looked.is_error


def test_a_run_that_fails_is_an_error_that_says_what_to_do():
    Path("failing.yaml").write_text("""
kind: Service
name: nobody
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: nothing
service: nobody
connectionParams: {endpoint: "http://127.0.0.1:9"}
operation: {type: rest_request, method: POST, path: /, allowPrivate: true}
inputSchema: {type: object}
---
kind: Process
name: fails
steps:
  - {id: call, tool: nothing, output: found}
outputTemplate: "{{step.found}}"
""")
    printed("apply", "-f", "failing.yaml")

    async def ask(call):
        return await call("process.fails")

    failed = asked(ask)
    assert failed.is_error
    assert "Then start the process again" in failed.content[0].text


SLOW = """
kind: Process
name: slow
steps:
  - {id: call, tool: item, inputs: {id: slow}, output: found}
outputTemplate: "{{step.found.body.path}}"
"""


def test_a_call_that_is_given_up_holds_up_nothing_and_its_run_goes_on_elsewhere(shop):
    """With a job of it under way the server still ends when its client does."""
    Path("slow.yaml").write_text(CATALOG.format(port=shop.port) + SLOW)
    printed("apply", "-f", "slow.yaml")

    async def give_up(call):
        waiting = asyncio.create_task(call("process.slow"))
        await asyncio.to_thread(until, lambda: shop.calls["/slow"])
        waiting.cancel()
        return told(await call("process.greet", who="Ann"))["output"]

    async def look(call):
        before = told(await call("run.look", run=run, seconds=0))["phase"]
        shop.lets_go.set()
        return before, told(await call("run.look", run=run))["output"]

    assert asked(give_up) == "Hello Ann"
    (run,) = [each["id"] for each in json.loads(printed("log", "list", "--json")) if each["title"] == "slow"]
    before, output = asked(look)
    assert before in ("new", "running"), "it did not wait for the job"  # entries are stored a moment after they happen
    assert output == "/slow"
    assert len(shop.jobs) == 1
