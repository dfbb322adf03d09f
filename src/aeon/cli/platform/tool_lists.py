"""`aeon tool list`, `show`, `export` and `call`: all tools, whether built in, of skills, or stored in the record."""

import os
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from aeon.application.folder import FolderService
from aeon.application.pages import Page
from aeon.application.workspace import Workspace
from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.given_inputs import property_schemas, read_inputs
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.session import FileGrants, load_cli_settings
from aeon.cli.text import COLUMNS, indented_json, printable, wrap
from aeon.platform.catalog.model import Tool
from aeon.platform.errors import NotFoundError


def list_tools(user: str, source: str | None, options: ListOptions, *, output: OutputFormat) -> int:
    """Print the tools of one source or of all: built-in ones, those of skills, then a page of the stored ones."""
    found: list[JsonObject] = []
    if source != "stored" and options.after is None:
        from aeon.cli.registered_tools import registered_tools

        found += [each for each in registered_tools() if source in (None, each["source"])]
    page: Page[Tool] = Page([], None)
    with _stored(user) as workspace:
        if workspace is not None and source in (None, "stored"):
            page = workspace.tools.list(
                owner=options.owner, prefix=options.prefix, after=options.after, limit=options.limit
            )
    found = [each for each in found if each["name"].startswith(options.prefix)]
    found += [{**each.as_dict(), "source": "stored"} for each in page.items]
    print_whether_more(page)
    if print_as(output, found):
        return ExitCode.DONE
    unchecked = {each.id for each in page.items if each.is_unchecked}
    rows = [
        (
            each["name"],
            each["source"],
            _state(each, unchecked),
            _owner(each, user),
            each.get("id"),
            each.get("description"),
        )
        for each in found
    ]
    print_table(("NAME", "SOURCE", "STATE", "OWNER", "ID", "WHAT"), rows, "nothing found; see `aeon tool search`")
    return ExitCode.DONE


def show_tool(name: str, user: str, *, output: OutputFormat) -> int:
    """Print a stored tool as it is stored, or another one as a prompt shows it. Raises InputError."""
    with _stored(user) as workspace:
        if (stored := _find_stored(workspace, name)) is not None and workspace is not None:
            shown: JsonObject = {**stored.as_dict(), "source": "stored"}
            if stored.operation.type == "llm_call":
                shown["tokensOfYours"] = workspace.tools.token_totals(stored).as_dict()
            if not print_as(output, shown):
                print_data(indented_json(shown))
            return ExitCode.DONE
    from aeon.cli.registered_tools import registered_tool

    exported = registered_tool(name, _stored_names(user))
    if print_as(output, exported):
        return ExitCode.DONE
    print_data("\n".join(wrap(f"{exported['name']}: {exported['description']}", COLUMNS)))
    for field in ("input_schema", "output_schema", "example"):
        if field in exported:
            print_data(f"\n{field}:\n{indented_json(exported[field])}")
    return ExitCode.DONE


def export_stored_tool(name: str, user: str) -> int:
    """Print a stored tool, and its service if the user owns it, as documents for `aeon apply`. Raises NotFoundError."""
    from aeon.application.entity_texts import export_tool

    with workspace_session(user) as workspace:
        print_data(export_tool(workspace.catalog, name).rstrip("\n"))
    return ExitCode.DONE


def call_tool(name: str, inputs: Sequence[str], user: str, grants: FileGrants, *, as_json: bool) -> int:
    """Call a tool. Raises InputError or RuleError for invalid inputs, ToolError or OperationError if it fails."""
    given = read_inputs(inputs)
    with _stored(user) as workspace:
        if (stored := _find_stored(workspace, name)) is not None and workspace is not None:
            if any(grants):
                raise InputError(
                    f"The stored tool {name!r} uses no files.", next_step="Leave out --allow-read and --allow-write."
                )
            arguments = given.fitted(property_schemas(stored.input_schema))
            return _call_stored(workspace, stored, arguments, as_json=as_json)
    from aeon.cli.registered_tools import call_registered_tool

    arguments, result = call_registered_tool(name, given, _stored_names(user), grants)
    print_data(indented_json({"tool": name, "arguments": arguments, "result": result} if as_json else result))
    return ExitCode.DONE


def _call_stored(workspace: Workspace, tool: Tool, arguments: JsonObject, *, as_json: bool) -> int:
    result = workspace.tools.call(tool.id, arguments)
    for warning in result.warnings:
        print_message(warning, "warning: ", "  ")
    if as_json:
        data: JsonObject = {"tool": tool.name, "output": result.output, "milliseconds": result.milliseconds}
        print_data(indented_json({**data, "usage": result.usage.as_dict() if result.usage else None}))
    else:
        print_data(indented_json(result.output))
        if result.usage:
            prompt, completion, model, _ = result.usage
            print_message(f"tokens: {prompt} in, {completion} out{f' by {printable(model)}' if model else ''}")
    return ExitCode.DONE


@contextmanager
def _stored(user: str) -> Generator[Workspace | None]:
    """The record of the current folder; None if there is none: looking around creates nothing."""
    if not FolderService(Path.cwd(), os.environ).has_record(load_cli_settings().settings.store):
        yield None
        return
    with workspace_session(user) as workspace:
        yield workspace


def _find_stored(workspace: Workspace | None, name: str) -> Tool | None:
    if workspace is None:
        return None
    try:
        return workspace.tools.get(name)
    except NotFoundError:
        return None


def _state(listed: JsonObject, unchecked: Collection[str]) -> str | None:
    return "unchecked" if listed.get("id") in unchecked else listed.get("status")


def _owner(each: JsonObject, user: str) -> str:
    return "" if "ownerId" not in each else "you" if each["ownerId"] == user else each["ownerId"]


def _stored_names(user: str) -> list[str]:
    with _stored(user) as workspace:
        return [] if workspace is None else [each.name for each in workspace.tools.list_all()]
