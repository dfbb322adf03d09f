"""The commands of `aeon log` and their options. Each imports what it needs when it runs."""

from typing import Annotated, Literal

import typer

from aeon.cli.options import (
    After,
    AllowRead,
    AllowWrite,
    AsJson,
    Files,
    Images,
    Limit,
    Model,
    NoInput,
    Output,
    RunName,
    Since,
    StoredTools,
    Ttl,
    User,
    Yes,
    group,
)
from aeon.cli.stored_names import complete_process, complete_run

log = group("Everything that ran: requests, plans of skills, Processes.")

Phase = Annotated[
    Literal["new", "running", "paused", "cancelling", "failing", "unwinding", "completed", "failed", "cancelled"]
    | None,
    typer.Option("--phase", help="Only runs of Processes in this phase."),
]


OneRun = Annotated[
    str | None,
    typer.Argument(metavar="[RUN]", help="A run: its id, the beginning of it, or last.", autocompletion=complete_run),
]
ProcessName = Annotated[
    str | None,
    typer.Option(
        "--process",
        metavar="NAME",
        help="Only runs of this Process: its name or id.",
        autocompletion=complete_process,
    ),
]
Before = Annotated[
    str | None, typer.Option("--before", metavar="TIME", help="Only before that, written as for --since.")
]
Code = Annotated[str | None, typer.Option("--code", metavar="CODE", help="Only runs that failed with this code.")]
Tag = Annotated[
    str | None, typer.Option("--tag", metavar="NAME[=VALUE]", help="Only runs with this tag, or this value of it.")
]
Text = Annotated[
    str | None, typer.Option("--text", metavar="TEXT", help="Only runs with this in inputs, failure or tags.")
]


@log.command("list")
def log_list(  # noqa: PLR0913, PLR0917  # one for each option of the command
    kind: Annotated[
        Literal["request", "skill", "process"] | None, typer.Option("--kind", help="Only what is of this kind.")
    ] = None,
    phase: Phase = None,
    process_name: ProcessName = None,
    since: Since = None,
    before: Before = None,
    code: Code = None,
    tag: Tag = None,
    text: Text = None,
    limit: Limit = 50,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List what ran, newest first: id, kind, state, start."""
    from aeon.cli.history import HistoryListOptions, list_history

    return list_history(
        user, HistoryListOptions(limit, after, kind, phase, process_name, since, before, code, tag, text), output
    )


@log.command("show")
def log_show(
    run: RunName,
    entry: Annotated[
        int | None,
        typer.Option("--entry", min=1, metavar="N", help="Entry N of a request in full, with the plan then."),
    ] = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show what happened: each step with its result."""
    from aeon.cli.history import find_run

    found = find_run(run, user, "show")
    if found.kind == "process":
        from aeon.cli.platform.run_views import show_run

        return show_run(found.id, user, output=output)
    if found.kind == "skill":
        from aeon.cli.traces import show_trace

        return show_trace(found.file, output=output)
    from aeon.cli.logs import show_log

    return show_log(found.file, entry, output=output)


@log.command("events")
def log_events(
    run: RunName,
    after: Annotated[int, typer.Option("--after", min=0, metavar="N", help="Only events after number N.")] = 0,
    follow: Annotated[bool, typer.Option("--follow", help="Keep printing until a Process has ended.")] = False,
    user: User = "me",
) -> int:
    """Print the events of a run as JSON lines."""
    from aeon.cli.history import find_run

    found = find_run(run, user, "events")
    if found.kind == "process":
        from aeon.cli.platform.run_views import show_events

        return show_events(found.id, after, user, follows=follow)
    if found.kind == "skill":
        from aeon.cli.traces import print_trace_events

        return print_trace_events(found.file, after)
    from aeon.cli.logs import print_log_events

    return print_log_events(found.file, after)


@log.command("why")
def log_why(run: RunName, user: User = "me", output: Output = "table") -> int:
    """Explain what a run waits for, or why it failed."""
    from aeon.cli.history import find_run

    found = find_run(run, user, "why")
    if found.kind == "process":
        from aeon.cli.platform.runs import why_run

        return why_run(found.id, user, output=output)
    from aeon.cli.logs import explain_log

    return explain_log(found.file, output=output)


@log.command("answer")
def log_answer(  # one for each option
    run: RunName,
    step: Annotated[str, typer.Argument(metavar="STEP", help="The step that waits for an answer.")],
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="Its result: JSON or text.")],
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Only answer; do not continue the run here.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Answer a step that asks a person, and follow the run.

    A question that another user's run asks you is only answered: that user follows it.
    """
    from aeon.cli.exit_codes import ExitCode
    from aeon.cli.history import find_run
    from aeon.cli.platform.runs import answer_another, answer_run

    if answer_another(run, step, answer, user):
        return ExitCode.DONE
    found = find_run(run, user, "answer", ["process"])
    return answer_run(found.id, step, answer, user, waits=not no_wait, as_json=as_json)


@log.command("cancel")
def log_cancel(  # one for each option of the command
    run: OneRun = None,
    process_name: ProcessName = None,
    phase: Phase = None,
    since: Since = None,
    before: Before = None,
    tag: Tag = None,
    text: Text = None,
    user: User = "me",
    yes: Yes = False,
) -> int:
    """Cancel a run of a Process, or all that filters match.

    With filters, the runs are shown before. What a run has called is cancelled, too.
    """
    from aeon.cli.history import find_run
    from aeon.cli.platform.bulk_runs import RunSelection, cancel_matching
    from aeon.cli.platform.runs import cancel_run

    selection = RunSelection(process_name, phase, since, before, None, tag, text)
    if selection.is_one(run):
        return cancel_run(find_run(run or "", user, "cancel", ["process"]).id, user)
    return cancel_matching(selection, user, is_confirmed=yes)


@log.command("pause")
def log_pause(run: RunName, user: User = "me") -> int:
    """Pause a run of a Process: what runs goes on, nothing more starts."""
    from aeon.cli.history import find_run
    from aeon.cli.platform.runs import pause_run

    return pause_run(find_run(run, user, "pause", ["process"]).id, user)


@log.command("resume")
def log_resume(  # noqa: PLR0913, PLR0917  # one for each option of the command
    run: RunName,
    ttl: Ttl = None,
    model: Model = None,
    files: Files = None,
    images: Images = None,
    allow_read: AllowRead = None,
    allow_write: AllowWrite = None,
    tools: StoredTools = None,
    user: User = "me",
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Continue a run that expired, crashed, was interrupted or paused."""
    from aeon.cli.history import find_run

    found = find_run(run, user, "resume", ["request", "process"])
    if found.kind == "process":
        from aeon.cli.platform.runs import resume_run as resume_process

        return resume_process(found.id, user, as_json=as_json)
    from aeon.cli.request_inputs import RequestOptions
    from aeon.cli.requests import resume_run
    from aeon.cli.session import FileGrants

    options = RequestOptions(
        model,
        ttl,
        as_json=as_json,
        may_fetch=not no_input,
        stored_tools_user=user if tools else None,
        files=files or [],
        grants=FileGrants(allow_read or [], allow_write or []),
        images=images or [],
    )
    return resume_run(found.file, options)


