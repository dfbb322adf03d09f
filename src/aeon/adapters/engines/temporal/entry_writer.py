"""Writes a run's entries down from within its workflow: in order, many at once, and only what Temporal has recorded.

An entry goes into the book by an activity and never by a local one: what a local activity writes may happen otherwise
when its worker is killed, and the book would tell of events that never were.
"""

from temporalio import workflow
from temporalio.exceptions import ActivityError

from aeon.adapters.engines.temporal.activity_calls import ACTIVITY_TIMEOUT, RETRY_FOREVER
from aeon.adapters.engines.temporal.messages import EntryBatch, RunProgress
from aeon.adapters.engines.temporal.names import SAVE_ENTRIES
from aeon.platform.runs.machine.state import RunState
from aeon.platform.runs.model import RunEntry

_MAX_BATCH = 1000
"""Entries in one query."""


class WorkflowEntryWriter:
    """The entries of one run on their way to the book. None is given up; `is_fenced` once the run is another's."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._pending: list[tuple[RunEntry, RunProgress]] = []
        self.is_fenced = False

    @property
    def is_flushed(self) -> bool:
        return not self._pending

    def add(self, entry: RunEntry, state: RunState) -> None:
        """Have an entry written, with where the run stands after it."""
        self._pending.append((entry, RunProgress.of(state)))

    async def flush(self) -> None:
        """Until all that was added until now is written."""
        if self._pending:
            last = self._pending[-1][0].n
            await workflow.wait_condition(lambda: not self._pending or self._pending[0][0].n > last)

    async def run(self) -> None:
        """Write what there is, until the run is another's."""
        while not self.is_fenced:
            await workflow.wait_condition(lambda: bool(self._pending))
            batch = self._pending[:_MAX_BATCH]
            try:
                await self._save(batch)
            except ActivityError:  # that it is another's is the only failure that is final
                self.is_fenced = True
            else:
                del self._pending[: len(batch)]

    async def _save(self, batch: list[tuple[RunEntry, RunProgress]]) -> None:
        standing = batch[-1][1]
        told = EntryBatch(run=self._run, entries=[entry for entry, _ in batch], **standing._asdict())
        await workflow.execute_activity(
            SAVE_ENTRIES, told.as_dict(), start_to_close_timeout=ACTIVITY_TIMEOUT, retry_policy=RETRY_FOREVER
        )
