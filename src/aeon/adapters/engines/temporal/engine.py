"""Runs as workflows of Temporal: it hands a dead worker's work on by itself, on as many machines as there are."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from aeon.adapters.engines.retry import wait_until
from aeon.adapters.engines.temporal.connection import TemporalConnection
from aeon.adapters.engines.temporal.messages import RunWorkflowInput
from aeon.adapters.engines.temporal.names import EXECUTOR, RUN, RUN_QUEUE, SIGNAL
from aeon.adapters.engines.temporal.workers import job_workers, run_worker
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import RunSignal
from aeon.platform.runs.ports import RunRepository, WorkerPool

HEARTBEAT_TIMEOUT = 10.0
"""Seconds without a word after which a job is given to another worker."""

MAX_HISTORY_EVENTS = 2000
"""Events of a workflow's record, after which another one goes on with the run."""

_SIGNAL_POLL_INTERVAL = 15.0
"""Seconds between two looks for signals of which nobody told."""


class TemporalEngine:
    """Temporal, for this process: it carries runs out, and jobs of the types in `slots`; others may, too."""

    executor = EXECUTOR

    def __init__(  # its parts, each from the composition root
        self,
        address: str,
        namespace: str,
        book: RunRepository,
        workers: WorkerPool,
        results: ResultStore,
        *,
        slots: Mapping[str, int],
        record: str | None = None,
        heartbeat: float = HEARTBEAT_TIMEOUT,
        room: int = MAX_HISTORY_EVENTS,
    ) -> None:
        """Connect to the server at `address` (`host:port`). `slots`: how many jobs of which type are done here at once.

        A namespace holds the runs of one record: `record` is its id, and a namespace of another one is refused; None
        does not look. Raises ConfigError for that, and TemporalError when nobody answers there.
        """
        self.name = f"Temporal, {address}, {namespace}"
        self._book = book
        self._begin = RunWorkflowInput(run="", max_history_events=room, heartbeat=heartbeat)
        self._sent_signals: set[str] = set()
        self._connection = TemporalConnection(address, namespace, results, record)
        self._client = self._connection.client
        self._connection.run_workers([run_worker(self._client, book), *job_workers(self._client, workers, slots)])
        self._connection.spawn(self._poll_signals())

    def start(self, run: str) -> None:
        """Have an accepted run carried out, wherever. Started again it is still carried out once."""
        self._connection.run(self._start_workflow(run, WorkflowIDReusePolicy.REJECT_DUPLICATE))

    def wake(self, run: str) -> None:
        """Tell the run what is wanted of it, wherever it is carried out."""
        self._connection.run(self._send_signals([run]))

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Whether the run has ended, after waiting for that so long at most."""
        return wait_until(lambda: self._book.get_phase(run) in ENDED_PHASES, seconds)

    def adopt(self, runs: Sequence[str]) -> None:
        """Start what was never started, or was stopped on Temporal itself; the rest goes on anyway."""
        for run in runs:
            self._connection.run(self._start_workflow(run, WorkflowIDReusePolicy.ALLOW_DUPLICATE))

    def forget(self, runs: Sequence[str]) -> None:
        """Remove Temporal's records of runs that have ended."""
        for run in runs:
            self._connection.run(self._delete_history(run))

    def close(self) -> None:
        """Stop carrying out here; what was not ended goes on elsewhere, or at the next start."""
        self._connection.close()

    async def _start_workflow(self, run: str, policy: WorkflowIDReusePolicy) -> None:
        told = self._begin.model_copy(update={"run": run}).as_dict()
        with suppress(WorkflowAlreadyStartedError):
            await self._client.start_workflow(RUN, told, id=run, task_queue=RUN_QUEUE, id_reuse_policy=policy)

    async def _send_signals(self, runs: list[str]) -> None:
        for signal in await asyncio.to_thread(self._book.list_signals, runs):
            await self._send_signal(signal)

    async def _send_signal(self, signal: RunSignal) -> None:
        """Once from here is enough; the run takes it once in any case."""
        if signal.id in self._sent_signals:
            return
        try:
            await self._client.get_workflow_handle(signal.run_id).signal(SIGNAL, signal.as_dict())
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise
        self._sent_signals.add(signal.id)

    async def _poll_signals(self) -> None:
        """Tell runs of signals that were written down while nobody could tell of them: at first, and now and then."""
        while True:
            with suppress(Exception):  # the store or Temporal is away for a while: the next look tells of them
                going = self._client.list_workflows(f"WorkflowType = '{RUN}' AND ExecutionStatus = 'Running'")
                await self._send_signals([each.id async for each in going])
            await asyncio.sleep(_SIGNAL_POLL_INTERVAL)

    async def _delete_history(self, run: str) -> None:
        """All workflows in which one run was carried out."""
        async for each in self._client.list_workflows(f"WorkflowId = '{run}'"):
            execution = WorkflowExecution(workflow_id=each.id, run_id=each.run_id)
            request = DeleteWorkflowExecutionRequest(namespace=self._client.namespace, workflow_execution=execution)
            with suppress(RPCError):  # Temporal has forgotten it already
                await self._client.workflow_service.delete_workflow_execution(request)


class TemporalWorker:
    """Carries out jobs of some types for runs that go on elsewhere. It needs the same results, and no record."""

    def __init__(
        self,
        address: str,
        namespace: str,
        workers: WorkerPool,
        results: ResultStore,
        *,
        slots: Mapping[str, int],
        record: str | None = None,
    ) -> None:
        """Serve the queues of the types in `slots`. `record`, and what is raised, is as for `TemporalEngine`."""
        self._connection = TemporalConnection(address, namespace, results, record)
        self._connection.run_workers(job_workers(self._connection.client, workers, slots))

    def close(self) -> None:
        """Stop; what was under way is carried out elsewhere. Twice is once."""
        self._connection.close()
