"""How an answer in a conversation is made: by a run of a Process, which is started, followed, settled and stopped."""

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from typing import Final

from aeon.application.default_catalog import REPLY_TOOL, ensure_default_tool
from aeon.application.run_reader import value_of
from aeon.application.runs import RunService
from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError
from aeon.base.json import JsonObject, text_of
from aeon.base.next_steps import NextStep
from aeon.bootstrap.platform import Platform
from aeon.bootstrap.runs import platform_runs
from aeon.platform.conversations.model import Alternative
from aeon.platform.conversations.turns import EndedAnswer
from aeon.platform.errors import NotFoundError, PlatformError, RuleError
from aeon.platform.processes.model import Process
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import DETACHED
from aeon.platform.runs.service import RunView
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WorkerRegistry

DEFAULT_REPLY: Final = "reply"
"""The Process that answers where the user has chosen none: with tools and skills where they suit."""

PLAIN_REPLY: Final = "reply_plain"
"""The Process that answers by one call of the model."""

ANSWER_INPUTS: Final = frozenset({"answer", "message", "conversation"})
"""What a Process that answers may take as input: the ids of the answer and of its conversation, and the message."""

_STOPPED_UNWRITTEN: Final = "stopped before anything was written"
"""Why an answer failed of which nothing was written before its user stopped it."""

_WAIT = 0.1
"""Seconds between two looks at the run of an answer."""

_SOON = 0.005
"""Seconds before the second look at a run whose answer is there; more before each further one."""

_STARTING = 10.0
"""Seconds that a process has between the beginning of an answer and the start of its run."""

_TAKE_UP = 50
"""Looks without a piece, after which it is checked whether the maker still lives."""


class AnswerFollower:
    """An iterator of the pieces of an answer that is being made; it ends with the answer.

    A reader who begins late gets all pieces first. `result` is the alternative as it is then: its `content`, `state`,
    `failure` and `marks`, and `is_cut_off`.
    """

    def __init__(self, answers: "AnswerService", platform: Platform, answer: Alternative) -> None:
        self._answers = answers
        self._pieces = platform.pieces
        self._shown: list[str] = []
        self._idle = 0
        self._has_ended = False
        self.result = answer

    def __iter__(self) -> Iterator[str]:
        while (found := self.look(_WAIT)) is not None:
            yield from found
            if not found and self._pieces.is_finished(self.result.id):
                time.sleep(min(_WAIT, _SOON * self._idle))  # its Process may have more steps

    def look(self, wait: float = 0) -> list[str] | None:
        """Return the new pieces, for which it waits `wait` seconds at most; None once the answer has ended."""
        if self._has_ended:
            return None
        found = self._pieces.read(self.result.id, len(self._shown), wait)
        self._shown += found
        self._idle = 0 if found else self._idle + 1
        return found or self._rest()

    @property
    def is_shown(self) -> bool:
        """Whether the pieces of an answer that has ended are its content; not if it was made again and differs."""
        return "".join(self._shown).strip() == self.result.content

    def stop(self) -> None:
        """Stop following, from any thread. The answer goes on; `conversations.stop` ends it."""
        self._has_ended = True

    @contextmanager
    def watch(self, tell: Callable[[], None]) -> Generator[None]:
        """The time in which `tell` is called, in other threads, when it is time to look.

        Not every record tells of pieces that other processes make: look from time to time, too.
        """
        run = self.result.run_id
        follow_run = nullcontext() if run is None else self._answers.runs.watch(run, tell)
        with self._pieces.watch(self.result.id, tell), follow_run:
            yield

    def _rest(self) -> list[str] | None:
        """Return what an answer that has ended has besides its pieces; nothing while it is made."""
        self.result = self._answers.settle(self.result.id)
        if self.result.state == "generating":
            if self._idle % _TAKE_UP == 0:
                self._answers.take_up(self.result.id)
            return []
        self._has_ended = True
        self._pieces.drop(self.result.id)
        rest = unshown(self.result.content or "", "".join(self._shown))
        self._shown.append(rest)
        return [rest] if rest else None


