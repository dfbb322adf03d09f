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

from aeon.adapters.engine.attempts import interrupted
from aeon.adapters.engine.temporal.messages import Accepted, Asked, Batch, Became, Calling, Cancelling, Loaded
from aeon.adapters.engine.temporal.names import ACCEPT, CANCEL, EXECUTOR, FOLLOW, JOB, KEEP, LOAD, OUTCOME
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.processes.running.events import Failure, StepFailed
from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.runs.engine import Book, Workers
from aeon.platform.processes.runs.lease import Lease, TakenOverError
from aeon.platform.processes.runs.model import Done, Job
from aeon.platform.store import StoreError, StoreUnavailableError
from aeon.platform.workers.model import OFFLINE_AFTER

_LOG = logging.getLogger("aeon.engine")

_BEATS_IN_A_TIMEOUT = 4


class JobActivities:
    """Carries jobs out in this process."""

    def __init__(self, workers: Workers, client: Client) -> None:
        self._workers = workers
        self._client = client

    @activity.defn(name=JOB)
    async def carry_out(self, told: JsonObject) -> JsonObject:
        """What a job came to. One that must not be done twice is not begun again when its worker was lost."""
        job = Job.parsed(told)
        if activity.info().attempt > 1 and job.effect == "once":
            return interrupted(job).as_dict()
        try:
            async with _heard_of():
                return (await self._workers.carry_out(job, self._lease(job).confirm)).as_dict()
        except TakenOverError as lost:
            _LOG.warning("%s Nothing more is done for it here.", lost.message)
            return {}
        except asyncio.CancelledError:
            if _is_unheard():
                return {}
            raise

    @property
    def all(self) -> list[Callable[..., Any]]:
        return [self.carry_out]

    def _lease(self, job: Job) -> Lease:
        """Temporal takes the job back after a time without heartbeats.

        It is asked first: a process that was stopped may begin what it was given before, and others have done since.
        """
        info, loop = activity.info(), asyncio.get_running_loop()

        def is_held() -> bool:
            return asyncio.run_coroutine_threadsafe(self._is_held(info), loop).result()

        lasts = OFFLINE_AFTER if info.heartbeat_timeout is None else info.heartbeat_timeout.total_seconds()
        return Lease(is_held, f"The job {job.id}", lasts=lasts)

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

    def __init__(self, book: Book, client: Client) -> None:
        self._book = book
        self._client = client

    @activity.defn(name=LOAD)
    async def load(self, run: str) -> JsonObject | None:
        """A run with its plan, its entries and what is wanted of it; None when it has ended."""
        return await asyncio.to_thread(self._loaded, run)

    @activity.defn(name=KEEP)
    async def keep(self, told: JsonObject) -> None:
        """Add entries to a run's; those that are there already are left out. Fails for good once it is another's."""
        batch = Batch.parsed(told)
        try:
            await asyncio.to_thread(self._book.keep, batch.run, EXECUTOR, batch.entries, batch.state)
        except ConflictError as error:
            kind = ApplicationErrorCategory.BENIGN  # no failure to log
            raise ApplicationError(error.message, type="conflict", non_retryable=True, category=kind) from None

    @activity.defn(name=ACCEPT)
    async def accept(self, told: JsonObject) -> JsonObject:
        """The run that a step starts, accepted once."""
        return (await asyncio.to_thread(self._accepted, Calling.parsed(told))).as_dict()

    @activity.defn(name=OUTCOME)
    async def outcome(self, told: JsonObject) -> JsonObject:
        """What a run that a step started came to."""
        asked = Asked.parsed(told)
        return Became(done=await asyncio.to_thread(self._book.outcome, asked.run, asked.command)).as_dict()

    @activity.defn(name=CANCEL)
    async def cancel(self, told: JsonObject) -> bool:
        """Have a run that a step started stopped, by whoever has it carried out, now or later; whether one must."""
        return await asyncio.to_thread(self._cancelled, Cancelling.parsed(told))

    @activity.defn(name=FOLLOW)
    async def follow(self, run: str) -> None:
        """Wait until a run's workflow has ended, however."""
        async with _heard_of():
            try:
                await self._client.get_workflow_handle(run).result()
            except WorkflowFailureError:
                return
            except RPCError as error:
                if error.status != RPCStatusCode.NOT_FOUND:
                    raise

    @property
    def all(self) -> list[Callable[..., Any]]:
        return [self.load, self.keep, self.accept, self.outcome, self.cancel, self.follow]

    def _loaded(self, run: str) -> JsonObject | None:
        work = self._book.work(run, EXECUTOR)
        if work is None:
            return None
        signals = self._book.signals([run])
        return Loaded(run=work.run, plan=work.plan, earlier=work.earlier, signals=signals).as_dict()

    def _cancelled(self, cancelling: Cancelling) -> bool:
        try:
            self._book.cancel_called(cancelling.parent, cancelling.run)
            return self._book.phase(cancelling.run) not in ENDED
        except NotFoundError:  # it was never accepted
            return False

    def _accepted(self, calling: Calling) -> Accepted:
        try:
            return Accepted(run=self._book.accept_called(calling.parent, calling.command))
        except StoreError:
            raise
        except AeonError as error:  # it may not be run any more (platform 4): that is how the step fails
            command = calling.command
            failed = StepFailed(step=command.step, attempt=command.attempt, error=Failure.of(error))
            return Accepted(refused=Done(event=failed))


@asynccontextmanager
async def _heard_of() -> AsyncGenerator[None]:
    """Heartbeats while something is under way, in whose answers Temporal also says that it is to be stopped."""
    beating = asyncio.create_task(_beat())
    try:
        yield
    finally:
        beating.cancel()


def _is_unheard() -> bool:
    """Whether nobody waits for an activity any more, so that Temporal would log its being stopped as a failure."""
    told = activity.cancellation_details()
    return told is not None and told.not_found


async def _beat() -> None:
    timeout = activity.info().heartbeat_timeout
    while timeout is not None:
        await asyncio.sleep(timeout.total_seconds() / _BEATS_IN_A_TIMEOUT)
        activity.heartbeat()
