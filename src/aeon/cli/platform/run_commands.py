"""The commands that run Processes, and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from aeon.cli.options import AsJson, User, group
from aeon.cli.platform.commands import MAX_LISTED, After, Expect, Limit, Name, Prefix, process

runs = group("Show, resume, retry, cancel and diagnose runs of processes.")

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; last is the newest.")]


@process.command("run")
def process_run(  # one for each option
    name: Name,
    inputs: Annotated[
        list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="An input; JSON or text. May be repeated.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="KEY", help="Idempotency key: the same key within a day returns the same run."),
    ] = None,
    deadline: Annotated[
        float | None, typer.Option("--deadline", min=0.1, metavar="SECONDS", help="Time limit of the whole run.")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Run a process and print its output. Exit code 3: the run waits for a person; see `aeon process answer`."""
    from aeon.cli.platform.runs import run_process

    return run_process(name, inputs or [], user, key=key, deadline=deadline, as_json=as_json)


@process.command("answer")
def process_answer(  # one for each option
    run: RunId,
    step: Annotated[str, typer.Argument(metavar="STEP", help="The step that waits for an answer.")],
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="Its result: JSON or text.")],
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Only answer; do not continue the run here.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Answer a manual step, and follow the run."""
    from aeon.cli.platform.runs import answer_run

    return answer_run(run, step, answer, user, waits=not no_wait, as_json=as_json)


@process.command("graph")
def process_graph(
    name: Name,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Show the state of this run; last is the newest.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the SVG to this file; default: stdout.")
    ] = None,
    user: User = "me",
) -> int:
    """Draw a process as SVG: its steps and their dependencies; with --run, the state of each step."""
    from aeon.cli.platform.diagrams import draw_process

    return draw_process(name, run, file, user)


@runs.command("list")
def runs_list(  # one for each option
    phase: Annotated[
        Literal["new", "running", "cancelling", "failing", "completed", "failed", "cancelled"] | None,
        typer.Option("--phase", help="Only runs in this phase."),
    ] = None,
    process_name: Annotated[
        str | None, typer.Option("--process", metavar="NAME", help="Only runs of this process: its name or id.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="30m, 24h or 7d ago, or an instant (ISO 8601).")
    ] = None,
    limit: Limit = 50,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List your runs, newest first: id, state, start, process."""
    from aeon.cli.platform.run_views import RunListOptions, list_runs

    return list_runs(user, RunListOptions(limit, after, phase, process_name, since), as_json=as_json)