class AnswerService:
    """The answers of one user that are being made. Threads may share it. Methods raise as `RunService.start` does."""

    def __init__(self, platform: Platform, user: str, runs: Callable[[], RunService]) -> None:
        """`runs` opens the engine."""
        self._platform = platform
        self._user = user
        self._runs = runs

    @property
    def runs(self) -> RunService:
        """The runs that make the answers."""
        return self._runs()

    def find_process(self, name: str) -> Process:
        """Return the Process that is to answer. Raises RuleError if it cannot."""
        if name in (DEFAULT_REPLY, PLAIN_REPLY):
            ensure_default_tool(self._platform, REPLY_TOOL)
        process = self._platform.processes.find(self._user, name)
        if not process.enabled:
            raise RuleError(
                f"The Process {process.name!r} is disabled.", rule="enabled", next_step="Choose another one."
            )
        unknown = sorted(set(process.required_inputs) - ANSWER_INPUTS)
        if unknown:
            raise RuleError(
                f"The Process {process.name!r} needs {', '.join(unknown)}, which a conversation does not have.",
                rule="reply_inputs",
                next_step="Choose one that needs only these inputs: answer, message, conversation.",
            )
        return process

    def choose_process(self, given: str | None, before: str | None) -> Process:
        """Return the given Process, else the one that answered before, else the default; raises like `find_process`."""
        if given or not before:
            return self.find_process(given or DEFAULT_REPLY)
        try:
            return self.find_process(before)
        except NotFoundError:
            raise NotFoundError(
                "The Process that answered here before is gone, or no longer shared with you.",
                next_step=NextStep("conversations.choose_process"),
            ) from None

    def start(self, begun: Alternative, process: Process) -> AnswerFollower:
        """Start the run of an answer, once however often this is called; an answer that cannot start has failed."""
        message = self._get(begun.responds_to_id or "")
        offered: JsonObject = {
            "answer": begun.id,
            "message": message.content,
            "conversation": begun.conversation_id,
        }
        inputs = {name: offered[name] for name in process.input_names if name in offered}
        try:
            run = self.runs.start(process, inputs, key=f"answer:{begun.id}")
        except AeonError as error:
            self._end(begun.id, EndedAnswer(None, error.message))
            raise
        self._platform.turns.set_run(self._user, begun.id, run.id)
        return AnswerFollower(self, self._platform, self._get(begun.id))

    def follow(self, answer: str) -> AnswerFollower:
        """Follow an answer from its first piece."""
        return AnswerFollower(self, self._platform, self.settle(answer))

    def stop(self, answer: str) -> Alternative:
        """Stop an answer that is being made; what was written is its content, marked as stopped (platform 22)."""
        before = self._get(answer)
        if before.state != "generating":
            return before
        written = self._platform.pieces.stop(answer).strip()
        if (
            self._end(answer, EndedAnswer(written or None, _STOPPED_UNWRITTEN, is_stopped=True))
            and before.run_id is not None
        ):
            with suppress(RuleError):  # it has ended meanwhile
                self.runs.cancel(before.run_id, wait=0)
        return self._get(answer)

    def settle(self, answer: str) -> Alternative:
        """Write the result of an answer whose run has ended; return the answer as it is now."""
        made = self._get(answer)
        if made.state != "generating" or made.run_id is None:
            return made
        try:
            view = self.runs.view(made.run_id)
        except NotFoundError:
            self._end(answer, EndedAnswer(None, "its run was deleted"))
            return self._get(answer)
        if view.state.phase not in ENDED_PHASES:
            return made
        self._end(answer, self._ended_by(view))
        self._platform.pieces.drop(answer)
        return self._get(answer)

    def take_up(self, answer: str) -> None:
        """Go on with an answer here if the process that made it has died."""
        made = self._get(answer)
        if made.state != "generating":
            return
        if made.run_id is not None:
            self.runs.adopt(made.run_id)
        elif self._is_late(made):
            self._start_again(made)

    def settle_all(self) -> list[Alternative]:
        """Settle the user's answers whose runs have ended, and start the runs that nobody has started in time.

        Returns those that are still being made.
        """
        for made in self._platform.turns.list_generating(self._user):
            if made.run_id is None:
                self.take_up(made.id)
        return self.settle_ended()

    def settle_ended(self) -> list[Alternative]:
        """Settle the user's answers whose runs have ended, and start nothing. Returns those still being made."""
        settled = self.settled(self._platform.turns.list_generating(self._user))
        return [made for made in settled if made.state == "generating"]

    def settled(self, alternatives: Iterable[Alternative]) -> list[Alternative]:
        """Return alternatives as they are once the results of runs that have ended are written."""
        return [self.settle(each.id) if each.state == "generating" else each for each in alternatives]

    def is_made_by(self, answer: Alternative, executor: str) -> bool:
        """Whether a process executes the run of an answer."""
        return self._executor_of(answer) == executor

    def list_abandoned(self, alternatives: Iterable[Alternative]) -> frozenset[str]:
        """Return the ids of the answers among them that nobody makes any more. Nothing is changed or taken up."""
        left = [each for each in alternatives if each.state == "generating"]
        if not left:
            return frozenset()
        registry = WorkerRegistry(self._platform.store, SystemClock())
        dead = {each.id for each in registry.list_dead_executors()}
        live = {each.id for each in registry.list_executors()} - dead
        gone = [each.id for each in left if not self._has_maker(each, live)]
        # The maker of one may have ended it meanwhile.
        return frozenset(each for each in gone if self._get(each).state == "generating")

    def _has_maker(self, made: Alternative, live: Collection[str]) -> bool:
        executor = self._executor_of(made)
        if executor in ("", DETACHED):
            return not self._is_late(made)
        return executor == SELF_RECOVERING_EXECUTOR or executor in live

    def _executor_of(self, made: Alternative) -> str:
        """The executor of the run of an answer; empty if there is none."""
        if made.run_id is None:
            return ""
        try:
            return platform_runs(self._platform).repository.get(self._user, made.run_id).run.executor
        except NotFoundError:
            return ""

    def _get(self, id_: str) -> Alternative:
        return self._platform.turns.get(self._user, id_)

    def _end(self, answer: str, ended: EndedAnswer) -> bool:
        return self._platform.turns.end_answer(self._user, answer, ended)

    def _ended_by(self, view: RunView) -> EndedAnswer:
        """How an answer ended whose run has ended."""
        usage = self.runs.usage(view.run.id)
        model = next((each.model for each in usage.models if each.model), None)
        has_completed = view.state.phase == "completed"
        text = _text_of(view.state.output) if has_completed else ""
        reason = view.state.error.message if view.state.error is not None else f"the run was {view.state.phase}"
        failure = "the Process returned nothing" if has_completed else reason
        details: JsonObject = {name: value_of(view, name) for name in ("finishReason", "cachedTokens")}
        ended = EndedAnswer(text or None, failure, model, {**usage.as_dict(), **details})
        return ended._replace(marks=value_of(view, "marks") or ())

    def _is_late(self, made: Alternative) -> bool:
        """Whether the process that began an answer has not started its run in time."""
        age = datetime.fromisoformat(self._platform.catalog.ledger.now()) - datetime.fromisoformat(made.created_at)
        return abs(age.total_seconds()) > _STARTING  # also if the clock was set back

    def _start_again(self, begun: Alternative) -> None:
        """Start the run of an answer whose maker died before it had one."""
        try:
            self.start(begun, self.choose_process(None, begun.process_id))
        except PlatformError as error:
            self._end(begun.id, EndedAnswer(None, error.message))


def was_stopped(answer: Alternative) -> bool:
    """Whether the user stopped an answer, before or after something was written."""
    return answer.state == "stopped" or answer.failure == _STOPPED_UNWRITTEN


def unshown(content: str, shown: str) -> str:
    """Return the end of a content of which a reader has seen the beginning; empty if it has seen something else."""
    seen = shown.lstrip()
    return content[len(seen) :] if content.startswith(seen) else ""


def _text_of(output: object) -> str:
    return "" if output is None else text_of(output).strip()
