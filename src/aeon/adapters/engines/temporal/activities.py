"""Temporal activities: jobs, and the workflows' access to the run repository."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

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
    CLOSE_QUESTION,
    EXECUTOR,
    JOB,
    LOAD,
    OUTCOME,
    SAVE_ENTRIES,
    WAIT_FOR_RUN,
)
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.runs.lease import LeaseLostError, RunLease
from aeon.platform.runs.machine.events import AttemptFailure, StepFailed
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT, Job, JobResult, RunSignal
from aeon.platform.runs.ports import RunRepository, WorkerPool
from aeon.platform.store import StoreError, StoreUnavailableError

_LOG = logging.getLogger("aeon.engine")

_HEARTBEATS_PER_TIMEOUT = 4


class JobActivities:
    """Activities that execute jobs in this process."""

    def __init__(self, workers: WorkerPool, client: Client) -> None:
        self.workers = workers
        self.cut_off = 0
        """How many jobs were ended by the end of this process's workers; others execute them."""
        self._client = client
        self._running: set[asyncio.Task[Any]] = set()
        self._is_stopped = False

    def abandon(self) -> None:
        """End all jobs at once, in the loop that executes them; other workers execute them."""
        self._is_stopped = True
        for task in self._running:
            task.cancel()

    @activity.defn(name=JOB)
    async def run_job(self, message: JsonObject) -> JsonObject:
        """Return the result of a job. One with the effect `once` is never started again."""
        job = Job.parsed(message)
        if activity.info().attempt > 1 and job.effect == "once":
            return interrupted_result(job).as_dict()
        try:
            async with self._tracked(), _heartbeating():
                return (await self.workers.execute(job, self._lease(job).confirm)).as_dict()
        except LeaseLostError as lost:
            _LOG.warning("%s This process stops executing it.", lost.message)
            return {}
        except asyncio.CancelledError:
            if _is_abandoned():
                return {}
            self.cut_off += 1
            if self._is_stopped:
                raise ApplicationError("The worker of this job was stopped.", type="stopped") from None
            raise

    @asynccontextmanager
    async def _tracked(self) -> AsyncGenerator[None]:
        """Let `abandon` end the current task inside the context."""
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._running.add(task)
        try:
            yield
        finally:
            self._running.discard(task)

    @property
    def all(self) -> list[Callable[..., Any]]:
        return [self.run_job]

    def _lease(self, job: Job) -> RunLease:
        """Return the job's lease, which is checked before the job begins.

        Temporal reassigns the job after a time without heartbeats, also while this process was suspended.
        """
        info, loop = activity.info(), asyncio.get_running_loop()

        def is_held() -> bool:
            return asyncio.run_coroutine_threadsafe(self._is_held(info), loop).result()

        lasts = HEARTBEAT_TIMEOUT if info.heartbeat_timeout is None else info.heartbeat_timeout.total_seconds()
        return RunLease(is_held, f"The job {job.id}", lasts=lasts, guaranteed=lasts / 3)

    async def _is_held(self, info: activity.Info) -> bool:
        """Return whether Temporal waits for this attempt at a job. Raises StoreUnavailableError."""
        run = WorkflowExecution(workflow_id=info.workflow_id or "", run_id=info.workflow_run_id or "")
        request = DescribeWorkflowExecutionRequest(namespace=self._client.namespace, execution=run)
        try:
            description = await self._client.workflow_service.describe_workflow_execution(request)
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                return False
            raise StoreUnavailableError(f"Temporal does not answer: {error}") from None
        return any(
            (each.activity_id, each.attempt) == (info.activity_id, info.attempt)
            and each.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
            for each in description.pending_activities
        )


