"""Runs as workflows of DBOS: each job that came to an end is on the disk, and a run goes on from there."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from contextlib import suppress

from dbos import DBOS, DBOSConfig, SetWorkflowID, error

from aeon.adapters.engine.carrying import Carrying
from aeon.adapters.engine.dbos.checkpoints import Checkpoints
from aeon.adapters.engine.dbos.database import SQLITE, Database
from aeon.adapters.engine.dbos.serializing import JsonSerializer
from aeon.adapters.engine.waiting import waited
from aeon.base.clock import Clock
from aeon.platform.errors import ConflictError
from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.runs.claims import Results
from aeon.platform.processes.runs.conducting import TakenOverError
from aeon.platform.processes.runs.engine import Book, Workers

RUN = "aeon.run"

_VERSION = "aeon-1"
"""Of all that runs, for ever: DBOS goes on only with what the same version began."""

_ASLEEP = 3600.0
"""Seconds between two looks at what is not used."""

_PARKED = "aeon-parked"
"""A queue that nobody listens to. DBOS writes an error for a workflow that raises, and would never go on with it; what
is in a queue by then stays as it is."""

_TAKES_OVER_EVERY = 1.0
"""Seconds between two looks for runs to take over, once this process takes any over."""


class DbosEngine:
    """DBOS Transact in this process. There is one in a process at a time."""

    def __init__(  # its parts, each from the composition root
        self, address: str, book: Book, workers: Workers, results: Results, clock: Clock, executor: str
    ) -> None:
        """Open the database at `address` (`sqlite:///FILE` or a Postgres URL), made if need be."""
        self.executor = executor
        self.name = f"DBOS, {'SQLite' if address.startswith(SQLITE) else 'Postgres'}"
        self._book = book
        self._carrying = Carrying(book, workers, clock, executor, self._started)
        self._over: dict[str, threading.Event] = {}
        self._queue = f"aeon-runs-{executor}"
        self._is_taking_over = False
        self._is_open = True
        _silence()
        self._database = Database(address)
        _quieten(DBOS(config=_config(address, self._database, results, executor)))

        @DBOS.workflow(name=RUN)
        async def workflow(run: str) -> None:
            await self._carry(run)

        self._workflow = workflow
        DBOS.listen_queues([self._queue])
        DBOS.launch()

    def start(self, run: str) -> None:
        """Have an accepted run carried out here; one that is known already is left to whoever has it."""
        self._over.setdefault(run, threading.Event())
        with SetWorkflowID(run):
            DBOS.start_workflow(self._workflow, run)

    def wake(self, run: str) -> None:  # noqa: ARG002  # all are looked at
        """Look at the runs' signals at once."""
        self._carrying.wake()

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Whether the run has ended, after waiting for that so long at most."""
        return waited(lambda: self._book.phase(run) in ENDED, seconds, self._over.get(run))

    def take_over(self, runs: Sequence[str]) -> None:
        """Carry runs out here that were another's: whoever asks has made sure that he is gone."""
        if not self._is_taking_over:
            DBOS.register_queue(self._queue, polling_interval_sec=_TAKES_OVER_EVERY)
            self._is_taking_over = True
        for run in runs:
            try:
                DBOS.resume_workflow(run, queue_name=self._queue)
            except error.DBOSNonExistentWorkflowError:  # accepted, and never started
                self.start(run)

    def forget(self, runs: Sequence[str]) -> None:
        """Remove what is kept of runs that have ended."""
        DBOS.delete_workflows(list(runs))

    def close(self) -> None:
        """Stop where everything stands; what has not ended is somebody else's to take over."""
        if self._is_open:
            self._is_open = False
            self._carrying.halt()
            if self._is_taking_over:
                DBOS.delete_queue(self._queue)
            self._database.close()
            DBOS.destroy(destroy_registry=True)
            self._database.dispose()

    async def _carry(self, run: str) -> None:
        over = self._over.setdefault(run, threading.Event())
        try:
            with suppress(ConflictError, TakenOverError):
                await self._carrying.carry(run, Checkpoints())
        except Exception:
            if self._is_open:
                await asyncio.get_running_loop().run_in_executor(None, self._leave, run)
            raise
        finally:
            over.set()

    def _leave(self, run: str) -> None:
        """Let whoever looks next go on with it."""
        DBOS.resume_workflow(run, queue_name=_PARKED)
        self._book.give(run, self.executor, "")

    async def _started(self, run: str) -> None:
        """Outside of the workflow that asks for it: a workflow that is started within a step would be a part of it."""
        await asyncio.get_running_loop().run_in_executor(None, self.start, run)


def _quieten(instance: DBOS) -> None:
    """Nothing of ours ever is in DBOS's own queue, and each look at it costs some 20 ms.

    This is all that is touched of DBOS beside its public face; the test of an idle engine would notice its loss.
    """
    queue = instance._registry.get_internal_queue()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    queue._polling_interval_sec = _ASLEEP  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above


def _silence() -> None:
    """DBOS writes to the stderr of whoever opened it first, which may be gone: what goes wrong, the run tells."""
    logger = logging.getLogger("dbos")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)


def _config(address: str, database: Database, results: Results, executor: str) -> DBOSConfig:
    return {
        "name": "aeon",
        "system_database_url": address,
        "system_database_engine": database.engine,
        "serializer": JsonSerializer(results),
        "application_version": _VERSION,
        "executor_id": executor,
        "log_level": "CRITICAL",
        "use_listen_notify": False,
        "scheduler_polling_interval_sec": _ASLEEP,  # neither its schedules nor its messages are used
        "notification_listener_polling_interval_sec": _ASLEEP,
    }
