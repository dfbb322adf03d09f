"""What happened in several runs, one of which called the others, in one order. Pure."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from aeon.platform.processes.running.events import AttemptStarted, StepEvent
from aeon.platform.processes.runs.model import RunEntry


class CallingStep(NamedTuple):
    """The step that a run was called by."""

    run: str
    step: str


def interleave(
    found: Mapping[str, Sequence[RunEntry]], callers: Mapping[str, CallingStep]
) -> Iterator[tuple[str, RunEntry]]:
    """All entries, each with its run, by their times; a run's own stay in their order, whatever the clocks say.

    What a run that was called did comes after the entry that began the step which called it, and before the one that
    ended that step. Of two at the same instant, the one of the run that stands first in `found` comes first. A run that
    is called has the id of the attempt that calls it.
    """
    left = {run: deque(entries) for run, entries in found.items() if entries}
    to_begin = {
        entry.event.job for entries in left.values() for entry in entries if isinstance(entry.event, AttemptStarted)
    }
    while left:
        to_end = {callers[run] for run in left if run in callers}
        free = (run for run in left if run not in to_begin and not _ends_one_of(to_end, run, left[run][0]))
        first = min(free, key=lambda run: datetime.fromisoformat(left[run][0].at))
        entry = left[first].popleft()
        if isinstance(entry.event, AttemptStarted):
            to_begin.discard(entry.event.job)
        if not left[first]:
            del left[first]
        yield first, entry


def _ends_one_of(steps: Collection[CallingStep], run: str, entry: RunEntry) -> bool:
    event = entry.event
    return (
        isinstance(event, StepEvent) and not isinstance(event, AttemptStarted) and CallingStep(run, event.step) in steps
    )
