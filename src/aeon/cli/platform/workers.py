"""`aeon worker`: serves runs, jobs or questions, and lists the workers; also `aeon runs prune`."""

import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import typer

from aeon.application.runs import RunService
from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json
from aeon.bootstrap.process_runtime import ProcessRuntime
from aeon.cli import session
from aeon.cli.console import print_data, print_error, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.inputs import parse_value
from aeon.cli.platform.jobs import HUMAN, PROCESS, require_known_queues
from aeon.cli.platform.runs import runtime_session
from aeon.cli.text import indented_json, printable
from aeon.platform.catalog.model import Tool
from aeon.platform.runs.service import PendingQuestion
from aeon.platform.store import QueryError, StoreUnavailableError
from aeon.platform.workers.availability import list_live_executors
from aeon.platform.workers.maintenance import (
    ADOPTION_INTERVAL,
    CLEANUP_INTERVAL,
    HEALTH_CHECK_INTERVAL,
    POLL_INTERVAL,
    PeriodicTask,
    PeriodicTasks,
)
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WORKER_TYPES
from aeon.settings import LoadedSettings

_POLL_INTERVAL = 1.0
"""Seconds."""


def answer_questions(user: str) -> NoReturn:
    """Prompt for an answer to every open question to the user, until interrupted. Raises InputError."""
    if not sys.stdin.isatty():
        raise InputError(
            "Prompting for answers needs a terminal, and stdin is not one.",
            next_step="List questions: aeon jobs list --type human. Answer one: aeon process answer RUN STEP ANSWER.",
        )
    with runtime_session(user) as runner:
        prompt = _QuestionPrompt(runner, user)
        print_message(f"waiting for questions to {printable(user)}; an empty answer postpones a question; Ctrl-C stops")
        while True:
            try:
                prompt.ask_all()
            except StoreUnavailableError as error:
                print_message(f"{error.message} Retrying.")
            runner.clock.sleep(_POLL_INTERVAL)


class _QuestionPrompt:
    def __init__(self, runner: ProcessRuntime, user: str) -> None:
        self._runner = runner
        self._user = user
        self._postponed: set[str] = set()

    def ask_all(self) -> None:
        """Prompt for every open question that was not postponed."""
        runs = self._runner.runs
        for run in RunService(self._runner, self._user).list_open_ids():
            for question in runs.list_questions(self._user, run):
                if question.run == run and question.job not in self._postponed and question.asks in (None, self._user):
                    self._ask(question)

    def _ask(self, question: PendingQuestion) -> None:
        view = self._runner.runs.view(self._user, question.run)
        print_message(f"{printable(question.step)} of {printable(view.run.process_name)}, run {question.run}, asks:")
        print_message(printable(indented_json(question.inputs)), "  ", "  ")
        answer = typer.prompt("answer (JSON or text)", default="", show_default=False, err=True)
        if not answer.strip():
            self._postponed.add(question.job)
            return
        try:
            self._runner.runs.answer(self._user, question.run, question.step, parse_value(answer))
        except StoreUnavailableError:
            raise
        except AeonError as error:  # answered elsewhere, or invalid: prompt again if the question is still open
            print_error(error)
            return
        self._print_who_continues(question.run, view.run.executor)

    def _print_who_continues(self, run: str, executor: str) -> None:
        if executor in (SELF_RECOVERING_EXECUTOR, *list_live_executors(self._runner.registry)):
            print_message("answered; the run continues")
        else:
            print_message(
                f"answered; no worker executes the run: aeon worker --type process, or aeon runs resume {run}"
            )


def run_worker(types: Sequence[str], concurrency: int | None, user: str) -> int:
    """Serve runs and their jobs, only runs, only jobs of some types, or only questions to the user.

    Runs until interrupted. Raises InputError, ConfigError, EngineError.
    """
    require_known_queues(types)
    _require_single_purpose(types)
    if HUMAN in types:
        answer_questions(user)
    with session.app_session(_settings(types, concurrency), is_quiet=True) as app, app.process_runtime() as runner:
        if PROCESS in types or not types:
            _serve_runs(runner)
        else:
            _serve_jobs(runner, types)
    return ExitCode.DONE


