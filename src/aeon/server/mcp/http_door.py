"""MCP over streamable HTTP: each user has the tools that `aeon serve mcp --tools catalog` would serve (platform 31)."""

import secrets

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
from aeon.server.mcp.running_calls import McpMessage, RunningCalls
from aeon.server.mcp.skill_prompts import SkillPrompts
from aeon.server.mcp.stdio_server import build_server

_GUARDED = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The guard of the server has checked names and origins already, with their ports."""


class McpDoor:
    """An ASGI application that answers each request by itself.

    All that two requests share is which calls are running: a client that takes one back does so by another request. Its
    session is a name that it gets when it begins, and nothing is kept for it.
    """

    def __init__(self, app: App, state: ServerState, mask: Mask) -> None:
        """`mask` hides the keys of models in answers."""
        self._app = app
        self._state = state
        self._mask = mask
        self._running = RunningCalls()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request, which needs a token."""
        request = Request(scope, receive)
        try:
            caller = await with_token(request)
            _refuse_listening(request)
            body = await request.body()
        except HttpError as error:
            await problem_response(error, correlation_of(request))(scope, receive, send)
            return
        call = McpMessage(caller.workspace.user, request.headers.get("mcp-session-id"), body)
        if call.method == "initialize":
            send = _naming_session(send)
        if (key := call.cancelled_key) is not None:
            self._running.cancel(key)
        with self._running.entered(call.key) as cancel_scope:
            tools = await self._state.call(lambda: self._tools(caller.workspace))
            prompts = SkillPrompts(self._app) if self._is_owner(caller.workspace) else None
            server = build_server(McpCallHandler(tools, self._mask, cancel_scope=cancel_scope), prompts)
            manager = StreamableHTTPSessionManager(
                server, json_response=True, stateless=True, security_settings=_GUARDED
            )
            async with manager.run():
                await manager.handle_request(scope, _with_body(body, receive), send)

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


def _refuse_listening(request: Request) -> None:
    if request.method == "GET":
        raise HttpError(405, "This server sends nothing by itself.", headers={"allow": "POST"})


def _naming_session(send: Send) -> Send:
    """Return `send` with a new name for the client's session in the header of the response."""

    async def send_named(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), (b"mcp-session-id", secrets.token_hex(16).encode())]
        await send(message)

    return send_named


def _with_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body that was read already, and then what follows it."""
    is_given = False

    async def receive_again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
