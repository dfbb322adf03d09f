"""The platform's commands and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from aeon.cli.options import AsJson, User, group

tool = group("List, call and trust the tools stored in this project's record.")
tool_cache = group("The cached results of tools with the effect `pure`, which runs reuse.")
tool.add_typer(tool_cache, name="cache")
process = group("Show, run and compare the processes stored in this project's record, and their versions.")
secret = group("Manage the credentials that stored tools use. Values are never shown again.")
catalog = group("List, show, search, rename, archive and delete services, secrets, tools, templates and processes.")
audit = group("Show and verify the audit log: who did what, and when.")

Kind = Annotated[
    str, typer.Argument(metavar="KIND", help="service, secret, tool, serviceTemplate, toolTemplate or process.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name; its id if another user owns it.")]


MAX_LISTED = 1000
Limit = Annotated[int, typer.Option("--limit", min=1, max=MAX_LISTED, metavar="N", help="At most N.")]
After = Annotated[
    str | None, typer.Option("--after", metavar="CURSOR", help="Continue the list that printed this cursor.")
]
Expect = Annotated[
    int | None,
    typer.Option("--expect", min=1, metavar="VERSION", help="Refuse if its version, as `show` prints it, is another."),
]
Prefix = Annotated[str, typer.Option("--prefix", metavar="TEXT", help="Only names that begin with this text.")]
Owner = Annotated[
    Literal["own", "shared", "all"], typer.Option("--owner", help="Only your own items, or only shared ones.")
]


def up(user: User = "me", as_json: AsJson = False) -> int:
    """Create this project's record and vault if they are missing, load the defaults, and show what is there."""
    from aeon.cli.platform.catalog import bring_up

    return bring_up(user, as_json=as_json)


