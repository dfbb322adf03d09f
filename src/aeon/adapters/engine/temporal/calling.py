"""A run that a step of another run starts: a child workflow that outlives its parent's, and is told when to stop."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ActivityError, ChildWorkflowError, FailureError, WorkflowAlreadyStartedError

from aeon.adapters.engine.temporal.asking import UNTIL_IT_WORKS, asked
from aeon.adapters.engine.temporal.messages import Accepted, Asked, Became, Begin, Calling, Cancelling
from aeon.adapters.engine.temporal.names import ACCEPT, CANCEL, FOLLOW, OUTCOME, RUN, RUNS, WANTED
from aeon.platform.processes.running.commands import StartProcess
from aeon.platform.processes.running.events import CancelRequested, Failure, StepFailed, TimedOut
from aeon.platform.processes.runs.model import Done, Run, Signal

_LATE = 2.0
"""Seconds after which a timer that was due was kept from going off: nobody carried runs out."""

_FOR_EVER = timedelta(days=3650)


class CalledRun:
    """One run that a step starts. It is begun once, also by a workflow that goes on where another one ended."""

    def __init__(self, parent: Run, run: str, begin: Begin) -> None:
        """`run` is its id; `begin` is how the workflow of its parent was begun."""
        self._parent = parent
        self._run = run
        self._begin = begin
        self._following: asyncio.Task[None] | None = None

    async def begin(self, command: StartProcess) -> Done | None:
        """Have it accepted and started, unless that is so already; what the step came to where it was refused.

        Once it is asked for nothing but its end is awaited: cancelled meanwhile, it is begun, and stopped.
        """
        beginning = asyncio.create_task(self._accepted(command))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            if await beginning is None:
                await self.stop()
            raise

    async def ended(self, command: StartProcess, seconds: float) -> Done:
        """What it came to, within its time. When that is over, or nobody waits any more, it is stopped first.

        Time in which nobody could carry out runs at all is not its own: it gets its time once more after an outage.
        """
        try:
            while not await self._has_ended(seconds):
                if (done := await self._known(command)) is not None:
                    return done
                seconds = command.timeout
        except TimeoutError:
            if (done := await self._known(command)) is not None:
                return done
            await self.stop()
            return Done(event=TimedOut(step=command.step, attempt=command.attempt))
        except asyncio.CancelledError:
            await self.stop()
            raise
        return await self._outcome(command)

    async def _has_ended(self, seconds: float) -> bool:
        """Whether it ended in that time; False where that was over long before anybody was there to see it.

        Raises TimeoutError.
        """
        due = workflow.time() + seconds
        try:
            await asyncio.wait_for(asyncio.shield(await self._started()), max(0.0, seconds))
        except TimeoutError:
            if workflow.time() - due > _LATE:
                return False
            raise
        return True

    async def stop(self) -> None:
        """Have it stopped, whichever workflow began it, and wait for its end; nothing where it was never accepted."""
        if not await asked(CANCEL, Cancelling(parent=self._parent, run=self._run).as_dict()):
            return
        following = await self._started()
        event = CancelRequested(by=self._parent.owner_id)
        signal = Signal(id=f"{self._run}:cancel", run_id=self._run, at=workflow.now().isoformat(), event=event)
        with suppress(FailureError):  # it has ended
            await workflow.get_external_workflow_handle(self._run).signal(WANTED, signal.as_dict())
        await following

    async def _accepted(self, command: StartProcess) -> Done | None:
        accepted = Accepted.parsed(await asked(ACCEPT, Calling(parent=self._parent, command=command).as_dict()))
        if accepted.refused is None:
            await self._started()
        return accepted.refused

    async def _started(self) -> asyncio.Task[None]:
        """Started, if need be; what waits for its end."""
        if self._following is None:
            child: workflow.ChildWorkflowHandle[Any, Any] | None = None
            begin = Begin(run=self._run, room=self._begin.room, heartbeat=self._begin.heartbeat)
            with suppress(WorkflowAlreadyStartedError):  # by the workflow before this one
                child = await workflow.start_child_workflow(
                    RUN,
                    begin.as_dict(),
                    id=self._run,
                    task_queue=RUNS,
                    id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                    parent_close_policy=workflow.ParentClosePolicy.ABANDON,
                )
            self._following = asyncio.create_task(self._followed(child))
        return self._following

    async def _followed(self, child: workflow.ChildWorkflowHandle[Any, Any] | None) -> None:
        with suppress(ChildWorkflowError, ActivityError):  # what it came to is in the book, if anything
            if child is not None:
                await child
            else:
                await workflow.execute_activity(
                    FOLLOW,
                    self._run,
                    start_to_close_timeout=_FOR_EVER,
                    heartbeat_timeout=timedelta(seconds=self._begin.heartbeat),
                    retry_policy=UNTIL_IT_WORKS,
                )

    async def _outcome(self, command: StartProcess) -> Done:
        return await self._known(command) or self._stopped_from_outside(command)

    async def _known(self, command: StartProcess) -> Done | None:
        """What it came to, if it has ended."""
        return Became.parsed(await asked(OUTCOME, Asked(run=self._run, command=command).as_dict())).done

    def _stopped_from_outside(self, command: StartProcess) -> Done:
        error = Failure(
            code="stopped",
            message=f"Somebody stopped the run {self._run} on Temporal itself, before it had ended",
            next_step="Retry the run.",
        )
        return Done(event=StepFailed(step=command.step, attempt=command.attempt, error=error))
