"""`aeon schedule`: manages automatic starts of processes. A worker starts them: `aeon worker`."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.inputs import read_inputs
from aeon.cli.platform.session import platform_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.schedules.model import NewSchedule, ProcessSchedule, ScheduleChange
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.schedules.timing import next_after

_MAX_LISTED = 1000


@dataclass(frozen=True, slots=True)
class ScheduleTiming:
    """When a schedule starts its process: by `cron` in `time_zone`, or once `at` an instant."""

    cron: str | None
    at: str | None
    time_zone: str
    catch_up: str


class _ScheduleSession(NamedTuple):
    platform: Platform
    schedules: ScheduleRepository


def add_schedule(
    name: str, process: str, inputs: Sequence[str], when: ScheduleTiming, user: str, *, as_json: bool
) -> int:
    """Add a schedule for a process that the user may see. Raises NotFoundError, RuleError with every problem."""
    values = read_inputs(inputs)
    with _schedule_session(user) as (platform, schedules):
        fields: JsonObject = {
            "name": name,
            "process": platform.processes.find(user, process).id,
            "inputs": values,
            "cron": when.cron,
            "at": when.at,
            "timeZone": when.time_zone,
            "catchUp": when.catch_up,
        }
        schedule = schedules.add(NewSchedule.parsed(fields), MutationRequest(user))
        print_data(indented_json(_as_data(schedule)) if as_json else _line(platform, schedule))
    print_message("a worker must be running to start it: aeon worker")
    return ExitCode.DONE


def list_schedules(user: str, *, as_json: bool) -> int:
    """Print the user's schedules, each with its next start."""
    with _schedule_session(user) as (platform, schedules):
        listed = schedules.list_own(user, limit=_MAX_LISTED)
        if as_json:
            print_data(indented_json([_as_data(each) for each in listed]))
            return ExitCode.DONE
        for each in listed:
            print_data(_line(platform, each))
    return ExitCode.DONE


def remove_schedule(name: str, user: str) -> int:
    """Delete the user's schedule; runs that it started continue."""
    with _schedule_session(user) as (_, schedules):
        schedules.remove(schedules.find(user, name).id, MutationRequest(user))
    print_data(f"removed {printable(name)}")
    return ExitCode.DONE


def enable_schedule(name: str, user: str, *, is_enabled: bool) -> int:
    """Resume or pause a schedule. Starts missed while it is paused are not caught up."""
    with _schedule_session(user) as (platform, schedules):
        change = ScheduleChange(enabled=is_enabled)
        print_data(_line(platform, schedules.change(schedules.find(user, name).id, change, MutationRequest(user))))
    return ExitCode.DONE


@contextmanager
def _schedule_session(user: str) -> Generator[_ScheduleSession]:
    with platform_session(user) as platform:
        yield _ScheduleSession(platform, ScheduleRepository(platform.store, platform.catalog, platform.processes))


def _as_data(schedule: ProcessSchedule) -> JsonObject:
    return {**schedule.as_dict(), "next": _next(schedule)}


def _line(platform: Platform, schedule: ProcessSchedule) -> str:
    due = _next(schedule)
    state = "paused" if not schedule.enabled else f"next {due}" if due else "ended"
    when = schedule.cron or f"at {schedule.at}"
    what = f"{schedule.name} {_process_name(platform, schedule)}: {when} {schedule.time_zone}, {state}"
    return one_line(printable(what), COLUMNS * 2)


def _process_name(platform: Platform, schedule: ProcessSchedule) -> str:
    try:
        return platform.processes.get(schedule.owner_id, schedule.process).name
    except NotFoundError:
        return f"{schedule.process} (not shared any more)"


def _next(schedule: ProcessSchedule) -> Json:
    if not schedule.enabled:
        return None
    next_start = next_after(schedule, max(datetime.now(UTC), datetime.fromisoformat(schedule.since)))
    return None if next_start is None else next_start.isoformat(timespec="seconds")
