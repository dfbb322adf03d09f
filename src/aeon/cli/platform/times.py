"""Reads times from the command line."""

import re
from datetime import UTC, datetime, timedelta

from aeon.base.clock import normalize_instant
from aeon.base.errors import InputError

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_AGO = re.compile(r"([0-9]{1,6})([mhd])")
_DURATION = re.compile(r"([0-9]{1,6})([smhd])")


def parse_duration(text: str) -> int:
    """Return the seconds of a duration such as `90s`, `5m`, `24h` or `7d`. Raises InputError."""
    if found := _DURATION.fullmatch(text):
        return int(found[1]) * _UNIT_SECONDS[found[2]]
    raise InputError(f"{text!r} is not a duration.", next_step="Write a number and a unit, as 90s, 5m, 24h or 7d.")


def parse_since(text: str | None) -> str | None:
    """Return the instant of `24h` ago, or the given date or instant, normalized; None without a text.

    A date is its beginning; what has no offset is in this machine's time zone. Raises InputError.
    """
    if text is None:
        return None
    if ago := _AGO.fullmatch(text):
        return (datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat(timespec="microseconds")
    if instant := normalize_instant(text) or _local_instant(text):
        return instant
    raise InputError(
        f"{text!r} is not a time.",
        next_step="Give how long ago, as 30m, 24h or 7d, a date as 2026-11-27, or an instant as 2026-11-27T23:00.",
    )


def _local_instant(text: str) -> str | None:
    """Return a date or a time of this machine's time zone as an instant; None for any other text."""
    try:
        return normalize_instant(datetime.fromisoformat(text).astimezone().isoformat())
    except (ValueError, OverflowError, OSError):  # OSError: a year that the system's time zones do not have
        return None
