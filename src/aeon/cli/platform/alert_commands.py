"""The commands of `aeon process alert` and their options. Each imports what it needs when it runs."""

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
    ProcessToStart,
    User,
    Yes,
    group,
)
from aeon.cli.stored_names import complete_stored

alert = group("Metrics that start Processes when they cross a threshold.")
AlertName = Annotated[
    str, typer.Argument(metavar="NAME", help="The alert's name, or its id.", autocompletion=complete_stored)
]


@alert.command("create")
def alert_create(  # noqa: PLR0913, PLR0917  # one for each option
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new alert's name.")],
    process_name: ProcessToStart,
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
        typer.Option("--repeat", metavar="TIME", help="Start again at this interval while it fires; by default once."),
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
