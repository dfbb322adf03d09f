"""`aeon secret`, and binding one to another's tool: values are asked for unseen, never taken as arguments."""

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
"""What is asked for at a terminal, by type; the rest is given as JSON on stdin."""


def list_secrets(user: str, *, as_json: bool) -> int:
    """The user's secrets without their values."""
    with platform_session(user) as platform:
        found = platform.catalog.secrets.list_own(user, limit=1000)
    if as_json:
        listed: list[Json] = [
            {name: value for name, value in each.as_dict().items() if name != "vaultVersion"} for each in found
        ]
        print_data(indented_json(listed))
        return ExitCode.DONE
    for each in found:
        print_data(printable(f"{each.name} {each.type} since {each.updated_at[:19]}"))
    return ExitCode.DONE


def set_secret(name: str, kind: str, user: str) -> int:
    """Create it, or rotate it. Raises RuleError for a value that does not fit its type."""
    if names := find_tracked_files(Path.cwd()).secret:
        said = f"git tracks {', '.join(names)}: everyone with access to the repository may have this secret."
        print_message(f"{said} See `aeon doctor`.", "warning: ")
    value = _prompt_value(kind)
    with platform_session(user) as platform:
        secrets, request = platform.catalog.secrets, MutationRequest(user)
        found = secrets.find_own(user, name)
        if found is None:
            secrets.add(NewSecret.parsed({"name": name, "type": kind, "value": value}), request)
        elif found.type != kind:
            raise RuleError(
                f"The secret {name!r} is of type {found.type}, which never changes.",
                rule="immutable",
                next_step="Choose another name, or delete it first.",
            )
        else:
            secrets.rotate(found.id, value, request)
    print_data(f"{'created' if found is None else 'rotated'} {printable(name)}")
    return ExitCode.DONE


def change_master_key(*, as_json: bool) -> int:
    """Put all secrets under a new key, which the key file keeps. Raises VaultError, with nothing changed."""
    count = rekey_vault(Path.cwd(), os.environ)
    if as_json:
        print_data(indented_json({"secrets": count}))
    else:
        print_data(
            f"{count} version(s) of secrets are under a new master key; the former one is kept for copies and backups"
        )
    return ExitCode.DONE


def delete_secret(name: str, user: str) -> int:
    """Delete it. Raises NotFoundError, ReferencedError."""
    with platform_session(user) as platform:
        platform.catalog.secrets.remove(_own_secret(platform, user, name).id, MutationRequest(user))
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def bind_secret(tool: str, name: str, user: str) -> int:
    """Bind an own secret to another's shared tool."""
    with platform_session(user) as platform:
        tools = platform.catalog.tools
        shown = tools.get(user, tool)
        tools.bind(tool, _own_secret(platform, user, name).id, MutationRequest(user))
    params = printable(canonical_json(shown.connection_params))
    print_message(f"It goes where the tool of {printable(shown.owner_id)} sends it now: {params}")
    print_data(f"bound {printable(name)}")
    return ExitCode.DONE


def unbind_secret(tool: str, user: str) -> int:
    """Take it away again."""
    with platform_session(user) as platform:
        platform.catalog.tools.unbind(tool, MutationRequest(user))
    print_data("unbound")
    return ExitCode.DONE


def _own_secret(platform: Platform, user: str, name: str) -> Secret:
    found = platform.catalog.secrets.find_own(user, name)
    if found is None:
        raise NotFoundError(f"You have no secret named {name!r}.", next_step="See `aeon secret list`.")
    return found


def _prompt_value(kind: str) -> JsonObject:
    """From a terminal field by field and unseen, else as a JSON object from stdin."""
    if sys.stdin.isatty() and kind in _PROMPTED_FIELDS:
        return {
            field: typer.prompt(field, hide_input=field != "username", err=True) for field in _PROMPTED_FIELDS[kind]
        }
    value = read_json_file(Path("-"), "The secret's value")
    if not isinstance(value, dict):
        raise InputError("The secret's value on stdin is no JSON object.", next_step='Give {"key": "..."}, say.')
    return cast(JsonObject, value)
