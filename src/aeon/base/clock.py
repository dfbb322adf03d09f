"""Time as a port, so that tests and replay take none (core 8, core 13)."""

import sys
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What Aeon asks of time."""

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
    """Seconds on a clock that never goes back, and that goes on while the machine is suspended, where it has one."""
    if sys.platform == "win32":
        return time.monotonic()
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class SystemClock:
    """The machine's own time."""

    def now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="microseconds")

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
