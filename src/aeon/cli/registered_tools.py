"""The tools that need no record: built-in ones, and the scripts of skills."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout

from aeon.application.registered_tools import RegisteredToolService
from aeon.base.json import Json, JsonObject
from aeon.cli.given_inputs import GivenInputs, property_schemas
from aeon.cli.session import FileGrants, app_session, load_cli_settings


def registered_tools() -> list[JsonObject]:
    """Every tool as prompts show it, with its source."""
    with _tools() as tools:
        return tools.list_all()


def registered_tool(name: str, others: Sequence[str]) -> JsonObject:
    """A tool as prompts show it. Raises NotFoundError, with the nearest name, also of `others`."""
    with _tools() as tools:
        return tools.get(name, others)


def call_registered_tool(
    name: str, given: GivenInputs, others: Sequence[str], grants: FileGrants
) -> tuple[JsonObject, Json]:
    """Call a tool; return its arguments and its result.

    Raises NotFoundError, InputError for arguments that do not fit, ToolError if it fails.
    """
    with _tools(grants) as tools, redirect_stdout(sys.stderr):
        arguments = given.fitted(property_schemas(tools.get(name, others)["input_schema"]))
        return arguments, tools.call(name, arguments, others)


@contextmanager
def _tools(grants: FileGrants = FileGrants()) -> Generator[RegisteredToolService]:  # noqa: B008  # it cannot be changed
    with app_session(load_cli_settings(more=grants.settings())) as app:
        yield RegisteredToolService(app)
