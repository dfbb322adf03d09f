"""A run that a step of another run starts: a child workflow that outlives its parent's, and is told when to stop."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ActivityError, ChildWorkflowError, FailureError, WorkflowAlreadyStartedError

from aeon.adapters.engine.temporal.messages import Accepted, Asked, Became, Begin, Calling, Cancelling
from aeon.adapters.engine.temporal.names import ACCEPT, CANCEL, FOLLOW, OUTCOME, RUN, RUNS, WANTED
from aeon.platform.processes.running.commands import StartProcess
from aeon.platform.processes.running.events import CancelRequested, Failure, StepFailed, TimedOut
from aeon.platform.processes.runs.model import Done, Run, Signal

_TAKES = timedelta(seconds=60)
_UNTIL_IT_WORKS = RetryPolicy(initial_interval=timedelta(seconds=0.2), maximum_interval=timedelta(seconds=10))
_FOR_EVER = timedelta(days=3650)


class CalledRun:
    """One run that a step started. It is begun once, also by a workflow that goes on where another one ended."""

    def __init__(self, parent: Run, command: StartProcess, begin: Begin) -> None:
        self._parent = parent
        self._command = command
        self._begin = begin
        self._run = ""
        self._refused: Done | None = None
        self._child: workflow.ChildWorkflowHandle[Any, Any] | None = None

    async def begin(self) -> None:
        """Have it accepted and started, unless that is so already."""
        calling = Calling(parent=self._parent, command=self._command)
        accepted = Accepted.parsed(await _at_once(ACCEPT, calling))
        self._run, self._refused = accepted.run, accepted.refused
        if self._refused is not None:
            return
        begin = Begin(run=self._run, room=self._begin.room, heartbeat=self._begin.heartbeat)
        with suppress(WorkflowAlreadyStartedError):  # by the workflow before this one
            self._child = await workflow.start_child_workflow(
                RUN,
                begin.as_dict(),
                id=self._run,
                task_queue=RUNS,
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            )

    async def ended(self, seconds: float) -> Done:
        """What it came to, within its time. When that is over, or nobody waits any more, it is stopped first."""
        if self._refused is not None:
            return self._refused
        following = asyncio.create_task(self._followed())
        try:
            await asyncio.wait_for(asyncio.shield(following), seconds)
        except TimeoutError:
            await self._stop(following)
            return Done(event=TimedOut(step=self._command.step, attempt=self._command.attempt))
        except asyncio.CancelledError:
            await self._stop(following)
            raise
        return await self._outcome()

    async def _followed(self) -> None:
        with suppress(ChildWorkflowError, ActivityError):  # what it came to is in the book, if anything
            if self._child is not None:
                await self._child
            else:
                await workflow.execute_activity(
                    FOLLOW,
                    self._run,
                    start_to_close_timeout=_FOR_EVER,
                    heartbeat_timeout=timedelta(seconds=self._begin.heartbeat),
                    retry_policy=_UNTIL_IT_WORKS,
                )

    async def _stop(self, following: asyncio.Task[None]) -> None:
        await _at_once(CANCEL, Cancelling(parent=self._parent, run=self._run))
        event = CancelRequested(by=self._parent.owner_id)
        signal = Signal(id=f"{self._run}:cancel", run_id=self._run, at=workflow.now().isoformat(), event=event)
        with suppress(FailureError):  # it has ended
            await workflow.get_external_workflow_handle(self._run).signal(WANTED, signal.as_dict())
        await following

    async def _outcome(self) -> Done:
        became = Became.parsed(await _at_once(OUTCOME, Asked(run=self._run, command=self._command)))
        return became.done or self._stopped_from_outside()

    def _stopped_from_outside(self) -> Done:
        error = Failure(
            code="stopped",
            message=f"Somebody stopped the run {self._run} on Temporal itself, before it had ended",
            next_step="Retry the run.",
        )
        return Done(event=StepFailed(step=self._command.step, attempt=self._command.attempt, error=error))


async def _at_once(activity: str, told: Calling | Asked | Cancelling) -> Any:
    """An answer of the book, which is only asked, or gives the same one whenever it is asked."""
    return await workflow.execute_local_activity(
        activity, told.as_dict(), start_to_close_timeout=_TAKES, retry_policy=_UNTIL_IT_WORKS
    )
