"""Runs as Temporal workflows: Temporal reassigns the work of dead workers."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from aeon.adapters.engines.retry import wait_until
from aeon.adapters.engines.temporal.activities import JobActivities
from aeon.adapters.engines.temporal.connection import TemporalConnection
from aeon.adapters.engines.temporal.messages import RunWorkflowInput
from aeon.adapters.engines.temporal.names import EXECUTOR, RUN, SIGNAL, run_queue
from aeon.adapters.engines.temporal.workers import job_workers, run_workers
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import RunSignal
from aeon.platform.runs.ports import RunRepository, WorkerPool
from aeon.platform.workers.capabilities import Capabilities

HEARTBEAT_TIMEOUT = 10.0
"""Seconds without a heartbeat after which a job is given to another worker."""

MAX_HISTORY_EVENTS = 2000
"""Events of a workflow's history after which a new workflow continues the run."""

_SIGNAL_POLL_INTERVAL = 15.0
"""Seconds between two checks for signals that were never sent."""


_FEW = 10
"""Maximum number of runs that are started without asking first which of them Temporal executes."""

_CONCURRENT_CALLS = 16
"""Maximum calls to the server at once: each waits for its disk."""

T = TypeVar("T")
R = TypeVar("R")


async def _map_concurrently(function: Callable[[T], Awaitable[R]], items: Sequence[T]) -> list[R]:
    """Return the results in the order of the items."""
    free = asyncio.Semaphore(_CONCURRENT_CALLS)

    async def call(item: T) -> R:
        async with free:
            return await function(item)

    return await asyncio.gather(*(call(item) for item in items))