def prune_runs(days: int | None, user: str, *, as_json: bool) -> int:
    """Delete runs that ended `days` days ago; None takes the days from the settings."""
    with runtime_session(user) as runner:
        removed = runner.prune(days)
    cached = f", and {removed.cached} cached result(s) of tools" if removed.cached else ""
    text = f"removed {removed.runs} run(s) and {removed.results} large result(s){cached}"
    print_data(indented_json(removed._asdict()) if as_json else text)
    return ExitCode.DONE


def _serve_jobs(runner: ProcessRuntime, types: Sequence[str]) -> None:
    runner.serve(types)
    print_message(f"worker {runner.executor} serves jobs: {', '.join(types)}")
    kept_by_runs = [kind for kind in types if session.load_cli_settings().settings.engine.slots[kind]]
    if kept_by_runs and runner.run_executor != SELF_RECOVERING_EXECUTOR:
        settings = ", ".join(f"{kind} = 0" for kind in kept_by_runs)
        print_message(
            f"with these settings, runs execute these jobs themselves; to send them here, set: [engine] {settings}"
        )
    while True:
        runner.clock.sleep(POLL_INTERVAL)


def _serve_runs(runner: ProcessRuntime) -> None:
    """Adopt orphaned runs, fire due schedules, delete old data; report it on stderr."""
    runner.start([PROCESS])
    maintenance = runner.run_maintenance
    tasks = [
        PeriodicTask(POLL_INTERVAL, maintenance.report_ended),
        PeriodicTask(ADOPTION_INTERVAL, maintenance.adopt_orphans),
        PeriodicTask(POLL_INTERVAL, maintenance.fire_due_schedules),
        PeriodicTask(ADOPTION_INTERVAL, lambda: _record_measurements(runner)),
        PeriodicTask(CLEANUP_INTERVAL, lambda: _prune(runner)),
    ]
    periodic = PeriodicTasks(tasks, runner.clock, lambda line: print_message(printable(line)))
    print_message(f"worker {runner.executor} serves runs")
    threading.Thread(target=_watch_health, args=(runner,), name="aeon-health", daemon=True).start()
    try:
        while True:
            periodic.run_due()
            runner.clock.sleep(POLL_INTERVAL)
    finally:
        print_message(
            f"{maintenance.active_run_count} active run(s) here continue with the next worker or `aeon runs resume`"
        )


def _watch_health(runner: ProcessRuntime) -> None:
    """Run due health checks (platform 5), on a thread of its own: a check may take 5 s."""
    periodic = PeriodicTasks(
        [PeriodicTask(HEALTH_CHECK_INTERVAL, lambda: _check_health(runner))],
        runner.clock,
        lambda line: print_message(printable(line)),
    )
    with suppress(QueryError):  # the store was closed: the worker is ending
        while True:
            periodic.run_due()
            runner.clock.sleep(POLL_INTERVAL)


def _check_health(runner: ProcessRuntime) -> list[str]:
    changed = runner.platform.health.run_due()
    return [f"tool {tool.name} of {tool.owner_id} is {tool.status}{_why(tool)}" for tool in changed]


def _why(tool: Tool) -> str:
    return f": {tool.error_message}" if tool.error_message else ""


def _record_measurements(runner: ProcessRuntime) -> list[str]:
    runner.run_measurement.record_pending()
    return []


def _prune(runner: ProcessRuntime) -> list[str]:
    """Delete old runs and old values of metrics."""
    removed, values = runner.prune(), runner.platform.metrics.values.prune(runner.clock.now())
    return [f"removed {removed.runs} old run(s) and {values} old value(s)"] if removed.runs or values else []


def _settings(types: Sequence[str], concurrency: int | None) -> LoadedSettings:
    """Load the settings with `concurrency` slots of each type; a worker only for runs has none."""
    flag = ("--type process", 0) if PROCESS in types else ("--concurrency", concurrency)
    slots: dict[str, tuple[str, Json]] = {f"engine.{kind}": flag for kind in WORKER_TYPES}
    return session.load_cli_settings(more=slots)


def _require_single_purpose(types: Sequence[str]) -> None:
    kinds = set(types)
    if len(kinds) > 1 and (exclusive := [kind for kind in (PROCESS, HUMAN) if kind in kinds]):
        raise InputError(
            f"A worker of the type {exclusive[0]} cannot serve other types.",
            next_step=f"Start two: aeon worker --type {exclusive[0]}, and another one for the other types.",
        )
