"""The commands and their options. Each imports what it needs when it runs, so that `aeon --help` is fast."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer.models import CommandInfo

import aeon
from aeon.cli.options import (
    AllowRead,
    AllowWrite,
    AsJson,
    Files,
    LogFile,
    Model,
    NoInput,
    StoredTools,
    Ttl,
    User,
    group,
)
from aeon.cli.platform.commands import apply, audit, catalog, health, process, secret, tool, up, uses
from aeon.cli.platform.run_commands import jobs, metrics, runs, schedule, worker
from aeon.cli.platform.store_commands import graph, store
from aeon.cli.skills.commands import skills

_DESCRIPTION = (
    "Turn a request into a plan, run it step by step, and keep a log that replays.\n\n"
    "Answers and data go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage or input, "
    "3 not ended (TTL expired, or waiting for a person), 4 done, but the result is not trusted, "
    "129 hung up, 130 interrupted, 143 terminated."
)
app = group(_DESCRIPTION)
tools = group("List and call the registered tools.")
config = group("Show the configuration.")
model = group("List embedded models, and download and locate their weights.")
log = group("Show and verify the logs of runs.")
app.add_typer(tools, name="tools")
app.add_typer(config, name="config")
app.add_typer(model, name="model")
app.add_typer(log, name="log")
app.add_typer(skills, name="skill")
app.add_typer(catalog, name="catalog")
app.add_typer(tool, name="tool")
app.add_typer(process, name="process")
app.add_typer(runs, name="runs")
app.add_typer(worker, name="worker")
app.add_typer(schedule, name="schedule")
app.add_typer(jobs, name="jobs")
app.add_typer(metrics, name="metrics")
app.add_typer(audit, name="audit")
app.add_typer(store, name="store")
app.add_typer(graph, name="graph")
app.add_typer(secret, name="secret")
app.command("up")(up)
app.command("apply")(apply)
app.command("uses")(uses)
app.command("health")(health)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"aeon {aeon.__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(
            "--log-level", envvar="AEON_LOG", help="Show the log of Aeon's parts on stderr from this level on."
        ),
    ] = None,
) -> None:
    del version
    from aeon.cli.log_output import show_log

    show_log(log_level)


def app_for(argv: Sequence[str]) -> typer.Typer:
    """The app, with only the group or command that `argv` names: typer builds every command that it is given."""
    groups = [each for each in app.registered_groups if argv and each.name == argv[0]]
    commands = [each for each in app.registered_commands if argv and _command_name(each) == argv[0]]
    if not groups and not commands:
        return app
    narrow = group(_DESCRIPTION)
    narrow.callback()(start)
    narrow.registered_groups, narrow.registered_commands = groups, commands
    return narrow


def _command_name(command: CommandInfo) -> str | None:
    """The name of a command: of its function unless it was given one."""
    return command.name or getattr(command.callback, "__name__", None)


@app.command()
def run(  # noqa: PLR0913, PLR0917  # one for each option of the command
    request: Annotated[
        str | None, typer.Argument(metavar="REQUEST", help="What you want done; - reads it from stdin.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="Run this plan (JSON or YAML, - for stdin).")
    ] = None,
    model: Model = None,
    ttl: Ttl = None,
    repair: Annotated[bool, typer.Option("--repair", help="Let the model repair invalid parts of --plan.")] = False,
    allow_fallback: Annotated[
        bool, typer.Option("--allow-fallback", help="Let the model answer where --plan names an unknown tool.")
    ] = False,
    files: Files = None,
    allow_read: AllowRead = None,
    allow_write: AllowWrite = None,
    log: Annotated[Path | None, typer.Option("--log", metavar="PATH", help="Write the run's log to this file.")] = None,
    tools: StoredTools = None,
    user: User = "me",
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Plan a request and run the plan, step by step."""
    from aeon.cli.requests import RequestOptions, UserPlan, run_request

    stored_for = user if tools else None
    options = RequestOptions(
        model,
        ttl,
        as_json=as_json,
        may_fetch=not no_input,
        stored_tools_user=stored_for,
        files=files or [],
        allow_read=allow_read or [],
        allow_write=allow_write or [],
    )
    return run_request(request, UserPlan(plan, repair=repair, allow_fallback=allow_fallback), log, options)


