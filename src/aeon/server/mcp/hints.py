"""What is known of a tool's effects, as MCP's annotations have them."""

from typing import NamedTuple


class ToolHints(NamedTuple):
    """None where nothing is known."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
