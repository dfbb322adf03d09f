"""Why does this run not go on? From its entries, from who is there to carry it out, and from what it calls."""

from collections.abc import Iterator

from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.running.why import Reason, waiting
from aeon.platform.processes.runs.runs import Runs, Seen
from aeon.platform.workers.model import TAKES_OVER_ITSELF, Worker
from aeon.platform.workers.registry import Registry


def reasons(runs: Runs, registry: Registry, user: str, run: str) -> list[Reason]:
    """First what holds the run as a whole, without a step; then a reason for each step that is not completed."""
    seen = runs.see(user, run)
    if seen.run.phase in ENDED:
        return waiting(seen.plan, seen.state)
    workers = registry.workers()
    steps = [_with_workers(each, seen, workers) for each in waiting(seen.plan, seen.state)]
    return [*_of_the_whole(seen, registry), *steps]


def _of_the_whole(seen: Seen, registry: Registry) -> Iterator[Reason]:
    run = seen.run
    if only_people(seen):
        return
    gone = {each.id for each in registry.gone()}
    there = {TAKES_OVER_ITSELF, *(each.id for each in registry.executors())} - gone
    if not run.executor:
        said = "Nobody carries it out yet"
    elif run.executor in there:
        return
    else:
        said = "Whoever carried it out is gone"
    advice = f"go on with it: aeon runs resume {run.id}; or start a worker, which takes it over: aeon worker"
    yield Reason(step="", why="waits", message=f"{said}; {advice}")


def only_people(seen: Seen) -> bool:
    """Whether all that is under way is to be answered by people."""
    under_way = [position for position, step in enumerate(seen.state.steps) if step.status == "running"]
    is_idle = seen.state.phase == "running" and not seen.state.ready
    return is_idle and bool(under_way) and all(seen.plan.is_manual(position) for position in under_way)


def _with_workers(reason: Reason, seen: Seen, workers: list[Worker]) -> Reason:
    """A step that runs may in truth wait for a worker of its type."""
    if reason.why != "running":
        return reason
    call = seen.plan.calls[reason.step]
    job = seen.plan.job(reason.step, reason.attempt)
    of_type = [each for each in workers if each.type == call.worker]
    if call.kind == "process" or any(each.current_job_id == job for each in of_type):
        return reason
    live = [each for each in of_type if each.status != "offline"]
    if not live:
        said = (
            f"Waits for a worker of the type {call.worker}: none is there. Start one: aeon worker --type {call.worker}"
        )
        return reason.model_copy(update={"why": "waits", "message": said})
    if all(each.status == "busy" for each in live):
        said = f"Waits for a free worker: all {len(live)} of the type {call.worker} are busy."
        return reason.model_copy(update={"why": "waits", "message": said})
    return reason
