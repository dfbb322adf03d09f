"""The clock port, so that tests and replay need no real time (core 8, core 13), and instants in text form."""

import sys
import time
from datetime import UTC, datetime
from typing import Protocol

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Clock(Protocol):
    """The time operations that Aeon uses."""

    def now(self) -> str:
        """The current instant, ISO 8601 in UTC with microseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


def since_boot() -> float:
    """Seconds on a monotonic clock that also counts while the machine is suspended, where the system has one."""
    if sys.platform == "win32":
        return time.monotonic()
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class SystemClock:
    """The system's clock."""

    def now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="microseconds")

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def normalize_instant(text: str) -> str | None:
    """Returns an ISO 8601 instant with an offset in sortable UTC form; None for any other text."""
    try:
        instant = datetime.fromisoformat(text)
        return instant.astimezone(UTC).isoformat(timespec="microseconds") if instant.tzinfo else None
    except (ValueError, OverflowError):
        return None


def instant_to_micros(instant: str) -> int:
    """Convert an ISO 8601 instant to microseconds since 1970."""
    return round(datetime.fromisoformat(instant).timestamp() * 1_000_000)


def local_time(instant: str) -> str:
    """An ISO 8601 instant as people of this machine's time zone say it: Tuesday 2026-11-24 22:06 (UTC+01:00)."""
    local = datetime.fromisoformat(instant).astimezone()
    return f"{_WEEKDAYS[local.weekday()]} {local:%Y-%m-%d %H:%M} (UTC{local.isoformat()[-6:]})"
