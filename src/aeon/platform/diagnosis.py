"""Explains why a run does not continue: its entries, executor, workers and targets."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.json import Json
from aeon.base.next_steps import NextStep
from aeon.platform.catalog.model import Tool
from aeon.platform.catalog.needs import describe_needs, is_operations
from aeon.platform.catalog.tools import ToolRepository
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs import queries
from aeon.platform.runs.machine.commands import StartWait
from aeon.platform.runs.machine.decide import recorded_commands
from aeon.platform.runs.machine.events import AttemptStarted, StepFailed
from aeon.platform.runs.machine.plan import RunPlan, StepCall
from aeon.platform.runs.machine.retry_policy import delay_of
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.machine.wait_reasons import Obstacle, WaitReason, describe_attempt, explain_steps
from aeon.platform.runs.model import DETACHED, RunEntry
from aeon.platform.runs.questions import AskedQuestion, Closing, open_jobs
from aeon.platform.runs.replay import replay
from aeon.platform.runs.semantics import SEMANTICS
from aeon.platform.runs.service import Runs, RunView
from aeon.platform.store import Store
from aeon.platform.workers.availability import find_eligible_workers, list_live_executors
from aeon.platform.workers.rate_limits.leases import LimitWait, find_limit_waits
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, ExecutorProcess, Worker, WorkerRegistry

_KINDS: Mapping[str, Literal["disabled", "access", "secret"]] = {
    "enabled": "disabled",
    "service_access": "access",
    "own_secret": "secret",
}


class ObstacleFinder:
    """Finds obstacles to the calls of steps, as their user may make them."""

    def __init__(self, store: Store, tools: ToolRepository, processes: ProcessRepository) -> None:
        self._store = store
        self._tools = tools
        self._processes = processes

    def find(self, user: str, calls: Collection[StepCall]) -> dict[str, Obstacle]:
        """Return the obstacles by the id of the target. Raises StoreError.

        Targets without an obstacle are left out.
        """
        distinct = {call.id: call for call in calls}.values()
        by_id = {call.id: self._find_one(user, call) for call in distinct}
        obstacles = {id_: each for id_, each in by_id.items() if each is not None}
        return self._with_health_of_tools(obstacles)

    def is_paused(self, user: str, process: str) -> bool:
        """Return whether a Process that the user sees is paused."""
        try:
            return self._processes.get(user, process).paused
        except NotFoundError:
            return False

    def _find_one(self, user: str, call: StepCall) -> Obstacle | None:
        return self._tool_obstacle(user, call) if call.kind == "tool" else self._process_obstacle(user, call)

    def _tool_obstacle(self, user: str, call: StepCall) -> Obstacle | None:
        try:
            tool = self._tools.resolve(user, call.id).tool
        except NotFoundError:
            return _inaccessible(user, call)
        except RuleError as error:
            return _rule_obstacle(error)
        return _down_obstacle(tool) if tool.status == "down" else None

    def _process_obstacle(self, user: str, call: StepCall) -> Obstacle | None:
        try:
            process = self._processes.get(user, call.id)
        except NotFoundError:
            return _inaccessible(user, call)
        if process.enabled:
            return None
        message = f"the process {process.name!r} of {process.owner_id} is disabled"
        return Obstacle(kind="disabled", message=message, next_step="Enable it, or ask its owner to.")

    def _with_health_of_tools(self, obstacles: Mapping[str, Obstacle]) -> dict[str, Obstacle]:
        down: list[Json] = [id_ for id_, each in obstacles.items() if each.kind == "down"]
        rows = self._store.read(queries.HEALTH_OF_TOOLS, {"tools": down}) if down else []
        health = {row["id"]: row for row in rows}
        return {id_: _with_health(each, health[id_]) if id_ in health else each for id_, each in obstacles.items()}


def _inaccessible(user: str, call: StepCall) -> Obstacle:
    message = f"the {call.kind} {call.name!r} of {call.owner or 'somebody'} is deleted, or no longer shared with {user}"
    advice = "Ask its owner to share it again, or let the process call another one."
    return Obstacle(kind="access", message=message, next_step=advice)


def _rule_obstacle(error: AeonError) -> Obstacle:
    rule = error.rule if isinstance(error, RuleError) else ""
    return Obstacle(kind=_KINDS.get(rule, "access"), message=_as_clause(error.message), next_step=error.next)


def _down_obstacle(tool: Tool) -> Obstacle:
    why = (tool.error_message or "the reason is unknown").rstrip(".")
    return Obstacle(
        kind="down",
        message=f"the tool {tool.name!r} is down: {why}",
        next_step=NextStep("tools.check_health"),
    )


def _with_health(obstacle: Obstacle, health: Mapping[str, Json]) -> Obstacle:
    """Add since when a tool is down, and the message of its own health check if it differs."""
    since, error = health["since"], health["error"]
    message = obstacle.message
    if error and error.rstrip(".") not in message:
        message = f"{message} ({error.rstrip('.')})"
    return obstacle.model_copy(update={"since": since, "message": message})


def _as_clause(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")


class _LastAttempt(NamedTuple):
    """When a step's last attempt started or failed, and of its last failure the cause and the wait it asked for."""

    at: str
    cause: str = ""
    retry_after: float = 0.0


