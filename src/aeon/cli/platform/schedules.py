"""`aeon process schedule`: manages automatic starts of processes. A worker starts them: `aeon serve worker`."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from aeon.application.schedules import ScheduleService
from aeon.base.json import Json, JsonObject
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.given_inputs import read_inputs
from aeon.cli.output import OutputFormat, print_as, print_table
from aeon.cli.platform.listing import ListOptions, print_whether_more
from aeon.cli.platform.session import workspace_session
from aeon.cli.text import SHORT_ID, indented_json, printable
from aeon.platform.schedules.model import ProcessSchedule


@dataclass(frozen=True, slots=True)
class ScheduleTiming:
    """When a schedule starts its process: by `cron` in `time_zone`, or once `at` an instant."""

    cron: str | None
    at: str | None
    time_zone: str
    catch_up: str


def create_schedule(
    name: str, process: str, inputs: Sequence[str], when: ScheduleTiming, user: str, *, priority: str, as_json: bool
) -> int:
    """Create a schedule for a process that the user may see. Raises NotFoundError, RuleError with every problem."""
    given = read_inputs(inputs)
    fields: JsonObject = {
        "name": name,
        "process": process,
        "cron": when.cron,
        "at": when.at,
        "timeZone": when.time_zone,
        "catchUp": when.catch_up,
        "priority": priority,
    }
    with workspace_session(user) as workspace:
        fields["inputs"] = given.fitted(workspace.processes.get(process).inputs)
        schedules = workspace.schedules
        schedule = schedules.add(fields)
        print_data(indented_json(_as_data(schedules, schedule)) if as_json else _line(schedules, schedule))
    print_message("a worker must be running to start it: aeon serve worker")
    return ExitCode.DONE


def list_schedules(user: str, options: ListOptions, *, output: OutputFormat) -> int:
    """Print a page of the user's schedules, each with its next start."""
    with workspace_session(user) as workspace:
        schedules = workspace.schedules
        page = schedules.list(prefix=options.prefix, after=options.after, limit=options.limit)
        print_whether_more(page)
        if print_as(output, [_as_data(schedules, each) for each in page.items]):
            return ExitCode.DONE
        rows = [_row(schedules, each) for each in page.items]
    print_table(
        ("NAME", "PROCESS", "WHEN", "TIME ZONE", "NEXT", "LAST"),
        rows,
        "you have none; create one with: aeon process schedule create NAME PROCESS --cron EXPR",
    )
    return ExitCode.DONE


def show_schedule(name: str, user: str, *, output: OutputFormat) -> int:
    """Print a schedule with the name of its Process and its next start."""
    with workspace_session(user) as workspace:
        schedules = workspace.schedules
        schedule = schedules.get(name)
        shown = {**_as_data(schedules, schedule), "processName": schedules.process_name(schedule)}
    if not print_as(output, shown):
        print_data(indented_json(shown))
    return ExitCode.DONE


def delete_schedule(name: str, user: str, expected: int | None) -> int:
    """Delete the user's schedule; runs that it started continue."""
    with workspace_session(user) as workspace:
        workspace.schedules.remove(name, expected_version=expected)
    print_data(f"deleted {printable(name)}")
    return ExitCode.DONE


def enable_schedule(name: str, user: str, expected: int | None, *, is_enabled: bool) -> int:
    """Resume or pause a schedule. Starts missed while it is paused are not caught up."""
    with workspace_session(user) as workspace:
        schedules = workspace.schedules
        print_data(_line(schedules, schedules.enable(name, is_enabled=is_enabled, expected_version=expected)))
    return ExitCode.DONE


def _as_data(schedules: ScheduleService, schedule: ProcessSchedule) -> JsonObject:
    return {**schedule.as_dict(), "next": _next(schedules, schedule)}


def _line(schedules: ScheduleService, schedule: ProcessSchedule) -> str:
    name, process, when, time_zone, state, _ = _row(schedules, schedule)
    return printable(f"{name} {process}: {when} {time_zone}, {state}")


def _row(schedules: ScheduleService, schedule: ProcessSchedule) -> tuple[str, ...]:
    due = schedules.next_start(schedule)
    local = due and due.astimezone(ZoneInfo(schedule.time_zone)).isoformat(timespec="seconds")
    state = "paused" if not schedule.enabled else f"next {local}" if local else "ended"
    process = schedules.process_name(schedule) or f"{schedule.process} (not shared any more)"
    return schedule.name, process, schedule.cron or f"at {schedule.at}", schedule.time_zone, state, _last(schedule)


def _last(schedule: ProcessSchedule) -> str:
    """What came of the newest start."""
    if schedule.problem is not None:
        return f"refused: {schedule.problem}"
    return f"{schedule.started_at[:19]} {schedule.run[:SHORT_ID]}" if schedule.started_at and schedule.run else ""


def _next(schedules: ScheduleService, schedule: ProcessSchedule) -> Json:
    next_start = schedules.next_start(schedule)
    return None if next_start is None else next_start.isoformat(timespec="seconds")
