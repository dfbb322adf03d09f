"""`aeon tool discover`: prints the tools of an MCP server as documents for `aeon apply`."""

from aeon.application.discovery import DiscoveryRequest
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import read_json_object
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import indented_json, printable
from aeon.plan.yaml import dump_yaml


def discover_tools(request: DiscoveryRequest, user: str, *, as_json: bool) -> int:
    """Print the tools of a server as documents. Raises NotFoundError, RuleError, InputError, OperationError."""
    with workspace_session(user) as workspace:
        documents, warnings = workspace.tools.discover(request)
    for warning in warnings:
        print_message(printable(warning), "warning: ")
    print_data(indented_json(list[Json](documents)) if as_json else "---\n".join(map(as_yaml, documents)).rstrip())
    if not as_json:
        print_message(f"{len(documents)} tool(s); save them with: aeon tool discover ... | aeon apply -f -")
    return ExitCode.DONE


def read_connection(argument: str) -> JsonObject:
    """Return the connection's parameters from the option. Raises an InputError that names the option."""
    try:
        return read_json_object(argument)
    except InputError as error:
        raise InputError(
            error.message.replace("input", "connection", 1),
            next_step="""Give a JSON object, such as --connection '{"command": "mcp-server-time"}'.""",
        ) from None


def as_yaml(document: JsonObject) -> str:
    """Return a document as ASCII YAML: a server's text cannot move the cursor or begin another document."""
    return dump_yaml(document, allow_unicode=False)
