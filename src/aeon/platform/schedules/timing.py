"""When a schedule starts its Process. Pure."""

from datetime import UTC, datetime, timedelta

from aeon.platform.schedules.cron import CronExpression, load_time_zone
from aeon.platform.schedules.model import ProcessSchedule

ON_TIME_TOLERANCE = timedelta(minutes=1)
"""What is looked at no later than this is not late."""

_NEAR = timedelta(minutes=1)
_WIDER = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def next_after(schedule: ProcessSchedule, moment: datetime) -> datetime | None:
    """The first instant after another one at which it starts, in UTC; None when there is none."""
    if schedule.cron:
        return CronExpression(schedule.cron, load_time_zone(schedule.time_zone)).next_after(moment)
    at = datetime.fromisoformat(schedule.at or "").astimezone(UTC)
    return at if at > moment else None


def due_instants(schedule: ProcessSchedule, after: datetime, now: datetime) -> list[datetime]:
    """At which instants after one and up to now it is to start now, in their order.

    Those of the last minute are on time. What is late is left out; but if none is on time and it is to catch up
    `once`, the last of the late ones stands for all.
    """
    on_time = _between(schedule, max(after, now - ON_TIME_TOLERANCE), now)
    if on_time or schedule.catch_up == "skip":
        return on_time
    return _last_between(schedule, after, now - ON_TIME_TOLERANCE)


def datetime_to_micros(instant: datetime) -> int:
    """An instant in microseconds since 1970, as it stands in the record to be searched."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def _between(schedule: ProcessSchedule, after: datetime, until: datetime) -> list[datetime]:
    if schedule.cron:
        return list(CronExpression(schedule.cron, load_time_zone(schedule.time_zone)).between(after, until))
    at = next_after(schedule, after)
    return [at] if at and at <= until else []


def _last_between(schedule: ProcessSchedule, after: datetime, until: datetime) -> list[datetime]:
    """The last of them alone, looked for in wider and wider spans, since there may be very many."""
    span = _NEAR
    while until > after:
        begin = max(after, until - span)
        if found := _between(schedule, begin, until):
            return found[-1:]
        if begin == after:
            break
        span *= _WIDER
    return []
