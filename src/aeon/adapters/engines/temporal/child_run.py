"""A child run: a child workflow that outlives its parent's, and is signalled to stop."""

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
from aeon.adapters.engines.temporal.names import ACCEPT, CANCEL, OUTCOME, RUN, SIGNAL, WAIT_FOR_RUN, run_queue
from aeon.platform.runs.machine.commands import StartRun
from aeon.platform.runs.machine.events import AttemptFailure, CancelRequested, StepFailed, StepTimedOut
from aeon.platform.runs.model import JobResult, Run, RunSignal

_OUTAGE_SECONDS = 2.0
"""Seconds; a timer that fires later than that was delayed by an outage."""

_NO_TIMEOUT = timedelta(days=3650)


class ChildRun:
    """One child run. It is started once, even by a workflow that continues another one."""

    def __init__(self, parent: Run, run: str, workflow_input: RunWorkflowInput) -> None:
        """`run` is its id; `workflow_input` is the input of its parent's workflow."""
        self._parent = parent
        self._run = run
        self._input = workflow_input
        self._end_task: asyncio.Task[None] | None = None

    async def start(self, command: StartRun) -> JobResult | None:
        """Accept and start the child run, once; return the step's result if it was refused.

        Once requested it always starts: if this call is cancelled meanwhile, the child run is started, and then
        stopped.
        """
        accepting = asyncio.create_task(self._accept(command))
        try:
            return await asyncio.shield(accepting)
        except asyncio.CancelledError:
            if await accepting is None:
                await self.stop()
            raise

    async def wait(self, command: StartRun, seconds: float) -> JobResult:
        """Return its result. At the timeout, or if cancelled, the child run is stopped first.

        Time in which no process could execute runs does not count: after an outage it gets its timeout once more.
        """
        try:
            while not await self._has_ended(seconds):
                if (result := await self._result_if_ended(command)) is not None:
                    return result
                seconds = command.timeout
        except TimeoutError:
            if (result := await self._result_if_ended(command)) is not None:
                return result
            await self.stop()
            return JobResult(event=StepTimedOut(step=command.step, attempt=command.attempt))
        except asyncio.CancelledError:
            await self.stop()
            raise
        return await self._result(command)

    async def _has_ended(self, seconds: float) -> bool:
        """Wait for its end; False if the timeout passed during an outage.

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
        """Stop it, whichever workflow started it, and wait for its end. Ignores refused ones."""
        if not await call_activity(CANCEL, ChildRunCancellation(parent=self._parent, run=self._run).as_dict()):
            return
        end_task = await self._ensure_started()
        event = CancelRequested(by=self._parent.owner_id)
        signal = RunSignal(id=f"{self._run}:cancel", run_id=self._run, at=workflow.now().isoformat(), event=event)
        with suppress(FailureError):  # it has ended
            await workflow.get_external_workflow_handle(self._run).signal(SIGNAL, signal.as_dict())
        await end_task

    async def _accept(self, command: StartRun) -> JobResult | None:
        accepted = ChildRunAcceptance.parsed(
            await call_activity(ACCEPT, ChildRunRequest(parent=self._parent, command=command).as_dict())
        )
        if accepted.refused is None:
            await self._ensure_started()
        return accepted.refused

    async def _ensure_started(self) -> asyncio.Task[None]:
        """Start it if it is not started; return the task that waits for its end."""
        if self._end_task is None:
            child: workflow.ChildWorkflowHandle[Any, Any] | None = None
            child_input = RunWorkflowInput(
                run=self._run, max_history_events=self._input.max_history_events, heartbeat=self._input.heartbeat
            )
            with suppress(WorkflowAlreadyStartedError):  # started by the workflow before this one
                child = await workflow.start_child_workflow(
                    RUN,
                    child_input.as_dict(),
                    id=self._run,
                    task_queue=run_queue(self._parent.language),
                    id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                    parent_close_policy=workflow.ParentClosePolicy.ABANDON,
                )
            self._end_task = asyncio.create_task(self._wait_for_end(child))
        return self._end_task

    async def _wait_for_end(self, child: workflow.ChildWorkflowHandle[Any, Any] | None) -> None:
        with suppress(ChildWorkflowError, ActivityError):  # its result is in the run repository, if it has one
            if child is not None:
                await child
            else:
                await workflow.execute_activity(
                    WAIT_FOR_RUN,
                    self._run,
                    start_to_close_timeout=_NO_TIMEOUT,
                    heartbeat_timeout=timedelta(seconds=self._input.heartbeat),
                    retry_policy=RETRY_FOREVER,
                )

    async def _result(self, command: StartRun) -> JobResult:
        return await self._result_if_ended(command) or self._terminated_result(command)

    async def _result_if_ended(self, command: StartRun) -> JobResult | None:
        """Return its result if it has ended, else None."""
        return ChildRunResult.parsed(
            await call_activity(OUTCOME, ChildRunResultQuery(run=self._run, command=command).as_dict())
        ).done

    def _terminated_result(self, command: StartRun) -> JobResult:
        error = AttemptFailure(
            code="stopped",
            message=f"The run {self._run} was stopped on Temporal itself before it had ended",
            next_step="Retry the run.",
        )
        return JobResult(event=StepFailed(step=command.step, attempt=command.attempt, error=error))
