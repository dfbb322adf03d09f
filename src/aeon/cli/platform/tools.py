"""`aeon tool trust`, `distrust` and `cache clear`: trust in shared tools, and cached results of own tools."""

from aeon.base.json import readable_json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import printable
from aeon.platform.catalog.model import Tool


def trust_tool(name: str, user: str) -> int:
    """Print what a tool does and where it connects, and trust it. Raises NotFoundError, RuleError."""
    with workspace_session(user) as workspace:
        tool = workspace.tools.get(name)
        _print_tool(tool)
        if (program := workspace.tools.trust(tool.id, expected_version=tool.version)) is not None:
            print_message(f"The tool may start this program here: {printable(str(program))}")
    print_data(f"trusted {printable(tool.name)} of {printable(tool.owner_id)}, as it is now")
    return ExitCode.DONE


def distrust_tool(name: str, user: str) -> int:
    """Remove a tool from the user's plans, and forbid its program. Raises NotFoundError, ConflictError."""
    with workspace_session(user) as workspace:
        workspace.tools.distrust(name)
    print_data(f"{printable(name)} is not trusted any more")
    return ExitCode.DONE


def _print_tool(tool: Tool) -> None:
    print_message(f"{printable(tool.name)} of {printable(tool.owner_id)}: {printable(tool.description)}")
    print_message(f"operation: {printable(readable_json(tool.operation.as_dict()))}", "  ", "  ")
    print_message(f"connection: {printable(readable_json(tool.connection_params))}", "  ", "  ")


def clear_cache(name: str | None, user: str) -> int:
    """Delete cached results of one tool of the user, or of all. Raises NotFoundError, ForbiddenError."""
    with workspace_session(user) as workspace:
        removed = workspace.tools.clear_cache(name)
    print_data(f"removed {removed} cached result(s)")
    return ExitCode.DONE
