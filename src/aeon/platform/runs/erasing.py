"""Erases runs: everything that the record, the engine and the store of large results have of them (platform 28)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import LostResultError, ResultStore, check_out
from aeon.platform.store import Row, Store, UnitOfWork

TABLES: Final = ("runs", "run_entries", "signals", "dead_jobs", "cached_results", "requests", "large_results")
"""The tables of the record that hold what runs were given and returned."""


class RunErasing:
    """Erases runs that have ended. After a crash, the same call erases the rest; calling it again does nothing."""

    def __init__(
        self,
        store: Store,
        results: ResultStore,
        erase: Callable[[Sequence[str], Sequence[str]], None],
        now: Callable[[], str],
    ) -> None:
        """`erase` is the engine's."""
        self._store = store
        self._results = results
        self._erase = erase
        self._now = now

    def erase(self, runs: Sequence[str]) -> list[str]:
        """Erase runs with all that they called and their retries; return those that have not ended, which stay.

        Also erases the cached results of the tools that they could call, since nobody knows which are theirs, and the
        stored answers to the requests that started them. Raises StoreError and EngineUnavailableError.
        """
        left: list[str] = []
        for run in runs:
            family = self._store.read(queries.FAMILY, {"run": run})
            if any(each["ended_at"] is None for each in family):
                left.append(run)
            elif family:
                self._erase_family(family)
        return left

    def _erase_family(self, family: Sequence[Row]) -> None:
        ids = [row["id"] for row in family]
        about: JsonObject = {"runs": list[Json](ids), "tools": list[Json](self._tools(family))}
        began = datetime.fromisoformat(self._now()).timestamp()
        self._erase(ids, [row["id"] for row in self._store.read(queries.OPEN_IDS)])
        for row in self._store.read(queries.OWN_REFERENCES, about):  # files before the rows that name them
            self._results.remove_unused(row["digest"], began)
        self._store.update(lambda unit: _remove(unit, family, about))

    def _tools(self, family: Sequence[Row]) -> list[str]:
        """Return the ids of the tools that these runs could call."""
        tools: set[str] = set()
        for row in family:
            with suppress(LostResultError):  # a crash came after the plan's file was removed
                plan: JsonObject = parse_strict(check_out(self._results, row["plan"]))
                tools |= {call["id"] for call in plan["calls"].values() if call["kind"] == "tool"}
        return sorted(tools)


def _remove(unit: UnitOfWork, family: Sequence[Row], about: JsonObject) -> None:
    unit.write(queries.ERASE_CACHED, about)
    for run in family:
        unit.write(queries.ERASE_REQUESTS, {"run": run["id"], "accepted_at": run["accepted_at"]})
        for query in (queries.ERASE_ENTRIES, queries.PURGE_SIGNALS, queries.PURGE_DEAD_JOBS, queries.PURGE_RUN):
            unit.write(query, {"run": run["id"]})
