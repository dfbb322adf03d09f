"""Why does this run not go on? From its entries, from who is there to carry it out, and from what it calls."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from aeon.base.clock import Clock
from aeon.platform.errors import NotFoundError
from aeon.platform.processes.running.state import ENDED_PHASES
from aeon.platform.processes.running.why import Obstacle, WaitReason, explain_steps
from aeon.platform.processes.runs.conducting import replay
from aeon.platform.processes.runs.obstacles import ObstacleFinder
from aeon.platform.processes.runs.runs import Runs, RunView
from aeon.platform.processes.runs.timed import add_retry_times
from aeon.platform.store import Store
from aeon.platform.workers.limits.why import LimitWait, find_limit_waits
from aeon.platform.workers.model import SELF_RECOVERING_EXECUTOR, Worker
from aeon.platform.workers.registry import WorkerRegistry
from aeon.platform.workers.serving import find_eligible_workers

_NEAR = 300.0
"""Seconds before its deadline from which on a run's is told."""


class DiagnosisContext(NamedTuple):
    """All that answers come from. `carrier` is who carries out the runs that are started with these settings."""

    store: Store
    runs: Runs
    registry: WorkerRegistry
    obstacles: ObstacleFinder
    clock: Clock
    engine_executor: str


def explain_run(around: DiagnosisContext, user: str, run: str) -> list[WaitReason]:
    """First what holds the run as a whole, without a step; then a reason for each step that is not completed.

    Raises NotFoundError, which says in which record it was looked.
    """
    try:
        found = around.runs.repository.get(user, run)
    except NotFoundError as error:
        advice = "A run that was started with other settings may be in another record: see `aeon config explain`."
        raise NotFoundError(
            f"{error.message} It was looked for in: {around.store.name}.", next_step=f"{error.advice} {advice}"
        ) from None
    entries = list(around.runs.repository.entries(run))
    seen = RunView(found.run, found.plan, replay(found.plan, entries))
    told = explain_steps(seen.plan, seen.state)
    if seen.run.phase in ENDED_PHASES:
        return told
    now = around.clock.now()
    steps = add_retry_times(seen.plan, told, entries, now)
    return [*_of_the_whole(seen, around, now), *_with_surroundings(steps, seen, around, now)]


def waits_only_for_people(seen: RunView) -> bool:
    """Whether all that is under way is to be answered by people."""
    under_way = [position for position, step in enumerate(seen.state.steps) if step.status == "running"]
    is_idle = seen.state.phase == "running" and not seen.state.ready
    return is_idle and bool(under_way) and all(seen.plan.is_manual(position) for position in under_way)


def _of_the_whole(seen: RunView, around: DiagnosisContext, now: str) -> Iterator[WaitReason]:
    if seen.run.deadline is not None:
        yield from _deadline(seen.run.deadline - datetime.fromisoformat(now).timestamp())
    if not waits_only_for_people(seen):
        yield from _nobody(seen, around)


def _deadline(left: float) -> Iterator[WaitReason]:
    if left <= 0:
        said = "Its deadline has passed: whoever carries it out stops it"
    else:
        said = f"Its deadline is near: in {left:.0f} s it fails, whatever is under way"
    if left <= _NEAR:
        yield WaitReason(step="", kind="deadline", message=f"{said}.", seconds=max(0.0, left))


def _nobody(seen: RunView, around: DiagnosisContext) -> Iterator[WaitReason]:
    run, registry = seen.run, around.registry
    if run.executor == SELF_RECOVERING_EXECUTOR:
        if around.engine_executor != SELF_RECOVERING_EXECUTOR:
            said = "It is carried out on Temporal, and the settings here mean another engine: its workers are elsewhere"
            advice = "See `aeon config explain`, and set engine.address to that server"
            yield WaitReason(step="", kind="engine", message=f"{said}. {advice}.")
        return
    gone = {each.id for each in registry.list_dead_executors()}
    if run.executor in {each.id for each in registry.list_executors()} - gone:
        return
    said = "Whoever carried it out is gone" if run.executor else "Nobody carries it out yet"
    advice = f"go on with it: aeon runs resume {run.id}; or start a worker, which takes it over: aeon worker"
    yield WaitReason(step="", kind="waits", message=f"{said}; {advice}")


