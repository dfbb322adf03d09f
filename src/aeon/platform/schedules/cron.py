"""When a cron expression comes true in a time zone, summer time and all. Pure.

croniter reads the expressions and counts wall-clock times; it is kept up by the Pallets community. Its own time zones
are not used: what is due at 2:30 it gives twice on the night that has two of them, and moves all that a night lacks to
one moment.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from aeon.base.errors import MissingExtraError

_FIELDS = (5, 6)
_LONGEST = 200
_LEGAL = re.compile(
    r"([0-9*,/#-]|\b(l|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)(?=\b|[0-9]))+",
    re.IGNORECASE,
)
"""croniter takes more: chance, hashes and years, which nobody could foresee or would miss."""

_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)


class CronError(ValueError):
    """It is no cron expression; the message says why, to stand after its name."""


def load_time_zone(name: str) -> ZoneInfo:
    """The time zone of an IANA name. Raises ValueError for a name that is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"there is no time zone {name[:100]!r}; it is an IANA name, as Europe/Berlin") from None


class CronExpression:
    """A cron expression of five fields, or six with the seconds first, in a time zone.

    A wall-clock time that a day has twice counts once, the first; one that it lacks counts as if the clock had not been
    put forward, so an hour later by it. Where every hour is meant (`*`) both of two like hours count. If both day
    fields say something, one of them is enough.
    """

    def __init__(self, expression: str, zone: tzinfo) -> None:
        """Raises CronError for an expression that is none or never comes true, MissingExtraError."""
        self._expression = _checked(expression)
        self._zone = zone
        fields = expression.split()
        self._has_seconds = len(fields) == max(_FIELDS)
        self._is_hourly = fields[-4] == "*"
        if next(self._walls_after(datetime(2000, 1, 1)), None) is None:  # noqa: DTZ001  # wall-clock time
            raise CronError("no date is ever like that")

    def next_after(self, moment: datetime) -> datetime | None:
        """The first instant after another one, in UTC; None when there is none within fifty years."""
        best: datetime | None = None
        for wall in self._walls_after(_shifted(moment, min(self._offsets(moment))) - _SECOND):
            if best and self._not_before(wall) >= best:
                break
            for instant in self._instants(wall):
                if instant > moment and (best is None or instant < best):
                    best = instant
        return best

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """Every instant after one and up to another, in their order."""
        instant = self.next_after(after)
        while instant and instant <= until:
            yield instant
            instant = self.next_after(instant)

    def _walls_after(self, wall: datetime) -> Iterator[datetime]:
        """Wall-clock times without a zone, in their order."""
        from croniter import CroniterBadDateError, croniter

        found = croniter(self._expression, wall, ret_type=datetime, second_at_beginning=self._has_seconds)
        while True:
            try:
                yield found.get_next(datetime)
            except CroniterBadDateError:
                return

    def _instants(self, wall: datetime) -> list[datetime]:
        folds = (0, 1) if self._is_hourly else (0,)
        return [wall.replace(tzinfo=self._zone, fold=fold).astimezone(UTC) for fold in folds]

    def _offsets(self, moment: datetime) -> list[timedelta]:
        """From UTC, around a moment: more than one where the clock is put forward or back."""
        times = (moment.astimezone(UTC) + away for away in (-_DAY, timedelta(), _DAY))
        return [time.astimezone(self._zone).utcoffset() or timedelta() for time in times]

    def _not_before(self, wall: datetime) -> datetime:
        """The earliest instant that this or a later wall-clock time can be."""
        as_if = wall.replace(tzinfo=UTC)
        return as_if - max(self._offsets(as_if))


def _shifted(moment: datetime, offset: timedelta) -> datetime:
    return moment.astimezone(timezone(offset)).replace(tzinfo=None)


def _checked(expression: str) -> str:
    try:
        from croniter import CroniterError, croniter
    except ModuleNotFoundError:
        raise MissingExtraError("Schedules need croniter.", next_step="Install aeon-orchestrator[platform].") from None
    fields = expression.split()
    if len(fields) not in _FIELDS or len(expression) > _LONGEST:
        raise CronError(
            "it has five fields, minute, hour, day of the month, month, day of the week, or six with the second first"
        )
    for field in fields:
        if not _LEGAL.fullmatch(field):
            raise CronError(f"{field[:40]!r} is no field: numbers, names of months and days, and * , - / # L")
    try:
        croniter.expand(expression, second_at_beginning=len(fields) == max(_FIELDS))
    except CroniterError as error:
        raise CronError(str(error)[:_LONGEST]) from None
    return expression
