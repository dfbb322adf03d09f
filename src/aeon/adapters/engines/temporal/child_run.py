"""A run that a step of another run starts: a child workflow that outlives its parent's, and is told when to stop."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ActivityError, ChildWorkflowError, FailureError, WorkflowAlreadyStartedError

from aeon.adapters.engines.temporal.activity_calls import RETRY_FOREVER, call_activity
from aeon.adapters.engines.temporal.messages import (
    ChildRunAcceptance,
    ChildRunCancellation,
    ChildRunRequest,
    ChildRunResult,
    ChildRunResultQuery,
    RunWorkflowInput,
)
from aeon.adapters.engines.temporal.names import ACCEPT, CANCEL, OUTCOME, RUN, RUN_QUEUE, SIGNAL, WAIT_FOR_RUN
from aeon.platform.runs.machine.commands import StartProcess
from aeon.platform.runs.machine.events import AttemptFailure, CancelRequested, StepFailed, StepTimedOut
from aeon.platform.runs.model import JobResult, Run, RunSignal

_OUTAGE_SECONDS = 2.0
"""Seconds after which a timer that was due was kept from going off: nobody carried runs out."""

_NO_TIMEOUT = timedelta(days=3650)


class ChildRun:
    """One run that a step starts. It is begun once, also by a workflow that goes on where another one ended."""

    def __init__(self, parent: Run, run: str, begin: RunWorkflowInput) -> None:
        """`run` is its id; `begin` is how the workflow of its parent was begun."""
        self._parent = parent
        self._run = run
        self._begin = begin
        self._end_task: asyncio.Task[None] | None = None

    async def start(self, command: StartProcess) -> JobResult | None:
        """Have it accepted and started, unless that is so already; what the step came to where it was refused.

        Once it is asked for nothing but its end is awaited: cancelled meanwhile, it is begun, and stopped.
        """
        beginning = asyncio.create_task(self._accept(command))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            if await beginning is None:
                await self.stop()
            raise

    async def wait(self, command: StartProcess, seconds: float) -> JobResult:
        """What it came to, within its time. When that is over, or nobody waits any more, it is stopped first.

        Time in which nobody could carry out runs at all is not its own: it gets its time once more after an outage.
        """
        try:
            while not await self._has_ended(seconds):
                if (done := await self._result_if_ended(command)) is not None:
                    return done
                seconds = command.timeout
        except TimeoutError:
            if (done := await self._result_if_ended(command)) is not None:
                return done
            await self.stop()
            return JobResult(event=StepTimedOut(step=command.step, attempt=command.attempt))
        except asyncio.CancelledError:
            await self.stop()
            raise
        return await self._result(command)

    async def _has_ended(self, seconds: float) -> bool:
        """Whether it ended in that time; False where that was over long before anybody was there to see it.

        Raises TimeoutError.
        """
        due = workflow.time() + seconds
        try:
            await asyncio.wait_for(asyncio.shield(await self._ensure_started()), max(0.0, seconds))
        except TimeoutError:
            if workflow.time() - due > _OUTAGE_SECONDS:
                return False
            raise
        return True

    async def stop(self) -> None:
        """Have it stopped, whichever workflow began it, and wait for its end; nothing where it was never accepted."""
        if not await call_activity(CANCEL, ChildRunCancellation(parent=self._parent, run=self._run).as_dict()):
            return
        following = await self._ensure_started()
        event = CancelRequested(by=self._parent.owner_id)
        signal = RunSignal(id=f"{self._run}:cancel", run_id=self._run, at=workflow.now().isoformat(), event=event)
        with suppress(FailureError):  # it has ended
            await workflow.get_external_workflow_handle(self._run).signal(SIGNAL, signal.as_dict())
        await following

    async def _accept(self, command: StartProcess) -> JobResult | None:
        accepted = ChildRunAcceptance.parsed(
            await call_activity(ACCEPT, ChildRunRequest(parent=self._parent, command=command).as_dict())
        )
        if accepted.refused is None:
            await self._ensure_started()
        return accepted.refused

    async def _ensure_started(self) -> asyncio.Task[None]:
        """Started, if need be; what waits for its end."""
        if self._end_task is None:
            child: workflow.ChildWorkflowHandle[Any, Any] | None = None
            begin = RunWorkflowInput(
                run=self._run, max_history_events=self._begin.max_history_events, heartbeat=self._begin.heartbeat
            )
            with suppress(WorkflowAlreadyStartedError):  # by the workflow before this one
                child = await workflow.start_child_workflow(
                    RUN,
                    begin.as_dict(),
                    id=self._run,
                    task_queue=RUN_QUEUE,
                    id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                    parent_close_policy=workflow.ParentClosePolicy.ABANDON,
                )
            self._end_task = asyncio.create_task(self._wait_for_end(child))
        return self._end_task

    async def _wait_for_end(self, child: workflow.ChildWorkflowHandle[Any, Any] | None) -> None:
        with suppress(ChildWorkflowError, ActivityError):  # what it came to is in the book, if anything
            if child is not None:
                await child
            else:
                await workflow.execute_activity(
                    WAIT_FOR_RUN,
                    self._run,
                    start_to_close_timeout=_NO_TIMEOUT,
                    heartbeat_timeout=timedelta(seconds=self._begin.heartbeat),
                    retry_policy=RETRY_FOREVER,
                )

    async def _result(self, command: StartProcess) -> JobResult:
        return await self._result_if_ended(command) or self._stopped_from_outside(command)

    async def _result_if_ended(self, command: StartProcess) -> JobResult | None:
        """What it came to, if it has ended."""
        return ChildRunResult.parsed(
            await call_activity(OUTCOME, ChildRunResultQuery(run=self._run, command=command).as_dict())
        ).done

    def _stopped_from_outside(self, command: StartProcess) -> JobResult:
        error = AttemptFailure(
            code="stopped",
            message=f"Somebody stopped the run {self._run} on Temporal itself, before it had ended",
            next_step="Retry the run.",
        )
        return JobResult(event=StepFailed(step=command.step, attempt=command.attempt, error=error))
