"""The platform's commands and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from aeon.cli.options import AsJson, User, group

tool = group("See and run the tools that are stored in this project's record.")
tool_cache = group("What tools with the effect `pure` came to, which runs use again.")
tool.add_typer(tool_cache, name="cache")
process = group("See the processes that are stored in this project's record: what each says, and what it said before.")
secret = group("Keep credentials that stored tools use. A value goes in and never comes out again.")
catalog = group("See services, secrets, tools, templates and processes; rename, put away and delete them.")
audit = group("See and check the trail of who did what to whose.")

Kind = Annotated[
    str, typer.Argument(metavar="KIND", help="service, secret, tool, serviceTemplate, toolTemplate or process.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name, or its id where it is another's.")]


def up(user: User = "me", as_json: AsJson = False) -> int:
    """Make this project's record and vault, fill them with the defaults, and say what there is."""
    from aeon.cli.platform.catalog import bring_up

    return bring_up(user, as_json=as_json)


def apply(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Services, secrets, tools, templates, processes; - is stdin.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Create and change what a YAML file describes; applied again it changes nothing."""
    from aeon.cli.platform.catalog import apply_file

    return apply_file(file, user, is_dry=dry_run, as_json=as_json)


def uses(
    kind: Kind,
    name: Name,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Who uses a thing: what would be hurt if it went. Other people's things count, without their names."""
    from aeon.cli.platform.audit import show_uses

    return show_uses(kind, name, user, as_json=as_json)


def health(
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and check each when it is due.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Ask what your tools reach whether it answers: state, since when, why, and what to do."""
    from aeon.cli.platform.health import show_health

    return show_health(user, is_watching=watch, as_json=as_json)


@catalog.command("list")
def catalog_list(
    kind: Kind,
    archived: Annotated[bool, typer.Option("--archived", help="The archived templates instead.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Everything of one kind that you own, and what others share with you."""
    from aeon.cli.platform.entities import list_entities

    return list_entities(kind, user, is_archived=archived, as_json=as_json)


@catalog.command("show")
def catalog_show(kind: Kind, name: Name, user: User = "me") -> int:
    """Everything about one thing, as JSON. Never a secret's value."""
    from aeon.cli.platform.entities import show_entity

    return show_entity(kind, name, user)


@catalog.command("search")
def catalog_search(
    text: Annotated[list[str], typer.Argument(metavar="WORDS...", help="Words of its name or description.")],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only of this kind: service, tool, process ...")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Find things by words of their names and descriptions, or by names that are spelled alike."""
    from aeon.cli.platform.entities import search_entities

    return search_entities(" ".join(text), kind, user, as_json=as_json)


@catalog.command("rename")
def catalog_rename(
    kind: Kind, name: Name, new: Annotated[str, typer.Argument(metavar="NEW")], user: User = "me"
) -> int:
    """Give a thing of yours another name; what refers to it goes on to."""
    from aeon.cli.platform.entities import rename_entity

    return rename_entity(kind, name, new, user)


@catalog.command("archive")
def catalog_archive(kind: Kind, name: Name, user: User = "me") -> int:
    """Put a template of yours away: it is listed no more, and what was made from it stays."""
    from aeon.cli.platform.entities import archive_entity

    return archive_entity(kind, name, user, is_archived=True)


@catalog.command("restore")
def catalog_restore(kind: Kind, name: Name, user: User = "me") -> int:
    """Take an archived template back."""
    from aeon.cli.platform.entities import archive_entity

    return archive_entity(kind, name, user, is_archived=False)


@catalog.command("delete")
def catalog_delete(kind: Kind, name: Name, user: User = "me") -> int:
    """Delete a thing of yours; refused, with what uses it, while something does."""
    from aeon.cli.platform.entities import delete_entity

    return delete_entity(kind, name, user)


@audit.command("list")
def audit_list(user: User = "me", as_json: AsJson = False) -> int:
    """Your trail: everything done to what is yours, and what you did to others' things."""
    from aeon.cli.platform.audit import list_audit_entries

    return list_audit_entries(user, as_json=as_json)


@audit.command("verify")
def audit_verify(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="SEQ:HASH", help="Where it ended once, as this command said and you noted."),
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Check that nothing in your trail was changed, removed or put in between; noted elsewhere, not its end either."""
    from aeon.cli.platform.audit import verify_audit_log

    return verify_audit_log(user, since, as_json=as_json)


@tool.command("list")
def tool_list(user: User = "me", as_json: AsJson = False) -> int:
    """Every tool that you own, and what others share with you."""
    from aeon.cli.platform.catalog import list_stored_tools

    return list_stored_tools(user, as_json=as_json)


@tool.command("call")
def tool_call(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A tool's name, or its id where it is another's.")],
    arguments: Annotated[
        str, typer.Option("--input", metavar="JSON", help="The input as a JSON object; - reads it from stdin.")
    ] = "{}",
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Run a tool for real."""
    from aeon.cli.platform.catalog import call_stored_tool

    return call_stored_tool(name, arguments, user, as_json=as_json)


@tool.command("discover")
def tool_discover(
    service: Annotated[str, typer.Argument(metavar="SERVICE", help="A service of type mcp_server: its name or id.")],
    connection: Annotated[
        str, typer.Option("--connection", metavar="JSON", help="What it takes to connect; - reads it from stdin.")
    ] = "{}",
    secret_name: Annotated[
        str | None, typer.Option("--secret", metavar="NAME", help="A secret of yours to ask with, and for the tools.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only this tool of the server; repeatable.")
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="The server may be on this machine or in a private network.")
    ] = False,
    allow_insecure: Annotated[
        bool, typer.Option("--allow-insecure", help="The secret may go over plain http to another machine.")
    ] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Ask an MCP server what it offers; prints a file for `aeon apply`, with the server's own schemas."""
    from aeon.cli.platform.discovery import DiscoveryRequest, discover_tools, read_connection

    asked = DiscoveryRequest(
        service, read_connection(connection), secret_name, only or [], allow_private, allow_insecure
    )
    return discover_tools(asked, user, as_json=as_json)


@tool_cache.command("clear")
def tool_cache_clear(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A tool of yours; all of them if left out.")
    ] = None,
    user: User = "me",
) -> int:
    """Forget what pure tools of yours came to, so that the next call of each is made."""
    from aeon.cli.platform.tools import clear_cache

    return clear_cache(name, user)


@tool.command("bind")
def tool_bind(
    name: Annotated[str, typer.Argument(metavar="TOOL", help="The id of a tool that somebody shares.")],
    secret_name: Annotated[str, typer.Argument(metavar="SECRET", help="A secret of your own.")],
    user: User = "me",
) -> int:
    """Have another's shared tool run with a secret of your own when you call it."""
    from aeon.cli.platform.secrets import bind_secret

    return bind_secret(name, secret_name, user)


@tool.command("trust")
def tool_trust(name: Name, user: User = "me") -> int:
    """Let another's shared tool into your plans as it is now, and let it start its program on this machine."""
    from aeon.cli.platform.tools import trust_tool

    return trust_tool(name, user)


@tool.command("distrust")
def tool_distrust(name: Name, user: User = "me") -> int:
    """Stop trusting another's tool: it leaves your plans, and may not start its program any more."""
    from aeon.cli.platform.tools import distrust_tool

    return distrust_tool(name, user)


@tool.command("unbind")
def tool_unbind(
    name: Annotated[str, typer.Argument(metavar="TOOL", help="The id of the tool.")], user: User = "me"
) -> int:
    """Take that secret away from it again."""
    from aeon.cli.platform.secrets import unbind_secret

    return unbind_secret(name, user)


@process.command("list")
def process_list(user: User = "me", as_json: AsJson = False) -> int:
    """Every process that you own, and what others share with you."""
    from aeon.cli.platform.entities import list_entities

    return list_entities("process", user, is_archived=False, as_json=as_json)


@process.command("show")
def process_show(
    name: Name,
    version: Annotated[
        str | None, typer.Option("--version", metavar="DIGEST", help="What it said then: a digest's beginning.")
    ] = None,
    user: User = "me",
) -> int:
    """What a process says, and the versions that it had, as JSON. Of another's only the version of now."""
    from aeon.cli.platform.processes import show_process

    return show_process(name, version, user)


@process.command("diff")
def process_diff(
    name: Name,
    old: Annotated[str | None, typer.Argument(metavar="OLD", help="A digest's beginning, or a file.")] = None,
    new: Annotated[str | None, typer.Argument(metavar="NEW", help="The same; the version of now if left out.")] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """What differs, step by step: from the version before if you name none, or to a file if you name that alone."""
    from aeon.cli.platform.processes import diff_process

    return diff_process(name, old, new, user, as_json=as_json)


@secret.command("list")
def secret_list(user: User = "me", as_json: AsJson = False) -> int:
    """Your secrets: name, type, since when. Never a value."""
    from aeon.cli.platform.secrets import list_secrets

    return list_secrets(user, as_json=as_json)


@secret.command("set")
def secret_set(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    kind: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="api_key, oauth_token, password or certificate.")
    ] = "api_key",
    user: User = "me",
) -> int:
    """Create a secret, or give it another value; the value is asked for, or read from stdin as a JSON object."""
    from aeon.cli.platform.secrets import set_secret

    return set_secret(name, kind, user)


@secret.command("rekey")
def secret_rekey(as_json: AsJson = False) -> int:
    """Put every secret of this project under a new master key, all or none."""
    from aeon.cli.platform.secrets import change_master_key

    return change_master_key(as_json=as_json)


@secret.command("delete")
def secret_delete(name: Annotated[str, typer.Argument(metavar="NAME")], user: User = "me") -> int:
    """Delete a secret and its value; refused while a tool uses it."""
    from aeon.cli.platform.secrets import delete_secret

    return delete_secret(name, user)