def add_retry_times(
    plan: RunPlan, reasons: Iterable[WaitReason], entries: Iterable[RunEntry], now: str
) -> list[WaitReason]:
    """Return the reasons; those of delayed retries get the remaining delay and the cause."""
    last = _last_attempts(entries)
    return [
        _with_retry_time(plan, reason, last[reason.step], now) if _is_retry(reason) else reason for reason in reasons
    ]


def _is_retry(reason: WaitReason) -> bool:
    return reason.attempt > 1 and reason.kind in ("running", "retrying")


def _with_retry_time(plan: RunPlan, reason: WaitReason, last: _LastAttempt, now: str) -> WaitReason:
    elapsed = datetime.fromisoformat(now) - datetime.fromisoformat(last.at)
    position = plan.positions[reason.step]
    delay = max(last.retry_after, delay_of(plan, position, reason.attempt))
    remaining = min(delay, delay - elapsed.total_seconds())  # in case the clock was set back
    if remaining > 0:
        most = plan.retry_policy(position).attempts
        message = f"Is retried in {remaining:.1f} s (attempt {reason.attempt} of at most {most}): {last.cause}."
        return reason.model_copy(update={"kind": "retrying", "message": message, "seconds": remaining})
    message = f"{describe_attempt(plan, position, reason.attempt)}; the one before failed: {last.cause}."
    return reason.model_copy(update={"message": message, "seconds": 0.0})


def _last_attempts(entries: Iterable[RunEntry]) -> dict[str, _LastAttempt]:
    last: dict[str, _LastAttempt] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, StepFailed):
            requested: float = entry.about.get("retryAfter", 0.0)
            last[event.step] = _LastAttempt(entry.at, event.error.message.rstrip("."), requested)
        elif isinstance(event, AttemptStarted):
            last[event.step] = last.get(event.step, _LastAttempt(entry.at))._replace(at=entry.at)
    return last


_PROCESS: Final = "process"
"""The queue of runs."""

_DEADLINE_NEAR = 300.0
"""Seconds before a deadline from which on it is reported."""


class DiagnosisContext(NamedTuple):
    """The sources of a diagnosis. `engine_executor` is the executor of the configured engine.

    `find_outage` returns the error of an engine on a server that does not answer, None if it does.
    """

    store: Store
    runs: Runs
    registry: WorkerRegistry
    obstacles: ObstacleFinder
    clock: Clock
    engine_executor: str
    find_outage: Callable[[], AeonError | None] = lambda: None


