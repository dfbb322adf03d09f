"""Tells those who follow runs in this process that entries were stored here."""

from collections.abc import Callable
from threading import Event, Lock
from types import TracebackType
from typing import Self


class InProcessWatch:
    """One follower's wait for entries of the runs that it wants. A context manager."""

    def __init__(self, is_wanted: Callable[[str], bool], end: "Callable[[InProcessWatch], None]") -> None:
        self.is_wanted = is_wanted
        self.has_news = Event()
        self._end = end

    def wait(self, seconds: float) -> None:
        """Return once a wanted run has a new entry since the last call, or after `seconds`."""
        self.has_news.wait(seconds)
        self.has_news.clear()  # an entry that is stored from here on is seen by the next read, or by the next wait

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(self)


class InProcessNotifier:
    """The `EntryNotifier` of one process: it knows nothing of entries that other processes store. Thread-safe."""

    def __init__(self) -> None:
        self._watches: set[InProcessWatch] = set()
        self._lock = Lock()

    def notify(self, run: str) -> None:
        """Wake everyone who wants this run."""
        with self._lock:
            for watch in self._watches:
                if watch.is_wanted(run):
                    watch.has_news.set()

    def watch(self, is_wanted: Callable[[str], bool]) -> InProcessWatch:
        """Begin to wait for the runs that `is_wanted` accepts; it is called in the threads that store entries."""
        watch = InProcessWatch(is_wanted, self._remove)
        with self._lock:
            self._watches.add(watch)
        return watch

    def _remove(self, watch: InProcessWatch) -> None:
        with self._lock:
            self._watches.discard(watch)
