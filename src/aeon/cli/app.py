"""The commands and their options. Each imports what it needs when it runs, so that `aeon --help` is fast."""

from collections.abc import Iterable, Sequence
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer.models import CommandInfo, TyperInfo

import aeon
from aeon.cli.command_class import use_class
from aeon.cli.options import (
    AllowRead,
    AllowWrite,
    AsJson,
    Files,
    Images,
    Model,
    NoInput,
    Output,
    Quiet,
    StoredTools,
    Ttl,
    User,
    Verbose,
    group,
)

_DESCRIPTION = (
    "Turn a request into a plan, run it step by step, and keep a log that replays.\n\n"
    "Answers and data go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage or input, "
    "3 not ended (TTL expired, or waiting for a person), 4 done, but the result is not trusted, "
    "129 hung up, 130 interrupted, 143 terminated."
)
app = group(_DESCRIPTION)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"aeon {aeon.__version__}")
        raise typer.Exit


def _show_completion(shell: str | None) -> None:
    if shell is not None:
        from aeon.cli.completion import completion_script

        typer.echo(completion_script(shell))
        raise typer.Exit


@app.callback(context_settings={"help_option_names": ["-h", "--help"]})
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    completion: Annotated[
        Literal["bash", "zsh", "fish"] | None,
        typer.Option(
            "--show-completion",
            callback=_show_completion,
            is_eager=True,
            help="Print the script that completes commands in this shell.",
        ),
    ] = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(
            "--log-level", envvar="AEON_LOG", help="Show the log of Aeon's parts on stderr from this level on."
        ),
    ] = None,
) -> None:
    del version, completion
    from aeon.cli.log_output import show_log

    show_log(log_level)


_ELSEWHERE = {
    "chat": "aeon.cli.conversations.commands",
    "log": "aeon.cli.log_commands",
    "skill": "aeon.cli.skills.commands",
    "tool": "aeon.cli.platform.tool_commands",
    "process": "aeon.cli.platform.process_commands",
    "conversation": "aeon.cli.conversations.commands",
    "knowledge": "aeon.cli.knowledge.app",
    "secret": "aeon.cli.platform.secret_commands",
    "model": "aeon.cli.model_commands",
    "store": "aeon.cli.platform.store_commands",
    "serve": "aeon.cli.platform.serve_commands",
    "config": "aeon.cli.config_commands",
}
"""The commands and groups of other modules, by name; in its module, each has this name."""


def app_for(argv: Sequence[str]) -> typer.Typer:
    """The app, with only the command that `argv` names: typer builds every command that it is given.

    Of no arguments, or of what names no command, it is the whole app.
    """
    word = argv[0] if argv else ""
    is_own = word in map(_command_name, app.registered_commands)
    return _narrowed(_with([] if is_own else [word] if word in _ELSEWHERE else _ELSEWHERE), argv)


def _with(names: Iterable[str]) -> typer.Typer:
    """The app with these commands and groups of other modules."""
    filled = copy(app)
    filled.registered_commands, filled.registered_groups = [*app.registered_commands], []
    for name in names:
        part = getattr(import_module(_ELSEWHERE[name]), name)
        if isinstance(part, typer.Typer):
            filled.add_typer(part, name=name)
        else:
            filled.command(name)(part)
    use_class(filled)
    return filled


def _narrowed(whole: typer.Typer, argv: Sequence[str]) -> typer.Typer:
    """A group with only what `argv` names in it; the whole group if that is nothing, so that it can suggest names."""
    groups = [each for each in whole.registered_groups if argv and each.name == argv[0]]
    commands = [each for each in whole.registered_commands if argv and _command_name(each) == argv[0]]
    if not groups and not commands:
        return whole
    narrow = copy(whole)
    narrow.registered_commands = commands
    narrow.registered_groups = [_narrowed_group(each, argv[1:]) for each in groups]
    return narrow


def _narrowed_group(info: TyperInfo, argv: Sequence[str]) -> TyperInfo:
    narrow = copy(info)
    narrow.typer_instance = info.typer_instance and _narrowed(info.typer_instance, argv)
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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, for --plan; run nothing.")] = False,
    ttl: Ttl = None,
    repair: Annotated[bool, typer.Option("--repair", help="Let the model repair invalid parts of --plan.")] = False,
    allow_fallback: Annotated[
        bool, typer.Option("--allow-fallback", help="Let the model answer where --plan names an unknown tool.")
    ] = False,
    files: Files = None,
    images: Images = None,
    allow_read: AllowRead = None,
    allow_write: AllowWrite = None,
    log: Annotated[Path | None, typer.Option("--log", metavar="PATH", help="Write the run's log to this file.")] = None,
    tools: StoredTools = None,
    user: User = "me",
    quiet: Quiet = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Answer a request: plan it, and run the plan step by step."""
    from aeon.application.prepared_runs import PlanPolicy
    from aeon.cli.request_inputs import RequestOptions, UserPlan, verbosity_of
    from aeon.cli.requests import plan_request, run_request
    from aeon.cli.session import FileGrants

    stored_for = user if tools else None
    options = RequestOptions(
        model,
        ttl,
        as_json=as_json,
        may_fetch=not no_input,
        stored_tools_user=stored_for,
        files=files or [],
        grants=FileGrants(allow_read or [], allow_write or []),
        images=images or [],
        verbosity=verbosity_of(is_quiet=quiet, is_verbose=verbose),
    )
    supplied = UserPlan(plan, PlanPolicy(repair, allow_fallback))
    return plan_request(request, supplied, options) if dry_run else run_request(request, supplied, log, options)


@app.command()
def apply(
    files: Annotated[
        list[Path],
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="A YAML file of stored items, or a folder of them; - is stdin. May be repeated.",
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Create or change what YAML files describe.

    Services, secrets, tools, templates, Processes, schedules, webhooks and alerts. Applied again, they change nothing.
    Of a folder, the files *.yaml, *.yml and *.json. If one file has a fault, nothing is changed.
    """
    from aeon.cli.platform.catalog import apply_files

    return apply_files(files, user, is_dry=dry_run, as_json=as_json)


@app.command()
def init(
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Take over this folder's .aeon, which came from elsewhere.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --adopt: only list its files.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Make a project of this folder: aeon.toml, record, defaults.

    With --adopt, first make sure that you trust the origin of the folder.
    """
    if adopt:
        from aeon.cli.adoption import adopt_folder

        return adopt_folder(is_dry=dry_run, as_json=as_json)
    from aeon.cli.platform.catalog import bring_up
    from aeon.cli.settings_changes import create_settings

    create_settings()
    return bring_up(user, as_json=as_json)


@app.command()
def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Skip the test question to the model.")] = False,
    model: Model = None,
    output: Output = "table",
) -> int:
    """Check everything that a run needs, and say how to fix it."""
    from aeon.cli.doctor import run_checks

    return run_checks(model, is_quick=quick, output=output)
