"""How long a step waits: seconds, a duration of ISO 8601, or until an instant (platform 41). Pure."""

import re
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from aeon.base.json import Json

MAX_WAIT: Final = timedelta(days=366)
"""The longest wait of a step."""

CORRECT_WAIT: Final = (
    "Give seconds, a duration such as PT30M or P1D, or an instant such as 2026-12-24T18:00:00Z; a year at most."
)

_DURATION: Final = re.compile(
    r"P(?!$)(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?!$)(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,9}(?:\.\d{1,9})?)S)?)?"
)
"""A duration without years and months, whose lengths differ."""


class WaitTime(NamedTuple):
    """How long a step waits: seconds from its start, or until an instant in seconds since 1970."""

    seconds: float | None = None
    until: float | None = None


def parse_wait_time(value: Json) -> WaitTime | None:
    """Return how long a step with this value waits; None if it is not a time, or longer than a year."""
    seconds = _seconds_of(value)
    if seconds is not None:
        return WaitTime(seconds=seconds) if 0 <= seconds <= MAX_WAIT.total_seconds() else None
    instant = _instant_of(value)
    return None if instant is None else WaitTime(until=instant)


def _seconds_of(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    duration = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if duration is None:
        return None
    parts = {name: float(number) for name, number in duration.groupdict().items() if number is not None}
    return timedelta(**parts).total_seconds()


def _instant_of(value: Json) -> float | None:
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return None if instant is None or instant.tzinfo is None else instant.timestamp()
