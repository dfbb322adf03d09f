"""Finds runs that nobody carries out any more, and has them carried out here (platform 10)."""

from datetime import datetime

from aeon.base.clock import Clock
from aeon.platform.processes.runs.book import SqlRunRepository
from aeon.platform.processes.runs.engine import Engine, EngineUnavailableError
from aeon.platform.processes.runs.model import RunSummary
from aeon.platform.workers.registry import WorkerRegistry


class OrphanRecovery:
    """Takes over what was left behind. Several may do so at once: each run goes to one of them."""

    def __init__(
        self,
        book: SqlRunRepository,
        registry: WorkerRegistry,
        engine: Engine,
        clock: Clock,
        *,
        just_accepted: float = 10.0,
    ) -> None:
        """Whoever accepted a run has `just_accepted` seconds to have it started."""
        self._book = book
        self._registry = registry
        self._engine = engine
        self._clock = clock
        self._just_accepted = just_accepted

    def adopt(self, root: str | None = None) -> list[RunSummary]:
        """Take over runs that no executor carries out, all or those of the family of one root; returns them.

        Raises StoreError, EngineUnavailableError.
        """
        for executor in self._registry.list_dead_executors():
            if executor.id != self._engine.executor:
                self._registry.deregister(executor.id)
        there = {self._engine.executor, *(each.id for each in self._registry.list_executors())}
        left = [run for run in self._book.list_orphaned(there, root) if run.executor or not self._is_fresh(run)]
        taken = [run for run in left if self._book.reassign(run.id, run.executor, self._engine.executor)]
        try:
            self._engine.adopt([run.id for run in taken])
        except EngineUnavailableError:
            for run in taken:
                self._book.reassign(run.id, self._engine.executor, "")
            raise
        return taken

    def _is_fresh(self, run: RunSummary) -> bool:
        waited = datetime.fromisoformat(self._clock.now()) - datetime.fromisoformat(run.accepted_at)
        return 0 <= waited.total_seconds() <= self._just_accepted  # the clock may have gone back
