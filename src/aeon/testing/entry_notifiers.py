"""Notifiers of entries for tests: one that tells nobody and waits by a clock, and one that waits for news alone.

clock = FakeClock()
RunFollower(runs, "me", run, clock=clock, notifier=ClockNotifier(clock))            # takes no time
RunFollower(runs, "me", run, clock=clock, notifier=PatientNotifier(runs.notifier))  # never reads by itself
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from aeon.base.clock import Clock
from aeon.platform.runs.ports import EntryNotifier, EntryWatch

_PATIENCE = 60.0
"""Seconds after which a test that waits for news has failed."""


class ClockNotifier:
    """Tells nobody of entries, as if another process stored them; waits pass on the clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def notify(self, run: str) -> None:
        """Do nothing."""

    def watch(self, is_wanted: Callable[[str], bool]) -> "ClockWatch":
        """Return a watch that has no news."""
        del is_wanted
        return ClockWatch(self._clock)


class ClockWatch:
    """Waits by a clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def wait(self, seconds: float) -> None:
        """Sleep on the clock."""
        self._clock.sleep(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing."""


class PatientNotifier:
    """Passes on what another notifier tells. Its watches wait for news, however soon they should return."""

    def __init__(self, notifier: EntryNotifier) -> None:
        self._notifier = notifier

    def notify(self, run: str) -> None:
        """Tell the other notifier."""
        self._notifier.notify(run)

    def watch(self, is_wanted: Callable[[str], bool]) -> "PatientWatch":
        """Return a watch that waits for news alone."""
        return PatientWatch(self._notifier.watch(is_wanted))


class PatientWatch:
    """Waits for news alone."""

    def __init__(self, watch: EntryWatch) -> None:
        self._watch = watch

    def wait(self, seconds: float) -> None:
        """Wait until there is news, for a minute at most."""
        del seconds
        self._watch.wait(_PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.__exit__(kind, error, trace)
