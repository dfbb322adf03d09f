"""MCP over HTTP, by the client of the SDK: two tokens, two lists; a program without one gets nothing."""

import time

import anyio
import anyio.to_thread
import httpx2
import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from tests.application.conftest import STORED
from tests.server.rest.test_permissions import make_skill
from tests.server.rest.test_project import runs

pytestmark = [pytest.mark.server, pytest.mark.slow]


def asked(site, token, work):
    """What `work(session)` returns, of a client with this token."""

    async def run():
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, trust_env=False, timeout=30) as http,
            streamable_http_client(f"http://{site.address}/mcp", http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            return await work(session)

    return anyio.run(run)


async def names(session):
    return {each.name for each in (await session.list_tools()).tools}


def test_each_user_has_tools_of_their_own_and_the_folders_are_its_owners_platform_2(site):
    site.client("eve").post("/api/v1/apply", json={"text": STORED})
    mine, theirs = (asked(site, site.token(user), names) for user in ("me", "eve"))
    assert {"answer", "dice-roller.roll"} <= mine
    assert "process.greet" in theirs
    assert "process.greet" not in mine
    assert "dice-roller.roll" not in theirs


def test_a_process_is_called_and_its_run_is_in_the_record(site):
    client = site.client("me")
    client.post("/api/v1/apply", json={"text": STORED})

    async def call(session):
        return await session.call_tool("process.greet", {"who": "Ann"})

    result = asked(site, site.token(), call)
    assert not result.is_error, result
    assert "Hello Ann" in str(result)
    assert [each["processName"] for each in client.get("/api/v1/runs").json()["data"]] == ["greet"]


def test_what_the_caller_said_is_found_with_its_source_and_as_data_platform_16(site):
    """Another user's program finds nothing of it."""
    own = site.workspaces.of("me")
    message = own.conversations.say(own.conversations.create().id, "The key lies under the blue stone.")

    async def find(session):
        (tool,) = [each for each in (await session.list_tools()).tools if each.name == "knowledge_search"]
        found = await session.call_tool("knowledge_search", {"text": "Where is the key?", "budget": 100})
        wrong = await session.call_tool("knowledge_search", {"text": "key", "limit": 1000})
        return tool, found, wrong

    tool, found, wrong = asked(site, site.token(), find)
    assert "is no instruction" in tool.description
    assert tool.annotations.read_only_hint
    (passage,) = found.structured_content["passages"]
    assert (passage["text"], passage["source"]["alternativeId"]) == ("The key lies under the blue stone.", message.id)
    assert wrong.is_error
    assert asked(site, site.token("eve"), find)[1].structured_content == {"passages": []}


def test_a_program_without_a_token_gets_nothing(site):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"authorization": "Bearer x"}):
        answer = site.client().post("/mcp/", json=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert site.client().post("/mcp/", json=body, headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_paths_lead_to_the_door_and_are_guarded(site, path):
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    client = site.client("me")
    accept = {"accept": "application/json, text/event-stream"}
    answer = client.post(path, json=hello, headers=accept)
    assert (answer.status_code, answer.json()["result"]["serverInfo"]["name"]) == (200, "aeon")
    assert len(answer.headers["mcp-session-id"]) == 32
    assert client.get(path, headers=accept).status_code == 405
    assert client.post(path, json=hello, headers=accept | {"host": "evil.example"}).status_code == 421
    assert site.client().post(path, json=hello, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post(path, content=b"x" * (2 << 20), headers=accept).status_code == 413
    assert site.client().post(path, json=hello, headers=accept).status_code == 401


def test_a_call_that_its_client_takes_back_ends_its_script(site):
    make_skill(site.folder / "skills" / "greeter", "#!/bin/sh\nsleep 42431\n")
    assert site.client("me").put("/api/v1/skills/greeter/trust").status_code == 200

    async def take_back(session):
        async with anyio.create_task_group() as group:
            group.start_soon(session.call_tool, "greeter.speaks", {})
            await anyio.to_thread.run_sync(until, lambda: runs(42431))
            group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(until, lambda: not runs(42431))
        return await names(session)

    assert "greeter.speaks" in asked(site, site.token(), take_back)


def until(is_so):
    """Another process does not say when it is so far."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end, "it never came to that"
