"""`aeon process alert`: manages metrics that start Processes. A worker evaluates them: `aeon serve worker`."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from aeon.application.alerts import AlertService
from aeon.base.errors import InputError
from aeon.base.json import JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.given_inputs import read_inputs
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.platform.times import parse_duration
from aeon.cli.text import indented_json, printable
from aeon.platform.alerts.model import Alert

_CONDITION = re.compile(r"\s*(>=|<=|>|<)\s*([-+0-9.eE]+)\s*")


class AlertForm(NamedTuple):
    """What an alert watches, and when it fires. Durations are texts such as `5m`."""

    metric: str
    of: str | None
    condition: str
    aggregation: str | None
    window: str
    hold: str
    every: str
    repeat: str | None


def create_alert(name: str, process: str, inputs: Sequence[str], form: AlertForm, user: str, *, as_json: bool) -> int:
    """Create an alert. Raises InputError, NotFoundError, RuleError with every problem."""
    given = read_inputs(inputs)
    comparison, threshold = _parse_condition(form.condition)
    fields: JsonObject = {
        "name": name,
        "process": process,
        "metric": form.metric,
        "entity": form.of,
        "aggregation": form.aggregation,
        "comparison": comparison,
        "threshold": threshold,
        "windowSeconds": parse_duration(form.window),
        "holdSeconds": parse_duration(form.hold),
        "intervalSeconds": parse_duration(form.every),
        "repeatHours": None if form.repeat is None else _parse_hours(form.repeat),
    }
    with workspace_session(user) as workspace:
        fields["inputs"] = given.fitted(workspace.processes.get(process).inputs)
        alerts = workspace.alerts
        alert = alerts.add(fields)
        print_data(indented_json(alert.as_dict()) if as_json else _line(alerts, alert))
    print_message("a worker must be running to evaluate it: aeon serve worker")
    return ExitCode.DONE


def list_alerts(user: str, options: ListOptions, *, output: OutputFormat) -> int:
    """Print a page of the user's alerts, each with its state."""
    with workspace_session(user) as workspace:
        alerts = workspace.alerts
        page = alerts.list(prefix=options.prefix, after=options.after, limit=options.limit)
        print_whether_more(page)
        if print_as(output, [each.as_dict() for each in page.items]):
            return ExitCode.DONE
        rows = [_row(alerts, each) for each in page.items]
    print_table(
        ("NAME", "WHEN", "PROCESS", "STATE", "VALUE"),
        rows,
        "you have none; create one with: aeon process alert create NAME PROCESS --metric METRIC --when '> 3'",
    )
    return ExitCode.DONE


def show_alert(name: str, user: str, *, output: OutputFormat) -> int:
    """Print an alert; `problem` says why its last evaluation found no value or started nothing."""
    with workspace_session(user) as workspace:
        shown = workspace.alerts.get(name).as_dict()
    if not print_as(output, shown):
        print_data(indented_json(shown))
    return ExitCode.DONE


def delete_alert(name: str, user: str, expected: int | None) -> int:
    """Delete the user's alert; runs that it started continue."""
    with workspace_session(user) as workspace:
        workspace.alerts.remove(name, expected_version=expected)
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def enable_alert(name: str, user: str, expected: int | None, *, is_enabled: bool) -> int:
    """Enable an alert, which begins anew, or disable it."""
    with workspace_session(user) as workspace:
        alerts = workspace.alerts
        print_data(_line(alerts, alerts.enable(name, is_enabled=is_enabled, expected_version=expected)))
    return ExitCode.DONE


def trust_process(name: str, user: str, expected: int | None) -> int:
    """Trust another user's Process as it is now. Raises RuleError for an own one."""
    with workspace_session(user) as workspace:
        alerts = workspace.alerts
        print_data(_line(alerts, alerts.trust(name, expected_version=expected)))
    return ExitCode.DONE


def _parse_hours(text: str) -> int:
    hours, rest = divmod(parse_duration(text), 3600)
    if rest or not hours:
        raise InputError(f"--repeat is {text!r}, and not whole hours.", next_step="Write hours or days: 6h, 1d.")
    return int(hours)


def _parse_condition(text: str) -> tuple[str, float]:
    if found := _CONDITION.fullmatch(text):
        try:
            return found[1], float(found[2])
        except ValueError:
            pass
    raise InputError(f"{text!r} is not a condition.", next_step="Write >, >=, < or <= and a number, such as '>= 3'.")


def _line(alerts: AlertService, alert: Alert) -> str:
    name, when, process, state, _ = _row(alerts, alert)
    return printable(f"{name} {process}: {when}, {state}")


def _row(alerts: AlertService, alert: Alert) -> tuple[str, str, str, str, str]:
    process = alerts.process_of(alert)
    is_changed = process is not None and not process.is_trusted(alert.trusted_digest)
    state = "disabled" if not alert.enabled else f"{alert.state}, not trusted" if is_changed else alert.state
    named = f"{alert.process} (not shared any more)" if process is None else process.name
    when = f"{alert.metric} {alert.comparison} {alert.threshold:g}"
    return alert.name, when, named, state, "" if alert.last_value is None else f"{alert.last_value:g}"
