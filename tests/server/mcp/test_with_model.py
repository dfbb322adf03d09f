"""The kernel behind MCP with a real model, in a process of its own."""

import asyncio
import os
import sys

import pytest

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(600)]


def test_answer_with_the_small_model(tmp_path, small_model):
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def ask():
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "aeon", "serve", "mcp"],
            env={**os.environ, "AEON_MODEL_NAME": small_model},
            cwd=tmp_path,
        )
        async with Client(stdio_client(parameters, errlog=sys.__stderr__)) as client:
            return await client.call_tool("answer", {"request": "What is 15*23+7?"})

    result = asyncio.run(ask())
    assert not result.is_error, result.content
    assert "352" in result.structured_content["answer"]
