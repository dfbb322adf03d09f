"""Writes a run's entries from its workflow, in batches, from Temporal's history only.

Entries are written in order, by an activity and never by a local one: a local activity may run differently after its
worker was killed, and the run repository would contain events that never happened.
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
    """Queues the entries of one run for writing; none is dropped. `is_fenced` once it is lost."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._pending: list[tuple[RunEntry, RunProgress]] = []
        self.is_fenced = False

    @property
    def is_flushed(self) -> bool:
        return not self._pending

    def add(self, entry: RunEntry, state: RunState) -> None:
        """Queue an entry and the state after it for writing."""
        self._pending.append((entry, RunProgress.of(state)))

    async def flush(self) -> None:
        """Wait until all entries that were added before are written."""
        if self._pending:
            last = self._pending[-1][0].n
            await workflow.wait_condition(lambda: not self._pending or self._pending[0][0].n > last)

    async def run(self) -> None:
        """Write entries until another executor owns the run."""
        while not self.is_fenced:
            await workflow.wait_condition(lambda: bool(self._pending))
            batch = self._pending[:_MAX_BATCH]
            try:
                await self._save(batch)
            except ActivityError:  # only a lost run fails finally
                self.is_fenced = True
            else:
                del self._pending[: len(batch)]

    async def _save(self, batch: list[tuple[RunEntry, RunProgress]]) -> None:
        progress = batch[-1][1]
        message = EntryBatch(run=self._run, entries=[entry for entry, _ in batch], **progress._asdict())
        await workflow.execute_activity(
            SAVE_ENTRIES, message.as_dict(), start_to_close_timeout=ACTIVITY_TIMEOUT, retry_policy=RETRY_FOREVER
        )
