"""Removes what is too old: ended runs with all that was kept of them, kept results of pure tools that were not used
since, and large results that nothing refers to.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.repository import instant_to_micros
from aeon.platform.store import Store, UnitOfWork

_RUNS_AT_ONCE = 100
_ENTRIES_AT_ONCE = 10_000
_RESULTS_AT_ONCE = 500

_BEING_WRITTEN = timedelta(hours=1)
"""A result is kept before what refers to it is: nothing that was put down since then is looked at."""


class PruneResult(NamedTuple):
    """How many of each were removed."""

    runs: int
    results: int
    cached: int = 0


class RunRetention:
    """Removes old runs. Whatever it left when it was killed, the next one removes."""

    def __init__(
        self, store: Store, results: ResultStore, forget: Callable[[Sequence[str]], None], now: Callable[[], str]
    ) -> None:
        """`forget` has the engine remove what it keeps of runs that have ended."""
        self._store = store
        self._results = results
        self._forget = forget
        self._now = now

    def prune(self, before: str) -> PruneResult:
        """Remove runs that ended before an instant, each with all that it called and with those who called it, and what
        is kept of pure tools and was not used since.

        What is open, or belongs to a run that is, stays whole, and so do the results that it may refer to. Raises
        StoreError.
        """
        removed = 0
        while runs := self._ended(before):
            self._forget(runs)
            for run in runs:
                self._remove(run)
            removed += len(runs)
        cached = self._purged(queries.PURGE_CACHED, {"before": instant_to_micros(before)})
        return PruneResult(removed, self._sweep(before), cached)

    def _ended(self, before: str) -> list[str]:
        rows = self._store.read(queries.ENDED_BEFORE, {"before": instant_to_micros(before), "limit": _RUNS_AT_ONCE})
        return [row["id"] for row in rows]

    def _remove(self, run: str) -> None:
        """The run itself last: it is what the next one finds."""
        self._purged(queries.PURGE_ENTRIES, {"run": run})
        self._store.update(lambda unit: _purge(unit, run))

    def _purged(self, query: str, params: JsonObject) -> int:
        """Remove so many at once until there are no more; how many they were."""
        given: JsonObject = {**params, "limit": _ENTRIES_AT_ONCE}
        removed, gone = 0, _ENTRIES_AT_ONCE
        while gone == _ENTRIES_AT_ONCE:
            gone = self._store.update(lambda unit: unit.write(query, given))
            removed += gone
        return removed

    def _sweep(self, before: str) -> int:
        """Remove results to which nothing in the record refers, and which no open run's engine can refer to."""
        opened = [row["at"] for row in self._store.read(queries.OLDEST_OPEN)]
        recent = datetime.fromisoformat(self._now()) - _BEING_WRITTEN
        until = min([datetime.fromisoformat(before), recent, *map(datetime.fromisoformat, opened)]).timestamp()
        removed = 0
        digests = self._results.list_unused_since(until)
        while batch := list(islice(digests, _RESULTS_AT_ONCE)):
            referred = self._referred(batch)
            removed += sum(self._results.remove_unused(each, until) for each in batch if each not in referred)
        return removed

    def _referred(self, digests: Iterable[str]) -> set[str]:
        rows = self._store.read(queries.REFERRED, {"digests": list[Json](digests)})
        return {row["digest"] for row in rows}


def _purge(unit: UnitOfWork, run: str) -> None:
    for query in (queries.PURGE_SIGNALS, queries.PURGE_DEAD_JOBS, queries.PURGE_RUN):
        unit.write(query, {"run": run})
