"""`aeon mcp`: this Aeon as an MCP server on stdin and stdout."""

import os

from aeon.base.masking import Mask
from aeon.bootstrap.choice import key_variables
from aeon.cli.codes import Code
from aeon.cli.say import say
from aeon.cli.session import opened, settings_here
from aeon.server.mcp import Calls, offered, serve


def serve_mcp(model: str | None) -> int:
    """Serve until stdin is closed. Whoever leaves calls behind is gone: nothing of them is waited for."""
    loaded = settings_here(model=model)
    with opened(loaded) as app:
        warnings: list[str] = []
        tools = offered(app, warnings)
        for warning in warnings:
            say(warning, "warning: ", "  ")
        os.environ.pop("AEON_MASTER_KEY", None)  # what opens a vault is no business of tools
        mask = Mask(os.environ.get(name, "") for name in key_variables(loaded.settings))
        return Code.DONE if serve(Calls(tools, mask)) else Code.BROKEN_PIPE
