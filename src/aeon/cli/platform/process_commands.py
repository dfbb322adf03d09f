"""The commands of `aeon process` and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from aeon.base.errors import InputError
from aeon.cli.options import MAX_LISTED, After, AsJson, Expect, Inputs, Limit, Name, Output, Prefix, User, Yes, group
from aeon.cli.platform.entity_commands import add_changes, add_list
from aeon.cli.stored_names import complete_process, complete_stored

process = group("Processes: stored plans with versions. They run, also by schedule, webhook or alert.")
schedule = group("When Processes start by themselves.")
webhook = group("Where other programs start Processes by signed events.")
alert = group("Metrics that start Processes when they cross a threshold.")
job = group("The open and the dead jobs of your runs.")
process.add_typer(schedule, name="schedule")
process.add_typer(webhook, name="webhook")
process.add_typer(alert, name="alert")
process.add_typer(job, name="job")
ProcessFile = Annotated[Path, typer.Argument(metavar="FILE", help="A YAML file with Processes; - for stdin.")]
add_list(process, "process", "Processes")
add_changes(process, "process", "Process")


Priority = Annotated[
    Literal["high", "normal", "low"], typer.Option("--priority", help="Which runs busy workers work on first.")
]


@process.command("show")
def process_show(
    name: Name,
    version: Annotated[
        str | None, typer.Option("--version", metavar="DIGEST", help="Show this version: the beginning of its digest.")
    ] = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Show a Process and its versions.

    Of another user's Process, only the current version.
    """
    from aeon.cli.platform.processes import show_process

    return show_process(name, version, user, output=output)


