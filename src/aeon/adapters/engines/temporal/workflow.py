"""A run as a workflow: the same loop as on every engine, in a lane of Temporal's."""

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
"""Steps, of which 10,000 beside each other take six seconds to be begun."""

_LARGE_RUN_TASK_TIMEOUT = timedelta(minutes=2)
"""Before Temporal takes a process for lost that decides on what is next. For other runs it is ten seconds, its own
default: so long, too, nothing goes on after a process was killed while it decided."""


@workflow.defn(name=RUN, sandboxed=False)
class RunWorkflow:
    """Carries one run out, from wherever its entries left it."""

    def __init__(self) -> None:
        self._early_signals: list[RunSignal] = []
        self._context: TemporalRunContext | None = None

    @workflow.run
    async def run(self, told: JsonObject) -> None:
        """Until it has ended, or is another engine's, or the record is full: then another workflow goes on."""
        begin = RunWorkflowInput.parsed(told)
        loaded = await _load(begin.run)
        if loaded is None:
            return
        if len(loaded.plan.steps) > _LARGE_RUN_STEPS and not begin.is_large:
            large = begin.model_copy(update={"is_large": True})
            workflow.continue_as_new(large.as_dict(), task_timeout=_LARGE_RUN_TASK_TIMEOUT)
        writer = WorkflowEntryWriter(begin.run)
        writing = asyncio.create_task(writer.run())
        lane = self._context = TemporalRunContext(loaded.work, begin, writer)
        for signal in [*loaded.signals, *self._early_signals]:
            lane.deliver_signal(signal)
        conducting = asyncio.create_task(drive_run(loaded.work, lane))
        await workflow.wait_condition(lambda: conducting.done() or writer.is_fenced or lane.can_continue_as_new)
        if conducting.done():
            conducting.result()
        elif not writer.is_fenced:
            workflow.continue_as_new(begin.model_copy(update={"is_continued": True}).as_dict())
        lane.close()
        writing.cancel()

    @workflow.signal(name=SIGNAL)
    def receive_signal(self, told: JsonObject) -> None:
        """Something that a person wants of the run. What came before is not heard again."""
        signal = RunSignal.parsed(told)
        if self._context is None:
            self._early_signals.append(signal)
        else:
            self._context.deliver_signal(signal)


async def _load(run: str) -> LoadedRun | None:
    told: JsonObject | None = await call_activity(LOAD, run)
    return None if told is None else LoadedRun.parsed(told)
