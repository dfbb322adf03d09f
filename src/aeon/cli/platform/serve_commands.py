"""The commands of `aeon serve` and their options. Each imports what it needs when it runs."""

from typing import Annotated, Final, Literal

import typer

from aeon.cli.options import MAX_LISTED, After, Limit, Model, Output, StoredTools, User, Yes, group

DEFAULT_PORT: Final = 8420
DEFAULT_GRACE: Final = 25

serve = group("Serve a page and an API here; serve MCP; run workers.")
worker = group("Run a worker until interrupted; list the workers.")
token = group("Tokens that let programs use the server.")
user_group = group("The users of this project's record, and what each may do.")
serve.add_typer(worker, name="worker")
serve.add_typer(token, name="token")
serve.add_typer(user_group, name="user")

UserName = Annotated[str, typer.Argument(metavar="NAME", help="The name of the user.")]
RoleName = Annotated[Literal["user", "operator"], typer.Option("--role", help="user, or operator.")]
Grace = Annotated[
    int, typer.Option("--grace", min=0, metavar="SECONDS", help="How long jobs may take to end when it drains.")
]
Subject = Annotated[str, typer.Option("--subject", metavar="ID", help="The user's id at the provider, its `sub`.")]
Issuer = Annotated[
    str | None,
    typer.Option("--issuer", metavar="URL", help="The provider; else the one in the setting server.oidc_issuer."),
]


@serve.callback(invoke_without_command=True, no_args_is_help=False)
def serve_begin(
    context: typer.Context,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="N", help="0 takes any free port.")
    ] = DEFAULT_PORT,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help="Where to listen; else the setting, 127.0.0.1.")
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="HOST[:PORT]", help="Another name that a proxy asks it by; repeatable."),
    ] = None,
    model: Model = None,
    grace: Grace = DEFAULT_GRACE,
    user: User = "me",
) -> int:
    """Serve the page and the REST API; also runs, as a worker does.

    Until it is interrupted or drained (SIGTERM).
    """
    if context.invoked_subcommand is not None:
        return 0
    from aeon.cli.platform.server import ServeOptions, run_server

    return run_server(ServeOptions(port, host, names or [], model, grace), user)


@serve.command("mcp")
def serve_mcp(model: Model = None, tools: StoredTools = None, user: User = "me") -> int:
    """Serve the kernel and the skills as an MCP server on stdio.

    With --tools catalog, it serves stored tools and processes too: process.NAME starts a run; run.look, run.answer
    and run.cancel act on it.
    """
    from aeon.cli.mcp import serve_mcp as serve_stdio

    return serve_stdio(model, user, with_stored=tools is not None)


@serve.command("link")
def serve_link(
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=1,
            max=65535,
            metavar="N",
            help=f"Of the server; else where the running one listens, or {DEFAULT_PORT}.",
        ),
    ] = None,
    user: User = "me",
) -> int:
    """Print another link that signs a browser in once."""
    from aeon.cli.platform.server import print_link

    return print_link(port, user, default_port=DEFAULT_PORT)


@token.command("create")
def token_create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for.")],
    read: Annotated[bool, typer.Option("--read", help="It may only read.")] = False,
    days: Annotated[float, typer.Option("--days", metavar="N", help="How long it is valid, at most 366.")] = 90,
    user: User = "me",
) -> int:
    """Make a token and print it; it is not shown again."""
    from aeon.cli.platform.tokens import create_token

    return create_token(name, "read" if read else "write", days, user)


@token.command("list")
def token_list(user: User = "me", output: Output = "table") -> int:
    """List your tokens, without their secrets."""
    from aeon.cli.platform.tokens import list_tokens

    return list_tokens(user, output=output)


@token.command("delete")
def token_delete(
    name: Annotated[str, typer.Argument(metavar="TOKEN", help="Its name, or its id.")],
    user: User = "me",
    yes: Yes = False,
) -> int:
    """Revoke a token at once."""
    from aeon.cli.confirmation import confirm
    from aeon.cli.platform.tokens import delete_token

    confirm(f"Programs with the token {name} lose their access.", is_confirmed=yes)
    return delete_token(name, user)


