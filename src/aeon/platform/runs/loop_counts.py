"""How many items of a loop are completed, read without its entries (platform 41)."""

from typing import TYPE_CHECKING, NamedTuple, cast

from aeon.base.json import Json

if TYPE_CHECKING:
    from aeon.platform.runs.repository import SqlRunRepository
    from aeon.platform.runs.service import RunView


class LoopCount(NamedTuple):
    """The items of a loop, and the id of the run that works on them."""

    run: str
    completed: int
    total: int

    def __str__(self) -> str:
        return f"{self.completed:,} of {self.total:,}"


def count_items(view: "RunView", repository: "SqlRunRepository") -> dict[str, LoopCount]:
    """Return the counts of all loops that a run has started, by step.

    A completed loop is counted in its result, another one by a query: its entries are not read.
    """
    counts: dict[str, LoopCount] = {}
    for position, step in enumerate(view.state.steps):
        if not view.plan.is_loop(position) or not step.attempts:
            continue
        name = view.plan.steps[position].id
        run = view.plan.job_id(name, step.attempts)
        if step.status == "completed":
            total = _length(step.value)
            counts[name] = LoopCount(run, total - _length(step.failures), total)
        elif (count := repository.count_completed(view.run.owner_id, run)) is not None:
            counts[name] = LoopCount(run, *count)
    return counts


def _length(value: Json) -> int:
    return len(cast("list[Json]", value)) if isinstance(value, list) else 0
