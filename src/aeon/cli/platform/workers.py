"""`aeon worker`: a process that is there for runs, and who is there."""

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
from aeon.cli.platform.jobs import HUMAN, PROCESS, require_known_queues
from aeon.cli.platform.runs import parse_value, runtime_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
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
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WORKER_TYPES, Worker
from aeon.settings import LoadedSettings

_POLL_INTERVAL = 1.0
"""Seconds."""


def answer_questions(user: str) -> NoReturn:
    """Ask for an answer to every question that waits for the user, until interrupted. Raises InputError."""
    if not sys.stdin.isatty():
        raise InputError(
            "Questions are put at a terminal, and this is none.",
            next_step="See which wait: aeon jobs list --type human. Answer one: aeon process answer RUN STEP ANSWER.",
        )
    with runtime_session(user) as runner:
        asking = _QuestionPrompt(runner, user)
        print_message(
            f"questions to {printable(user)} are put here; an empty answer leaves one for later; Ctrl-C ends it"
        )
        while True:
            try:
                asking.ask_all()
            except StoreUnavailableError as error:
                print_message(f"{error.message} It is tried again.")
            runner.clock.sleep(_POLL_INTERVAL)


class _QuestionPrompt:
    def __init__(self, runner: ProcessRuntime, user: str) -> None:
        self._runner = runner
        self._user = user
        self._postponed: set[str] = set()

    def ask_all(self) -> None:
        """Every question that is open now, and was not left for later."""
        runs = self._runner.runs
        for run in RunService(self._runner, self._user).list_open_ids():
            for question in runs.list_questions(self._user, run):
                if question.run == run and question.job not in self._postponed and question.asks in (None, self._user):
                    self._ask(question)

    def _ask(self, question: PendingQuestion) -> None:
        seen = self._runner.runs.view(self._user, question.run)
        print_message(f"{printable(question.step)} of {printable(seen.run.process_name)}, run {question.run}, asks:")
        print_message(printable(indented_json(question.inputs)), "  ", "  ")
        given = typer.prompt("answer (JSON or text)", default="", show_default=False, err=True)
        if not given.strip():
            self._postponed.add(question.job)
            return
        try:
            self._runner.runs.answer(self._user, question.run, question.step, parse_value(given))
        except StoreUnavailableError:
            raise
        except AeonError as error:  # somebody else was faster, or it does not fit: it is asked again if it still waits
            print_error(error)
            return
        self._tell_who_goes_on(question.run, seen.run.executor)

    def _tell_who_goes_on(self, run: str, executor: str) -> None:
        if executor in (SELF_RECOVERING_EXECUTOR, *list_live_executors(self._runner.registry)):
            print_message("answered; the run goes on")
        else:
            print_message(
                f"answered; nobody carries the run out now: aeon worker --type process, or aeon runs resume {run}"
            )