def _with_surroundings(
    steps: Sequence[WaitReason], seen: RunView, around: DiagnosisContext, now: str
) -> Iterator[WaitReason]:
    """Each reason as it is by now: who would make the call, whether it may be made, and whether it can succeed."""
    open_steps = [each for each in steps if _is_to_be_called(each, seen)]
    obstacles = around.obstacles.find(seen.run.owner_id, [seen.plan.calls[each.step] for each in open_steps])
    workers = (
        find_eligible_workers(around.registry, seen.run.executor)
        if any(each.kind == "running" for each in steps)
        else []
    )
    placeless = {seen.plan.calls[each.step].id for each in steps if _is_without_worker(each, seen, workers)}
    waits = find_limit_waits(around.store, placeless, now) if placeless else {}
    for reason in steps:
        found = _with_workers(_with_limit(reason, seen, waits, workers), seen, workers)
        obstacle = obstacles.get(seen.plan.calls[reason.step].id) if reason in open_steps else None
        yield found if obstacle is None else _with_obstacle(found, obstacle)


def _is_to_be_called(reason: WaitReason, seen: RunView) -> bool:
    is_open = reason.kind in ("waits", "ready", "running", "retrying")
    return is_open and not seen.plan.is_manual(seen.plan.positions[reason.step])


def _has_worker(reason: WaitReason, seen: RunView, workers: Sequence[Worker]) -> bool:
    job = seen.plan.job_id(reason.step, reason.attempt)
    return any(each.current_job_id == job for each in workers)


def _is_without_worker(reason: WaitReason, seen: RunView, workers: Sequence[Worker]) -> bool:
    is_job = reason.kind == "running" and seen.plan.calls[reason.step].kind == "tool"
    return is_job and not _has_worker(reason, seen, workers)


def _with_limit(
    reason: WaitReason, seen: RunView, waits: Mapping[str, LimitWait], workers: Sequence[Worker]
) -> WaitReason:
    """A step that runs may in truth wait for a place on its service."""
    found = waits.get(seen.plan.calls[reason.step].id)
    if found is None or not _is_without_worker(reason, seen, workers):
        return reason
    if seen.plan.job_id(reason.step, reason.attempt) in found.holders:  # its worker is only not shown as busy yet
        return reason
    return reason.model_copy(update={"why": "limit", "message": found.message, "seconds": found.seconds or 0.0})


def _with_workers(reason: WaitReason, seen: RunView, workers: Sequence[Worker]) -> WaitReason:
    """A step that runs may in truth wait for a worker of its type."""
    if reason.kind != "running":
        return reason
    call = seen.plan.calls[reason.step]
    if call.kind == "process":
        called = seen.plan.job_id(reason.step, reason.attempt)
        return reason.model_copy(update={"message": f"{reason.message} It is a run of its own: aeon runs why {called}"})
    if _has_worker(reason, seen, workers):
        return reason
    live = [each for each in workers if each.type == call.worker and each.status != "offline"]
    if not live:
        said = (
            f"Waits for a worker of the type {call.worker}: none is there. Start one: aeon worker --type {call.worker}"
        )
        return reason.model_copy(update={"why": "waits", "message": said})
    if all(each.status == "busy" for each in live):
        said = f"Waits for a free worker: all {len(live)} of the type {call.worker} are busy."
        return reason.model_copy(update={"why": "waits", "message": said})
    return reason


def _with_obstacle(reason: WaitReason, obstacle: Obstacle) -> WaitReason:
    when = "By now" if reason.attempt and reason.kind != "ready" else "When it is reached it would fail:"
    since = f", since {obstacle.since[:19]}" if obstacle.since else ""
    said = f"{reason.message} {when} {obstacle.message}{since}. {obstacle.next_step}"
    return reason.model_copy(update={"message": said, "obstacle": obstacle})
