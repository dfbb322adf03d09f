"""A run as a Temporal workflow: the same loop as on every engine, with a context of Temporal."""

import asyncio
from datetime import timedelta

from temporalio import workflow

from aeon.adapters.engines.temporal.activity_calls import call_activity
from aeon.adapters.engines.temporal.entry_writer import WorkflowEntryWriter
from aeon.adapters.engines.temporal.messages import LoadedRun, RunWorkflowInput
from aeon.adapters.engines.temporal.names import LOAD, RUN, SIGNAL
from aeon.adapters.engines.temporal.run_context import TemporalRunContext
from aeon.base.json import JsonObject
from aeon.platform.runs.driver import drive_run
from aeon.platform.runs.model import RunSignal

_LARGE_RUN_STEPS = 500
"""Number of steps of a large run; starting 10,000 parallel steps takes six seconds."""

_LARGE_RUN_TASK_TIMEOUT = timedelta(minutes=2)
"""Time before Temporal considers a process lost that decides on a large run.

Other runs have ten seconds, Temporal's default: after a process was killed during a decision, nothing happens for
that time, either.
"""


@workflow.defn(name=RUN, sandboxed=False)
class RunWorkflow:
    """Executes one run from its last entry."""

    def __init__(self) -> None:
        self._early_signals: list[RunSignal] = []
        self._context: TemporalRunContext | None = None

    @workflow.run
    async def run(self, message: JsonObject) -> None:
        """Run until the run has ended, another engine owns it, or the history is full.

        In the last case a new workflow continues the run.
        """
        workflow_input = RunWorkflowInput.parsed(message)
        loaded = await _load(workflow_input.run)
        if loaded is None:
            return
        if len(loaded.plan.steps) > _LARGE_RUN_STEPS and not workflow_input.is_large:
            large = workflow_input.model_copy(update={"is_large": True})
            workflow.continue_as_new(large.as_dict(), task_timeout=_LARGE_RUN_TASK_TIMEOUT)
        writer = WorkflowEntryWriter(workflow_input.run)
        writing = asyncio.create_task(writer.run())
        context = self._context = TemporalRunContext(loaded.work, workflow_input, writer)
        for signal in [*loaded.signals, *self._early_signals]:
            context.deliver_signal(signal)
        driving = asyncio.create_task(drive_run(loaded.work, context))
        await workflow.wait_condition(lambda: driving.done() or writer.is_fenced or context.can_continue_as_new)
        if driving.done():
            driving.result()
        elif not writer.is_fenced:
            workflow.continue_as_new(workflow_input.model_copy(update={"is_continued": True}).as_dict())
        context.close()
        writing.cancel()

    @workflow.signal(name=SIGNAL)
    def receive_signal(self, message: JsonObject) -> None:
        """Receive a signal of a user. Earlier signals are applied once."""
        signal = RunSignal.parsed(message)
        if self._context is None:
            self._early_signals.append(signal)
        else:
            self._context.deliver_signal(signal)


async def _load(run: str) -> LoadedRun | None:
    message: JsonObject | None = await call_activity(LOAD, run)
    return None if message is None else LoadedRun.parsed(message)
