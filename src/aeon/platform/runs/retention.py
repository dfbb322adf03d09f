"""Deletes old data: ended runs, cached results of pure tools, and unreferenced large results."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from aeon.base.clock import instant_to_micros
from aeon.base.json import Json, JsonObject
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.store import Store, UnitOfWork

_RUN_BATCH_SIZE = 100
_ENTRY_BATCH_SIZE = 10_000
_RESULT_BATCH_SIZE = 500

_WRITE_GRACE_PERIOD = timedelta(hours=1)
"""A result is stored before its reference is: recent results are never deleted."""


class PruneResult(NamedTuple):
    """The number of deleted records of each kind."""

    runs: int
    results: int
    cached: int = 0


class RunRetention:
    """Deletes old runs. After a crash, the next call deletes the rest."""

    def __init__(
        self, store: Store, results: ResultStore, forget: Callable[[Sequence[str]], None], now: Callable[[], str]
    ) -> None:
        """`forget` deletes the engine's state of runs that have ended."""
        self._store = store
        self._results = results
        self._forget = forget
        self._now = now

    def prune(self, before: str) -> PruneResult:
        """Delete runs that ended before an instant, and cached results that were not used since.

        A Process with `retentionDays` says itself until when its owner's runs of it are kept, with what they called.
        Runs are deleted with their callers and callees. Open runs, their descendants and the results that they may
        refer to stay. Raises StoreError.
        """
        removed, until = self._remove_all(queries.ENDED_BEFORE, before), before
        for row in self._store.read(queries.RETENTIONS):
            own = datetime.fromisoformat(self._now()) - timedelta(days=row["retention_days"])
            ended = own.isoformat(timespec="microseconds")
            removed_here = self._remove_all(
                queries.ENDED_OF_PROCESS, ended, {"process": row["id"], "owner": row["owner_id"]}
            )
            removed, until = removed + removed_here, max(until, ended) if removed_here else until
        cached = self._purge_in_batches(queries.PURGE_CACHED, {"before": instant_to_micros(before)})
        return PruneResult(removed, self._sweep(until), cached)

    def _remove_all(self, ended: str, before: str, params: JsonObject | None = None) -> int:
        """Delete all runs that a query names in batches; return their number."""
        limits: JsonObject = {"before": instant_to_micros(before), "limit": _RUN_BATCH_SIZE, **(params or {})}
        removed = 0
        while runs := [row["id"] for row in self._store.read(ended, limits)]:
            self._forget(runs)
            for run in runs:
                self._remove(run)
            removed += len(runs)
        return removed

    def _remove(self, run: str) -> None:
        """Delete one run. The run's own row goes last, because the next call finds the rest by it."""
        self._purge_in_batches(queries.PURGE_ENTRIES, {"run": run})
        self._store.update(lambda unit: _purge(unit, run))

    def _purge_in_batches(self, query: str, params: JsonObject) -> int:
        """Delete rows in batches until there are none left; return their number."""
        limited: JsonObject = {**params, "limit": _ENTRY_BATCH_SIZE}
        removed, deleted = 0, _ENTRY_BATCH_SIZE
        while deleted == _ENTRY_BATCH_SIZE:
            deleted = self._store.update(lambda unit: unit.write(query, limited))
            removed += deleted
        return removed

    def _sweep(self, before: str) -> int:
        """Delete results that no record refers to, and that no open run's engine can refer to."""
        opened = [row["at"] for row in self._store.read(queries.OLDEST_OPEN)]
        recent = datetime.fromisoformat(self._now()) - _WRITE_GRACE_PERIOD
        until = min([datetime.fromisoformat(before), recent, *map(datetime.fromisoformat, opened)]).timestamp()
        removed = 0
        digests = self._results.list_unused_since(until)
        while batch := list(islice(digests, _RESULT_BATCH_SIZE)):
            referred = self._referred(batch)
            removed += sum(self._results.remove_unused(each, until) for each in batch if each not in referred)
        return removed

    def _referred(self, digests: Iterable[str]) -> set[str]:
        rows = self._store.read(queries.REFERRED, {"digests": list[Json](digests)})
        return {row["digest"] for row in rows}


def _purge(unit: UnitOfWork, run: str) -> None:
    for query in (queries.PURGE_SIGNALS, queries.PURGE_DEAD_JOBS, queries.PURGE_RUN):
        unit.write(query, {"run": run})