def explain_run(context: DiagnosisContext, user: str, run: str) -> list[WaitReason]:
    """Return the obstacles of the whole run, then a reason for each open step.

    The former have no step. Raises NotFoundError, which names the record that was searched.
    """
    try:
        planned = context.runs.repository.get(user, run)
    except NotFoundError as error:
        message = f"{error.message} The search was in: {context.store.name}."
        raise NotFoundError(message, next_step=NextStep("runs.find")) from None
    entries = list(context.runs.repository.entries(run))
    view = RunView(planned.run, planned.plan, replay(planned.plan, entries))
    reasons = explain_steps(view.plan, view.state)
    if view.run.phase in ENDED_PHASES:
        return reasons
    now, asked = context.clock.now(), context.runs.list_asked(view, entries)
    steps = add_retry_times(view.plan, _with_closed_questions(reasons, asked), entries, now)
    steps = _with_wait_times(steps, view, entries, now)
    return [*_run_reasons(view, asked, context, now), *_refined_reasons(steps, view, context, now)]


def _with_wait_times(
    reasons: Sequence[WaitReason], view: RunView, entries: Iterable[RunEntry], now: str
) -> list[WaitReason]:
    """Return the reasons; those of running waits say until when."""
    commands = recorded_commands(view.plan, view.state, SEMANTICS)
    waits = {each.step: each for each in commands if isinstance(each, StartWait)}
    last = _last_attempts(entries) if waits else {}
    ends = {step: _end_of_wait(command, last[step].at) for step, command in waits.items()}
    return [
        _until(each, ends[each.step], now) if each.kind == "running" and each.step in ends else each for each in reasons
    ]


def _end_of_wait(command: StartWait, started: str) -> float:
    """Return when a wait is over, in seconds since 1970."""
    if command.until is not None:
        return command.until
    return datetime.fromisoformat(started).timestamp() + (command.seconds or 0.0)


def _until(reason: WaitReason, end: float, now: str) -> WaitReason:
    left = max(0.0, end - datetime.fromisoformat(now).timestamp())
    message = f"Waits until {datetime.fromtimestamp(end, UTC):%Y-%m-%d %H:%M:%S} UTC."
    return reason.model_copy(update={"message": message, "seconds": left})


def _with_closed_questions(reasons: Sequence[WaitReason], asked: Sequence[AskedQuestion]) -> list[WaitReason]:
    """Return the reasons; a question that is closed waits only for an executor that records it."""
    last = {each.step: each for each in asked}
    messages = {step: _CLOSED_QUESTIONS[each.closed].format(each.timeout) for step, each in last.items() if each.closed}
    return [
        each.model_copy(update={"message": messages.get(each.step, each.message)}) if each.kind == "asked" else each
        for each in reasons
    ]


_CLOSED_QUESTIONS: Final[Mapping[Closing, str]] = {
    "answered": "Is answered: its executor takes the answer.",
    "timed_out": "Nobody answered within {} s: its executor ends the step.",
    "stopping": "Is no longer asked: its executor stops the run.",
    "deadline": "Is no longer asked: the deadline of the run has passed.",
}


def _run_reasons(
    view: RunView, asked: Sequence[AskedQuestion], context: DiagnosisContext, now: str
) -> Iterator[WaitReason]:
    if view.run.deadline is not None:
        yield from _deadline_reasons(view.run.deadline - datetime.fromisoformat(now).timestamp())
    if context.obstacles.is_paused(view.run.owner_id, view.run.process_id):
        step = NextStep("processes.resume", process=view.run.process_name)
        yield WaitReason(step="", kind="waits", message="Its process is paused.", next_step=step)
    if not (view.waits_only_for_people and open_jobs(asked)):
        yield from _executor_reasons(view, context)


def _deadline_reasons(left: float) -> Iterator[WaitReason]:
    if left <= 0:
        message = "Its deadline has passed: its executor stops it"
    else:
        message = f"Its deadline is near: it fails in {left:.0f} s, even if steps are running"
    if left <= _DEADLINE_NEAR:
        yield WaitReason(step="", kind="deadline", message=f"{message}.", seconds=max(0.0, left))


