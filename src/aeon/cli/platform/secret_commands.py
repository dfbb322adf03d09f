"""The commands of `aeon secret` and their options. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import MAX_LISTED, After, AsJson, Expect, Limit, Name, Output, Prefix, User, Yes, group
from aeon.cli.platform.entity_commands import NewName, add_show, add_uses

secret = group("Credentials that stored tools use. Values are never shown again.")
add_show(secret, "secret", "secret, without its value")
add_uses(secret, "secret", "secret")


@secret.command("list")
def secret_list(
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List your secrets: name, type, last change. Never shows a value."""
    from aeon.cli.platform.listing import ListOptions
    from aeon.cli.platform.secrets import list_secrets

    return list_secrets(user, ListOptions(limit, after, prefix=prefix), output=output)


@secret.command("set")
def secret_set(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    kind: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="api_key, oauth_token, password or certificate.")
    ] = "api_key",
    user: User = "me",
) -> int:
    """Create a secret, or change its value.

    Prompts for the value, or reads it from stdin as a JSON object.
    """
    from aeon.cli.platform.secrets import set_secret

    return set_secret(name, kind, user)


@secret.command("rekey")
def secret_rekey(as_json: AsJson = False) -> int:
    """Encrypt all secrets of this project with a new master key."""
    from aeon.cli.platform.secrets import change_master_key

    return change_master_key(as_json=as_json)


@secret.command("delete")
def secret_delete(
    name: Annotated[str, typer.Argument(metavar="NAME")], expect: Expect = None, user: User = "me", yes: Yes = False
) -> int:
    """Delete a secret and its value. Refused while a tool uses it."""
    from aeon.cli.confirmation import confirm

    confirm(f"This deletes the secret {name} and its value.", is_confirmed=yes)
    from aeon.cli.platform.secrets import delete_secret

    return delete_secret(name, user, expect)


@secret.command("rename")
def secret_rename(name: Name, new: NewName, expect: Expect = None, user: User = "me") -> int:
    """Rename a secret; the tools that use it keep it."""
    from aeon.cli.platform.entities import rename_entity

    return rename_entity("secret", name, new, user, expect)
