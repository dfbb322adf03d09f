"""`aeon worker --type human`: puts what a user's runs ask, one question after another, at a terminal."""

import sys
from typing import NoReturn

import typer

from aeon.base.errors import AeonError, InputError
from aeon.bootstrap.processes import ProcessRuntime
from aeon.cli.platform.runs import parse_value, runtime_session
from aeon.cli.say import print_error, print_message
from aeon.cli.text import indented_json, printable
from aeon.platform.processes.runs.runs import PendingQuestion
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.model import SELF_RECOVERING_EXECUTOR
from aeon.platform.workers.serving import list_live_executors

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
        for run in runs.repository.list_open_ids(self._user):
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