class RunActivities:
    """Activities of run workflows that access the run repository."""

    def __init__(self, repository: RunRepository, client: Client) -> None:
        self._repository = repository
        self._client = client

    @activity.defn(name=LOAD)
    async def load(self, run: str) -> JsonObject | None:
        """Return a run with its plan, entries and signals; None if it has ended."""
        return await asyncio.to_thread(self._load, run)

    @activity.defn(name=SAVE_ENTRIES)
    async def save_entries(self, message: JsonObject) -> None:
        """Append entries to a run; skip stored ones. Finally fails once the run is lost."""
        batch = EntryBatch.parsed(message)
        try:
            await asyncio.to_thread(self._repository.append, batch.run, EXECUTOR, batch.entries, batch.state)
        except ConflictError as error:
            kind = ApplicationErrorCategory.BENIGN  # not logged as a failure
            raise ApplicationError(error.message, type="conflict", non_retryable=True, category=kind) from None

    @activity.defn(name=ACCEPT)
    async def accept(self, message: JsonObject) -> JsonObject:
        """Accept the child run that a step starts, once."""
        return (await asyncio.to_thread(self._accept, ChildRunRequest.parsed(message))).as_dict()

    @activity.defn(name=OUTCOME)
    async def outcome(self, message: JsonObject) -> JsonObject:
        """Return the result of a child run."""
        query = ChildRunResultQuery.parsed(message)
        return ChildRunResult(
            done=await asyncio.to_thread(self._repository.find_child_result, query.run, query.command)
        ).as_dict()

    @activity.defn(name=CLOSE_QUESTION)
    async def close_question(self, message: JsonObject) -> JsonObject:
        """Store that a question has timed out, unless it was answered; return the signal that counts."""
        timeout = RunSignal.parsed(message)
        event = await asyncio.to_thread(self._repository.close_question, timeout)
        return timeout.model_copy(update={"event": event}).as_dict()

    @activity.defn(name=CANCEL)
    async def cancel(self, message: JsonObject) -> bool:
        """Cancel a child run, now or when it is executed; return whether it is still open."""
        return await asyncio.to_thread(self._cancel, ChildRunCancellation.parsed(message))

    @activity.defn(name=WAIT_FOR_RUN)
    async def wait_for_run(self, run: str) -> None:
        """Wait until a run's workflow has ended in any way."""
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
        return [
            self.load,
            self.save_entries,
            self.accept,
            self.outcome,
            self.close_question,
            self.cancel,
            self.wait_for_run,
        ]

    def _load(self, run: str) -> JsonObject | None:
        work = self._repository.claim(run, EXECUTOR)
        if work is None:
            return None
        signals = self._repository.list_signals([run])
        return LoadedRun(run=work.run, plan=work.plan, earlier=work.entries, signals=signals).as_dict()

    def _cancel(self, cancellation: ChildRunCancellation) -> bool:
        try:
            self._repository.cancel_child(cancellation.parent, cancellation.run)
            return self._repository.get_phase(cancellation.run) not in ENDED_PHASES
        except NotFoundError:  # it was never accepted
            return False

    def _accept(self, request: ChildRunRequest) -> ChildRunAcceptance:
        try:
            return ChildRunAcceptance(run=self._repository.accept_child(request.parent, request.command))
        except StoreError:
            raise
        except AeonError as error:  # it may not be run any more (platform 4): the step fails
            command = request.command
            failed = StepFailed(step=command.step, attempt=command.attempt, error=AttemptFailure.from_error(error))
            return ChildRunAcceptance(refused=JobResult(event=failed))


@asynccontextmanager
async def _heartbeating() -> AsyncGenerator[None]:
    """Send heartbeats inside the context; the answers also tell whether to stop."""
    beating = asyncio.create_task(_send_heartbeats())
    try:
        yield
    finally:
        beating.cancel()


def _is_abandoned() -> bool:
    """Return whether nothing waits for the activity any more.

    Temporal would log the cancellation as a failure.
    """
    details = activity.cancellation_details()
    return details is not None and details.not_found


async def _send_heartbeats() -> None:
    timeout = activity.info().heartbeat_timeout
    while timeout is not None:
        await asyncio.sleep(timeout.total_seconds() / _HEARTBEATS_PER_TIMEOUT)
        activity.heartbeat()
