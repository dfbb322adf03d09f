"""The commands of `aeon process` and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from aeon.base.errors import InputError
from aeon.cli.options import MAX_LISTED, After, AsJson, Expect, Inputs, Limit, Name, Output, Priority, User, group
from aeon.cli.platform.alert_commands import alert
from aeon.cli.platform.entity_commands import add_changes, add_list
from aeon.cli.platform.schedule_commands import schedule
from aeon.cli.platform.webhook_commands import webhook

process = group("Processes: stored plans with versions. They run, also by schedule, webhook or alert.")
job = group("The open and the dead jobs of your runs.")
process.add_typer(schedule, name="schedule")
process.add_typer(webhook, name="webhook")
process.add_typer(alert, name="alert")
process.add_typer(job, name="job")
ProcessFiles = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="YAML files with Processes, or folders of them; - is stdin.")
]
add_list(process, "process", "Processes")
add_changes(process, "process", "Process")


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


@process.command("export")
def process_export(name: Name, user: User = "me") -> int:
    """Print a Process as YAML, for `aeon apply`.

    What it calls is named, and must be in the record in which it is applied: see `aeon tool export`.
    """
    from aeon.cli.platform.processes import export_process

    return export_process(name, user)


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
    files: ProcessFiles,
    offline: Annotated[
        bool, typer.Option("--offline", help="Read no record: what is not in the file is a warning.")
    ] = False,
    user: User = "me",
    as_json: AsJson = False,
) -> int:
    """Check files of Processes: every fault by its line.

    What they call may be in the files, in the record if there is one, or shipped. Exit code 2: there are faults.
    """
    from aeon.cli.platform.process_files import check_files

    return check_files(files, user, is_offline=offline, as_json=as_json)


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