@process.command("diff")
def process_diff(
    name: Name,
    old: Annotated[str | None, typer.Argument(metavar="OLD", help="A digest's beginning, or a file.")] = None,
    new: Annotated[str | None, typer.Argument(metavar="NEW", help="The same; the current version if left out.")] = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """Compare two versions of a Process, step by step.

    OLD is the previous version by default, NEW the current one. A file alone is NEW.
    """
    from aeon.cli.platform.processes import diff_process

    return diff_process(name, old, new, user, output=output)


@process.command("run")
def process_run(  # noqa: PLR0913, PLR0917  # one for each option of the command
    name: Name,
    inputs: Inputs = None,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="KEY", help="Idempotency key: the same key within a day returns the same run."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.1, metavar="SECONDS", help="Time limit of the whole run.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="A tag of the run. May be repeated.")
    ] = None,
    priority: Priority = "normal",
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Only accept the run, and print its id: a worker executes it.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would call; start nothing.")] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Run a Process and print its output.

    Exit code 3: the run waits for a person, see `aeon log answer`, or it is paused.
    """
    if dry_run:
        from aeon.cli.platform.process_preview import preview_process

        return preview_process(name, inputs or [], user, as_json=as_json)
    from aeon.cli.platform.runs import RunOptions, run_process

    options = RunOptions(key, timeout, tags or [], detach, priority)
    return run_process(name, inputs or [], user, options, as_json=as_json)


@process.command("pause")
def process_pause(name: Name, expect: Expect = None, user: User = "me") -> int:
    """Pause a Process: its runs start nothing more, and new ones wait.

    Its schedules start nothing. What runs goes on to its end.
    """
    from aeon.cli.platform.processes import pause_process

    return pause_process(name, user, expect, pauses=True)


@process.command("resume")
def process_resume(name: Name, expect: Expect = None, user: User = "me") -> int:
    """Let a paused Process go on, with the runs that wait.

    A run that was paused by itself stays so; see `aeon log resume`.
    """
    from aeon.cli.platform.processes import pause_process

    return pause_process(name, user, expect, pauses=False)


@process.command("draw")
def process_draw(
    name: Name,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Show the state of this run; last is the newest.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the SVG to this file; default: stdout.")
    ] = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart, for Markdown.")] = False,
    user: User = "me",
) -> int:
    """Draw a Process, or one of its runs, as SVG or Mermaid."""
    from aeon.cli.platform.diagrams import draw_process

    if mermaid and file is not None:
        raise InputError("--mermaid and --svg exclude each other.", next_step="Redirect the output of --mermaid.")
    return draw_process(name, run, file, user, form="mermaid" if mermaid else "svg")


@process.command("new")
def process_new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new Process's name.")],
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="Write it to this new file; default: stdout.")
    ] = None,
) -> int:
    """Print a commented Process to start from.

    Every part of the language is in it, most of them commented out.
    """
    from aeon.cli.platform.process_files import write_new_process

    return write_new_process(name, file)


@process.command("check")
def process_check(
    file: ProcessFile,
    offline: Annotated[
        bool, typer.Option("--offline", help="Read no record: what is not in the file is a warning.")
    ] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Check a file of Processes: every fault by its line.

    What they call may be in the file, in the record if there is one, or shipped. Exit code 2: there are faults.
    """
    from aeon.cli.platform.process_files import check_file

    return check_file(file, user, is_offline=offline, as_json=as_json)


@process.command("test")
def process_test(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML file with the Process and its cases.")],
    record: Annotated[
        bool, typer.Option("--record", help="Run the cases really, and write FILE's recording beside it.")
    ] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Test a Process against recorded calls of its tools.

    Nothing is called, and waits take no time. Exit code 1: a case is not as expected.
    """
    from aeon.cli.platform.process_tests import test_process

    return test_process(file, user, records=record, as_json=as_json)


ScheduleName = Annotated[
    str, typer.Argument(metavar="NAME", help="The schedule's name, or its id.", autocompletion=complete_stored)
]


@schedule.command("create")
def schedule_create(  # noqa: PLR0913, PLR0917  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new schedule's name.")],
    process_name: Annotated[
        str,
        typer.Argument(
            metavar="PROCESS", help="The process to start: its name or id.", autocompletion=complete_process
        ),
    ],
    cron: Annotated[
        str | None, typer.Option("--cron", metavar="EXPR", help='When, repeatedly: "0 8 * * mon-fri".')
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When, once: 2027-01-31T08:00:00+01:00.")
    ] = None,
    time_zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="The time zone of --cron, as Europe/Berlin.")
    ] = "UTC",
    inputs: Inputs = None,
    catch_up: Annotated[
        Literal["skip", "once"],
        typer.Option("--catch-up", help="What to do about starts that were missed while no worker was running."),
    ] = "skip",
    priority: Priority = "normal",
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Schedule a process: repeatedly by --cron, or once --at an instant."""
    from aeon.cli.platform.schedules import ScheduleTiming, create_schedule

    timing = ScheduleTiming(cron, at, time_zone, catch_up)
    return create_schedule(name, process_name, inputs or [], timing, user, priority=priority, as_json=as_json)


@schedule.command("list")
def schedule_list(
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List your schedules: what each starts, when, and when next."""
    from aeon.cli.platform.listing import ListOptions
    from aeon.cli.platform.schedules import list_schedules

    return list_schedules(user, ListOptions(limit, after, prefix=prefix), output=output)


@schedule.command("delete")
def schedule_delete(name: ScheduleName, expect: Expect = None, user: User = "me", yes: Yes = False) -> int:
    """Delete one of your schedules; runs that it started continue."""
    from aeon.cli.confirmation import confirm

    confirm(f"This deletes the schedule {name}.", is_confirmed=yes)
    from aeon.cli.platform.schedules import delete_schedule

    return delete_schedule(name, user, expect)


@schedule.command("pause")
def schedule_pause(name: ScheduleName, expect: Expect = None, user: User = "me") -> int:
    """Pause a schedule: it starts nothing until it is resumed."""
    from aeon.cli.platform.schedules import enable_schedule

    return enable_schedule(name, user, expect, is_enabled=False)


@schedule.command("resume")
def schedule_resume(name: ScheduleName, expect: Expect = None, user: User = "me") -> int:
    """Resume a paused schedule; missed starts are not caught up."""
    from aeon.cli.platform.schedules import enable_schedule

    return enable_schedule(name, user, expect, is_enabled=True)


WebhookName = Annotated[
    str, typer.Argument(metavar="NAME", help="The webhook's name, or its id.", autocompletion=complete_stored)
]


@webhook.command("create")
def webhook_create(  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new webhook's name.")],
    process_name: Annotated[
        str,
        typer.Argument(
            metavar="PROCESS", help="The process to start: its name or id.", autocompletion=complete_process
        ),
    ],
    scheme: Annotated[
        Literal["standard", "github", "stripe"],
        typer.Option("--scheme", help="How events are signed: Standard Webhooks, or as GitHub or Stripe does."),
    ] = "standard",
    secret: Annotated[
        str | None,
        typer.Option("--secret", metavar="NAME", help="Your stored signing secret; by default one is generated."),
    ] = None,
    input_name: Annotated[
        str | None,
        typer.Option("--as", metavar="INPUT", help="Give the whole event to this input, not its fields to theirs."),
    ] = None,
    priority: Priority = "normal",
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Create a webhook, and print its address and secret."""
    from aeon.cli.platform.webhooks import WebhookForm, create_webhook

    return create_webhook(name, process_name, WebhookForm(scheme, secret, input_name, priority), user, as_json=as_json)


@webhook.command("list")
def webhook_list(
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List your webhooks: what each starts, and where."""
    from aeon.cli.platform.listing import ListOptions
    from aeon.cli.platform.webhooks import list_webhooks

    return list_webhooks(user, ListOptions(limit, after, prefix=prefix), output=output)


@webhook.command("show")
def webhook_show(name: WebhookName, user: User = "me", output: Output = "table") -> int:
    """Show a webhook, and why its last event started nothing."""
    from aeon.cli.platform.webhooks import show_webhook

    return show_webhook(name, user, output=output)


@webhook.command("rotate")
def webhook_rotate(
    name: WebhookName,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="Refuse the old secret from now on; by default it counts for a day.")
    ] = False,
    expect: Expect = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Generate a new secret for a webhook, and print it."""
    from aeon.cli.platform.webhooks import rotate_webhook

    return rotate_webhook(name, user, expect, keeps_old=not at_once, as_json=as_json)


@webhook.command("trust")
def webhook_trust(name: WebhookName, expect: Expect = None, user: User = "me") -> int:
    """Trust another user's Process as it is now.

    If its owner changes it, events are refused until you do so again.
    """
    from aeon.cli.platform.webhooks import trust_process

    return trust_process(name, user, expect)


@webhook.command("disable")
def webhook_disable(name: WebhookName, expect: Expect = None, user: User = "me") -> int:
    """Disable a webhook: it refuses every event."""
    from aeon.cli.platform.webhooks import enable_webhook

    return enable_webhook(name, user, expect, is_enabled=False)


@webhook.command("enable")
def webhook_enable(name: WebhookName, expect: Expect = None, user: User = "me") -> int:
    """Enable a webhook that was disabled."""
    from aeon.cli.platform.webhooks import enable_webhook

    return enable_webhook(name, user, expect, is_enabled=True)


@webhook.command("delete")
def webhook_delete(name: WebhookName, expect: Expect = None, user: User = "me", yes: Yes = False) -> int:
    """Delete one of your webhooks; runs that it started continue."""
    from aeon.cli.confirmation import confirm

    confirm(f"This deletes the webhook {name}.", is_confirmed=yes)
    from aeon.cli.platform.webhooks import delete_webhook

    return delete_webhook(name, user, expect)


AlertName = Annotated[
    str, typer.Argument(metavar="NAME", help="The alert's name, or its id.", autocompletion=complete_stored)
]


@alert.command("create")
def alert_create(  # noqa: PLR0913, PLR0917  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new alert's name.")],
    process_name: Annotated[
        str,
        typer.Argument(
            metavar="PROCESS", help="The process to start: its name or id.", autocompletion=complete_process
        ),
    ],
    metric: Annotated[
        str, typer.Option("--metric", metavar="METRIC", help="The metric to watch, such as process.failures.")
    ],
    condition: Annotated[
        str, typer.Option("--when", metavar="COND", help="A comparison and a number, such as '>= 3'.")
    ],
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="NAME", help="Only this Process, tool or service; by default all that you see."),
    ] = None,
    aggregation: Annotated[
        Literal["sum", "avg", "min", "max", "count", "last"] | None,
        typer.Option("--aggregation", help="Of the values in the window; by default the metric's own."),
    ] = None,
    window: Annotated[str, typer.Option("--window", metavar="TIME", help="How far back values count: 5m, 24h.")] = "5m",
    hold: Annotated[
        str, typer.Option("--for", metavar="TIME", help="How long the condition must hold before it fires.")
    ] = "0s",
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="How often it is evaluated.")] = "1m",
    repeat: Annotated[
        str | None,
        typer.Option("--repeat", metavar="TIME", help="Start again so often while it fires; by default once."),
    ] = None,
    inputs: Inputs = None,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Create an alert: a metric that starts a process.

    Inputs named alert, metric, value, threshold, window and since are filled in.
    """
    from aeon.cli.platform.alerts import AlertForm, create_alert

    form = AlertForm(metric, of, condition, aggregation, window, hold, every, repeat)
    return create_alert(name, process_name, inputs or [], form, user, as_json=as_json)


@alert.command("list")
def alert_list(
    prefix: Prefix = "",
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List your alerts: what each watches and starts, and its state."""
    from aeon.cli.platform.alerts import list_alerts
    from aeon.cli.platform.listing import ListOptions

    return list_alerts(user, ListOptions(limit, after, prefix=prefix), output=output)


@alert.command("show")
def alert_show(name: AlertName, user: User = "me", output: Output = "table") -> int:
    """Show an alert: its state, value and run, and any problem."""
    from aeon.cli.platform.alerts import show_alert

    return show_alert(name, user, output=output)


@alert.command("trust")
def alert_trust(name: AlertName, expect: Expect = None, user: User = "me") -> int:
    """Trust another user's Process as it is now.

    If its owner changes it, the alert starts nothing until you do so again.
    """
    from aeon.cli.platform.alerts import trust_process

    return trust_process(name, user, expect)


@alert.command("disable")
def alert_disable(name: AlertName, expect: Expect = None, user: User = "me") -> int:
    """Disable an alert: it is not evaluated."""
    from aeon.cli.platform.alerts import enable_alert

    return enable_alert(name, user, expect, is_enabled=False)


@alert.command("enable")
def alert_enable(name: AlertName, expect: Expect = None, user: User = "me") -> int:
    """Enable an alert that was disabled; it begins anew."""
    from aeon.cli.platform.alerts import enable_alert

    return enable_alert(name, user, expect, is_enabled=True)


@alert.command("delete")
def alert_delete(name: AlertName, expect: Expect = None, user: User = "me", yes: Yes = False) -> int:
    """Delete one of your alerts; runs that it started continue."""
    from aeon.cli.confirmation import confirm

    confirm(f"This deletes the alert {name}.", is_confirmed=yes)
    from aeon.cli.platform.alerts import delete_alert

    return delete_alert(name, user, expect)


@job.command("list")
def job_list(
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only this queue. May be repeated.")
    ] = None,
    dead: Annotated[bool, typer.Option("--dead", help="Jobs that failed permanently, newest first.")] = False,
    limit: Limit = MAX_LISTED,
    after: After = None,
    user: User = "me",
    output: Output = "table",
) -> int:
    """List what your open runs wait for; with --dead, what failed."""
    from aeon.cli.platform.jobs import list_dead_jobs, list_jobs

    if dead:
        return list_dead_jobs(user, after=after, limit=limit, output=output)
    return list_jobs(user, types or [], after=after, limit=limit, output=output)


@job.command("retry")
def job_retry(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The id of a dead job.")],
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Retry the run of a dead job, as `aeon log retry` does."""
    from aeon.cli.platform.jobs import retry_job

    return retry_job(job, user, as_json=as_json)