@log.command("move")
def log_move(  # noqa: PLR0913, PLR0917  # one for each option of the command
    run: OneRun = None,
    process_name: ProcessName = None,
    phase: Phase = None,
    since: Since = None,
    before: Before = None,
    tag: Tag = None,
    text: Text = None,
    user: User = "me",
    as_json: AsJson = False,
    yes: Yes = False,
) -> int:
    """Move a waiting run to the current version of its process.

    A new run continues it there, if the version keeps what is done. With filters, it is shown before what cannot be
    moved, and why.
    """
    from aeon.cli.history import find_run
    from aeon.cli.platform.bulk_runs import RunSelection, move_matching
    from aeon.cli.platform.runs import move_run

    selection = RunSelection(process_name, phase, since, before, None, tag, text)
    if selection.is_one(run):
        return move_run(find_run(run or "", user, "move", ["process"]).id, user, as_json=as_json)
    return move_matching(selection, user, is_confirmed=yes, as_json=as_json)


Latest = Annotated[bool, typer.Option("--latest", help="In the current version of the process, if that is possible.")]


@log.command("retry")
def log_retry(  # noqa: PLR0913, PLR0917  # one for each option of the command
    run: OneRun = None,
    process_name: ProcessName = None,
    since: Since = None,
    before: Before = None,
    code: Code = None,
    tag: Tag = None,
    text: Text = None,
    latest: Latest = False,
    user: User = "me",
    as_json: AsJson = False,
    yes: Yes = False,
) -> int:
    """Retry a failed run, or all that filters match.

    The new run keeps what is done. With filters, the runs are shown before, and those retried earlier are left out.
    """
    from aeon.cli.history import find_run
    from aeon.cli.platform.bulk_runs import RunSelection, retry_matching
    from aeon.cli.platform.runs import retry_run

    selection = RunSelection(process_name, "failed", since, before, code, tag, text)
    if selection.is_one(run):
        found = find_run(run or "", user, "retry", ["process"])
        return retry_run(found.id, user, is_latest=latest, as_json=as_json)
    return retry_matching(selection, user, is_latest=latest, is_confirmed=yes, as_json=as_json)


@log.command("replay")
def log_replay(run: RunName, user: User = "me", as_json: AsJson = False) -> int:
    """Replay a log without model and tools: the result is the same."""
    from aeon.cli.history import find_run

    found = find_run(run, user, "replay", ["request", "skill"])
    if found.kind == "skill":
        from aeon.cli.traces import replay_trace

        return replay_trace(found.file, as_json=as_json)
    from aeon.cli.logs import replay_log

    return replay_log(found.file, as_json=as_json)


@log.command("verify")
def log_verify(run: RunName, user: User = "me", output: Output = "table") -> int:
    """Verify that no line of a request's log was changed."""
    from aeon.cli.history import find_run
    from aeon.cli.logs import verify_log

    return verify_log(find_run(run, user, "verify", ["request"]).file, output=output)


@log.command("delete")
def log_delete(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]...", help="Logs and traces to delete.", autocompletion=complete_run),
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", min=0, metavar="N", help="Runs of Processes that ended N days ago.")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
    yes: Yes = False,
) -> int:
    """Delete logs and traces, or runs of Processes by their age."""
    from aeon.cli.confirmation import confirm

    confirm(_loss(runs, days), is_confirmed=yes)
    from aeon.cli.history import delete_files

    if runs:
        return delete_files(runs, user, as_json=as_json)
    from aeon.cli.platform.workers import prune_runs

    return prune_runs(days, user, as_json=as_json)


def _loss(runs: list[str] | None, days: int | None) -> str:
    if runs:
        return f"This deletes {', '.join(runs)}."
    age = "longer ago than engine.keep_days" if days is None else f"{days} days ago"
    return f"This deletes all runs of Processes, of every user, that ended {age}."


@log.command("adopt")
def log_adopt(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Keep the runs of Processes in this engine if theirs is lost."""
    from aeon.cli.platform.runs import adopt_runs

    return adopt_runs(user, is_dry=dry_run, as_json=as_json)
