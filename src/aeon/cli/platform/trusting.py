"""`aeon tool trust` and `distrust`: which tools of others may enter a user's plans and start programs here."""

from contextlib import suppress

from aeon.base.json import canonical
from aeon.cli.codes import Code
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import clean
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.trust import started_program
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import Request


def trust_tool(name: str, user: str) -> int:
    """Show what the tool does and where, and trust it. Raises NotFoundError, RuleError."""
    with opened(user) as platform:
        tools = platform.catalog.tools
        tool = tools.find(user, name)
        service = tools.service_of(user, tool)
        _say_what_it_does(tool)
        tools.trust(tool.id, Request(user))
        if (program := started_program(tool, service)) is not None:
            platform.programs.allow(program)
            say(f"It may start this program here: {clean(str(program))}")
    put(f"trusted {clean(tool.name)} of {clean(tool.owner_id)}, as it is now")
    return Code.DONE


def distrust_tool(name: str, user: str) -> int:
    """Take it out of the user's plans; its program may not be started any more. Raises NotFoundError, ConflictError."""
    with opened(user) as platform:
        tools = platform.catalog.tools
        id_ = name
        with suppress(NotFoundError):  # it may not be shared any more
            tool = tools.find(user, name)
            id_ = tool.id
            if (program := started_program(tool, tools.service_of(user, tool))) is not None:
                platform.programs.forbid(program)
        tools.distrust(id_, Request(user))
    put(f"{clean(name)} is not trusted any more")
    return Code.DONE


def _say_what_it_does(tool: Tool) -> None:
    say(f"{clean(tool.name)} of {clean(tool.owner_id)}: {clean(tool.description)}")
    say(f"operation: {clean(canonical(tool.operation.as_dict()))}", "  ", "  ")
    say(f"connection: {clean(canonical(tool.connection_params))}", "  ", "  ")
