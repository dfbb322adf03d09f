"""The commands of `aeon config` and their options. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import Output, UserFile, group

config = group("The settings: where each comes from, and how to change it.")


@config.command("list")
def config_list(output: Output = "table") -> int:
    """List each setting, its origin, and the files searched."""
    from aeon.cli.configuration import explain_settings

    return explain_settings(output=output)


Key = Annotated[str, typer.Argument(metavar="KEY", help="A setting, such as run.ttl.")]


@config.command("get")
def config_get(key: Key, output: Output = "table") -> int:
    """Print the value of a setting."""
    from aeon.cli.settings_changes import show_setting

    return show_setting(key, output)


@config.command("set")
def config_set(
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Text, or JSON for numbers and lists.")],
    user_file: UserFile = False,
) -> int:
    """Change a setting in aeon.toml, if the result is valid."""
    from aeon.cli.settings_changes import change_settings

    return change_settings({key: value}, is_users=user_file)


@config.command("edit")
def config_edit(user_file: UserFile = False) -> int:
    """Open aeon.toml in your editor, and keep it if it is valid."""
    from aeon.cli.settings_changes import edit_settings

    return edit_settings(is_users=user_file)


@config.command("schema")
def config_schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Plan, LogEntry, ...; without a name, lists them.")
    ] = None,
    output: Output = "table",
) -> int:
    """Show the JSON schema of a plan, a log entry or a tool."""
    from aeon.cli.schemas import show_schema

    return show_schema(name, output=output)
