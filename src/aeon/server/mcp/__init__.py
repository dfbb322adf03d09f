"""The MCP server: offers the kernel, the skills' scripts, stored tools and Processes; instructions as prompts."""

from aeon.server.mcp.call_handler import McpCallHandler
from aeon.server.mcp.knowledge_tool import KNOWLEDGE_HINTS, KnowledgeTool
from aeon.server.mcp.offered_tools import OfferedTool, ToolHints, build_offered_tools, offer_stored_tools
from aeon.server.mcp.skill_prompts import SkillPrompts
from aeon.server.mcp.stdio_server import serve

__all__ = [
    "KNOWLEDGE_HINTS",
    "KnowledgeTool",
    "McpCallHandler",
    "OfferedTool",
    "SkillPrompts",
    "ToolHints",
    "build_offered_tools",
    "offer_stored_tools",
    "serve",
]
