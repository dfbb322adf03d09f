"""The commands of `aeon tool` and their options. Each imports what it needs when it runs."""

from typing import Annotated, Literal

import typer

from aeon.cli.options import (
    MAX_LISTED,
    After,
    AllowRead,
    AllowWrite,
    AsJson,
    Inputs,
    Limit,
    Name,
    Output,
    Owner,
    Prefix,
    User,
    Yes,
    group,
)
from aeon.cli.platform.entity_commands import add_changes, add_list, add_show, add_template_verbs

tool = group("Tools: built in, of skills, and stored by you.")
cache = group("The cached results of pure tools, which runs reuse.")
service = group("The services that stored tools call.")
service_template = group("Templates of services.")
template = group("Templates of tools.")
tool.add_typer(service, name="service")
tool.add_typer(template, name="template")
tool.add_typer(cache, name="cache")
service.add_typer(service_template, name="template")
add_changes(tool, "tool", "tool")
add_list(service, "service", "services")
add_show(service, "service", "service")
add_changes(service, "service", "service")
add_template_verbs(service_template, "serviceTemplate")
add_template_verbs(template, "toolTemplate")


@tool.command("list")
def tool_list(  # one for each option
    source: Annotated[
        Literal["built-in", "skill", "stored"] | None, typer.Option("--source", help="Only tools of this source.")
    ] = None,
    owner: Owner = "all",
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List all tools: built in, of skills, and stored."""
    from aeon.cli.platform.listing import ListOptions
    from aeon.cli.platform.tool_lists import list_tools

    return list_tools(user, source, ListOptions(limit, after, owner, prefix), output=output)


@tool.command("show")
def tool_show(name: Name, user: User = "me", output: Output = "table") -> int:
    """Show a tool with its schemas, and all that is stored of it."""
    from aeon.cli.platform.tool_lists import show_tool

    return show_tool(name, user, output=output)


@tool.command("export")
def tool_export(name: Name, user: User = "me") -> int:
    """Print a stored tool and its service as YAML, for `aeon apply`.

    A secret is named, and its value is not in it.
    """
    from aeon.cli.platform.tool_lists import export_stored_tool

    return export_stored_tool(name, user)


@tool.command("call")
def tool_call(
    name: Name,
    inputs: Inputs = None,
    allow_read: AllowRead = None,
    allow_write: AllowWrite = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Call a tool. This is a real call, with its effects."""
    from aeon.cli.platform.tool_lists import call_tool
    from aeon.cli.session import FileGrants

    return call_tool(name, inputs or [], user, FileGrants(allow_read or [], allow_write or []), as_json=as_json)


@tool.command("search")
def tool_search(
    text: Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words of a name or description.")],
    user: User = "me",
    output: Output = "table",
) -> int:
    """Find stored tools by words in their names and descriptions."""
    from aeon.cli.platform.entities import search_entities

    return search_entities(" ".join(text), "tool", user, output=output)


@tool.command("health")
def tool_health(
    watch: Annotated[bool, typer.Option("--watch", help="Keep running, and check each tool when it is due.")] = False,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Check whether the services of your tools answer."""
    from aeon.cli.platform.health import show_health

    return show_health(user, is_watching=watch, output=output)


@tool.command("discover")
def tool_discover(
    service: Annotated[str, typer.Argument(metavar="SERVICE", help="A service of type mcp_server: its name or id.")],
    connection: Annotated[
        str, typer.Option("--connection", metavar="JSON", help="The connection's parameters; - reads them from stdin.")
    ] = "{}",
    secret_name: Annotated[
        str | None, typer.Option("--secret", metavar="NAME", help="Your secret, for this request and for the tools.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only this tool of the server. May be repeated.")
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow a server on this machine or in a private network.")
    ] = False,
    allow_insecure: Annotated[
        bool, typer.Option("--allow-insecure", help="Allow sending the secret over plain http to another machine.")
    ] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List the tools of an MCP server, as a file for `aeon apply`."""
    from aeon.application.discovery import DiscoveryRequest
    from aeon.cli.platform.discovery import discover_tools, read_connection

    request = DiscoveryRequest(
        service, read_connection(connection), secret_name, only or [], allow_private, allow_insecure
    )
    return discover_tools(request, user, as_json=as_json)


@tool.command("import")
def tool_import(  # noqa: PLR0913, PLR0917  # one for each option
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="An OpenAPI document: a file, an http(s) address, or - for stdin.")
    ],
    name: Annotated[
        str | None, typer.Option("--name", metavar="SERVICE", help="The service's name; by default from the title.")
    ] = None,
    server: Annotated[
        str | None, typer.Option("--server", metavar="URL", help="Send requests here, not to the document's servers.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PATTERN", help="Only operations whose name or path matches. May be repeated."),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only operations with this tag. May be repeated.")
    ] = None,
    secret_name: Annotated[
        str | None, typer.Option("--secret", metavar="NAME", help="Your secret, for the tools.")
    ] = None,
    pages: Annotated[
        int | None,
        typer.Option(
            "--pages", min=1, max=1000, metavar="N", help="Tools for lists get up to N pages; 1 for one page."
        ),
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow a server on this machine or in a private network.")
    ] = False,
    allow_insecure: Annotated[
        bool, typer.Option("--allow-insecure", help="Allow sending the secret over plain http to another machine.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Yes = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Make tools of an OpenAPI document, or update them.

    Asks before it changes tools that exist.
    """
    from aeon.cli.platform.openapi import ImportCommand, import_document

    given = ImportCommand(
        source, name, server, only or [], tag or [], secret_name, pages, allow_private, allow_insecure
    )
    return import_document(given, user, is_dry=dry_run, is_confirmed=yes, as_json=as_json)


@cache.command("clear")
def tool_cache_clear(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One of your tools; without it, all of them.")
    ] = None,
    user: User = "me",
) -> int:
    """Delete the cached results of your pure tools."""
    from aeon.cli.platform.tools import clear_cache

    return clear_cache(name, user)


@tool.command("bind")
def tool_bind(
    name: Annotated[str, typer.Argument(metavar="TOOL", help="The id of a shared tool.")],
    secret_name: Annotated[str, typer.Argument(metavar="SECRET", help="One of your secrets.")],
    user: User = "me",
) -> int:
    """Use your own secret for another user's shared tool."""
    from aeon.cli.platform.secrets import bind_secret

    return bind_secret(name, secret_name, user)


@tool.command("trust")
def tool_trust(name: Name, user: User = "me") -> int:
    """Allow another user's tool, as it is now, in your plans.

    It may also start its program on this machine.
    """
    from aeon.cli.platform.tools import trust_tool

    return trust_tool(name, user)


@tool.command("distrust")
def tool_distrust(name: Name, user: User = "me") -> int:
    """Stop trusting another user's tool, and forbid its program."""
    from aeon.cli.platform.tools import distrust_tool

    return distrust_tool(name, user)


@tool.command("unbind")
def tool_unbind(
    name: Annotated[str, typer.Argument(metavar="TOOL", help="The id of the tool.")], user: User = "me"
) -> int:
    """Remove your secret from another user's tool."""
    from aeon.cli.platform.secrets import unbind_secret

    return unbind_secret(name, user)