def _executor_reasons(view: RunView, context: DiagnosisContext) -> Iterator[WaitReason]:
    run, registry = view.run, context.registry
    dead = {each.id for each in registry.list_dead_executors()}
    live = [each for each in registry.list_executors() if each.id not in dead]
    if (versions := _older_versions(run.language, live)) and run.executor not in {each.id for each in live}:
        message = f"It uses what the live workers cannot read: their version of Aeon is {', '.join(versions)}."
        yield WaitReason(step="", kind="waits", message=message, next_step=NextStep("workers.start_newer"))
        return
    if run.executor == SELF_RECOVERING_EXECUTOR:
        if context.engine_executor != SELF_RECOVERING_EXECUTOR:
            message = "It runs on Temporal, and the settings here name another engine: its workers are elsewhere."
            yield WaitReason(step="", kind="engine", message=message, next_step=NextStep("engine.address"))
        else:
            yield from _outage_reasons(context)
        return
    if run.executor in {each.id for each in live}:
        return
    is_new = run.executor in ("", DETACHED)
    if is_new and context.obstacles.is_paused(run.owner_id, run.process_id) and _takers(live):
        return  # a worker takes it once its process goes on
    if is_new:
        yield from _outage_reasons(context)
    message = "It has no executor yet." if is_new else "Its executor is gone."
    yield WaitReason(step="", kind="waits", message=message, next_step=NextStep("runs.continue", run=run.id))


def _older_versions(language: int, live: Sequence[ExecutorProcess]) -> list[str]:
    """Return the versions of Aeon of the workers for runs, if none of them knows that version of the language."""
    takers = _takers(live)
    if any(each.language >= language for each in takers):
        return []
    return sorted({each.aeon_version or "an earlier one" for each in takers})


def _outage_reasons(context: DiagnosisContext) -> Iterator[WaitReason]:
    outage = context.find_outage()
    if outage is not None:
        yield WaitReason(step="", kind="engine", message=outage.message, next_step=outage.next)


def _takers(live: Sequence[ExecutorProcess]) -> list[ExecutorProcess]:
    """Return the processes that take runs of others."""
    return [each for each in live if _PROCESS in each.types]


def _is_executed(view: RunView, context: DiagnosisContext) -> bool:
    """Return whether a process executes the run; one on Temporal goes on by itself."""
    return view.run.executor == SELF_RECOVERING_EXECUTOR or view.run.executor in list_live_executors(context.registry)


def _refined_reasons(
    steps: Sequence[WaitReason], view: RunView, context: DiagnosisContext, now: str
) -> Iterator[WaitReason]:
    """Yield each reason, refined by its worker, its rate limit and its obstacle."""
    open_steps = [each for each in steps if _will_be_called(each, view)]
    obstacles = context.obstacles.find(view.run.owner_id, [view.plan.call_of(each.step) for each in open_steps])
    running = {view.plan.call_of(each.step).needs for each in steps if each.kind == "running"}
    eligible = {needs: find_eligible_workers(context.registry, view.run.executor, needs) for needs in running}

    def workers_for(reason: WaitReason) -> Sequence[Worker]:
        return eligible.get(view.plan.call_of(reason.step).needs, ())

    is_executed = _is_executed(view, context)
    waiting = {view.plan.call_of(each.step).id for each in steps if _lacks_worker(each, view, workers_for(each))}
    waits = find_limit_waits(context.store, waiting, now) if waiting else {}
    for reason in steps:
        workers = workers_for(reason)
        refined = (
            _with_workers(_with_limit(reason, view, waits, workers), view, workers)
            if is_executed or not _lacks_worker(reason, view, workers)
            else _interrupted(reason, view)
        )
        obstacle = obstacles.get(view.plan.call_of(reason.step).id) if reason in open_steps else None
        yield refined if obstacle is None else _with_obstacle(refined, obstacle)


def _will_be_called(reason: WaitReason, view: RunView) -> bool:
    is_open = reason.kind in ("waits", "ready", "running", "retrying")
    is_call = view.plan.call_of(reason.step).kind != "wait"
    return is_open and is_call and not view.plan.is_manual(view.plan.positions[reason.step])


