"""`ChatService`: answers to a list of messages that the caller keeps, by runs of Processes."""

import re
from collections import deque
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, NamedTuple

from aeon.application.answers import unshown
from aeon.application.default_catalog import ensure_default_tool
from aeon.application.run_reader import value_of
from aeon.application.runs import RunService
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject, readable_json, text_of
from aeon.bootstrap.platform import Platform
from aeon.llm.usage import Usage
from aeon.platform.catalog.repository import DEFAULTS_OWNER, EntityFilter
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.processes.model import Process
from aeon.platform.runs.machine.state import ENDED_PHASES

__all__ = ["ChatFollower", "ChatInputs", "ChatService"]

DEFAULT_CHAT: Final = "chat"
"""The shipped Process that answers with the project's model, and its tool."""

_LIMITS: Final = "limits"
_INPUTS: Final = frozenset({"request", "messages", "system", _LIMITS})
_OPTIONAL: Final = {"messages": "earlier messages", "system": "system message"}
"""The inputs that a Process need not have, besides the limits, with their names for people."""

_TEXT_OF_STEP: Final = re.compile(r"\{\{\s*step\.(\w+)\.text\s*\}\}")
_MOST: Final = 1000


class ChatFailedError(AeonError):
    """The run that was to answer has failed."""


class ChatInputs(NamedTuple):
    """What is to be answered: a request, after earlier messages (role and content), under instructions.

    `limits` may have `maxTokens` and `temperature`.
    """

    request: str
    messages: list[JsonObject]
    system: str
    limits: JsonObject


class ChatFollower:
    """An answer while it is made. `look` returns the new pieces; `result` and `usage` are there when it has ended."""

    def __init__(self, service: "ChatService", process: Process) -> None:
        self._service = service
        self._step = _streamed_step(process)
        self._new: deque[str] = deque()
        self._tell: Callable[[], None] | None = None
        self._shown = ""
        self.run = ""
        self.result: str | None = None
        self.waits_for: str | None = None
        """What the run asks a person, if it waits for one."""
        self.is_cut_off = False
        """Whether the answer ended at a limit of tokens."""

    def take(self, key: str, text: str) -> None:
        """Take a piece of a call; only the first attempt of the step whose text is the answer is shown at once."""
        if self._step is not None and key.split(":")[1:] == [self._step, "1"]:
            self._new.append(text)
            if (tell := self._tell) is not None:
                tell()

    @contextmanager
    def watch(self, tell: Callable[[], None]) -> Generator[None]:
        """The time in which `tell` is called, in other threads, when it is time to look. No pieces come after it."""
        self._tell = tell
        try:
            with self._service.watch_run(self.run, tell):
                yield
        finally:
            self._tell = None
            self._service.stop_listening(self)

    def look(self) -> list[str] | None:
        """Return the pieces that are new; None once the answer has ended.

        Raises ChatFailedError for a run that has failed.
        """
        if self.result is not None:
            return None
        found = self._taken()
        if not found and self._service.settle(self):
            found = self._taken()
            rest = unshown(self.content, f"{self._shown}{''.join(found)}")
            found += [rest] if rest else []
            self._shown += "".join(found)
            return found or None
        self._shown += "".join(found)
        return found

    @property
    def content(self) -> str:
        """The whole text of an answer that has ended."""
        return self.result or ""

    @property
    def is_shown(self) -> bool:
        """Whether the pieces of an answer that has ended are its text; not if it was made again and differs."""
        return self._shown.strip() == self.content

    def _taken(self) -> list[str]:
        found: list[str] = []
        while self._new:
            found.append(self._new.popleft())
        return found


