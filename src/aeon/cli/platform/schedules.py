"""`aeon schedule`: when processes are started by themselves. A worker starts them: `aeon worker`."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.cli.codes import Code
from aeon.cli.platform.inputs import read_inputs
from aeon.cli.platform.opening import opened
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import Request
from aeon.platform.processes.schedules.model import NewSchedule, Schedule, ScheduleChange
from aeon.platform.processes.schedules.schedules import Schedules
from aeon.platform.processes.schedules.timing import next_after

_MOST_LISTED = 1000


@dataclass(frozen=True, slots=True)
class When:
    """The moments at which a schedule starts its process: by `cron` in `time_zone`, or `at` one instant."""

    cron: str | None
    at: str | None
    time_zone: str
    catch_up: str


class _Opened(NamedTuple):
    platform: Platform
    schedules: Schedules


def add_schedule(name: str, process: str, inputs: Sequence[str], when: When, user: str, *, as_json: bool) -> int:
    """Have a process started that the user may see. Raises RuleError with everything that is wrong, NotFoundError."""
    given = read_inputs(inputs)
    with _schedules(user) as (platform, schedules):
        said: JsonObject = {
            "name": name,
            "process": platform.processes.find(user, process).id,
            "inputs": given,
            "cron": when.cron,
            "at": when.at,
            "timeZone": when.time_zone,
            "catchUp": when.catch_up,
        }
        schedule = schedules.add(NewSchedule.parsed(said), Request(user))
        put(pretty(_as_data(schedule)) if as_json else _line(platform, schedule))
    say("a worker starts it: aeon worker")
    return Code.DONE


def list_schedules(user: str, *, as_json: bool) -> int:
    """The user's own, each with when it is next due."""
    with _schedules(user) as (platform, schedules):
        found = schedules.page_of_own(user, limit=_MOST_LISTED)
        if as_json:
            put(pretty([_as_data(each) for each in found]))
            return Code.DONE
        for each in found:
            put(_line(platform, each))
    return Code.DONE


def remove_schedule(name: str, user: str) -> int:
    """Delete the user's schedule; what it started goes on."""
    with _schedules(user) as (_, schedules):
        schedules.remove(schedules.find(user, name).id, Request(user))
    put(f"removed {clean(name)}")
    return Code.DONE


def enable_schedule(name: str, user: str, *, is_enabled: bool) -> int:
    """Have it start its process again, or no more. What passes meanwhile is not caught up."""
    with _schedules(user) as (platform, schedules):
        change = ScheduleChange(enabled=is_enabled)
        put(_line(platform, schedules.change(schedules.find(user, name).id, change, Request(user))))
    return Code.DONE


@contextmanager
def _schedules(user: str) -> Generator[_Opened]:
    with opened(user) as platform:
        yield _Opened(platform, Schedules(platform.store, platform.catalog, platform.processes))


def _as_data(schedule: Schedule) -> JsonObject:
    return {**schedule.as_dict(), "next": _next(schedule)}


def _line(platform: Platform, schedule: Schedule) -> str:
    due = _next(schedule)
    state = "paused" if not schedule.enabled else f"next {due}" if due else "over"
    when = schedule.cron or f"at {schedule.at}"
    what = f"{schedule.name} {_process_name(platform, schedule)}: {when} {schedule.time_zone}, {state}"
    return one_line(clean(what), COLUMNS * 2)


def _process_name(platform: Platform, schedule: Schedule) -> str:
    try:
        return platform.processes.get(schedule.owner_id, schedule.process).name
    except NotFoundError:
        return f"{schedule.process} (not shared any more)"


def _next(schedule: Schedule) -> Json:
    if not schedule.enabled:
        return None
    found = next_after(schedule, max(datetime.now(UTC), datetime.fromisoformat(schedule.since)))
    return None if found is None else found.isoformat(timespec="seconds")
