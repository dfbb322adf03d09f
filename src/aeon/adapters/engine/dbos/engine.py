"""Runs as workflows of DBOS: each job that came to an end is on the disk, and a run goes on from there."""

import asyncio
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from contextvars import Context

from dbos import DBOS, EnqueueOptions, SetWorkflowID, error

from aeon.adapters.engine.carrying import Carrying
from aeon.adapters.engine.dbos.checkpoints import Checkpoints
from aeon.adapters.engine.dbos.database import SQLITE, told_when_away
from aeon.adapters.engine.dbos.journal import Journal
from aeon.adapters.engine.dbos.names import RUN
from aeon.adapters.engine.dbos.opening import VERSION, Opened
from aeon.adapters.engine.dbos.queueing import Queueing, forget
from aeon.adapters.engine.waiting import waited
from aeon.base.clock import Clock
from aeon.platform.errors import ConflictError
from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.runs.claims import Results
from aeon.platform.processes.runs.engine import Book, EngineUnavailableError, Workers
from aeon.platform.processes.runs.lease import HaltError, TakenOverError
from aeon.platform.workers.model import OFFLINE_AFTER

_PARKED = "aeon-parked"
"""A queue that nobody listens to. DBOS writes an error for a workflow that raises, and would never go on with it; what
is in a queue by then stays as it is."""

_TAKES_OVER_EVERY = 1.0
"""Seconds between two looks for runs to take over, once this process takes any over."""


_LOOKS_WHO_HAS_IT_EVERY = 0.5
"""Seconds between two looks whether a run that was lost is another process's for DBOS, too."""


class _Over(threading.Event):
    """That this process carries a run out no more, and whether that is because it has ended."""

    has_ended = False


class DbosEngine:
    """DBOS Transact in this process. There is one in a process at a time."""

    def __init__(  # its parts, each from the composition root
        self,
        address: str,
        book: Book,
        workers: Workers,
        results: Results,
        clock: Clock,
        executor: str,
        *,
        elsewhere: Collection[str] = (),
        lease: float = OFFLINE_AFTER,
        is_durable: bool = True,
    ) -> None:
        """Open the database at `address` (`sqlite:///FILE` or a Postgres URL), made if need be.

        Jobs of the types `elsewhere` go into queues, for whatever processes serve these; all others are done here.
        Others take runs over from this process after `lease` seconds of silence. Where it `is_durable` a power cut
        takes nothing that was kept.
        """
        self.executor = executor
        self.name = f"DBOS, {'SQLite' if address.startswith(SQLITE) else 'Postgres'}"
        self._book = book
        self._carrying = Carrying(book, workers, clock, executor, self._started, Queueing(elsewhere), lease)
        self._over: dict[str, _Over] = {}
        self._queue = f"aeon-runs-{executor}"
        self._is_taking_over = False
        self._starting: set[asyncio.Task[None]] = set()
        self._opened = Opened(address, results, executor, is_durable=is_durable)
        with self._opened.or_closed():
            self._journal = Journal(self._opened.database, results)

        @DBOS.workflow(name=RUN)
        async def workflow(run: str) -> None:
            await self._carry(run)

        self._workflow = workflow
        self._opened.launch([self._queue])

    def start(self, run: str) -> None:
        """Have an accepted run carried out here; one that is known already is left to whoever has it."""
        DBOS.run_step({"name": RUN}, self._begun, run)

    def wake(self, run: str) -> None:  # noqa: ARG002  # all are looked at
        """Look at the runs' signals at once."""
        self._carrying.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Whether the run has ended, after waiting for that so long at most."""
        over = self._over.get(run)
        return waited(lambda: (over is not None and over.has_ended) or self._book.phase(run) in ENDED, seconds, over)

    def take_over(self, runs: Sequence[str]) -> None:
        """Carry runs out here that were another's: whoever asks has made sure that he is gone."""
        if not self._is_taking_over:
            with told_when_away():
                DBOS.register_queue(self._queue, polling_interval_sec=_TAKES_OVER_EVERY)
            self._is_taking_over = True
        for run in runs:
            with told_when_away():
                try:
                    DBOS.resume_workflow(run, queue_name=self._queue)
                except error.DBOSNonExistentWorkflowError:  # accepted, and never started
                    self._start_in_queue(run)

    def _start_in_queue(self, run: str) -> None:
        """Whoever accepted the run may come to start it at this very moment, late: then it is taken from him."""
        how: EnqueueOptions = {
            "workflow_name": RUN,
            "queue_name": self._queue,
            "workflow_id": run,
            "app_version": VERSION,
        }
        DBOS.enqueue_workflow_with_options(how, run)  # what is there already stays as it is
        status = DBOS.get_workflow_status(run)
        if status is not None and status.queue_name != self._queue:
            DBOS.resume_workflow(run, queue_name=self._queue)

    def forget(self, runs: Sequence[str]) -> None:
        """Remove what is kept of runs that have ended."""
        with told_when_away():
            forget(runs)
            self._journal.forget(runs)
            DBOS.delete_workflows(list(runs))

    def close(self) -> None:
        """Stop where everything stands; what has not ended is somebody else's to take over."""
        if self._opened.is_open:
            self._opened.stop()
            self._carrying.halt()
            if self._is_taking_over:
                with suppress(EngineUnavailableError), told_when_away():  # nobody listens to it in any case
                    DBOS.delete_queue(self._queue)
            self._opened.close()

    async def _carry(self, run: str) -> None:
        over = self._over.setdefault(run, _Over())
        checkpoints = Checkpoints(self._journal, run, self.executor)
        try:
            with suppress(ConflictError, TakenOverError):
                await self._carrying.carry(run, checkpoints, checkpoints.own)
                over.has_ended = True
        except Exception:
            with suppress(HaltError):
                await self._carrying.patience.ask(self._leave, run)
            raise
        finally:
            self._over.pop(run, None)
            over.set()
        if not over.has_ended:
            await self._until_taken(checkpoints)

    async def _until_taken(self, checkpoints: Checkpoints) -> None:
        """Whoever takes a run over says so in the record first, and then to DBOS. Until then DBOS would write down that
        the run has succeeded, and nobody could go on with it.
        """
        while await self._carrying.patience.ask(checkpoints.is_owner):  # noqa: ASYNC110  # nobody tells of it
            await asyncio.sleep(_LOOKS_WHO_HAS_IT_EVERY)

    async def _begun(self, run: str) -> None:
        """Start the workflow as a task of DBOS's loop: started from a thread it keeps a thread until it ends."""
        self._over.setdefault(run, _Over())
        with told_when_away(), SetWorkflowID(run):
            await DBOS.start_workflow_async(self._workflow, run)

    def _leave(self, run: str) -> None:
        """Let whoever looks next go on with it."""
        with told_when_away():
            DBOS.resume_workflow(run, queue_name=_PARKED)
        self._book.give(run, self.executor, "")

    async def _started(self, run: str) -> None:
        """Outside of the workflow that asks for it: a workflow that is started within a step would be a part of it."""
        await self._carrying.patience.until_done(lambda: asyncio.shield(self._beginning(run)))

    def _beginning(self, run: str) -> asyncio.Task[None]:
        """Whoever waits for it may be cancelled: what DBOS has written down by then is begun all the same."""
        task = asyncio.get_running_loop().create_task(self._begun(run), context=Context())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        return task
