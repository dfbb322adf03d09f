"""`aeon secret`, and binding secrets to shared tools. Values are prompted for, never taken as arguments."""

import os
import sys
from pathlib import Path
from typing import cast

import typer

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.bootstrap.platform import Platform
from aeon.bootstrap.tracked_files import find_tracked_files
from aeon.bootstrap.vaults import rekey_vault
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import read_json_file
from aeon.cli.platform.session import platform_session
from aeon.cli.text import indented_json, printable
from aeon.platform.catalog.model import NewSecret, Secret
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest

_PROMPTED_FIELDS = {
    "api_key": ("key",),
    "password": ("username", "password"),
    "oauth_token": ("access_token",),
}
"""The fields that are prompted for at a terminal, by type; other types are read as JSON from stdin."""


def list_secrets(user: str, *, as_json: bool) -> int:
    """Print the user's secrets without their values."""
    with platform_session(user) as platform:
        secrets = platform.catalog.secrets.list_own(user, limit=1000)
    if as_json:
        listed: list[Json] = [
            {name: value for name, value in each.as_dict().items() if name != "vaultVersion"} for each in secrets
        ]
        print_data(indented_json(listed))
        return ExitCode.DONE
    for each in secrets:
        print_data(printable(f"{each.name} {each.type} since {each.updated_at[:19]}"))
    return ExitCode.DONE


def set_secret(name: str, kind: str, user: str) -> int:
    """Create or rotate a secret. Raises RuleError for a value that does not match its type."""
    if names := find_tracked_files(Path.cwd()).secret:
        warning = f"git tracks {', '.join(names)}: everyone with access to the repository may have this secret."
        print_message(f"{warning} See `aeon doctor`.", "warning: ")
    value = _prompt_value(kind)
    with platform_session(user) as platform:
        secrets, request = platform.catalog.secrets, MutationRequest(user)
        existing = secrets.find_own(user, name)
        if existing is None:
            secrets.add(NewSecret.parsed({"name": name, "type": kind, "value": value}), request)
        elif existing.type != kind:
            raise RuleError(
                f"The secret {name!r} is of type {existing.type}; a type never changes.",
                rule="immutable",
                next_step="Choose another name, or delete it first.",
            )
        else:
            secrets.rotate(existing.id, value, request)
    print_data(f"{'created' if existing is None else 'rotated'} {printable(name)}")
    return ExitCode.DONE


def change_master_key(*, as_json: bool) -> int:
    """Encrypt all secrets with a new key, and write it to the key file. If it raises VaultError, nothing changed."""
    count = rekey_vault(Path.cwd(), os.environ)
    if as_json:
        print_data(indented_json({"secrets": count}))
    else:
        print_data(f"{count} version(s) of secrets use a new master key; the old one is kept for copies and backups")
    return ExitCode.DONE


def delete_secret(name: str, user: str) -> int:
    """Delete a secret. Raises NotFoundError, ReferencedError."""
    with platform_session(user) as platform:
        platform.catalog.secrets.remove(_own_secret(platform, user, name).id, MutationRequest(user))
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def bind_secret(tool: str, name: str, user: str) -> int:
    """Bind one of the user's secrets to another user's shared tool."""
    with platform_session(user) as platform:
        tools = platform.catalog.tools
        shared_tool = tools.get(user, tool)
        tools.bind(tool, _own_secret(platform, user, name).id, MutationRequest(user))
    params = printable(canonical_json(shared_tool.connection_params))
    print_message(f"The tool of {printable(shared_tool.owner_id)} now sends your secret to: {params}")
    print_data(f"bound {printable(name)}")
    return ExitCode.DONE


def unbind_secret(tool: str, user: str) -> int:
    """Remove the user's secret from another user's tool."""
    with platform_session(user) as platform:
        platform.catalog.tools.unbind(tool, MutationRequest(user))
    print_data("unbound")
    return ExitCode.DONE


def _own_secret(platform: Platform, user: str, name: str) -> Secret:
    secret = platform.catalog.secrets.find_own(user, name)
    if secret is None:
        raise NotFoundError(f"You have no secret named {name!r}.", next_step="See `aeon secret list`.")
    return secret


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
