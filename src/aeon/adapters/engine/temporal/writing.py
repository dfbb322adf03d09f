"""Writes a run's entries down from within its workflow: in order, many at once, and only what Temporal has recorded.

An entry goes into the book by an activity and never by a local one: what a local activity writes may happen otherwise
when its worker is killed, and the book would tell of events that never were.
"""

from temporalio import workflow
from temporalio.exceptions import ActivityError

from aeon.adapters.engine.temporal.asking import TAKES, UNTIL_IT_WORKS
from aeon.adapters.engine.temporal.messages import Batch, Standing
from aeon.adapters.engine.temporal.names import KEEP
from aeon.platform.processes.running.state import State
from aeon.platform.processes.runs.model import Entry

_MOST_AT_ONCE = 1000
"""Entries in one query."""


class Writer:
    """The entries of one run on their way to the book. None is given up; `is_lost` once the run is another's."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._waiting: list[tuple[Entry, Standing]] = []
        self.is_lost = False

    @property
    def is_settled(self) -> bool:
        return not self._waiting

    def add(self, entry: Entry, state: State) -> None:
        """Have an entry written, with where the run stands after it."""
        self._waiting.append((entry, Standing.of(state)))

    async def settle(self) -> None:
        """Until all that was added until now is written."""
        if self._waiting:
            last = self._waiting[-1][0].n
            await workflow.wait_condition(lambda: not self._waiting or self._waiting[0][0].n > last)

    async def write(self) -> None:
        """Write what there is, until the run is another's."""
        while not self.is_lost:
            await workflow.wait_condition(lambda: bool(self._waiting))
            batch = self._waiting[:_MOST_AT_ONCE]
            try:
                await self._written(batch)
            except ActivityError:  # that it is another's is the only failure that is final
                self.is_lost = True
            else:
                del self._waiting[: len(batch)]

    async def _written(self, batch: list[tuple[Entry, Standing]]) -> None:
        standing = batch[-1][1]
        told = Batch(run=self._run, entries=[entry for entry, _ in batch], **standing._asdict())
        await workflow.execute_activity(KEEP, told.as_dict(), start_to_close_timeout=TAKES, retry_policy=UNTIL_IT_WORKS)
