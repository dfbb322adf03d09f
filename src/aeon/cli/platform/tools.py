"""`aeon tool trust`, `distrust` and `cache clear`: trust in shared tools, and cached results of own tools."""

from contextlib import suppress

from aeon.base.json import canonical_json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.runs import runtime_session
from aeon.cli.platform.session import platform_session
from aeon.cli.text import printable
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.trust import started_program
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest


def trust_tool(name: str, user: str) -> int:
    """Print what a tool does and where it connects, and trust it. Raises NotFoundError, RuleError."""
    with platform_session(user) as platform:
        tools = platform.catalog.tools
        tool = tools.find(user, name)
        service = tools.get_service(user, tool)
        _print_tool(tool)
        tools.trust(tool.id, MutationRequest(user))
        if (program := started_program(tool, service)) is not None:
            platform.programs.allow(program)
            print_message(f"The tool may start this program here: {printable(str(program))}")
    print_data(f"trusted {printable(tool.name)} of {printable(tool.owner_id)}, as it is now")
    return ExitCode.DONE


def distrust_tool(name: str, user: str) -> int:
    """Remove a tool from the user's plans, and forbid its program. Raises NotFoundError, ConflictError."""
    with platform_session(user) as platform:
        tools = platform.catalog.tools
        id_ = name
        with suppress(NotFoundError):  # the tool may not be shared any more
            tool = tools.find(user, name)
            id_ = tool.id
            if (program := started_program(tool, tools.get_service(user, tool))) is not None:
                platform.programs.forbid(program)
        tools.distrust(id_, MutationRequest(user))
    print_data(f"{printable(name)} is not trusted any more")
    return ExitCode.DONE


def _print_tool(tool: Tool) -> None:
    print_message(f"{printable(tool.name)} of {printable(tool.owner_id)}: {printable(tool.description)}")
    print_message(f"operation: {printable(canonical_json(tool.operation.as_dict()))}", "  ", "  ")
    print_message(f"connection: {printable(canonical_json(tool.connection_params))}", "  ", "  ")


_MAX_TOOLS = 10_000


def clear_cache(name: str | None, user: str) -> int:
    """Delete cached results of one tool of the user, or of all. Raises NotFoundError, ForbiddenError."""
    with runtime_session(user) as runner:
        tools = runner.platform.catalog.tools
        own = (
            tools.list_own(user, limit=_MAX_TOOLS) if name is None else [tools.get_own(user, tools.find(user, name).id)]
        )
        removed = sum(runner.cache.clear(each.id) for each in own)
    print_data(f"removed {removed} cached result(s)")
    return ExitCode.DONE