@user_group.command("list")
def user_list(limit: Limit = MAX_LISTED, after: After = None, user: User = "me", output: Output = "table") -> int:
    """List the users with their roles."""
    from aeon.cli.platform.users import list_users

    return list_users(user, after=after, limit=limit, output=output)


@user_group.command("show")
def user_show(name: UserName, user: User = "me", output: Output = "table") -> int:
    """Show a user and the identities by which they sign in."""
    from aeon.cli.platform.users import show_user

    return show_user(name, user, output=output)


@user_group.command("create")
def user_create(name: UserName, role: RoleName = "user", user: User = "me") -> int:
    """Add a user."""
    from aeon.cli.platform.users import create_user

    return create_user(name, role, user)


@user_group.command("set")
def user_set(
    name: UserName,
    role: Annotated[Literal["user", "operator"] | None, typer.Option("--role", help="user, or operator.")] = None,
    weight: Annotated[
        int | None,
        typer.Option("--weight", min=1, max=100, metavar="N", help="Their share of busy workers; 1 at first."),
    ] = None,
    user: User = "me",
) -> int:
    """Change the role of a user, or their share of workers."""
    from aeon.application.users import AccountChange
    from aeon.cli.platform.users import change_user

    return change_user(name, AccountChange(role=role, weight=weight), user)


@user_group.command("enable")
def user_enable(name: UserName, user: User = "me") -> int:
    """Let a disabled user sign in again."""
    from aeon.application.users import AccountChange
    from aeon.cli.platform.users import change_user

    return change_user(name, AccountChange(enabled=True), user)


@user_group.command("disable")
def user_disable(name: UserName, user: User = "me", yes: Yes = False) -> int:
    """Let a user in no longer; their sessions and tokens end at once."""
    from aeon.cli.platform.users import disable_user

    return disable_user(name, user, is_confirmed=yes)


@user_group.command("link")
def user_link(name: UserName, subject: Subject, issuer: Issuer = None, user: User = "me") -> int:
    """Let a user sign in by an OpenID provider."""
    from aeon.cli.platform.users import link_user

    return link_user(name, subject, issuer, user)


@user_group.command("unlink")
def user_unlink(name: UserName, subject: Subject, issuer: Issuer = None, user: User = "me") -> int:
    """Let a user no longer sign in by an OpenID provider."""
    from aeon.cli.platform.users import unlink_user

    return unlink_user(name, subject, issuer, user)


@worker.callback(invoke_without_command=True, no_args_is_help=False)
def worker_begin(
    context: typer.Context,
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="Only jobs of this type; process: only runs; human: questions to you. May be repeated.",
        ),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, max=1000, metavar="N", help="Concurrent calls of each type.")
    ] = None,
    metrics: Annotated[
        str | None, typer.Option("--metrics", metavar="HOST:PORT", help="Answer Prometheus there; without a sign-in.")
    ] = None,
    grace: Grace = DEFAULT_GRACE,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="LABEL", help="What tools may need of it, such as gpu or site=berlin; repeatable."
        ),
    ] = None,
    user: User = "me",
) -> int:
    """Serve the runs of all users in this project, until interrupted or drained (SIGTERM)."""
    if context.invoked_subcommand is not None:
        return 0
    from aeon.cli.platform.workers import WorkerOptions, run_worker

    return run_worker(WorkerOptions(types or [], concurrency, metrics, grace, labels or []), user)


@worker.command("list")
def worker_list(user: User = "me", output: Output = "table") -> int:
    """List all workers with their state, job and last heartbeat."""
    from aeon.cli.platform.worker_views import list_workers

    return list_workers(user, output=output)


@worker.command("drain")
def worker_drain(
    process: Annotated[
        str | None, typer.Argument(metavar="[WORKER]", help="The id of a worker, or of its process.")
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="NAME", help="All workers on this machine instead.")
    ] = None,
    user: User = "me",
) -> int:
    """Let a worker finish its jobs, take no others, and end."""
    from aeon.cli.platform.worker_views import drain_workers

    return drain_workers(process, host, user)