class TemporalEngine:
    """Temporal for this process, which executes runs, and jobs of the types in `slots`.

    Other processes may do so, too.
    """

    executor = EXECUTOR

    def __init__(  # noqa: PLR0913  # its parts, from the composition root
        self,
        address: str,
        namespace: str,
        repository: RunRepository,
        workers: WorkerPool,
        results: ResultStore,
        *,
        slots: Mapping[str, int],
        record: str | None = None,
        heartbeat: float = HEARTBEAT_TIMEOUT,
        room: int = MAX_HISTORY_EVENTS,
        grace: float = 0.0,
        capabilities: Capabilities = Capabilities(),  # noqa: B008  # immutable
    ) -> None:
        """Connect to the server at `address` (`host:port`).

        `slots` is the number of concurrent jobs by type. A namespace holds the runs of one record: `record` is its
        id, and the namespace of another record is refused; with None it is not checked. Raises ConfigError for that,
        and TemporalError if the server does not answer. `drain` waits `grace` seconds for jobs.
        `capabilities` are those of this process.
        """
        self.name = f"Temporal, {address}, {namespace}"
        self._repository = repository
        self._workflow_input = RunWorkflowInput(run="", max_history_events=room, heartbeat=heartbeat)
        self._sent_signals: set[str] = set()
        self._connection = TemporalConnection(address, namespace, results, record)
        self._client = self._connection.client
        self._jobs = JobActivities(workers, self._client)
        served = [
            *run_workers(self._client, repository, capabilities.language),
            *job_workers(self._client, self._jobs, slots, grace, capabilities),
        ]
        self._connection.run_workers(served)
        self._connection.spawn(self._poll_signals())

    def start(self, run: str) -> None:
        """Start an accepted run on any process. Starting it again does not execute it twice."""
        queue = run_queue(self._repository.get_language(run))
        self._connection.run(self._start_workflow(run, queue, WorkflowIDReusePolicy.REJECT_DUPLICATE))

    def wake(self, run: str) -> None:
        """Send the run its signals, wherever it is executed."""
        self._connection.run(self._send_signals([run]))

    def wait(self, run: str, seconds: float | None = None) -> bool:
        """Wait for the run to end, for at most `seconds`; return whether it has ended."""
        return wait_until(lambda: self._repository.get_phase(run) in ENDED_PHASES, seconds)

    def adopt(self, runs: Sequence[str]) -> list[str]:
        """Start runs that were never started or were stopped on Temporal, and return them; others continue anyway."""
        return self._connection.run(self._start_unknown(runs))

    def check(self) -> None:
        """Ask the server for its health."""
        self._connection.run(self._client.service_client.check_health())

    def forget(self, runs: Sequence[str]) -> None:
        """Delete Temporal's histories of runs that have ended."""
        for run in runs:
            self._connection.run(self._delete_history(run))

    def erase(self, runs: Sequence[str], others: Sequence[str]) -> None:  # noqa: ARG002  # no results are deleted
        """Delete Temporal's histories of runs that have ended. Its server removes them from its database by itself."""
        self.forget(runs)

    def queued_since(self, types: Sequence[str]) -> dict[str, float]:  # noqa: ARG002  # Temporal measures its queues
        """Return nothing: Temporal's own metrics have the age of its queues."""
        return {}

    def drain(self, seconds: float) -> int:  # noqa: ARG002  # its workers know their grace from the start
        """Take no job from now on; return how many have not ended after the grace."""
        self._connection.drain()
        return self._jobs.cut_off

    def close(self) -> None:
        """Stop executing here; unfinished runs continue elsewhere, or at the next start."""
        self._connection.close(self._jobs.abandon)

    async def _start_unknown(self, runs: Sequence[str]) -> list[str]:
        executed = await self._list_executed() if len(runs) > _FEW else set[str]()
        missing = await asyncio.to_thread(self._still_open, [run for run in runs if run not in executed])
        policy = WorkflowIDReusePolicy.ALLOW_DUPLICATE
        started = await _map_concurrently(lambda each: self._start_workflow(*each, policy), missing)
        return [run for (run, _), is_new in zip(missing, started, strict=True) if is_new]

    def _still_open(self, runs: Sequence[str]) -> list[tuple[str, str]]:
        """Return the runs that have not ended, each with its queue.

        A workflow stores the end of its run before it ends.
        """
        repository = self._repository
        still_open = [run for run in runs if repository.get_phase(run) not in ENDED_PHASES]
        return [(run, run_queue(repository.get_language(run))) for run in still_open]

    async def _start_workflow(self, run: str, queue: str, policy: WorkflowIDReusePolicy) -> bool:
        """Return whether it was started; False if it is executed, or was and may not be again."""
        workflow_input = self._workflow_input.model_copy(update={"run": run}).as_dict()
        try:
            await self._client.start_workflow(RUN, workflow_input, id=run, task_queue=queue, id_reuse_policy=policy)
        except WorkflowAlreadyStartedError:
            return False
        return True

    async def _list_executed(self) -> set[str]:
        running = self._client.list_workflows(f"WorkflowType = '{RUN}' AND ExecutionStatus = 'Running'")
        return {each.id async for each in running}

    async def _send_signals(self, runs: Collection[str]) -> None:
        signals = await asyncio.to_thread(self._repository.list_signals, list(runs))
        await _map_concurrently(self._send_signal, signals)

    async def _send_signal(self, signal: RunSignal) -> None:
        """Send a signal once; the run applies it once in any case."""
        if signal.id in self._sent_signals:
            return
        try:
            await self._client.get_workflow_handle(signal.run_id).signal(SIGNAL, signal.as_dict())
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise
        self._sent_signals.add(signal.id)

    async def _poll_signals(self) -> None:
        """Send signals that could not be sent when they were stored, at the start and repeatedly."""
        while True:
            with suppress(Exception):  # the store or Temporal is unavailable: the next check sends them
                await self._send_signals(await self._list_executed())
            await asyncio.sleep(_SIGNAL_POLL_INTERVAL)

    async def _delete_history(self, run: str) -> None:
        """Delete all workflows of one run; the newest by its id alone, since Temporal lists it only after a while."""
        listed = [each async for each in self._client.list_workflows(f"WorkflowId = '{run}'")]
        executions = [WorkflowExecution(workflow_id=each.id, run_id=each.run_id) for each in listed]
        for execution in [*executions, WorkflowExecution(workflow_id=run)]:
            request = DeleteWorkflowExecutionRequest(namespace=self._client.namespace, workflow_execution=execution)
            with suppress(RPCError):  # Temporal has deleted it already
                await self._client.workflow_service.delete_workflow_execution(request)


class TemporalWorker:
    """Executes jobs for runs on other processes, with the same results and without a record."""

    def __init__(
        self,
        address: str,
        namespace: str,
        workers: WorkerPool,
        results: ResultStore,
        *,
        slots: Mapping[str, int],
        record: str | None = None,
        grace: float = 0.0,
        capabilities: Capabilities = Capabilities(),  # noqa: B008  # immutable
    ) -> None:
        """Serve the queues of the types in `slots`; everything else, and errors, are as for `TemporalEngine`."""
        self._connection = TemporalConnection(address, namespace, results, record)
        self._jobs = JobActivities(workers, self._connection.client)
        self._connection.run_workers(job_workers(self._connection.client, self._jobs, slots, grace, capabilities))

    def queued_since(self, types: Sequence[str]) -> dict[str, float]:  # noqa: ARG002  # Temporal measures its queues
        """Return nothing: Temporal's own metrics have the age of its queues."""
        return {}

    def drain(self, seconds: float) -> int:  # noqa: ARG002  # its workers know their grace from the start
        """Take no job from now on; return how many have not ended after the grace."""
        self._connection.drain()
        return self._jobs.cut_off

    def close(self) -> None:
        """Stop; other workers execute the running jobs. Calling it again does nothing."""
        self._connection.close(self._jobs.abandon)
