"""Aeon as an MCP server: the kernel, the skills' scripts, stored tools and Processes as tools."""

from aeon.server.mcp.calls import Calls
from aeon.server.mcp.hints import Hints
from aeon.server.mcp.offer import Offered, of_stored, offered
from aeon.server.mcp.serving import serve

__all__ = ["Calls", "Hints", "Offered", "of_stored", "offered", "serve"]
