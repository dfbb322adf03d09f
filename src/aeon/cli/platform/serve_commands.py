"""The commands of `aeon serve` and their options. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import Model, Output, StoredTools, User, group

serve = group("Serve a page and an API to this machine; serve MCP; run workers.")
worker = group("Run a worker until interrupted; list the workers.")
serve.add_typer(worker, name="worker")


@serve.callback(invoke_without_command=True, no_args_is_help=False)
def serve_begin(
    context: typer.Context,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, metavar="N", help="0 takes any free port.")] = 8420,
    model: Model = None,
    user: User = "me",
) -> int:
    """Serve the page and the REST API on this machine, until interrupted; also runs, as a worker does."""
    if context.invoked_subcommand is not None:
        return 0
    from aeon.cli.platform.server import run_server

    return run_server(port, model, user)


@serve.command("mcp")
def serve_mcp(model: Model = None, tools: StoredTools = None, user: User = "me") -> int:
    """Serve the kernel and the skills as an MCP server on stdio.

    With --tools catalog, it serves stored tools and processes too: process.NAME starts a run; run.look, run.answer
    and run.cancel act on it.
    """
    from aeon.cli.mcp import serve_mcp as serve_stdio

    return serve_stdio(model, user, with_stored=tools is not None)


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
    user: User = "me",
) -> int:
    """Serve the runs of all users in this project, until interrupted."""
    if context.invoked_subcommand is not None:
        return 0
    from aeon.cli.platform.workers import run_worker

    return run_worker(types or [], concurrency, user)


@worker.command("list")
def worker_list(user: User = "me", output: Output = "table") -> int:
    """List all workers with their state, job and last heartbeat."""
    from aeon.cli.platform.worker_views import list_workers

    return list_workers(user, output=output)
