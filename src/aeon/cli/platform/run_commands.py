"""The commands that run Processes, and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from aeon.cli.options import AsJson, User, group
from aeon.cli.platform.commands import Name, process

runs = group("See runs of processes, go on with them, and ask why one does not go on.")

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; last is the newest.")]


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


@process.command("graph")
def process_graph(
    name: Name,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Show where this run stands; last is the newest.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the picture there; else it goes to stdout.")
    ] = None,
    user: User = "me",
) -> int:
    """Draw a process as SVG: its steps, what each waits for, and with --run what each came to."""
    from aeon.cli.platform.diagrams import draw_process

    return draw_process(name, run, file, user)


@runs.command("list")
def runs_list(
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, metavar="N", help="So many at most.")] = 50,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Your runs, newest first: id, state, since when, of which process."""
    from aeon.cli.platform.run_views import list_runs

    return list_runs(user, limit=limit, as_json=as_json)


@runs.command("show")
def runs_show(run: RunId, user: User = "me", as_json: AsJson = False) -> int:
    """A run: its inputs, each attempt at a step with what it was given and came to, its output."""
    from aeon.cli.platform.run_views import show_run

    return show_run(run, user, as_json=as_json)


@runs.command("events")
def runs_events(
    run: RunId,
    after: Annotated[int, typer.Option("--after", min=0, metavar="N", help="Only those after number N.")] = 0,
    follow: Annotated[bool, typer.Option("--follow", help="Stay until the run has ended.")] = False,
    user: User = "me",
) -> int:
    """What happened, numbered, as JSON lines."""
    from aeon.cli.platform.run_views import show_events

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


@runs.command("prune")
def runs_prune(
    days: Annotated[
        int | None, typer.Option("--days", min=0, metavar="N", help="Those that ended so long ago; default: keep_days.")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Remove runs of everybody's that ended long ago, with all that was kept of them. `aeon worker` does it, too."""
    from aeon.cli.platform.workers import prune_runs

    return prune_runs(days, user, as_json=as_json)


@runs.command("adopt")
def runs_adopt(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would mean.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Keep this record's runs here from now on, because the place that kept them is lost."""
    from aeon.cli.platform.runs import adopt_runs

    return adopt_runs(user, is_dry=dry_run, as_json=as_json)


worker = group("Carry out runs that nobody carries out, jobs of one type, or what schedules have due. Ctrl-C ends it.")


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
        int | None, typer.Option("--concurrency", min=1, max=1000, metavar="N", help="Calls of each type at once.")
    ] = None,
    user: User = "me",
) -> int:
    """Be there for the runs of everybody in this project, until it is interrupted."""
    if context.invoked_subcommand is not None:
        return 0
    from aeon.cli.platform.workers import run_worker

    return run_worker(types or [], concurrency, user)


@worker.command("list")
def worker_list(user: User = "me", as_json: AsJson = False) -> int:
    """All workers: type, state, job, last heartbeat, how many jobs, how many of them failed."""
    from aeon.cli.platform.worker_views import list_workers

    return list_workers(user, as_json=as_json)


schedule = group("Have processes started by themselves, again and again or one time. `aeon worker` starts them.")

ScheduleName = Annotated[str, typer.Argument(metavar="NAME", help="The schedule's name, or its id.")]


@schedule.command("add")
def schedule_add(  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the schedule.")],
    process_name: Annotated[str, typer.Argument(metavar="PROCESS", help="The process to start: its name or id.")],
    cron: Annotated[
        str | None, typer.Option("--cron", metavar="EXPR", help='When, again and again: "0 8 * * mon-fri".')
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When, one time: 2027-01-31T08:00:00+01:00.")
    ] = None,
    time_zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="The zone that --cron is meant in, as Europe/Berlin.")
    ] = "UTC",
    inputs: Annotated[
        list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="An input; JSON or text. May be repeated.")
    ] = None,
    catch_up: Annotated[
        Literal["skip", "once"],
        typer.Option("--catch-up", help="What becomes of moments that passed while no worker was there."),
    ] = "skip",
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Have a process started by --cron, or one time --at an instant."""
    from aeon.cli.platform.schedules import ScheduleTiming, add_schedule

    return add_schedule(
        name, process_name, inputs or [], ScheduleTiming(cron, at, time_zone, catch_up), user, as_json=as_json
    )


@schedule.command("list")
def schedule_list(user: User = "me", as_json: AsJson = False) -> int:
    """Your schedules: what each starts, when, and when next."""
    from aeon.cli.platform.schedules import list_schedules

    return list_schedules(user, as_json=as_json)


@schedule.command("remove")
def schedule_remove(name: ScheduleName, user: User = "me") -> int:
    """Delete a schedule of yours; what it started goes on."""
    from aeon.cli.platform.schedules import remove_schedule

    return remove_schedule(name, user)


@schedule.command("pause")
def schedule_pause(name: ScheduleName, user: User = "me") -> int:
    """Start nothing by it until it is resumed."""
    from aeon.cli.platform.schedules import enable_schedule

    return enable_schedule(name, user, is_enabled=False)


@schedule.command("resume")
def schedule_resume(name: ScheduleName, user: User = "me") -> int:
    """Start by it again, from now on: what passed meanwhile is not caught up."""
    from aeon.cli.platform.schedules import enable_schedule

    return enable_schedule(name, user, is_enabled=True)


jobs = group("See what your runs wait for, queue by queue, and the calls that failed for good; try these again.")


@jobs.command("list")
def jobs_list(
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only this queue. May be repeated.")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """What your open runs wait for: calls and with which worker, questions to people, runs that nobody carries out."""
    from aeon.cli.platform.jobs import list_jobs

    return list_jobs(user, types or [], as_json=as_json)


@jobs.command("dead")
def jobs_dead(
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, metavar="N", help="So many at most.")] = 50,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Your jobs that failed for good, newest first: which tool, how often it was tried, why."""
    from aeon.cli.platform.jobs import list_dead_jobs

    return list_dead_jobs(user, limit=limit, as_json=as_json)


