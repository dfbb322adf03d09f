"""A run as a workflow: the same loop as on every engine, in a lane of Temporal's."""

import asyncio
from datetime import timedelta

from temporalio import workflow

from aeon.adapters.engine.temporal.asking import asked
from aeon.adapters.engine.temporal.lane import TemporalLane
from aeon.adapters.engine.temporal.messages import Begin, Loaded
from aeon.adapters.engine.temporal.names import LOAD, RUN, WANTED
from aeon.adapters.engine.temporal.writing import Writer
from aeon.base.json import JsonObject
from aeon.platform.processes.runs.conducting import conduct
from aeon.platform.processes.runs.model import Signal

_LARGE = 500
"""Steps, of which 10,000 beside each other take six seconds to be begun."""

_LARGE_DECIDES_WITHIN = timedelta(minutes=2)
"""Before Temporal takes a process for lost that decides on what is next. For other runs it is ten seconds, its own
default: so long, too, nothing goes on after a process was killed while it decided."""


@workflow.defn(name=RUN, sandboxed=False)
class RunWorkflow:
    """Carries one run out, from wherever its entries left it."""

    def __init__(self) -> None:
        self._early: list[Signal] = []
        self._lane: TemporalLane | None = None

    @workflow.run
    async def run(self, told: JsonObject) -> None:
        """Until it has ended, or is another engine's, or the record is full: then another workflow goes on."""
        begin = Begin.parsed(told)
        loaded = await _loaded(begin.run)
        if loaded is None:
            return
        if len(loaded.plan.steps) > _LARGE and not begin.is_large:
            large = begin.model_copy(update={"is_large": True})
            workflow.continue_as_new(large.as_dict(), task_timeout=_LARGE_DECIDES_WITHIN)
        writer = Writer(begin.run)
        writing = asyncio.create_task(writer.write())
        lane = self._lane = TemporalLane(loaded.work, begin, writer)
        for signal in [*loaded.signals, *self._early]:
            lane.take(signal)
        conducting = asyncio.create_task(conduct(loaded.work, lane))
        await workflow.wait_condition(lambda: conducting.done() or writer.is_lost or lane.is_at_rest)
        if conducting.done():
            conducting.result()
        elif not writer.is_lost:
            workflow.continue_as_new(begin.model_copy(update={"is_continued": True}).as_dict())
        lane.close()
        writing.cancel()

    @workflow.signal(name=WANTED)
    def wanted(self, told: JsonObject) -> None:
        """Something that a person wants of the run. What came before is not heard again."""
        signal = Signal.parsed(told)
        if self._lane is None:
            self._early.append(signal)
        else:
            self._lane.take(signal)


async def _loaded(run: str) -> Loaded | None:
    told: JsonObject | None = await asked(LOAD, run)
    return None if told is None else Loaded.parsed(told)
