"""Why does this run not go on? From its entries, from who is there to carry it out, and from what it calls."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.json import Json
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.tools import ToolRepository
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs import queries
from aeon.platform.runs.machine.events import AttemptStarted, StepFailed
from aeon.platform.runs.machine.plan import RunPlan, StepCall
from aeon.platform.runs.machine.retry_policy import MAX_ATTEMPTS, retry_delay
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.machine.wait_reasons import Obstacle, WaitReason, describe_attempt, explain_steps
from aeon.platform.runs.model import RunEntry
from aeon.platform.runs.replay import replay
from aeon.platform.runs.service import Runs, RunView
from aeon.platform.store import Store
from aeon.platform.workers.availability import find_eligible_workers
from aeon.platform.workers.rate_limits.leases import LimitWait, find_limit_waits
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, Worker, WorkerRegistry

_KINDS: Mapping[str, Literal["disabled", "access", "secret"]] = {
    "enabled": "disabled",
    "service_access": "access",
    "own_secret": "secret",
}


class ObstacleFinder:
    """Looks at what steps call, as their user may use it."""

    def __init__(self, store: Store, tools: ToolRepository, processes: ProcessRepository) -> None:
        self._store = store
        self._tools = tools
        self._processes = processes

    def find(self, user: str, calls: Collection[StepCall]) -> dict[str, Obstacle]:
        """What stands in the way, by the id of what is called; nothing of what would be called. Raises StoreError."""
        different = {call.id: call for call in calls}.values()
        found = {call.id: self._of_call(user, call) for call in different}
        obstacles = {id_: each for id_, each in found.items() if each is not None}
        return self._with_times(obstacles)

    def _of_call(self, user: str, call: StepCall) -> Obstacle | None:
        return self._of_tool(user, call) if call.kind == "tool" else self._of_process(user, call)

    def _of_tool(self, user: str, call: StepCall) -> Obstacle | None:
        try:
            tool = self._tools.resolve(user, call.id).tool
        except NotFoundError:
            return _gone(user, call)
        except RuleError as error:
            return _refused(error)
        return _down(tool) if tool.status == "down" else None

    def _of_process(self, user: str, call: StepCall) -> Obstacle | None:
        try:
            process = self._processes.get(user, call.id)
        except NotFoundError:
            return _gone(user, call)
        if process.enabled:
            return None
        said = f"the process {process.name!r} of {process.owner_id} is disabled"
        return Obstacle(kind="disabled", message=said, next_step="Enable it, or ask its owner to.")

    def _with_times(self, obstacles: Mapping[str, Obstacle]) -> dict[str, Obstacle]:
        down: list[Json] = [id_ for id_, each in obstacles.items() if each.kind == "down"]
        rows = self._store.read(queries.HEALTH_OF_TOOLS, {"tools": down}) if down else []
        health = {row["id"]: row for row in rows}
        return {id_: _dated(each, health[id_]) if id_ in health else each for id_, each in obstacles.items()}


def _gone(user: str, call: StepCall) -> Obstacle:
    said = f"the {call.kind} {call.name!r} of {call.owner or 'somebody'} is gone, or not shared with {user} any more"
    advice = "Ask its owner to share it again, or have the process call another one."
    return Obstacle(kind="access", message=said, next_step=advice)


def _refused(error: AeonError) -> Obstacle:
    rule = error.rule if isinstance(error, RuleError) else ""
    return Obstacle(kind=_KINDS.get(rule, "access"), message=_in_a_sentence(error.message), next_step=error.advice)


def _down(tool: Tool) -> Obstacle:
    why = (tool.error_message or "nobody said why").rstrip(".")
    return Obstacle(
        kind="down",
        message=f"the tool {tool.name!r} is down: {why}",
        next_step="`aeon health` checks it again; start its service, or correct the tool's connectionParams.",
    )


def _dated(obstacle: Obstacle, health: Mapping[str, Json]) -> Obstacle:
    """With since when; and with what the tool's own check said, where only its service is said to be down."""
    since, said = health["since"], health["said"]
    message = obstacle.message
    if said and said.rstrip(".") not in message:
        message = f"{message} ({said.rstrip('.')})"
    return obstacle.model_copy(update={"since": since, "message": message})


def _in_a_sentence(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")


class _Last(NamedTuple):
    """When a step's last attempt was begun or failed, and why the last that failed did."""

    at: str
    cause: str


def add_retry_times(
    plan: RunPlan, reasons: Iterable[WaitReason], entries: Iterable[RunEntry], now: str
) -> list[WaitReason]:
    """The same reasons; those of steps whose next attempt is put off say for how long still, and why."""
    last = _last_of_steps(entries)
    return [_timed(plan, reason, last[reason.step], now) if _is_retry(reason) else reason for reason in reasons]


def _is_retry(reason: WaitReason) -> bool:
    return reason.attempt > 1 and reason.kind in ("running", "retrying")


def _timed(plan: RunPlan, reason: WaitReason, last: _Last, now: str) -> WaitReason:
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(last.at)
    whole = retry_delay(reason.attempt)
    left = min(whole, whole - passed.total_seconds())  # by a clock that was set back it is no longer than it was
    if left > 0:
        said = f"Is tried again in {left:.1f} s (attempt {reason.attempt} of at most {MAX_ATTEMPTS}): {last.cause}."
        return reason.model_copy(update={"kind": "retrying", "message": said, "seconds": left})
    said = (
        f"{describe_attempt(plan, plan.positions[reason.step], reason.attempt)}; the one before failed: {last.cause}."
    )
    return reason.model_copy(update={"message": said, "seconds": 0.0})


def _last_of_steps(entries: Iterable[RunEntry]) -> dict[str, _Last]:
    found: dict[str, _Last] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, StepFailed):
            found[event.step] = _Last(entry.at, event.error.message.rstrip("."))
        elif isinstance(event, AttemptStarted):
            before: Sequence[str] = found.get(event.step, ("", ""))
            found[event.step] = _Last(entry.at, before[1])
    return found


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


def _of_the_whole(seen: RunView, around: DiagnosisContext, now: str) -> Iterator[WaitReason]:
    if seen.run.deadline is not None:
        yield from _deadline(seen.run.deadline - datetime.fromisoformat(now).timestamp())
    if not seen.waits_only_for_people:
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
    return reason.model_copy(update={"kind": "limit", "message": found.message, "seconds": found.seconds or 0.0})


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
        return reason.model_copy(update={"kind": "waits", "message": said})
    if all(each.status == "busy" for each in live):
        said = f"Waits for a free worker: all {len(live)} of the type {call.worker} are busy."
        return reason.model_copy(update={"kind": "waits", "message": said})
    return reason


def _with_obstacle(reason: WaitReason, obstacle: Obstacle) -> WaitReason:
    when = "By now" if reason.attempt and reason.kind != "ready" else "When it is reached it would fail:"
    since = f", since {obstacle.since[:19]}" if obstacle.since else ""
    said = f"{reason.message} {when} {obstacle.message}{since}. {obstacle.next_step}"
    return reason.model_copy(update={"message": said, "obstacle": obstacle})
