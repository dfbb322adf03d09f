"""The commands of `aeon config` and their options. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import AsJson, group

config = group("The settings: where each comes from, and how to change it.")


@config.command("list")
def config_list(as_json: AsJson = False) -> int:
    """List each setting, its origin, and the files searched."""
    from aeon.cli.configuration import explain_settings

    return explain_settings(as_json=as_json)


@config.command("schema")
def config_schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Plan, LogEntry, ...; without a name, lists them.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show the JSON schema of a plan, log entry, tool ..."""
    from aeon.cli.schemas import show_schema

    return show_schema(name, as_json=as_json)