@app.command()
def plan(
    request: Annotated[str, typer.Argument(metavar="REQUEST", help="What you want done; - reads it from stdin.")],
    model: Model = None,
    tools: StoredTools = None,
    user: User = "me",
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Plan a request without running it: prints the plan as JSON, for `aeon run --plan`."""
    from aeon.cli.requests import RequestOptions, plan_request

    stored_for = user if tools else None
    return plan_request(
        request, RequestOptions(model, None, as_json=as_json, may_fetch=not no_input, stored_tools_user=stored_for)
    )


@app.command()
def resume(  # noqa: PLR0913, PLR0917  # one for each option of the command
    path: LogFile,
    ttl: Ttl = None,
    model: Model = None,
    files: Files = None,
    allow_read: AllowRead = None,
    allow_write: AllowWrite = None,
    tools: StoredTools = None,
    user: User = "me",
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Continue a run that expired, crashed or was interrupted."""
    from aeon.cli.requests import RequestOptions, resume_run

    stored_for = user if tools else None
    options = RequestOptions(
        model,
        ttl,
        as_json=as_json,
        may_fetch=not no_input,
        stored_tools_user=stored_for,
        files=files or [],
        allow_read=allow_read or [],
        allow_write=allow_write or [],
    )
    return resume_run(path, options)


@app.command()
def replay(path: LogFile, as_json: AsJson = False) -> int:
    """Replay a log without its model and tools, and check that the result is the same, byte for byte."""
    from aeon.cli.logs import replay_log

    return replay_log(path, as_json=as_json)


@app.command()
def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Plan, LogEntry, ...; without a name, lists them.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show the JSON schema of an entity."""
    from aeon.cli.schemas import show_schema

    return show_schema(name, as_json=as_json)


@app.command()
def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Skip the test question to the model.")] = False,
    model: Model = None,
    as_json: AsJson = False,
) -> int:
    """Check everything that a run needs, and say how to fix what is broken."""
    from aeon.cli.doctor import run_checks

    return run_checks(model, is_quick=quick, as_json=as_json)


@app.command()
def adopt(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list its files.")] = False,
    as_json: AsJson = False,
) -> int:
    """Take over this folder's .aeon, which came from elsewhere. First make sure that you trust its origin."""
    from aeon.cli.adoption import adopt_folder

    return adopt_folder(is_dry=dry_run, as_json=as_json)


@app.command()
def mcp(model: Model = None, tools: StoredTools = None, user: User = "me") -> int:
    """Serve the kernel and the skills as an MCP server, on stdin and stdout.

    With --tools catalog, it serves stored tools and processes too: process.NAME starts a run; run.look, run.answer
    and run.cancel act on it.
    """
    from aeon.cli.mcp import serve_mcp

    return serve_mcp(model, user, with_stored=tools is not None)


@tools.command("list")
def tools_list(as_json: AsJson = False) -> int:
    """List the registered tools."""
    from aeon.cli.tools import list_tools

    return list_tools(as_json=as_json)


@tools.command("show")
def tools_show(name: Annotated[str, typer.Argument(metavar="NAME")], as_json: AsJson = False) -> int:
    """Show a tool with its schemas and an example."""
    from aeon.cli.tools import show_tool

    return show_tool(name, as_json=as_json)


@tools.command("call")
def tools_call(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    arguments: Annotated[
        str, typer.Option("--input", metavar="JSON", help="The arguments as a JSON object; - reads it from stdin.")
    ],
    as_json: AsJson = False,
) -> int:
    """Call a tool; its arguments and its result are checked against its schemas."""
    from aeon.cli.tools import call_tool

    return call_tool(name, arguments, as_json=as_json)


@config.command("explain")
def config_explain(as_json: AsJson = False) -> int:
    """Show each setting, where its value comes from, and the files that were searched."""
    from aeon.cli.configuration import explain_settings

    return explain_settings(as_json=as_json)


@model.command("list")
def model_list(as_json: AsJson = False) -> int:
    """List the models that can run in this process."""
    from aeon.cli.models import list_models

    return list_models(as_json=as_json)


@model.command("fetch")
def model_fetch(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="standard, small or tiny.")] = None,
    as_json: AsJson = False,
) -> int:
    """Download a model's weights, verified by hash. An interrupted download continues where it stopped."""
    from aeon.cli.models import fetch_model

    return fetch_model(name, as_json=as_json)


@model.command("path")
def model_path(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="standard, small or tiny.")] = None,
) -> int:
    """Print the path of a model's weights."""
    from aeon.cli.models import print_path

    return print_path(name)


@log.command("show")
def log_show(
    path: LogFile,
    entry: Annotated[
        int | None,
        typer.Option("--entry", min=1, metavar="N", help="Show entry N in full, with the plan at that time."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show what happened in a run: all entries, or one entry in full."""
    from aeon.cli.logs import show_log

    return show_log(path, entry, as_json=as_json)


@log.command("verify")
def log_verify(path: LogFile, as_json: AsJson = False) -> int:
    """Verify that no line of a log was changed."""
    from aeon.cli.logs import verify_log

    return verify_log(path, as_json=as_json)
