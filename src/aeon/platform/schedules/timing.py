"""Computes when a schedule starts its Process. Pure."""

from datetime import UTC, datetime, timedelta

from aeon.platform.schedules.cron import CronExpression, load_time_zone
from aeon.platform.schedules.model import ProcessSchedule

ON_TIME_TOLERANCE = timedelta(minutes=1)
"""Delay up to which a start counts as on time."""

_FIRST_SPAN = timedelta(minutes=1)
_SPAN_FACTOR = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def next_after(schedule: ProcessSchedule, moment: datetime) -> datetime | None:
    """Return the first instant after another one at which it starts, in UTC, or None."""
    if schedule.cron:
        return CronExpression(schedule.cron, load_time_zone(schedule.time_zone)).next_after(moment)
    at = datetime.fromisoformat(schedule.at or "").astimezone(UTC)
    return at if at > moment else None


def due_instants(schedule: ProcessSchedule, after: datetime, now: datetime) -> list[datetime]:
    """Return the instants after `after` and up to `now` that are to start now, in order.

    Those of the last minute are on time. Late ones are skipped; but if none is on time and the policy is `once`, the
    last late one stands for all.
    """
    on_time = _between(schedule, max(after, now - ON_TIME_TOLERANCE), now)
    if on_time or schedule.catch_up == "skip":
        return on_time
    return _last_between(schedule, after, now - ON_TIME_TOLERANCE)


def datetime_to_micros(instant: datetime) -> int:
    """Convert an instant to microseconds since 1970, as the record stores it."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def _between(schedule: ProcessSchedule, after: datetime, until: datetime) -> list[datetime]:
    if schedule.cron:
        return list(CronExpression(schedule.cron, load_time_zone(schedule.time_zone)).between(after, until))
    at = next_after(schedule, after)
    return [at] if at and at <= until else []


def _last_between(schedule: ProcessSchedule, after: datetime, until: datetime) -> list[datetime]:
    """Return the last instant only, found in wider and wider spans, since there may be many."""
    span = _FIRST_SPAN
    while until > after:
        begin = max(after, until - span)
        if found := _between(schedule, begin, until):
            return found[-1:]
        if begin == after:
            break
        span *= _SPAN_FACTOR
    return []