class ChatService:
    """Answers chats of one user by Processes with the input `request`, or also `messages`, `system` and `limits`.

    Threads may share it. Every method raises StoreError.
    """

    def __init__(self, platform: Platform, user: str, runs: RunService) -> None:
        """The caller closes `platform`."""
        self._platform = platform
        self._user = user
        self._runs = runs

    def list_processes(self) -> list[tuple[str, Process]]:
        """Return the Processes that can answer, by the name under which they are chosen; the default first."""
        ensure_default_tool(self._platform, DEFAULT_CHAT)
        found = self._platform.processes.list_visible(self._user, EntityFilter("all", "", False), None, _MOST)
        named = [(self._name(each), each) for each in found if each.enabled and _answers(each)]
        return sorted(named, key=lambda each: (each[0] != DEFAULT_CHAT, each[0]))

    def find(self, name: str) -> Process:
        """Return the Process of that name that can answer. Raises NotFoundError."""
        for each, process in self.list_processes():
            if each == name:
                return process
        raise NotFoundError(f"There is no model {name!r}.", next_step="List the models.")

    def start(self, process: Process, chat: ChatInputs, *, key: str | None = None) -> ChatFollower:
        """Begin an answer.

        Raises RuleError for what the Process does not take of the chat, and what `RunService.start` does.
        """
        _require_taken(process, chat)
        follower = ChatFollower(self, process)
        offered: JsonObject = {"request": chat.request, "messages": list[Json](chat.messages), "system": chat.system}
        offered[_LIMITS] = chat.limits
        inputs = {name: offered[name] for name in process.input_names if name in offered}
        run = self._runs.start(
            process, inputs, key=key, accepted=lambda run: self._platform.call_pieces.listen(run.id, follower.take)
        )
        follower.run = run.id
        return follower

    def watch_run(self, run: str, tell: Callable[[], None]) -> AbstractContextManager[None]:
        """The time in which `tell` is called after new entries of an answer's run, in another thread."""
        return self._runs.watch(run, tell)

    def settle(self, follower: ChatFollower) -> bool:
        """Take over the result of a run that has ended, or that waits only for a person; return whether it has.

        Raises ChatFailedError.
        """
        view = self._runs.view(follower.run)
        if view.state.phase not in ENDED_PHASES:
            questions = self._runs.list_questions(follower.run)
            if not questions or view.is_busy:
                return False
            follower.waits_for = readable_json(questions[0].inputs)
            follower.result = f"The run waits for an answer to: {follower.waits_for}"
        elif view.state.phase == "completed":
            output = view.state.output
            follower.is_cut_off = value_of(view, "finishReason") == "length"
            follower.result = text_of(output).strip()
        if follower.result is None:
            failure = view.state.error
            raise ChatFailedError(failure.message if failure is not None else f"The run was {view.state.phase}.")
        return True

    def stop_listening(self, follower: ChatFollower) -> None:
        """Pass on no more pieces of an answer; its run goes on. Calling it again does nothing."""
        self._platform.call_pieces.forget(follower.run)

    def usage(self, follower: ChatFollower) -> Usage:
        """Return the tokens of an answer."""
        return self._runs.usage(follower.run)

    def _name(self, process: Process) -> str:
        is_own = process.owner_id in (self._user, DEFAULTS_OWNER)
        return process.name if is_own else f"{process.owner_id}/{process.name}"


def _require_taken(process: Process, chat: ChatInputs) -> None:
    """Raises RuleError for a part of a chat for which a Process has no input: it would be lost."""
    given = chat._asdict()
    lost = [name for name in (*_OPTIONAL, _LIMITS) if given[name] and name not in process.input_names]
    if not lost:
        return
    parts = [part for name in lost for part in (sorted(chat.limits) if name == _LIMITS else [_OPTIONAL[name]])]
    raise RuleError(
        f"The Process {process.name!r} takes no {' and no '.join(parts)}.",
        rule="chat_inputs",
        next_step=f"Leave them out, or add the input {' and '.join(map(repr, lost))} to it.",
    )


def _answers(process: Process) -> bool:
    return "request" in process.input_names and set(process.required_inputs) <= _INPUTS


def _streamed_step(process: Process) -> str | None:
    """Return the step whose text is the whole output, so that its pieces are those of the answer; None without one."""
    found = _TEXT_OF_STEP.fullmatch(process.output_template.strip())
    if found is None:
        return None
    return next((each.id for each in process.definition.steps if each.output.variable == found[1]), None)
