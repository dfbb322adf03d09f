"""An MCP server of the tests' own, written with the SDK: over stdio where it is run, and for the tests to serve."""

import asyncio
import os
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ImageContent, TextContent

server = MCPServer("demo")
cancelled: list[bool] = []


@server.tool()
def add(a: int, b: int) -> int:
    """The sum."""
    return a + b


@server.tool(structured_output=False)
def say(text: str) -> Any:
    """Text, and a picture."""
    picture = ImageContent(type="image", data="AAAA", mime_type="image/png")
    return [TextContent(type="text", text=text), picture, TextContent(type="text", text="end")]


@server.tool()
def fail(text: str) -> str:
    """Fails with the text."""
    raise ToolError(text)


@server.tool()
def process() -> dict[str, Any]:
    """The process that serves, and its environment."""
    return {"pid": os.getpid(), "environ": dict(os.environ)}


@server.tool()
async def hang() -> str:
    """Never answers; says to `was_cancelled` that it was told to stop."""
    try:
        await asyncio.Event().wait()
    finally:
        cancelled.append(True)
    return ""


@server.tool()
def was_cancelled() -> bool:
    """Whether a call of `hang` was cancelled."""
    return bool(cancelled)


@server.tool()
def die() -> str:
    """The process ends in the middle of the call."""
    os._exit(1)


if __name__ == "__main__":
    server.run()
