"""What workers of Temporal do: jobs, and for runs whatever has to do with the book."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from temporalio import activity
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionRequest
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.service import RPCError, RPCStatusCode

from aeon.adapters.engines.jobs import interrupted_result
from aeon.adapters.engines.temporal.messages import (
    ChildRunAcceptance,
    ChildRunCancellation,
    ChildRunRequest,
    ChildRunResult,
    ChildRunResultQuery,
    EntryBatch,
    LoadedRun,
)
from aeon.adapters.engines.temporal.names import (
    ACCEPT,
    CANCEL,
    EXECUTOR,
    JOB,
    LOAD,
    OUTCOME,
    SAVE_ENTRIES,
    WAIT_FOR_RUN,
)
from aeon.base.clock import since_boot
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.runs.lease import LeaseLostError, RunLease
from aeon.platform.runs.machine.events import AttemptFailure, StepFailed
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT, Job, JobResult
from aeon.platform.runs.ports import RunRepository, WorkerPool
from aeon.platform.store import StoreError, StoreUnavailableError

_LOG = logging.getLogger("aeon.engine")

_HEARTBEATS_PER_TIMEOUT = 4


class JobActivities:
    """Carries jobs out in this process."""

    def __init__(self, workers: WorkerPool, client: Client) -> None:
        self._workers = workers
        self._client = client

    @activity.defn(name=JOB)
    async def run_job(self, told: JsonObject) -> JsonObject:
        """What a job came to. One that must not be done twice is not begun again when its worker was lost."""
        job = Job.parsed(told)
        if activity.info().attempt > 1 and job.effect == "once":
            return interrupted_result(job).as_dict()
        try:
            async with _heartbeating():
                return (await self._workers.execute(job, self._lease(job).confirm)).as_dict()
        except LeaseLostError as lost:
            _LOG.warning("%s Nothing more is done for it here.", lost.message)
            return {}
        except asyncio.CancelledError:
            if _is_abandoned():
                return {}
            raise

    @property
    def all(self) -> list[Callable[..., Any]]:
        return [self.run_job]

    def _lease(self, job: Job) -> RunLease:
        """Temporal gave the job to this process just now, and takes it back after a time without heartbeats."""
        info, loop = activity.info(), asyncio.get_running_loop()

        def is_held() -> bool:
            return asyncio.run_coroutine_threadsafe(self._is_held(info), loop).result()

        lasts = HEARTBEAT_TIMEOUT if info.heartbeat_timeout is None else info.heartbeat_timeout.total_seconds()
        return RunLease(is_held, f"The job {job.id}", lasts=lasts, given_at=since_boot())

    async def _is_held(self, info: activity.Info) -> bool:
        """Whether this attempt at a job is the one for whose end Temporal waits. Raises StoreUnavailableError."""
        run = WorkflowExecution(workflow_id=info.workflow_id or "", run_id=info.workflow_run_id or "")
        request = DescribeWorkflowExecutionRequest(namespace=self._client.namespace, execution=run)
        try:
            told = await self._client.workflow_service.describe_workflow_execution(request)
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                return False
            raise StoreUnavailableError(f"Temporal does not answer: {error}") from None
        return any(
            (each.activity_id, each.attempt) == (info.activity_id, info.attempt)
            and each.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
            for each in told.pending_activities
        )


class RunActivities:
    """What workflows of runs ask of the book."""

    def __init__(self, book: RunRepository, client: Client) -> None:
        self._book = book
        self._client = client

    @activity.defn(name=LOAD)
    async def load(self, run: str) -> JsonObject | None:
        """A run with its plan, its entries and what is wanted of it; None when it has ended."""
        return await asyncio.to_thread(self._load, run)

    @activity.defn(name=SAVE_ENTRIES)
    async def save_entries(self, told: JsonObject) -> None:
        """Add entries to a run's; those that are there already are left out. Fails for good once it is another's."""
        batch = EntryBatch.parsed(told)
        try:
            await asyncio.to_thread(self._book.append, batch.run, EXECUTOR, batch.entries, batch.state)
        except ConflictError as error:
            kind = ApplicationErrorCategory.BENIGN  # no failure to log
            raise ApplicationError(error.message, type="conflict", non_retryable=True, category=kind) from None

    @activity.defn(name=ACCEPT)
    async def accept(self, told: JsonObject) -> JsonObject:
        """The run that a step starts, accepted once."""
        return (await asyncio.to_thread(self._accept, ChildRunRequest.parsed(told))).as_dict()

    @activity.defn(name=OUTCOME)
    async def outcome(self, told: JsonObject) -> JsonObject:
        """What a run that a step started came to."""
        asked = ChildRunResultQuery.parsed(told)
        return ChildRunResult(
            done=await asyncio.to_thread(self._book.find_child_result, asked.run, asked.command)
        ).as_dict()

    @activity.defn(name=CANCEL)
    async def cancel(self, told: JsonObject) -> bool:
        """Have a run that a step started stopped, by whoever has it carried out, now or later; whether one must."""
        return await asyncio.to_thread(self._cancel, ChildRunCancellation.parsed(told))

    @activity.defn(name=WAIT_FOR_RUN)
    async def wait_for_run(self, run: str) -> None:
        """Wait until a run's workflow has ended, however."""
        async with _heartbeating():
            try:
                await self._client.get_workflow_handle(run).result()
            except WorkflowFailureError:
                return
            except RPCError as error:
                if error.status != RPCStatusCode.NOT_FOUND:
                    raise

    @property
    def all(self) -> list[Callable[..., Any]]:
        return [self.load, self.save_entries, self.accept, self.outcome, self.cancel, self.wait_for_run]

    def _load(self, run: str) -> JsonObject | None:
        work = self._book.claim(run, EXECUTOR)
        if work is None:
            return None
        signals = self._book.list_signals([run])
        return LoadedRun(run=work.run, plan=work.plan, earlier=work.entries, signals=signals).as_dict()

    def _cancel(self, cancelling: ChildRunCancellation) -> bool:
        try:
            self._book.cancel_child(cancelling.parent, cancelling.run)
            return self._book.get_phase(cancelling.run) not in ENDED_PHASES
        except NotFoundError:  # it was never accepted
            return False

    def _accept(self, calling: ChildRunRequest) -> ChildRunAcceptance:
        try:
            return ChildRunAcceptance(run=self._book.accept_child(calling.parent, calling.command))
        except StoreError:
            raise
        except AeonError as error:  # it may not be run any more (platform 4): that is how the step fails
            command = calling.command
            failed = StepFailed(step=command.step, attempt=command.attempt, error=AttemptFailure.from_error(error))
            return ChildRunAcceptance(refused=JobResult(event=failed))


@asynccontextmanager
async def _heartbeating() -> AsyncGenerator[None]:
    """Heartbeats while something is under way, in whose answers Temporal also says that it is to be stopped."""
    beating = asyncio.create_task(_send_heartbeats())
    try:
        yield
    finally:
        beating.cancel()


def _is_abandoned() -> bool:
    """Whether nobody waits for an activity any more, so that Temporal would log its being stopped as a failure."""
    told = activity.cancellation_details()
    return told is not None and told.not_found


async def _send_heartbeats() -> None:
    timeout = activity.info().heartbeat_timeout
    while timeout is not None:
        await asyncio.sleep(timeout.total_seconds() / _HEARTBEATS_PER_TIMEOUT)
        activity.heartbeat()