def run_worker(types: Sequence[str], concurrency: int | None, user: str) -> int:
    """Be there for runs and their jobs, for runs alone, for jobs of some types alone, or for questions to the user.

    Until interrupted. Raises InputError, ConfigError, EngineError.
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
    """Remove what ended so many days ago, or as many as the settings keep."""
    with runtime_session(user) as runner:
        gone = runner.prune(days)
    cached = f", and {gone.cached} kept result(s) of tools" if gone.cached else ""
    said = f"removed {gone.runs} run(s) and {gone.results} large result(s){cached}"
    print_data(indented_json(gone._asdict()) if as_json else said)
    return ExitCode.DONE


def list_workers(user: str, *, as_json: bool) -> int:
    """Every worker of every process that is entered; those that are not heard of any more are offline."""
    with runtime_session(user) as runner:
        workers = runner.registry.list_workers()
    if as_json:
        print_data(indented_json([worker.as_dict() for worker in workers]))
        return ExitCode.DONE
    for worker in workers:
        print_data(one_line(printable(_line(worker)), COLUMNS * 2))
    if not workers:
        print_message("no worker is there; each `aeon worker` and `aeon process run` brings its own")
    return ExitCode.DONE


def _line(worker: Worker) -> str:
    job = f" {worker.current_job_id}" if worker.current_job_id else ""
    counts = f"{worker.processed_count} job(s), {worker.error_count} failed"
    return f"{worker.type} {worker.status}{job}, heard of {worker.last_heartbeat[:19]}, {counts} ({worker.id})"


def _serve_jobs(runner: ProcessRuntime, types: Sequence[str]) -> None:
    runner.serve(types)
    print_message(f"worker {runner.executor} is there for jobs: {', '.join(types)}")
    done_by_runs = [kind for kind in types if session.load_cli_settings().settings.engine.slots[kind]]
    if done_by_runs and runner.run_executor != SELF_RECOVERING_EXECUTOR:
        wanted = ", ".join(f"{kind} = 0" for kind in done_by_runs)
        print_message(
            f"by the settings here runs carry these out themselves; to have them come here: [engine] {wanted}"
        )
    while True:
        runner.clock.sleep(POLL_INTERVAL)


def _serve_runs(runner: ProcessRuntime) -> None:
    """Take over runs, start what is due, remove what is too old; tell of it on stderr."""
    runner.start([PROCESS])
    attending = runner.run_maintenance
    duties = [
        PeriodicTask(POLL_INTERVAL, attending.report_ended),
        PeriodicTask(ADOPTION_INTERVAL, attending.adopt_orphans),
        PeriodicTask(POLL_INTERVAL, attending.fire_due_schedules),
        PeriodicTask(ADOPTION_INTERVAL, lambda: _record_measurements(runner)),
        PeriodicTask(CLEANUP_INTERVAL, lambda: _prune(runner)),
    ]
    rounds = PeriodicTasks(duties, runner.clock, lambda line: print_message(printable(line)))
    print_message(f"worker {runner.executor} is there for runs")
    threading.Thread(target=_watch_health, args=(runner,), name="aeon-health", daemon=True).start()
    try:
        while True:
            rounds.run_due()
            runner.clock.sleep(POLL_INTERVAL)
    finally:
        print_message(
            f"{attending.active_run_count} run(s) under way here go on with the next worker, or with `aeon runs resume`"
        )


def _watch_health(runner: ProcessRuntime) -> None:
    """Check what tools reach when that is due (platform 5). Apart from the other duties: a check may wait for 5 s."""
    rounds = PeriodicTasks(
        [PeriodicTask(HEALTH_CHECK_INTERVAL, lambda: _check_health(runner))],
        runner.clock,
        lambda line: print_message(printable(line)),
    )
    with suppress(QueryError):  # the store is closed: the worker ends
        while True:
            rounds.run_due()
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
    """Runs and values of metrics that are too old are removed."""
    gone, values = runner.prune(), runner.platform.metrics.values.prune(runner.clock.now())
    return [f"removed {gone.runs} run(s) and {values} value(s) that were too old"] if gone.runs or values else []


def _settings(types: Sequence[str], concurrency: int | None) -> LoadedSettings:
    """With so many slots of each type, where that is said; whoever is there for runs alone has none."""
    given = ("--type process", 0) if PROCESS in types else ("--concurrency", concurrency)
    slots: dict[str, tuple[str, Json]] = {f"engine.{kind}": given for kind in WORKER_TYPES}
    return session.load_cli_settings(more=slots)


def _require_single_purpose(types: Sequence[str]) -> None:
    kinds = set(types)
    if len(kinds) > 1 and (alone := [kind for kind in (PROCESS, HUMAN) if kind in kinds]):
        raise InputError(
            f"A worker of the type {alone[0]} does nothing else.",
            next_step=f"Start two: aeon worker --type {alone[0]}, and another one for the other types.",
        )
