"""Time as a port (core 8, core 13)."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from aeon.base.clock import Clock, SystemClock, local_time
from aeon.testing.clock import FakeClock


def test_the_systems_clock_says_utc_with_microseconds():
    clock: Clock = SystemClock()
    text = clock.now()
    assert datetime.fromisoformat(text).utcoffset() == timedelta(0)
    assert len(text) == len("2026-01-01T00:00:00.000000+00:00")
    assert clock.monotonic() <= clock.monotonic()
    clock.sleep(0)


def test_the_fake_clock_ticks_when_it_is_read():
    clock: Clock = FakeClock(tick=0.5)
    assert [clock.now() for _ in range(3)] == [
        "2026-01-01T00:00:00.000000+00:00",
        "2026-01-01T00:00:00.500000+00:00",
        "2026-01-01T00:00:01.000000+00:00",
    ]


def test_the_fake_clock_jumps_and_records():
    clock = FakeClock(datetime(2030, 5, 5, tzinfo=UTC), tick=0)
    clock.sleep(90)
    clock.sleep(0.25)
    assert clock.slept == [90, 0.25]
    assert clock.monotonic() == 90.25
    assert clock.now() == "2030-05-05T00:01:30.250000+00:00"


def test_the_fake_clock_cannot_go_back():
    with pytest.raises(ValueError, match="non-negative"):
        FakeClock().sleep(-1)


def test_local_time_names_the_weekday_and_the_offset(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert local_time("2026-11-24T21:06:00+00:00") == "Tuesday 2026-11-24 22:06 (UTC+01:00)"
        assert local_time("2026-07-01T22:30:00+00:00") == "Thursday 2026-07-02 00:30 (UTC+02:00)"
    finally:
        monkeypatch.undo()
        time.tzset()
