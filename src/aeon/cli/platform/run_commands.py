"""The commands that run Processes, and their options. Each imports what it needs when it runs."""

from typing import Annotated

import typer

from aeon.cli.options import AsJson, User, group
from aeon.cli.platform.commands import Name, process

runs = group("See runs of processes, go on with them, and ask why one does not go on.")

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of a run.")]


@process.command("run")
def process_run(  # one for each option
    name: Name,
    inputs: Annotated[
        list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="An input; JSON or text. May be repeated.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="The same key within a day is the same run.")
    ] = None,
    deadline: Annotated[
        float | None, typer.Option("--deadline", min=0.1, metavar="SECONDS", help="The run's time, all in all.")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Run a process to its output. Exit code 3: it waits for a person; see `aeon process answer`."""
    from aeon.cli.platform.runs import run_process

    return run_process(name, inputs or [], user, key=key, deadline=deadline, as_json=as_json)


@process.command("answer")
def process_answer(  # one for each option
    run: RunId,
    step: Annotated[str, typer.Argument(metavar="STEP", help="The step that waits.")],
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="Its result: JSON or text.")],
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Only answer; do not go on with the run here.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Give a manual step its answer, and follow the run on."""
    from aeon.cli.platform.runs import answer_run

    return answer_run(run, step, answer, user, waits=not no_wait, as_json=as_json)


@runs.command("list")
def runs_list(
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, metavar="N", help="So many at most.")] = 50,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Your runs, newest first: id, state, since when, of which process."""
    from aeon.cli.platform.runs import list_runs

    return list_runs(user, limit=limit, as_json=as_json)


@runs.command("show")
def runs_show(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """A run: its inputs, each attempt at a step with what it was given and came to, its output."""
    from aeon.cli.platform.runs import show_run

    return show_run(run, user, as_json=as_json)


@runs.command("events")
def runs_events(
    run: RunId,
    after: Annotated[int, typer.Option("--after", min=0, metavar="N", help="Only those after number N.")] = 0,
    follow: Annotated[bool, typer.Option("--follow", help="Stay until the run has ended.")] = False,
    user: User = "me",
) -> int:
    """What happened, numbered, as JSON lines."""
    from aeon.cli.platform.runs import show_events

    return show_events(run, after, user, follows=follow)


@runs.command("why")
def runs_why(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """Why its steps are not over: what each waits for, or why it gave nothing."""
    from aeon.cli.platform.runs import why_run

    return why_run(run, user, as_json=as_json)


@runs.command("cancel")
def runs_cancel(run: RunId, user: User = "me") -> int:
    """Stop a run, with everything that it called."""
    from aeon.cli.platform.runs import cancel_run

    return cancel_run(run, user)


@runs.command("resume")
def runs_resume(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """Go on with a run that nobody carries out any more, or follow it where somebody does."""
    from aeon.cli.platform.runs import resume_run

    return resume_run(run, user, as_json=as_json)


@runs.command("retry")
def runs_retry(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """Go on after a run that failed or was cancelled: a new run that keeps what was completed."""
    from aeon.cli.platform.runs import retry_run

    return retry_run(run, user, as_json=as_json)


worker = group("Carry out runs that nobody carries out any more, and start what schedules have due. Ctrl-C ends it.")


@worker.callback(invoke_without_command=True, no_args_is_help=False)
def worker_begin(
    context: typer.Context,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only jobs of this type. May be repeated.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, max=1000, metavar="N", help="Calls of each type at once.")
    ] = None,
    user: User = "me",
) -> int:
    """Be there for the runs of everybody in this project, until it is interrupted."""
    if context.invoked_subcommand is not None:
        return 0
    from aeon.cli.platform.workers import attend

    return attend(types or [], concurrency, user)


@worker.command("list")
def worker_list(user: User = "me", as_json: AsJson = False) -> int:
    """All workers: type, state, job, last heartbeat, how many jobs, how many of them failed."""
    from aeon.cli.platform.workers import list_workers

    return list_workers(user, as_json=as_json)