@runs.command("show")
def runs_show(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """Show a run: its inputs, each attempt of each step with its result, and its output."""
    from aeon.cli.platform.run_views import show_run

    return show_run(run, user, as_json=as_json)


@runs.command("events")
def runs_events(
    run: RunId,
    after: Annotated[int, typer.Option("--after", min=0, metavar="N", help="Only events after number N.")] = 0,
    follow: Annotated[bool, typer.Option("--follow", help="Keep printing until the run has ended.")] = False,
    user: User = "me",
) -> int:
    """Print the events of a run, numbered, as JSON lines."""
    from aeon.cli.platform.run_views import show_events

    return show_events(run, after, user, follows=follow)


@runs.command("why")
def runs_why(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """Explain why steps of a run have not completed: what each waits for, or why it failed."""
    from aeon.cli.platform.runs import why_run

    return why_run(run, user, as_json=as_json)


@runs.command("cancel")
def runs_cancel(run: RunId, user: User = "me") -> int:
    """Cancel a run and the runs that it called."""
    from aeon.cli.platform.runs import cancel_run

    return cancel_run(run, user)


@runs.command("resume")
def runs_resume(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """Resume a run whose process has ended, or follow it if it is running."""
    from aeon.cli.platform.runs import resume_run

    return resume_run(run, user, as_json=as_json)


@runs.command("retry")
def runs_retry(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """Retry a run that failed or was cancelled, as a new run that keeps the completed steps."""
    from aeon.cli.platform.runs import retry_run

    return retry_run(run, user, as_json=as_json)


@runs.command("prune")
def runs_prune(
    days: Annotated[
        int | None,
        typer.Option("--days", min=0, metavar="N", help="Runs that ended N days ago; default: engine.keep_days."),
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Delete old runs of all users, with their results. `aeon worker` does this too."""
    from aeon.cli.platform.workers import prune_runs

    return prune_runs(days, user, as_json=as_json)


@runs.command("adopt")
def runs_adopt(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Keep this record's runs in the current engine, because the one that kept them is lost."""
    from aeon.cli.platform.runs import adopt_runs

    return adopt_runs(user, is_dry=dry_run, as_json=as_json)


worker = group("Run a worker: it adopts orphaned runs, fires schedules, or runs jobs of one type. Ctrl-C stops it.")


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
def worker_list(user: User = "me", as_json: AsJson = False) -> int:
    """List all workers: type, state, job, last heartbeat, number of jobs, number of failed jobs."""
    from aeon.cli.platform.worker_views import list_workers

    return list_workers(user, as_json=as_json)


schedule = group("Start processes automatically, repeatedly or once. `aeon worker` starts them.")

ScheduleName = Annotated[str, typer.Argument(metavar="NAME", help="The schedule's name, or its id.")]


@schedule.command("add")
def schedule_add(  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new schedule's name.")],
    process_name: Annotated[str, typer.Argument(metavar="PROCESS", help="The process to start: its name or id.")],
    cron: Annotated[
        str | None, typer.Option("--cron", metavar="EXPR", help='When, repeatedly: "0 8 * * mon-fri".')
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When, once: 2027-01-31T08:00:00+01:00.")
    ] = None,
    time_zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="The time zone of --cron, as Europe/Berlin.")
    ] = "UTC",
    inputs: Annotated[
        list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="An input; JSON or text. May be repeated.")
    ] = None,
    catch_up: Annotated[
        Literal["skip", "once"],
        typer.Option("--catch-up", help="What to do about starts that were missed while no worker was running."),
    ] = "skip",
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Schedule a process: repeatedly by --cron, or once --at an instant."""
    from aeon.cli.platform.schedules import ScheduleTiming, add_schedule

    return add_schedule(
        name, process_name, inputs or [], ScheduleTiming(cron, at, time_zone, catch_up), user, as_json=as_json
    )


@schedule.command("list")
def schedule_list(
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List your schedules: what each starts, when, and when next."""
    from aeon.cli.platform.listing import ListOptions
    from aeon.cli.platform.schedules import list_schedules

    return list_schedules(user, ListOptions(limit, after, prefix=prefix), as_json=as_json)


@schedule.command("remove")
def schedule_remove(name: ScheduleName, expect: Expect = None, user: User = "me") -> int:
    """Delete one of your schedules; runs that it started continue."""
    from aeon.cli.platform.schedules import remove_schedule

    return remove_schedule(name, user, expect)


@schedule.command("pause")
def schedule_pause(name: ScheduleName, expect: Expect = None, user: User = "me") -> int:
    """Pause a schedule: it starts nothing until it is resumed."""
    from aeon.cli.platform.schedules import enable_schedule

    return enable_schedule(name, user, expect, is_enabled=False)


@schedule.command("resume")
def schedule_resume(name: ScheduleName, expect: Expect = None, user: User = "me") -> int:
    """Resume a paused schedule, from now on: missed starts are not caught up."""
    from aeon.cli.platform.schedules import enable_schedule

    return enable_schedule(name, user, expect, is_enabled=True)


jobs = group("List the open jobs of your runs by queue, and the dead jobs, which failed permanently; retry them.")


@jobs.command("list")
def jobs_list(
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only this queue. May be repeated.")
    ] = None,
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List what your open runs wait for: calls and their workers, questions to people, orphaned runs."""
    from aeon.cli.platform.jobs import list_jobs

    return list_jobs(user, types or [], after=after, limit=limit, as_json=as_json)


@jobs.command("dead")
def jobs_dead(
    limit: Limit = 50,
    after: After = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """List your dead jobs, newest first: tool, number of attempts, error."""
    from aeon.cli.platform.jobs import list_dead_jobs

    return list_dead_jobs(user, after=after, limit=limit, as_json=as_json)


@jobs.command("retry")
def jobs_retry(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The id of a dead job.")],
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Retry the run of a dead job, as a new run that keeps the completed steps. See `aeon runs retry`."""
    from aeon.cli.platform.jobs import retry_job

    return retry_job(job, user, as_json=as_json)


metrics = group("Show the metrics of services, tools, processes and conversations; define and delete metrics.")

Scope = Annotated[str | None, typer.Option("--scope", metavar="SCOPE", help="service, tool, process or conversation.")]


@metrics.command("show")
def metrics_show(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A metric; without it, all metrics.")] = None,
    scope: Scope = None,
    entity: Annotated[
        str | None, typer.Option("--entity", metavar="NAME", help="Only this entity: its name or id.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="30m, 24h or 7d ago, or an instant (ISO 8601).")
    ] = None,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="Print the Prometheus text format.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Show metrics of items that you may see: totals, or values per item if you name a metric."""
    from aeon.cli.platform.metrics import MetricsFilter, show_metrics

    return show_metrics(name, user, MetricsFilter(scope, entity, since), as_prometheus=prometheus, as_json=as_json)


@metrics.command("define")
def metrics_define(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case words: tool.stars.")],
    scope: Annotated[str, typer.Option("--scope", metavar="SCOPE", help="service, tool, process or conversation.")],
    data_type: Annotated[str, typer.Option("--type", metavar="TYPE", help="integer, float, boolean or timestamp.")],
    aggregation: Annotated[
        str, typer.Option("--aggregation", metavar="HOW", help="sum, avg, min, max, count or last.")
    ],
    description: Annotated[str, typer.Option("--description", metavar="TEXT")] = "",
    days: Annotated[
        int | None,
        typer.Option("--retention-days", metavar="N", help="How long values are kept; default: without limit."),
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Define a metric, or change the metric of that name and scope; its type cannot change."""
    from aeon.cli.platform.metrics import define_metric

    new = {
        "name": name,
        "scope": scope,
        "dataType": data_type,
        "aggregation": aggregation,
        "description": description,
        "retentionDays": days,
    }
    return define_metric(new, user, as_json=as_json)


@metrics.command("delete")
def metrics_delete(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    scope: Scope = None,
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Delete its values too; without it, a metric with values is kept.")
    ] = False,
    user: User = "me",
) -> int:
    """Delete a metric."""
    from aeon.cli.platform.metrics import delete_metric

    return delete_metric(name, scope, user, is_cascading=cascade)
