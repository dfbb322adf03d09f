"""MCP over streamable HTTP: each user has the tools that `aeon serve mcp --tools catalog` would serve (platform 31)."""

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request

from aeon.application.workspace import Workspace
from aeon.base.masking import Mask
from aeon.bootstrap.app import App
from aeon.server.auth.caller import with_token
from aeon.server.edge.guard import Message, Receive, Send
from aeon.server.edge.problems import HttpError, problem_response
from aeon.server.edge.state import ServerState, correlation_of
from aeon.server.mcp.call_handler import McpCallHandler
from aeon.server.mcp.knowledge_tool import KNOWLEDGE_HINTS, KnowledgeTool
from aeon.server.mcp.offered_tools import OfferedTool, build_offered_tools, collect_tools, offer_stored_tools
from aeon.server.mcp.process_tools import offer_processes
from aeon.server.mcp.skill_prompts import SkillPrompts
from aeon.server.mcp.stdio_server import build_server

_GUARDED = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The guard of the server has checked names and origins already, with their ports."""


class McpDoor:
    """An ASGI application that answers each request by itself: no session is kept between two."""

    def __init__(self, app: App, state: ServerState, mask: Mask) -> None:
        """`mask` hides the keys of models in answers."""
        self._app = app
        self._state = state
        self._mask = mask

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request, which needs a token."""
        request = Request(scope)
        try:
            caller = await with_token(request)
        except HttpError as error:
            await problem_response(error, correlation_of(request))(scope, receive, send)
            return
        tools = await self._state.call(lambda: self._tools(caller.workspace))
        prompts = SkillPrompts(self._app) if self._is_owner(caller.workspace) else None
        server = build_server(McpCallHandler(tools, self._mask), prompts)
        manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True, security_settings=_GUARDED)
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    def _tools(self, workspace: Workspace) -> dict[str, OfferedTool]:
        """The search, tools and Processes of a user; the kernel and the folder's skills are for its owner alone."""
        search = KnowledgeTool(lambda text, limit, budget: workspace.knowledge.search(text, limit=limit, budget=budget))
        stored = [
            (search, KNOWLEDGE_HINTS),
            *offer_stored_tools(workspace.tools.list_for_kernel()),
            *offer_processes(workspace),
        ]
        warnings: list[str] = []
        if self._is_owner(workspace):
            return build_offered_tools(self._app, stored, warnings)
        return collect_tools(stored, warnings)

    def _is_owner(self, workspace: Workspace) -> bool:
        return workspace.user == self._state.owner
