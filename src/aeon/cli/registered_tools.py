"""The tools that need no record: built-in ones, and the scripts of skills."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout

from aeon.application.registered_tools import RegisteredToolService
from aeon.base.json import Json, JsonObject
from aeon.cli.session import FileGrants, app_session, load_cli_settings


def registered_tools() -> list[JsonObject]:
    """Every tool as prompts show it, with its source."""
    with _tools() as tools:
        return tools.list_all()


def registered_tool(name: str, others: Sequence[str]) -> JsonObject:
    """A tool as prompts show it. Raises NotFoundError, with the nearest name, also of `others`."""
    with _tools() as tools:
        return tools.get(name, others)


def call_registered_tool(name: str, arguments: JsonObject, others: Sequence[str], grants: FileGrants) -> Json:
    """Call a tool. Raises NotFoundError, InputError for arguments that do not fit, ToolError if it fails."""
    with _tools(grants) as tools, redirect_stdout(sys.stderr):
        return tools.call(name, arguments, others)


@contextmanager
def _tools(grants: FileGrants = FileGrants()) -> Generator[RegisteredToolService]:  # noqa: B008  # it cannot be changed
    with app_session(load_cli_settings(more=grants.settings())) as app:
        yield RegisteredToolService(app)
