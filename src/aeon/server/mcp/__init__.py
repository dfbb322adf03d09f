"""Aeon as an MCP server: the kernel and the skills' scripts as tools."""

from aeon.server.mcp.calls import Calls
from aeon.server.mcp.offer import Offered, offered
from aeon.server.mcp.serving import serve

__all__ = ["Calls", "Offered", "offered", "serve"]