def apply(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A YAML file of services, secrets, tools, templates, processes; - is stdin."
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Create or change what a YAML file describes. Applying it again changes nothing."""
    from aeon.cli.platform.catalog import apply_file

    return apply_file(file, user, is_dry=dry_run, as_json=as_json)


def uses(
    kind: Kind,
    name: Name,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Show what depends on an item and would break if it were deleted. Items of other users appear without names."""
    from aeon.cli.platform.audit import show_uses

    return show_uses(kind, name, user, as_json=as_json)


def health(
    watch: Annotated[bool, typer.Option("--watch", help="Keep running, and check each tool when it is due.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Check whether the services of your tools answer: state, since when, why, and what to do."""
    from aeon.cli.platform.health import show_health

    return show_health(user, is_watching=watch, as_json=as_json)


@catalog.command("list")
def catalog_list(
    kind: Kind,
    archived: Annotated[bool, typer.Option("--archived", help="List archived templates, too.")] = False,
    owner: Owner = "all",
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List the items of one kind that you own or that other users share with you."""
    from aeon.cli.platform.entities import list_entities
    from aeon.cli.platform.listing import ListOptions

    return list_entities(kind, user, ListOptions(limit, after, owner, prefix, archived), as_json=as_json)


@catalog.command("show")
def catalog_show(kind: Kind, name: Name, user: User = "me") -> int:
    """Show everything about one item, as JSON. Never shows a secret's value."""
    from aeon.cli.platform.entities import show_entity

    return show_entity(kind, name, user)


@catalog.command("search")
def catalog_search(
    text: Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words of a name or description.")],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only of this kind: service, tool, process ...")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Find items by words in their names and descriptions, or by similar names."""
    from aeon.cli.platform.entities import search_entities

    return search_entities(" ".join(text), kind, user, as_json=as_json)


@catalog.command("rename")
def catalog_rename(
    kind: Kind,
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW")],
    expect: Expect = None,
    user: User = "me",
) -> int:
    """Rename one of your items; references to it stay valid."""
    from aeon.cli.platform.entities import rename_entity

    return rename_entity(kind, name, new, user, expect)


@catalog.command("archive")
def catalog_archive(kind: Kind, name: Name, expect: Expect = None, user: User = "me") -> int:
    """Archive one of your templates: it is hidden from lists; items created from it are kept."""
    from aeon.cli.platform.entities import archive_entity

    return archive_entity(kind, name, user, expect, is_archived=True)


@catalog.command("restore")
def catalog_restore(kind: Kind, name: Name, expect: Expect = None, user: User = "me") -> int:
    """Restore an archived template."""
    from aeon.cli.platform.entities import archive_entity

    return archive_entity(kind, name, user, expect, is_archived=False)


@catalog.command("delete")
def catalog_delete(kind: Kind, name: Name, expect: Expect = None, user: User = "me") -> int:
    """Delete one of your items. Refused while something uses it; the error lists what does."""
    from aeon.cli.platform.entities import delete_entity

    return delete_entity(kind, name, user, expect)


@audit.command("list")
def audit_list(limit: Limit = MAX_LISTED, after: After = None, user: User = "me", as_json: AsJson = False) -> int:
    """Show your audit log: all changes to your items, and your changes to items of other users."""
    from aeon.cli.platform.audit import list_audit_entries

    return list_audit_entries(user, after=after, limit=limit, as_json=as_json)


@audit.command("verify")
def audit_verify(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="SEQ:HASH", help="An earlier end of the log, as this command printed it."),
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Verify that your audit log was not changed; with --since, also that its end was not removed."""
    from aeon.cli.platform.audit import verify_audit_log

    return verify_audit_log(user, since, as_json=as_json)


@tool.command("list")
def tool_list(  # one for each option
    owner: Owner = "all",
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List the tools that you own or that other users share with you."""
    from aeon.cli.platform.catalog import list_stored_tools
    from aeon.cli.platform.listing import ListOptions

    return list_stored_tools(user, ListOptions(limit, after, owner, prefix), as_json=as_json)


@tool.command("call")
def tool_call(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A tool's name; its id if another user owns it.")],
    arguments: Annotated[
        str, typer.Option("--input", metavar="JSON", help="The input as a JSON object; - reads it from stdin.")
    ] = "{}",
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Call a tool. This is a real call, with its effects."""
    from aeon.cli.platform.catalog import call_stored_tool

    return call_stored_tool(name, arguments, user, as_json=as_json)


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
    """List the tools of an MCP server, as a file for `aeon apply` with the server's own schemas."""
    from aeon.application.discovery import DiscoveryRequest
    from aeon.cli.platform.discovery import discover_tools, read_connection

    request = DiscoveryRequest(
        service, read_connection(connection), secret_name, only or [], allow_private, allow_insecure
    )
    return discover_tools(request, user, as_json=as_json)


@tool_cache.command("clear")
def tool_cache_clear(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One of your tools; without it, all of them.")
    ] = None,
    user: User = "me",
) -> int:
    """Delete the cached results of your pure tools; the next call of each runs again."""
    from aeon.cli.platform.tools import clear_cache

    return clear_cache(name, user)


@tool.command("bind")
def tool_bind(
    name: Annotated[str, typer.Argument(metavar="TOOL", help="The id of a shared tool.")],
    secret_name: Annotated[str, typer.Argument(metavar="SECRET", help="One of your secrets.")],
    user: User = "me",
) -> int:
    """Use your own secret when you call another user's shared tool."""
    from aeon.cli.platform.secrets import bind_secret

    return bind_secret(name, secret_name, user)


@tool.command("trust")
def tool_trust(name: Name, user: User = "me") -> int:
    """Allow another user's tool, as it is now, in your plans, and let it start its program on this machine."""
    from aeon.cli.platform.tools import trust_tool

    return trust_tool(name, user)


@tool.command("distrust")
def tool_distrust(name: Name, user: User = "me") -> int:
    """Stop trusting another user's tool: it leaves your plans and may not start its program any more."""
    from aeon.cli.platform.tools import distrust_tool

    return distrust_tool(name, user)


@tool.command("unbind")
def tool_unbind(
    name: Annotated[str, typer.Argument(metavar="TOOL", help="The id of the tool.")], user: User = "me"
) -> int:
    """Remove your secret from another user's tool."""
    from aeon.cli.platform.secrets import unbind_secret

    return unbind_secret(name, user)


@process.command("list")
def process_list(  # one for each option
    owner: Owner = "all",
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List the processes that you own or that other users share with you."""
    from aeon.cli.platform.entities import list_entities
    from aeon.cli.platform.listing import ListOptions

    return list_entities("process", user, ListOptions(limit, after, owner, prefix), as_json=as_json)


@process.command("show")
def process_show(
    name: Name,
    version: Annotated[
        str | None, typer.Option("--version", metavar="DIGEST", help="Show this version: the beginning of its digest.")
    ] = None,
    user: User = "me",
) -> int:
    """Show a process and its versions, as JSON. For another user's process, only the current version."""
    from aeon.cli.platform.processes import show_process

    return show_process(name, version, user)


@process.command("diff")
def process_diff(
    name: Name,
    old: Annotated[str | None, typer.Argument(metavar="OLD", help="A digest's beginning, or a file.")] = None,
    new: Annotated[str | None, typer.Argument(metavar="NEW", help="The same; the current version if left out.")] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Compare versions, step by step: OLD (default: previous) and NEW (default: current). A file alone is NEW."""
    from aeon.cli.platform.processes import diff_process

    return diff_process(name, old, new, user, as_json=as_json)


@secret.command("list")
def secret_list(
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List your secrets: name, type, last change. Never shows a value."""
    from aeon.cli.platform.listing import ListOptions
    from aeon.cli.platform.secrets import list_secrets

    return list_secrets(user, ListOptions(limit, after, prefix=prefix), as_json=as_json)


@secret.command("set")
def secret_set(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    kind: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="api_key, oauth_token, password or certificate.")
    ] = "api_key",
    user: User = "me",
) -> int:
    """Create a secret, or change its value. Prompts for the value, or reads it from stdin as a JSON object."""
    from aeon.cli.platform.secrets import set_secret

    return set_secret(name, kind, user)


@secret.command("rekey")
def secret_rekey(as_json: AsJson = False) -> int:
    """Encrypt all secrets of this project with a new master key; all of them or none."""
    from aeon.cli.platform.secrets import change_master_key

    return change_master_key(as_json=as_json)


@secret.command("delete")
def secret_delete(
    name: Annotated[str, typer.Argument(metavar="NAME")], expect: Expect = None, user: User = "me"
) -> int:
    """Delete a secret and its value. Refused while a tool uses it."""
    from aeon.cli.platform.secrets import delete_secret

    return delete_secret(name, user, expect)
