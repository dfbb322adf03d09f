"""`aeon worker --type human`: puts what a user's runs ask, one question after another, at a terminal."""

import sys
from typing import NoReturn

import typer

from aeon.base.errors import AeonError, InputError
from aeon.bootstrap.processes import ProcessRunner
from aeon.cli.platform.inputs import value_of
from aeon.cli.platform.runs import running
from aeon.cli.say import say, say_error
from aeon.cli.text import clean, pretty
from aeon.platform.processes.runs.runs import Question
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.model import TAKES_OVER_ITSELF
from aeon.platform.workers.serving import present

_LOOKS_EVERY = 1.0
"""Seconds."""


def answer_questions(user: str) -> NoReturn:
    """Ask for an answer to every question that waits for the user, until interrupted. Raises InputError."""
    if not sys.stdin.isatty():
        raise InputError(
            "Questions are put at a terminal, and this is none.",
            next_step="See which wait: aeon jobs list --type human. Answer one: aeon process answer RUN STEP ANSWER.",
        )
    with running(user) as runner:
        asking = _Asking(runner, user)
        say(f"questions to {clean(user)} are put here; an empty answer leaves one for later; Ctrl-C ends it")
        while True:
            try:
                asking.put_all()
            except StoreUnavailableError as error:
                say(f"{error.message} It is tried again.")
            runner.clock.sleep(_LOOKS_EVERY)


class _Asking:
    def __init__(self, runner: ProcessRunner, user: str) -> None:
        self._runner = runner
        self._user = user
        self._left: set[str] = set()

    def put_all(self) -> None:
        """Every question that is open now, and was not left for later."""
        runs = self._runner.runs
        for run in runs.book.open_of(self._user):
            for question in runs.questions(self._user, run):
                if question.run == run and question.job not in self._left and question.asks in (None, self._user):
                    self._put(question)

    def _put(self, question: Question) -> None:
        seen = self._runner.runs.see(self._user, question.run)
        say(f"{clean(question.step)} of {clean(seen.run.process_name)}, run {question.run}, asks:")
        say(clean(pretty(question.inputs)), "  ", "  ")
        given = typer.prompt("answer (JSON or text)", default="", show_default=False, err=True)
        if not given.strip():
            self._left.add(question.job)
            return
        try:
            self._runner.runs.answer(self._user, question.run, question.step, value_of(given))
        except StoreUnavailableError:
            raise
        except AeonError as error:  # somebody else was faster, or it does not fit: it is asked again if it still waits
            say_error(error)
            return
        self._tell_who_goes_on(question.run, seen.run.executor)

    def _tell_who_goes_on(self, run: str, executor: str) -> None:
        if executor in (TAKES_OVER_ITSELF, *present(self._runner.registry)):
            say("answered; the run goes on")
        else:
            say(f"answered; nobody carries the run out now: aeon worker --type process, or aeon runs resume {run}")
