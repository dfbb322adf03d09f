"""`aeon chat`: a dialogue on a terminal, or one message from a script."""

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from aeon.application.conversations import AnswerFollower, Conversation, ConversationService
from aeon.base.errors import AeonError, InputError
from aeon.cli.console import print_error, print_message
from aeon.cli.conversations.line_editor import LineEditor
from aeon.cli.conversations.slash_commands import COMMANDS, SlashCommands
from aeon.cli.conversations.views import SHORT_ID, heading, print_path
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import piped_text
from aeon.cli.platform.session import runtime_session
from aeon.cli.session import load_cli_settings
from aeon.cli.signals import exit_code_of
from aeon.cli.text import printable

_HISTORY = 200
"""Messages of the user that the arrows go back through."""


class ChatOptions(NamedTuple):
    """The flags of `aeon chat`: the conversation to go on with, the Process, the model and the user."""

    conversation: str | None
    process: str | None
    model: str | None
    user: str


def run_chat(message: str | None, options: ChatOptions) -> int:
    """Say one message and print its answer; without one, talk on the terminal.

    Raises InputError without a message and without a terminal, and what the conversation does.
    """
    text = _message(message)
    if text is None and not (sys.stdin is not None and sys.stdin.isatty()):  # pyright: ignore[reportUnnecessaryComparison]  # None after `<&-`
        raise InputError("There is no message.", next_step="Give one, pipe one in, or run it on a terminal.")
    with runtime_session(options.user, load_cli_settings(model=options.model)) as workspace:
        service = workspace.conversations
        service.recover()
        conversation = service.create() if options.conversation is None else service.find(options.conversation)
        chat = Chat(service, conversation, options.process)
        return chat.talk() if text is None else chat.say_once(text)


def _message(message: str | None) -> str | None:
    """The message that was given or piped in; None on a terminal."""
    if message is None or message == "-":
        text = piped_text(is_named=message == "-")
        return None if text is None else text.rstrip("\n")
    return message


class Chat:
    """One conversation, at a terminal or in a script."""

    def __init__(self, service: ConversationService, conversation: Conversation, process: str | None) -> None:
        self.service = service
        self.conversation = conversation
        self.process = process

    def say_once(self, text: str) -> int:
        """Say a message and print the answer alone; the exit code says whether there is one."""
        is_complete = self.say(text)
        print_message(f"go on with: aeon chat -c {self.conversation.id[:SHORT_ID]}", "next: ")
        return ExitCode.DONE if is_complete else ExitCode.FAILED

    def talk(self) -> int:
        """Read messages and commands until the user leaves."""
        commands = SlashCommands(self)
        path = self.service.path(self.conversation.id)
        said = [each.content for each in path if each.turn.speaker == "user" and each.content is not None]
        editor = LineEditor([each.name for each in COMMANDS], said[-_HISTORY:])
        print_message(f"{heading(self.service, self.conversation)}; /help lists the commands, Ctrl-D leaves")
        print_path(self.service, path)
        draft = ""
        while not commands.is_over:
            try:
                line = editor.ask("> ", draft)
            except KeyboardInterrupt as stop:
                exit_code_of(stop)
                draft = ""
                continue
            except EOFError:
                break
            draft = ""
            try:
                if line.startswith("/"):
                    draft = commands.run(line) or ""
                elif line.strip():
                    self.say(line)
            except AeonError as error:
                print_error(error)
        print_message(f"kept; go on with: aeon chat -c {self.conversation.id[:SHORT_ID]}")
        return ExitCode.DONE

    def say(self, text: str) -> bool:
        """Say a message and print its answer as it comes; return whether it is complete."""
        message = self.service.say(self.conversation.id, text)
        return self.show(self.service.reply(message.id, process=self.process))

    def show(self, answer: AnswerFollower) -> bool:
        """Print an answer as it comes. Ctrl-C stops the answer, not the program."""
        ends_line = True
        try:
            for piece in _with_status(answer):
                sys.stdout.write(printable(piece))
                sys.stdout.flush()
                ends_line = piece.endswith("\n")
            if not ends_line:
                sys.stdout.write("\n")
                sys.stdout.flush()
        except KeyboardInterrupt as stop:
            if exit_code_of(stop) is not ExitCode.INTERRUPTED:
                raise
            answer.result = self.service.stop(answer.result.id)
        return self._report(answer)

    def _report(self, answer: AnswerFollower) -> bool:
        """Say on stderr what is not right with an answer."""
        made = answer.result
        if made.state == "failed":
            print_message(f"there is no answer: {printable(made.failure or '')}", "error: ")
            print_message("try again with /retry, or change the message with /edit", "next: ")
        elif made.state == "stopped":
            print_message("\nstopped; what was written is kept")
        return made.state == "complete"


@contextmanager
def _status() -> Generator[None]:
    """Show on a terminal that the model reads."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(file=sys.stderr).status("the model reads"):
        yield


def _with_status(answer: AnswerFollower) -> Iterator[str]:
    """Yield the pieces; until the first, a terminal shows that the model reads."""
    pieces = iter(answer)
    with _status():
        first = next(pieces, None)
    if first is not None:
        yield first
        yield from pieces
