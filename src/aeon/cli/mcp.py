"""`aeon mcp`: this Aeon as an MCP server on stdin and stdout."""

import os
from contextlib import ExitStack
from pathlib import Path

from aeon.base.folders import make_folder
from aeon.base.json import Json
from aeon.base.masking import Mask
from aeon.bootstrap.choice import key_variables
from aeon.cli.codes import Code
from aeon.cli.say import say
from aeon.cli.session import MASTER_KEY, opened, settings_here
from aeon.server.mcp import Calls, Hints, of_stored, offered, serve
from aeon.tools.interface import Tool

_OWN_USER = "me"
"""Whose the project's folder is, and what lies in it."""


def serve_mcp(model: str | None, user: str, *, with_stored: bool) -> int:
    """Serve until stdin is closed. Whoever leaves calls behind is gone: nothing of them is waited for.

    What is remembered for another user than the folder's own is kept apart, and nobody else is ever told it
    (platform 2). `with_stored` offers the tools and the Processes stored in the folder's record, the user's own
    and shared ones.
    """
    place = None if user == _OWN_USER else Path(".aeon") / "users" / user.encode().hex()
    memory: dict[str, tuple[str, Json]] = {"memory.path": ("--user", str(place / "memory.db") if place else None)}
    loaded = settings_here(model=model, more=memory)
    with opened(loaded) as app, ExitStack() as closing:
        if place is not None:
            make_folder(place)
            app.keep_apart(Path.cwd() / place / "skills")
        stored: list[tuple[Tool, Hints]] = []
        if with_stored:
            from aeon.server.mcp.processes import of_processes

            runner = closing.enter_context(app.process_runner())
            stored = [*of_stored(app.offer_stored(user)), *of_processes(runner, user)]
        warnings: list[str] = []
        tools = offered(app, stored, warnings)
        for warning in warnings:
            say(warning, "warning: ", "  ")
        os.environ.pop(MASTER_KEY, None)  # what opens a vault is no business of tools
        mask = Mask(os.environ.get(name, "") for name in key_variables(loaded.settings))
        return Code.DONE if serve(Calls(tools, mask)) else Code.BROKEN_PIPE