def _has_worker(reason: WaitReason, view: RunView, workers: Sequence[Worker]) -> bool:
    job = view.plan.job_id(reason.step, reason.attempt)
    return any(each.current_job_id == job for each in workers)


def _lacks_worker(reason: WaitReason, view: RunView, workers: Sequence[Worker]) -> bool:
    is_job = view.plan.call_of(reason.step).kind == "tool" and not view.plan.starts_run(reason.step)
    return is_job and reason.kind == "running" and not _has_worker(reason, view, workers)


def _interrupted(reason: WaitReason, view: RunView) -> WaitReason:
    """Return the reason of a call whose executor ended in it: what happens to it once the run goes on (platform 10)."""
    fails = view.plan.call_of(reason.step).effect == "once"
    message = _CALL_FAILS if fails else _CALL_IS_REPEATED
    return reason.model_copy(update={"kind": "waits", "message": message})


_CALL_FAILS: Final = (
    "Its call was cut off and may have happened. It is not repeated: the step fails as interrupted once the run goes "
    "on."
)
_CALL_IS_REPEATED: Final = "Its call was cut off: it is made again once the run goes on."


def _with_limit(
    reason: WaitReason, view: RunView, waits: Mapping[str, LimitWait], workers: Sequence[Worker]
) -> WaitReason:
    """Return the reason; a running step may in fact wait for its service's rate limit."""
    limit = waits.get(view.plan.call_of(reason.step).id)
    if limit is None or not _lacks_worker(reason, view, workers):
        return reason
    if view.plan.job_id(reason.step, reason.attempt) in limit.holders:  # its worker is just not shown as busy yet
        return reason
    return reason.model_copy(update={"kind": "limit", "message": limit.message, "seconds": limit.seconds or 0.0})


def _with_workers(reason: WaitReason, view: RunView, workers: Sequence[Worker]) -> WaitReason:
    """Return the reason; a running step may in fact wait for a worker of its type."""
    call = view.plan.call_of(reason.step)
    if reason.kind != "running" or call.kind == "wait":
        return reason
    if view.plan.starts_run(reason.step):
        child = view.plan.job_id(reason.step, reason.attempt)
        step = NextStep("runs.explain", run=child)
        return reason.model_copy(update={"message": f"{reason.message} It is a run of its own.", "next_step": step})
    if _has_worker(reason, view, workers):
        return reason
    live = [each for each in workers if each.type == call.worker and each.status in ("idle", "busy")]
    if not live:
        kind = call.worker
        drains = any(each.type == kind and each.status == "draining" for each in workers)
        needed = f" with {describe_needs(call.needs)}" if call.needs else ""
        message = f"Waits for a worker of the type {kind}{needed}: there is none{' that takes jobs' if drains else ''}."
        step = _starting(kind, call)
        return reason.model_copy(update={"kind": "waits", "message": message, "next_step": step})
    if all(each.status == "busy" for each in live):
        message = f"Waits for a free worker: all {len(live)} of the type {call.worker} are busy."
        return reason.model_copy(update={"kind": "waits", "message": message})
    return reason


def _starting(kind: str, call: StepCall) -> NextStep:
    """Return how to start a worker for a call."""
    if is_operations(call.needs):
        if call.needs:
            return NextStep("workers.start_with_extras", type=kind)
        return NextStep("workers.start", type=kind)
    flags = " ".join(f"--label {each}" for each in call.runs_on)
    return NextStep("workers.start_with_labels", type=kind, labels=", ".join(call.runs_on), flags=flags)


def _with_obstacle(reason: WaitReason, obstacle: Obstacle) -> WaitReason:
    when = "By now" if reason.attempt and reason.kind != "ready" else "It would fail when it is reached:"
    since = f", since {obstacle.since[:19]}" if obstacle.since else ""
    message = f"{reason.message} {when} {obstacle.message}{since}."
    return reason.model_copy(update={"message": message, "obstacle": obstacle, "next_step": obstacle.next_step})
