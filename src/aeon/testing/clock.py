"""A clock for tests: time advances by a fixed tick when it is read, and by the whole wait in `sleep`.

clock = FakeClock()
clock.now()             # "2026-01-01T00:00:00.000000+00:00", the next reading is a second later
clock.sleep(30)         # takes no time
assert clock.slept == [30]
"""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """A `Clock` with the same readings in every run. `slept` lists every wait, in seconds."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC), tick: float = 1.0) -> None:
        """`start` is the first instant that `now` returns, `tick` the seconds between two readings."""
        self.slept: list[float] = []
        self._start = start
        self._tick = tick
        self._passed = 0.0

    def now(self) -> str:
        """The current instant, ISO 8601; the next reading is a tick later."""
        instant = self._start + timedelta(seconds=self._passed)
        self._passed += self._tick
        return instant.isoformat(timespec="microseconds")

    def monotonic(self) -> float:
        """Seconds since the start. Does not advance the clock."""
        return self._passed

    def sleep(self, seconds: float) -> None:
        """Advances the clock. Raises ValueError for a negative wait, like time.sleep."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.slept.append(seconds)
        self._passed += seconds