@jobs.command("retry")
def jobs_retry(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The id of a dead job.")],
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Go on with the run that it failed in: a new run that keeps what was completed. See `aeon runs retry`."""
    from aeon.cli.platform.jobs import retry_job

    return retry_job(job, user, as_json=as_json)


metrics = group("See what is measured of services, tools, processes and conversations; define and delete metrics.")

Scope = Annotated[str | None, typer.Option("--scope", metavar="SCOPE", help="service, tool, process or conversation.")]


@metrics.command("show")
def metrics_show(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A metric; none shows all of them.")] = None,
    scope: Scope = None,
    entity: Annotated[
        str | None, typer.Option("--entity", metavar="NAME", help="Only of this thing: its name or id.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="30m, 24h or 7d ago, or an instant (ISO 8601).")
    ] = None,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="As the text that Prometheus reads.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """What was measured of what you may see: in all, or thing by thing where a metric is named."""
    from aeon.cli.platform.metrics import MetricsFilter, show_metrics

    return show_metrics(name, user, MetricsFilter(scope, entity, since), as_prometheus=prometheus, as_json=as_json)


@metrics.command("define")
def metrics_define(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small words: tool.stars.")],
    scope: Annotated[str, typer.Option("--scope", metavar="SCOPE", help="service, tool, process or conversation.")],
    data_type: Annotated[str, typer.Option("--type", metavar="TYPE", help="integer, float, boolean or timestamp.")],
    aggregation: Annotated[
        str, typer.Option("--aggregation", metavar="HOW", help="sum, avg, min, max, count or last.")
    ],
    description: Annotated[str, typer.Option("--description", metavar="TEXT")] = "",
    days: Annotated[
        int | None, typer.Option("--retention-days", metavar="N", help="How long values are kept; for ever without.")
    ] = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Define a metric, or change the one of that name and scope; its type stays."""
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
        bool, typer.Option("--cascade", help="Its values, too; refused without while it has any.")
    ] = False,
    user: User = "me",
) -> int:
    """Delete a metric."""
    from aeon.cli.platform.metrics import delete_metric

    return delete_metric(name, scope, user, is_cascading=cascade)
