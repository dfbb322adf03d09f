"""`aeon serve mcp`: runs Aeon as an MCP server on stdin and stdout."""

import os
from contextlib import ExitStack

from aeon.application.knowledge_search import opened_search
from aeon.application.models import key_variables
from aeon.application.project import private_folder
from aeon.application.workspace import open_app_workspace
from aeon.base.json import Json
from aeon.base.masking import Mask, keys_of_environment
from aeon.base.project_folder import make_folder
from aeon.cli.console import print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.session import MASTER_KEY, app_session, load_cli_settings
from aeon.server.mcp import (
    KNOWLEDGE_HINTS,
    KnowledgeTool,
    McpCallHandler,
    SkillPrompts,
    ToolHints,
    build_offered_tools,
    offer_stored_tools,
    serve,
)
from aeon.tools.interface import Tool


def serve_mcp(model: str | None, user: str, *, with_stored: bool) -> int:
    """Serve until stdin is closed. Calls that are still running then are not waited for: the client is gone.

    The memory of a user other than the folder's owner is kept apart, and is never shown to anyone else
    (platform 2). `with_stored` also offers the tools and Processes stored in the folder's record: the user's own
    and shared ones.
    """
    folder = private_folder(user)
    memory: dict[str, tuple[str, Json]] = {"memory.path": ("--user", str(folder / "memory.db") if folder else None)}
    loaded = load_cli_settings(model=model, more=memory)
    with app_session(loaded) as app, ExitStack() as closing:
        if folder is not None:
            make_folder(folder)
            app.isolate(user, app.folder / folder / "skills")
        search = closing.enter_context(opened_search(app, user))
        stored: list[tuple[Tool, ToolHints]] = [(KnowledgeTool(search), KNOWLEDGE_HINTS)]
        if with_stored:
            from aeon.server.mcp.process_tools import offer_processes

            workspace = closing.enter_context(open_app_workspace(app, os.environ, user))
            stored += [*offer_stored_tools(app.register_stored_tools(user)), *offer_processes(workspace)]
        warnings: list[str] = []
        tools = build_offered_tools(app, stored, warnings)
        for warning in warnings:
            print_message(warning, "warning: ", "  ")
        os.environ.pop(MASTER_KEY, None)  # tools must not see the key of the vault
        mask = Mask(keys_of_environment(os.environ, key_variables(loaded.settings)))
        return ExitCode.DONE if serve(McpCallHandler(tools, mask), SkillPrompts(app)) else ExitCode.BROKEN_PIPE
