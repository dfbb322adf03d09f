"""`RunReader`: what one user can see of the runs of Processes, without an engine."""

import time
from collections.abc import Callable, Iterator

from aeon.platform.errors import NotFoundError
from aeon.platform.runs.dead_jobs import DeadJob
from aeon.platform.runs.model import RunEntry, RunSummary
from aeon.platform.runs.service import PendingQuestion, Runs, RunView
from aeon.platform.runs.trace import AttemptTrace, trace_attempts

__all__ = ["AttemptTrace", "DeadJob", "PendingQuestion", "RunReader", "RunView"]

NEWEST = "last"
"""The name of the newest run, for people."""

_LIST_LIMIT = 50
_POLL_INTERVAL = 0.2
"""Seconds between two reads of a run whose entries are followed."""


class RunReader:
    """The runs of one user, for reading. Threads may share it. Every method raises StoreError."""

    def __init__(self, runs: Runs, user: str) -> None:
        self._runs = runs
        self._user = user

    def find_id(self, run: str) -> str:
        """The id of a run that a person named: an id, or `last` for the newest. Raises NotFoundError without runs."""
        if run != NEWEST:
            return run
        newest = self.list_runs(1)
        if not newest:
            raise NotFoundError("You have no runs.", next_step="Start one: aeon process run NAME.")
        return newest[0].id

    def view(self, run: str) -> RunView:
        """A run, its plan and its state. Raises NotFoundError."""
        return self._runs.view(self._user, run)

    def trace(self, view: RunView) -> list[AttemptTrace]:
        """Every attempt of a run's steps, in the order of their starts."""
        return trace_attempts(view.plan, self._runs.list_entries(self._user, view.run.id))

    def list_runs(self, limit: int = _LIST_LIMIT) -> list[RunSummary]:
        """The user's runs, newest first, without those that other runs called."""
        return self._runs.list_runs(self._user, limit)

    def list_open_ids(self) -> list[str]:
        """The ids of the user's runs that have not ended, oldest first."""
        return self._runs.repository.list_open_ids(self._user)

    def list_questions(self, run: str) -> list[PendingQuestion]:
        """The open questions of a run and of its whole family, its own first. Raises NotFoundError."""
        return self._runs.list_questions(self._user, run)

    def list_dead_jobs(self, limit: int = _LIST_LIMIT) -> list[DeadJob]:
        """The user's dead jobs, newest first: those that failed permanently (platform 10)."""
        return self._runs.repository.list_dead_jobs(self._user, limit)

    def get_dead_job(self, job: str) -> DeadJob:
        """A dead job of the user. Raises NotFoundError."""
        return self._runs.repository.get_dead_job(self._user, job)

    def entries(
        self, run: str, after: int = 0, *, follows: bool = False, sleep: Callable[[float], None] = time.sleep
    ) -> Iterator[RunEntry]:
        """Yield the entries of one run after number `after`; if it `follows`, until the run has ended.

        Raises NotFoundError.
        """
        while True:
            is_over = self._runs.has_ended(self._user, run)
            for entry in self._runs.list_entries(self._user, run, after):
                after = entry.n
                yield entry
            if is_over or not follows:
                return
            sleep(_POLL_INTERVAL)
