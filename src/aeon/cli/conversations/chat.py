"""`aeon chat`: a dialogue on a terminal, or one message from a script."""

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from aeon.application.conversations import (
    Alternative,
    AnswerFollower,
    Conversation,
    ConversationService,
    NewAttachment,
    StoreUnavailableError,
)
from aeon.application.knowledge import KnowledgeService
from aeon.base.errors import AeonError, InputError
from aeon.cli.console import print_data, print_error, print_message
from aeon.cli.conversations.line_editor import open_line_reader
from aeon.cli.conversations.paths import print_window
from aeon.cli.conversations.slash_commands import COMMANDS, SlashCommands
from aeon.cli.conversations.views import doubts_of, heading
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import piped_text
from aeon.cli.platform.session import runtime_session
from aeon.cli.session import load_cli_settings
from aeon.cli.signals import exit_code_of
from aeon.cli.text import SHORT_ID, printable
from aeon.platform.errors import ConflictError

_NAMING = 20.0
"""Seconds that leaving waits for a title."""

_SUMMING = 60.0
"""Seconds that leaving waits for summaries of what no longer fits the conversation's prompts."""

_HISTORY = 200
"""Messages of the user that the arrows go back through."""


class ChatOptions(NamedTuple):
    """The flags of `aeon chat`: the conversation to go on with, the Process, the model, the user, what to attach.

    `is_temporary`: nothing is kept.
    """

    conversation: str | None
    process: str | None
    model: str | None
    user: str
    attach: Sequence[Path] = ()
    is_temporary: bool = False


def run_chat(message: str | None, options: ChatOptions) -> int:
    """Say one message and print its answer; without one, talk on the terminal.

    Raises InputError without a message and without a terminal, and what the conversation does.
    """
    text = _message(message)
    if text is None and not (sys.stdin is not None and sys.stdin.isatty()):  # pyright: ignore[reportUnnecessaryComparison]  # None after `<&-`
        raise InputError("No message was given.", next_step="Give one, pipe one in, or run it on a terminal.")
    if options.is_temporary and options.conversation is not None:
        raise InputError("A temporary conversation continues no other one.", next_step="Leave one of both out.")
    settings, is_temporary = load_cli_settings(model=options.model), options.is_temporary
    with runtime_session(
        options.user, settings, reads_folder=not is_temporary, keeps_nothing=is_temporary
    ) as workspace:
        service = workspace.conversations
        service.recover()
        conversation = None if options.conversation is None else service.find(options.conversation)
        chat = Chat(service, workspace.knowledge, conversation, options.process, is_temporary=is_temporary)
        chat.attachments = [service.read_attachment(path) for path in options.attach]
        return chat.talk() if text is None else chat.say_once(text)


def _message(message: str | None) -> str | None:
    """The message that was given or piped in; None on a terminal."""
    if message is None or message == "-":
        text = piped_text(is_named=message == "-")
        return None if text is None else text.rstrip("\n")
    return message


