"""`aeon secret`, and binding secrets to shared tools. Values are prompted for, never taken as arguments."""

import os
import sys
from pathlib import Path
from typing import cast

import typer

from aeon.application.folder import FolderService
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, readable_json
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import read_json_file
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.session import load_cli_settings
from aeon.cli.text import indented_json, printable

_PROMPTED_FIELDS = {
    "api_key": ("key",),
    "password": ("username", "password"),
    "oauth_token": ("access_token",),
}
"""The fields that are prompted for at a terminal, by type; other types are read as JSON from stdin."""


def list_secrets(user: str, options: ListOptions, *, output: OutputFormat) -> int:
    """Print a page of the user's secrets, without their values."""
    with workspace_session(user) as workspace:
        page = workspace.secrets.list(prefix=options.prefix, after=options.after, limit=options.limit)
    print_whether_more(page)
    listed: list[Json] = [
        {name: value for name, value in each.as_dict().items() if name != "vaultVersion"} for each in page.items
    ]
    if print_as(output, listed):
        return ExitCode.DONE
    rows = [(each.name, each.type, each.updated_at[:19]) for each in page.items]
    print_table(("NAME", "TYPE", "CHANGED"), rows, "you have none; create one with: aeon secret set NAME")
    return ExitCode.DONE


def set_secret(name: str, kind: str, user: str) -> int:
    """Create or rotate a secret. Raises RuleError for a value that does not match its type."""
    if names := FolderService(Path.cwd(), os.environ).tracked_files().secret:
        warning = f"git tracks {', '.join(names)}: everyone with access to the repository may have this secret."
        print_message(f"{warning} See `aeon doctor`.", "warning: ")
    value = _prompt_value(kind)
    with workspace_session(user) as workspace:
        _, is_new = workspace.secrets.put(name, kind, value)
    print_data(f"{'created' if is_new else 'rotated'} {printable(name)}")
    return ExitCode.DONE


def change_master_key(*, as_json: bool) -> int:
    """Encrypt all secrets with a new key, and write it to the key file. If it raises VaultError, nothing changed."""
    from aeon.application.store import StoreService

    count = StoreService(Path.cwd(), load_cli_settings(), os.environ).change_master_key()
    if as_json:
        print_data(indented_json({"secrets": count}))
    else:
        print_data(f"{count} version(s) of secrets use a new master key; the old one is kept for copies and backups")
    return ExitCode.DONE


def delete_secret(name: str, user: str, expected: int | None) -> int:
    """Delete a secret. Raises NotFoundError, ReferencedError, VersionError."""
    with workspace_session(user) as workspace:
        workspace.secrets.remove(workspace.secrets.get_own(name).id, expected_version=expected)
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def bind_secret(tool: str, name: str, user: str) -> int:
    """Bind one of the user's secrets to another user's shared tool."""
    with workspace_session(user) as workspace:
        shared_tool = workspace.tools.bind(tool, name)
    params = printable(readable_json(shared_tool.connection_params))
    print_message(f"The tool of {printable(shared_tool.owner_id)} now sends your secret to: {params}")
    print_data(f"bound {printable(name)}")
    return ExitCode.DONE


def unbind_secret(tool: str, user: str) -> int:
    """Remove the user's secret from another user's tool."""
    with workspace_session(user) as workspace:
        workspace.tools.unbind(tool)
    print_data("unbound")
    return ExitCode.DONE


def _prompt_value(kind: str) -> JsonObject:
    """Prompt for the value at a terminal, hidden; otherwise read a JSON object from stdin."""
    if sys.stdin.isatty() and kind in _PROMPTED_FIELDS:
        return {
            field: typer.prompt(field, hide_input=field != "username", err=True) for field in _PROMPTED_FIELDS[kind]
        }
    value = read_json_file(Path("-"), "The secret's value")
    if not isinstance(value, dict):
        raise InputError(
            "The secret's value on stdin is not a JSON object.", next_step='Give, for example, {"key": "..."}.'
        )
    return cast(JsonObject, value)
