"""How many items of a loop are completed, read without its entries (platform 41)."""

from collections.abc import Callable
from typing import NamedTuple, cast

from aeon.base.json import Json
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunState


class LoopCount(NamedTuple):
    """The items of a loop, and the id of the run that works on them."""

    run: str
    completed: int
    total: int

    def __str__(self) -> str:
        return f"{self.completed:,} of {self.total:,}"


def count_items(plan: RunPlan, state: RunState, read: Callable[[str], tuple[int, int] | None]) -> dict[str, LoopCount]:
    """Return the counts of all loops that a run has started, by step.

    A completed loop is counted in its result. For another one, `read` returns how many items are completed, and of
    how many, by the id of its run; None if that is not there.
    """
    counts: dict[str, LoopCount] = {}
    for position, step in enumerate(state.steps):
        if not plan.is_loop(position) or not step.attempts:
            continue
        name = plan.steps[position].id
        run = plan.job_id(name, step.attempts)
        if step.status == "completed":
            total = _length(step.value)
            counts[name] = LoopCount(run, total - _length(step.failures), total)
        elif (count := read(run)) is not None:
            counts[name] = LoopCount(run, *count)
    return counts


def _length(value: Json) -> int:
    return len(cast("list[Json]", value)) if isinstance(value, list) else 0