class Chat:
    """One conversation, at a terminal or in a script."""

    def __init__(
        self,
        service: ConversationService,
        knowledge: KnowledgeService,
        conversation: Conversation | None,
        process: str | None,
        *,
        is_temporary: bool = False,
    ) -> None:
        """Without a conversation, the first message begins one."""
        self.service = service
        self.knowledge = knowledge
        self.conversation = conversation
        self.process = process
        self._is_temporary = is_temporary
        self.attachments: list[NewAttachment] = []
        """What goes with the next message."""
        self._is_dialogue = False
        self._is_interrupted = False

    def say_once(self, text: str) -> int:
        """Say a message and print the answer alone; the exit code says whether there is a whole one."""
        return self.outcome_of(self.say(text))

    def outcome_of(self, answer: Alternative) -> int:
        """Say how to go on after an answer; return the exit code that says whether it is whole and can be trusted."""
        if not self._is_temporary:
            print_message(f"go on with: aeon chat -c {answer.conversation_id[:SHORT_ID]}", "next: ")
        if self._is_interrupted:
            return ExitCode.INTERRUPTED
        if answer.state != "complete":
            return ExitCode.FAILED
        return ExitCode.UNTRUSTED if answer.is_cut_off or doubts_of(answer) else ExitCode.DONE

    def talk(self) -> int:
        """Read messages and commands until the user leaves."""
        self._is_dialogue = True
        commands = SlashCommands(self)
        path = [] if self.conversation is None else self.service.path(self.conversation.id)
        messages = [each.content for each in path if each.turn.speaker == "user" and each.content is not None]
        takes_path = {each.name for each in COMMANDS if "FILE" in each.usage}
        read_line = open_line_reader([each.name for each in COMMANDS], takes_path, messages[-_HISTORY:])
        self._show_beginning(path)
        self._wait_for_open_answer()
        draft = ""
        while not commands.is_over:
            try:
                line = read_line("> ", default=draft)
            except KeyboardInterrupt as stop:
                exit_code_of(stop)
                draft = ""
                continue
            except EOFError:
                break
            draft = self._do(line, commands)
        if self.conversation is not None and not self._is_temporary:
            print_message(f"kept; go on with: aeon chat -c {self.conversation.id[:SHORT_ID]}")
            self._finish_title(self.conversation.id)
            self._finish_summaries(self.conversation.id)
        return ExitCode.DONE

    def _show_beginning(self, path: Sequence[Alternative]) -> None:
        """Print what the dialogue goes on with, and how one leaves it."""
        if self._is_temporary:
            print_message("temporary: nothing of it is kept, and it has no stored tools, skills or files", "note: ")
        name = "a new conversation" if self.conversation is None else heading(self.service, self.conversation)
        print_message(f"{name}; /help lists the commands, Ctrl-D leaves")
        if self.conversation is not None:
            print_window(self.service, self.conversation, path, "/show {}")

    def _do(self, line: str, commands: SlashCommands) -> str:
        """Say a line, or run it as a command, and print what is wrong with it; returns what stands in the next one."""
        try:
            if line.startswith("/") and not line.startswith("//"):
                return commands.run(line) or ""
            if line.strip():
                self._say_and_follow_up(line[1:] if line.startswith("//") else line)
        except AeonError as error:
            print_error(error)
        return ""

    def _say_and_follow_up(self, text: str) -> None:
        """Say a message of a dialogue, and begin what may be made while the user writes the next one."""
        try:
            self.say(text)
        except ConflictError:
            print_message("your message was not said; the up arrow brings it back", "note: ")
            raise
        self._begin_title()
        self._begin_summary()

    def _begin_title(self) -> None:
        """Let the conversation be named while the user writes, unless the user's next message would wait for it."""
        if self.conversation is not None and self.service.titles.is_immediate:
            self.service.titles.begin(self.conversation.id)

    def _finish_title(self, conversation: str) -> None:
        """Name the conversation if it has no title; Ctrl-C leaves it without one."""
        try:
            with _status("the model names the conversation"):
                self.service.titles.finish(conversation, _NAMING)
        except KeyboardInterrupt as stop:
            exit_code_of(stop)

    def _begin_summary(self) -> None:
        """Let a part of the conversation be summed up while the user writes, if it needs that and the model is free."""
        if self.conversation is not None and self.service.summaries.is_immediate:
            self.service.summaries.begin(self.conversation.id)

    def _finish_summaries(self, conversation: str) -> None:
        """Sum up what no longer fits the conversation's prompts; Ctrl-C leaves the rest for later."""
        try:
            with _status("the model sums up the conversation; Ctrl-C leaves that for later"):
                self.service.summaries.finish(conversation, _SUMMING)
        except KeyboardInterrupt as stop:
            exit_code_of(stop)

    def say(self, text: str) -> Alternative:
        """Say a message, print its answer as it comes, and return it. Waits for the answer before it."""
        self._wait_for_open_answer()
        place = None if self.conversation is None else self.conversation.id
        try:
            answer = self.service.ask(place, text, attachments=self.attachments, process=self.process)
        except StoreUnavailableError:
            print_message("once the record answers, see whether the message was kept: aeon conversation show last")
            raise
        self.attachments = []
        self.conversation = self.service.get(answer.result.conversation_id)
        return self.show(answer)

    def _wait_for_open_answer(self) -> None:
        """Wait for an answer that is being made, here or elsewhere; a dialogue shows it."""
        path = [] if self.conversation is None else self.service.path(self.conversation.id, limit=1)
        if not path or path[-1].state != "generating":
            return
        print_message("the answer before is still being made; it is waited for", "note: ")
        answer = self.service.follow(path[-1].id)
        if self._is_dialogue:
            self.show(answer)
        else:
            for _ in answer:
                pass

    def show(self, answer: AnswerFollower) -> Alternative:
        """Print an answer as it comes, in a pipe once it is complete, and return it.

        Ctrl-C stops the answer, not the program.
        """
        try:
            self._print_pieces(answer)
        except StoreUnavailableError as error:
            print_error(error)
            print_message("the message is kept; its answer is made once the record answers again", "note: ")
            return answer.result
        self._report(answer.result)
        if not self._is_temporary:
            self.knowledge.catch_up()  # so that the next answer knows what is active (platform 44)
        return answer.result

    def _print_pieces(self, answer: AnswerFollower) -> None:
        shown: list[str] = []
        is_seen = sys.stdout.isatty()
        try:
            for piece in _with_status(answer):
                shown.append(piece)
                if is_seen:
                    sys.stdout.write(printable(piece))
                    sys.stdout.flush()
            if is_seen and shown:
                print_data("")
            self._print_content(answer, "".join(shown) if is_seen else None)
        except KeyboardInterrupt as stop:
            if exit_code_of(stop) is not ExitCode.INTERRUPTED:
                raise
            self._is_interrupted = True
            answer.result = self.service.stop(answer.result.id)

    def _print_content(self, answer: AnswerFollower, shown: str | None) -> None:
        """Print a complete answer unless it was shown while it was made."""
        content = answer.result.content
        if content is None or (shown is not None and shown.strip() == content):
            return
        if shown:
            print_message("the model was asked again; this is its answer:", "note: ")
        print_data(printable(content))

    def _report(self, made: Alternative) -> None:
        """Say on stderr what is not right with an answer."""
        if made.state == "failed":
            print_message(f"the answer failed: {printable(made.failure or '')}", "error: ")
            print_message(self._after_failure(made), "next: ")
        elif made.state == "stopped" and self._is_temporary:
            print_message("\nstopped")
        elif made.state == "stopped":
            print_message("\nstopped; what was written is kept")
        elif made.is_cut_off:
            print_message("the answer was cut off by the token limit, or because it repeated itself", "warning: ")
        for mark in doubts_of(made):
            print_message(printable(mark), "warning: ")

    def _after_failure(self, made: Alternative) -> str:
        """How to go on after an answer that failed."""
        if self._is_dialogue:
            return "try again with /retry, or change the message with /edit"
        if self._is_temporary:
            return "ask again; nothing of it was kept"
        return f"the message is kept; try again with: aeon conversation regenerate {made.id[:SHORT_ID]}"


@contextmanager
def _status(what: str) -> Generator[None]:
    """Show on a terminal what happens."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(file=sys.stderr).status(what):
        yield


def _with_status(answer: AnswerFollower) -> Iterator[str]:
    """Yield the pieces; until the first, a terminal shows that the model reads."""
    pieces = iter(answer)
    with _status("the model reads"):
        first = next(pieces, None)
    if first is not None:
        yield first
        yield from pieces
