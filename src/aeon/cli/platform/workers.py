"""`aeon serve worker`: serves runs, jobs or questions, and lists the workers; also `aeon log delete`."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, NoReturn

import typer

from aeon.application.jobs import HUMAN, PROCESS, WORKER_TYPES, require_known_queues
from aeon.application.run_reader import PendingQuestion
from aeon.application.workers import DrainPolicy, StoreUnavailableError, WorkerService
from aeon.application.workspace import Workspace
from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json, parse_exact_text
from aeon.cli import session
from aeon.cli.console import print_data, print_error, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import runtime_session
from aeon.cli.signals import drain_requested_by_signal
from aeon.cli.text import indented_json, printable
from aeon.settings import LoadedSettings

_POLL_INTERVAL = 1.0
"""Seconds."""


def answer_questions(user: str) -> NoReturn:
    """Prompt for an answer to every open question to the user, until interrupted. Raises InputError."""
    if not sys.stdin.isatty():
        raise InputError(
            "Prompting for answers needs a terminal, and stdin is not one.",
            next_step="List them: aeon process job list --type human. Answer one: aeon log answer RUN STEP ANSWER.",
        )
    with runtime_session(user) as workspace:
        prompt = _QuestionPrompt(workspace)
        print_message(f"waiting for questions to {printable(user)}; an empty answer postpones a question; Ctrl-C stops")
        while True:
            try:
                prompt.ask_all()
            except StoreUnavailableError as error:
                print_message(f"{error.message} Retrying.")
            workspace.workers.sleep(_POLL_INTERVAL)


class _QuestionPrompt:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._user = workspace.user
        self._postponed: set[str] = set()

    def ask_all(self) -> None:
        """Prompt for every open question that was not postponed."""
        runs = self._workspace.runs
        for run in runs.list_open_ids():
            for question in runs.list_questions(run):
                if question.run == run and question.job not in self._postponed and question.asks in (None, self._user):
                    self._ask(question)

    def _ask(self, question: PendingQuestion) -> None:
        run = self._workspace.runs.view(question.run).run
        print_message(f"{printable(question.step)} of {printable(run.process_name)}, run {question.run}, asks:")
        print_message(printable(indented_json(question.inputs)), "  ", "  ")
        answer = typer.prompt("answer (JSON or text)", default="", show_default=False, err=True)
        if not answer.strip():
            self._postponed.add(question.job)
            return
        try:
            self._workspace.runs.answer(question.run, question.step, parse_exact_text(answer))
        except StoreUnavailableError:
            raise
        except AeonError as error:  # answered elsewhere, or invalid: prompt again if the question is still open
            print_error(error)
            return
        self._print_who_continues(question.run, run.executor)

    def _print_who_continues(self, run: str, executor: str) -> None:
        if self._workspace.jobs.is_executor_alive(executor):
            print_message("answered; the run continues")
        else:
            print_message(
                f"answered; no worker executes the run: aeon serve worker --type process, or aeon log resume {run}"
            )


class WorkerOptions(NamedTuple):
    """What a worker serves: the types, all if there are none; the number of concurrent calls of each; the address for
    Prometheus; the seconds that its jobs may take to end when it drains; and its labels, those of the settings if there
    are none.
    """

    types: Sequence[str]
    concurrency: int | None
    metrics: str | None
    grace: float
    labels: Sequence[str]


def run_worker(options: WorkerOptions, user: str) -> int:
    """Serve runs and their jobs, only runs, only jobs of some types, or only questions to the user.

    Runs until it is interrupted, or drained by SIGTERM or by `aeon serve worker drain`. Raises InputError, ConfigError,
    EngineError.
    """
    types = options.types
    require_known_queues(types)
    _require_single_purpose(types)
    if HUMAN in types:
        answer_questions(user)
    with runtime_session(user, _settings(options)) as workspace:
        workers = workspace.workers
        if options.metrics is not None:
            print_message(f"metrics: {workers.serve_metrics(options.metrics)}")
        drain = DrainPolicy(options.grace, drain_requested_by_signal(), partial(_report_drain, options.grace))
        left = _serve_runs(workers, drain) if PROCESS in types or not types else _serve_jobs(workers, types, drain)
    print_message(f"drained; {left} job(s) did not end in time and continue elsewhere" if left else "drained")
    return ExitCode.DONE


def _report_drain(grace: float) -> None:
    print_message(f"drains: takes no new job or run; the jobs here have {grace:.0f} s to end")


def prune_runs(days: int | None, user: str, *, as_json: bool) -> int:
    """Delete runs that ended `days` days ago; None takes the days from the settings."""
    with runtime_session(user) as workspace:
        removed = workspace.workers.prune(days)
    cached = f", and {removed.cached} cached result(s) of tools" if removed.cached else ""
    text = f"removed {removed.runs} run(s) and {removed.results} large result(s){cached}"
    print_data(indented_json(removed._asdict()) if as_json else text)
    return ExitCode.DONE


def _serve_jobs(workers: WorkerService, types: Sequence[str], drain: DrainPolicy) -> int:
    def report_start() -> None:
        print_message(f"worker {workers.executor} serves jobs: {', '.join(types)}")
        kept_by_runs = [kind for kind in types if session.load_cli_settings().settings.engine.slots[kind]]
        if kept_by_runs and workers.executes_own_runs:
            settings = ", ".join(f"{kind} = 0" for kind in kept_by_runs)
            print_message(
                f"with these settings, runs execute these jobs themselves; to send them here, set: [engine] {settings}"
            )

    return workers.serve_jobs(types, drain, report_start)


def _serve_runs(workers: WorkerService, drain: DrainPolicy) -> int:
    """Adopt orphaned runs, fire due schedules, delete old data; report it on stderr."""
    return workers.serve_runs(
        drain,
        report=lambda line: print_message(printable(line)),
        started=lambda: print_message(f"worker {workers.executor} serves runs"),
        ended=lambda active: print_message(
            f"{active} active run(s) here continue with the next worker or `aeon log resume`"
        ),
    )


def _settings(options: WorkerOptions) -> LoadedSettings:
    """Load the settings with these slots of each type, and labels; a worker only for runs has no slots."""
    flag = ("--type process", 0) if PROCESS in options.types else ("--concurrency", options.concurrency)
    labels: list[Json] = [*options.labels]
    slots: dict[str, tuple[str, Json]] = {f"engine.{kind}": flag for kind in WORKER_TYPES}
    return session.load_cli_settings(more={**slots, "engine.labels": ("--label", labels or None)})


def _require_single_purpose(types: Sequence[str]) -> None:
    kinds = set(types)
    if len(kinds) > 1 and (exclusive := [kind for kind in (PROCESS, HUMAN) if kind in kinds]):
        raise InputError(
            f"A worker of the type {exclusive[0]} cannot serve other types.",
            next_step=f"Start two: aeon serve worker --type {exclusive[0]}, and another one for the other types.",
        )
