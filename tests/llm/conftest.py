"""Fixtures of the model room: a clock that jumps, and real weights where there are any."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest


class JumpingClock:
    """Time that only passes when someone sleeps, plus `tick` seconds whenever it is read."""

    def __init__(self, tick: float = 0.0) -> None:
        self.slept: list[float] = []
        self.tick = tick
        self._seconds = 0.0

    def now(self) -> str:
        return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self._seconds)).isoformat(timespec="microseconds")

    def monotonic(self) -> float:
        self._seconds += self.tick
        return self._seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._seconds += seconds


@pytest.fixture
def clock() -> JumpingClock:
    return JumpingClock()


@pytest.fixture
def ticking() -> Callable[[float], JumpingClock]:
    """A clock that moves on by so many seconds whenever it is read."""
    return JumpingClock
