"""Periodic maintenance: adopt orphaned runs, fire due schedules, evaluate alerts, report ended runs."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from aeon.base.clock import Clock
from aeon.platform.processes.language import LANGUAGE
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import RunSummary
from aeon.platform.runs.ports import Engine, EngineUnavailableError
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.store import StoreError
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WorkerRegistry

if TYPE_CHECKING:
    from aeon.platform.alerts.evaluator import AlertEvaluator
    from aeon.platform.alerts.model import AlertResult
    from aeon.platform.runs.reminders import ReminderResult, ReminderStarter
    from aeon.platform.schedules.starter import FiringResult, ScheduleStarter


class OrphanRecovery:
    """Adopts orphaned runs. Several processes may do so at once; one of them gets a run."""

    def __init__(
        self,
        runs: SqlRunRepository,
        registry: WorkerRegistry,
        engine: Engine,
        clock: Clock,
        *,
        just_accepted: float = 10.0,
        language: int = LANGUAGE,
    ) -> None:
        """A run that was accepted less than `just_accepted` seconds ago is left to its own process.

        Runs that need a newer version than `language` of the language of Processes are left to others.
        """
        self._language = language
        self._runs = runs
        self._registry = registry
        self._engine = engine
        self._clock = clock
        self._just_accepted = just_accepted

    def adopt(self, root: str | None = None) -> list[RunSummary]:
        """Adopt all open runs without a live executor, or those of one root run, and return them.

        They include runs that an engine should recover by itself and does not know. Another engine leaves the runs of
        such an engine alone: it may execute them with workers of its own.

        Raises StoreError, EngineUnavailableError.
        """
        for executor in self._registry.list_dead_executors():
            if executor.id != self._engine.executor:
                self._registry.deregister_dead(executor)
        live = (each.id for each in self._registry.list_executors())
        registered = {self._engine.executor, SELF_RECOVERING_EXECUTOR, *live}
        orphaned = [
            run
            for run in self._runs.list_orphaned(registered, root, language=self._language)
            if run.executor or not self._is_just_accepted(run)
        ]
        adopted = [run for run in orphaned if self._runs.reassign(run.id, run.executor, self._engine.executor)]
        try:
            self._engine.adopt([run.id for run in adopted])
        except EngineUnavailableError:
            for run in adopted:
                self._runs.reassign(run.id, self._engine.executor, "")
            raise
        return [*adopted, *self._start_unknown(root)]

    def _start_unknown(self, root: str | None) -> list[RunSummary]:
        """Start runs of a self-recovering engine that it does not know, and return them.

        Their process died before it started them, or the engine lost them. Called runs are started by their callers.
        """
        if self._engine.executor != SELF_RECOVERING_EXECUTOR:
            return []
        kept = self._runs.list_roots_of(self._engine.executor, root)
        if root is None:
            kept = [run for run in kept if not self._is_just_accepted(run)]
        started = set(self._engine.adopt([run.id for run in kept]))
        return [run for run in kept if run.id in started]

    def _is_just_accepted(self, run: RunSummary) -> bool:
        age = datetime.fromisoformat(self._clock.now()) - datetime.fromisoformat(run.accepted_at)
        return 0 <= age.total_seconds() <= self._just_accepted  # in case the clock was set back


POLL_INTERVAL = 1.0
ADOPTION_INTERVAL = 5.0
HEALTH_CHECK_INTERVAL = 5.0
CLEANUP_INTERVAL = 3600.0
"""Seconds."""


class PeriodicTask(NamedTuple):
    """A function that runs at an interval in seconds, and returns lines that describe what it did."""

    interval: float
    run: Callable[[], Sequence[str]]


class PeriodicTasks:
    """Runs each task when it is due, the first time at once, despite store or engine outages."""

    def __init__(self, tasks: Sequence[PeriodicTask], clock: Clock, report: Callable[[str], None]) -> None:
        self._tasks = tasks
        self._clock = clock
        self._report = report
        self._due = [clock.monotonic()] * len(tasks)
        self._failure = ""

    def run_due(self) -> None:
        """Run all tasks that are due."""
        failure = ""
        for place, task in enumerate(self._tasks):
            now = self._clock.monotonic()
            if now < self._due[place]:
                continue
            self._due[place] = now + task.interval
            try:
                lines = task.run()
            except (StoreError, EngineUnavailableError) as error:
                failure = error.message
            else:
                for line in lines:
                    self._report(line)
        if failure and failure != self._failure:
            self._report(f"{failure} It is retried.")
        self._failure = failure


class RunStarters(NamedTuple):
    """What starts runs by itself: schedules, reminders of questions, alerts."""

    schedules: "ScheduleStarter"
    reminders: "ReminderStarter"
    alerts: "AlertEvaluator"


class RunMaintenance:
    """The maintenance tasks of one executor for runs. Each returns lines to report."""

    def __init__(
        self, runs: SqlRunRepository, recovery: OrphanRecovery, starters: RunStarters, clock: Clock, executor: str
    ) -> None:
        self._runs = runs
        self._recovery = recovery
        self._starters = starters
        self._clock = clock
        self._executor = executor
        self._watched: dict[str, str] = {}

    @property
    def active_run_count(self) -> int:
        """The number of runs that are executed here, as of the last check."""
        return len(self._watched)

    def adopt_orphans(self) -> list[str]:
        """Adopt orphaned runs (platform 10)."""
        adopted = self._recovery.adopt()
        self._watched |= {run.id: run.process_name for run in adopted}
        return [f"run {run.id} of {run.process_name} is adopted" for run in adopted]

    def fire_due_schedules(self) -> list[str]:
        """Start the runs of due schedules."""
        started = self._starters.schedules.start_due(self._clock.now())
        self._watched |= {each.firing.run_id: each.process for each in started if each.refusal is None}
        return [_describe_firing(each) for each in started]

    def send_due_reminders(self) -> list[str]:
        """Start the runs that remind people of open questions."""
        return [_describe_reminder(each) for each in self._starters.reminders.start_due(self._clock.now())]

    def evaluate_alerts(self) -> list[str]:
        """Evaluate due alerts, and start the runs of those that fire."""
        results = self._starters.alerts.evaluate_due(self._clock.now())
        self._watched |= {each.run: each.process for each in results if each.refusal is None}
        return [_describe_alert(each) for each in results]

    def report_ended(self) -> list[str]:
        """Report runs of this executor that have ended."""
        watched = self._watched | self._runs.list_by_executor(self._executor)
        summaries = self._runs.list_summaries(list(watched))
        here = ("", self._executor)
        open_runs = [run for run in summaries if run.phase not in ENDED_PHASES and run.executor in here]
        self._watched = {run.id: run.process_name for run in open_runs}
        return [_describe_end(run) for run in summaries if run.phase in ENDED_PHASES]


def _describe_firing(each: "FiringResult") -> str:
    schedule = each.firing.schedule
    if each.refusal is not None:
        return f"schedule {schedule.name} of {schedule.owner_id} could not start its process: {each.refusal}"
    return f"run {each.firing.run_id} of {each.process} is started: schedule {schedule.name} of {schedule.owner_id}"


def _describe_reminder(each: "ReminderResult") -> str:
    if each.run is None:
        return f"nobody is reminded of the step {each.step} of the run {each.asking}: {each.refusal}"
    return f"run {each.run.id} of {each.run.process_name} reminds of the step {each.step} of the run {each.asking}"


def _describe_alert(each: "AlertResult") -> str:
    alert = each.alert
    if each.refusal is not None:
        return f"alert {alert.name} of {alert.owner_id} fires and could not start its process: {each.refusal}"
    return f"run {each.run} of {each.process} is started: alert {alert.name} of {alert.owner_id} fires"


def _describe_end(run: RunSummary) -> str:
    why = f": {run.failure['message']}" if run.failure else ""
    return f"run {run.id} of {run.process_name} is {run.phase}{why}"
