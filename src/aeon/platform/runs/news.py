"""Tells those who follow runs that there are new entries, with one look at the record for all of them."""

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Final, Protocol

from aeon.platform.runs.ports import EntryNotifier
from aeon.platform.store import StoreError

LOOK_INTERVAL: Final = 0.25
"""Seconds between two looks, in case another process stores entries; entries of this one are looked for at once."""

_DELETED: Final = -1


class EntryCounts(Protocol):
    """Returns the number of entries of each run; those that were deleted are left out."""

    def __call__(self, runs: list[str]) -> dict[str, int]: ...


class RunNews:
    """Calls followers back when their runs have new entries. Thread-safe.

    One thread looks while there are followers, so that a thousand of them cost one query.
    """

    def __init__(self, count_entries: EntryCounts, notifier: EntryNotifier) -> None:
        """`count_entries` may raise StoreError; the next look tries again."""
        self._count_entries = count_entries
        self._notifier = notifier
        self._lock = Lock()
        self._followers: defaultdict[str, list[Callable[[], None]]] = defaultdict(list)
        self._counts: dict[str, int] = {}
        self._is_looking = False

    @contextmanager
    def follow(self, run: str, tell: Callable[[], None]) -> Generator[None]:
        """The time in which `tell` is called after new entries of a run, in another thread.

        It may be called without any: the first look does not know what its follower has read.
        """
        with self._lock:
            self._followers[run].append(tell)
            self._counts.pop(run, None)
            is_first, self._is_looking = not self._is_looking, True
        if is_first:
            Thread(target=self._look_until_alone, name="aeon-run-news", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                self._followers[run].remove(tell)
                if not self._followers[run]:
                    del self._followers[run]
                    self._counts.pop(run, None)

    def _look_until_alone(self) -> None:
        with self._notifier.watch(lambda run: run in self._followers) as watch:
            while self._has_followers():
                with suppress(StoreError):
                    self._look()
                watch.wait(LOOK_INTERVAL)

    def _has_followers(self) -> bool:
        with self._lock:
            self._is_looking = bool(self._followers)
            return self._is_looking

    def _look(self) -> None:
        with self._lock:
            runs = list(self._followers)
        counted = self._count_entries(runs)
        found = {run: counted.get(run, _DELETED) for run in runs}
        with self._lock:
            changed = [run for run, count in found.items() if self._counts.get(run) != count]
            tellers = [tell for run in changed for tell in self._followers.get(run, ())]
            self._counts.update({run: found[run] for run in changed if run in self._followers})
        for tell in tellers:
            tell()
