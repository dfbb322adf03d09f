"""The commands of `aeon process schedule` and their options. Each imports what it needs when it runs."""

from typing import Annotated, Literal

import typer

from aeon.cli.options import (
    MAX_LISTED,
    After,
    AsJson,
    Expect,
    Inputs,
    Limit,
    Output,
    Prefix,
    Priority,
    ProcessToStart,
    User,
    Yes,
    group,
)
from aeon.cli.stored_names import complete_stored

schedule = group("When Processes start by themselves.")
ScheduleName = Annotated[
    str, typer.Argument(metavar="NAME", help="The schedule's name, or its id.", autocompletion=complete_stored)
]


@schedule.command("create")
def schedule_create(  # noqa: PLR0913, PLR0917  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new schedule's name.")],
    process_name: ProcessToStart,
    cron: Annotated[
        str | None, typer.Option("--cron", metavar="EXPR", help='When, repeatedly: "0 8 * * mon-fri".')
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When, once, with its offset: 2027-01-31T08:00:00+01:00.")
    ] = None,
    time_zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="The time zone of --cron, as Europe/Berlin; not of --at.")
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


@schedule.command("show")
def schedule_show(name: ScheduleName, user: User = "me", output: Output = "table") -> int:
    """Show a schedule: its inputs, when it starts, and when next."""
    from aeon.cli.platform.schedules import show_schedule

    return show_schedule(name, user, output=output)


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
