"""Evaluates cron expressions in a time zone, including daylight saving time. Pure.

croniter parses the expressions and counts wall-clock times; the Pallets community maintains it. Its own time zones
are not used: it yields 2:30 twice on the night that has it twice, and moves all times that a night lacks to one
instant.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from aeon.base.errors import MissingExtraError

_FIELDS = (5, 6)
_MAX_CHARS = 200
_FIELD = re.compile(
    r"([0-9*,/#-]|\b(l|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)(?=\b|[0-9]))+",
    re.IGNORECASE,
)
"""croniter accepts more: random values, hashes and years, which are unpredictable or useless."""

_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)


class CronError(ValueError):
    """An invalid cron expression; the message says why, as a phrase after its name."""


def load_time_zone(name: str) -> ZoneInfo:
    """Return the time zone with an IANA name. Raises ValueError if there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"there is no time zone {name[:100]!r}; it is an IANA name, such as Europe/Berlin") from None


class CronExpression:
    """A cron expression of five fields, or six with the seconds first, in a time zone.

    A wall-clock time that occurs twice on a day counts once, the first time; one that is skipped counts as if the
    clock had not been put forward, so one hour later by the clock. For every hour (`*`), both occurrences count. If
    both day fields are restricted, one match is enough.
    """

    def __init__(self, expression: str, zone: tzinfo) -> None:
        """Raises CronError for an invalid expression or one that never matches, and MissingExtraError."""
        self._expression = _check_expression(expression)
        self._zone = zone
        fields = expression.split()
        self._has_seconds = len(fields) == max(_FIELDS)
        self._is_hourly = fields[-4] == "*"
        if next(self._wall_times_after(datetime(2000, 1, 1)), None) is None:  # noqa: DTZ001  # wall-clock time
            raise CronError("it never matches a date")

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the first instant after another one, in UTC; None if fifty years have none."""
        best: datetime | None = None
        for wall in self._wall_times_after(_wall_time(moment, min(self._offsets(moment))) - _SECOND):
            if best and self._earliest_instant(wall) >= best:
                break
            for instant in self._instants(wall):
                if instant > moment and (best is None or instant < best):
                    best = instant
        return best

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """Yield every instant after `after` and up to `until`, in order."""
        instant = self.next_after(after)
        while instant and instant <= until:
            yield instant
            instant = self.next_after(instant)

    def _wall_times_after(self, wall: datetime) -> Iterator[datetime]:
        """Yield matching wall-clock times without a zone, in order."""
        from croniter import CroniterBadDateError, croniter

        iterator = croniter(self._expression, wall, ret_type=datetime, second_at_beginning=self._has_seconds)
        while True:
            try:
                yield iterator.get_next(datetime)
            except CroniterBadDateError:
                return

    def _instants(self, wall: datetime) -> list[datetime]:
        folds = (0, 1) if self._is_hourly else (0,)
        return [wall.replace(tzinfo=self._zone, fold=fold).astimezone(UTC) for fold in folds]

    def _offsets(self, moment: datetime) -> list[timedelta]:
        """Return the offsets from UTC around an instant: more than one if the clock changes."""
        times = (moment.astimezone(UTC) + away for away in (-_DAY, timedelta(), _DAY))
        return [time.astimezone(self._zone).utcoffset() or timedelta() for time in times]

    def _earliest_instant(self, wall: datetime) -> datetime:
        """Return the earliest instant of this or a later wall-clock time."""
        as_if = wall.replace(tzinfo=UTC)
        return as_if - max(self._offsets(as_if))


def _wall_time(moment: datetime, offset: timedelta) -> datetime:
    return moment.astimezone(timezone(offset)).replace(tzinfo=None)


def _check_expression(expression: str) -> str:
    try:
        from croniter import CroniterError, croniter
    except ModuleNotFoundError:
        raise MissingExtraError("Schedules need croniter.", next_step="Install aeon-orchestrator[platform].") from None
    fields = expression.split()
    if len(fields) not in _FIELDS or len(expression) > _MAX_CHARS:
        raise CronError(
            "it has five fields, minute, hour, day of the month, month, day of the week, or six with the second first"
        )
    for field in fields:
        if not _FIELD.fullmatch(field):
            raise CronError(f"{field[:40]!r} is not a field: numbers, names of months and days, and * , - / # L")
    try:
        croniter.expand(expression, second_at_beginning=len(fields) == max(_FIELDS))
    except CroniterError as error:
        raise CronError(str(error)[:_MAX_CHARS]) from None
    return expression
