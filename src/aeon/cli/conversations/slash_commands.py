"""The commands inside `aeon chat`, which begin with a slash."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from aeon.application.conversations import (
    Alternative,
    AnswerFollower,
    Conversation,
    ConversationService,
    NewAttachment,
)
from aeon.application.knowledge import KnowledgeService
from aeon.base.errors import InputError
from aeon.cli.console import print_data, print_message
from aeon.cli.conversations.attached_files import file_line
from aeon.cli.conversations.chat_command import SlashCommand
from aeon.cli.conversations.erasing import forget_with_question
from aeon.cli.conversations.knowledge_commands import KNOWLEDGE_COMMANDS, KnowledgeCommands
from aeon.cli.conversations.paths import active_response, answer_at, print_window
from aeon.cli.conversations.search import print_hits
from aeon.cli.conversations.views import (
    heading,
    print_comparison,
    print_origin,
    shown_content,
    state_of,
    title_of,
)
from aeon.cli.output import print_table
from aeon.cli.text import COLUMNS, SHORT_ID, wrap

_NARROW = 30
"""Columns for what a command does; with fewer, it stands in lines of its own."""

COMMANDS = (
    SlashCommand("help", "/help", "list the commands"),
    SlashCommand("show", "/show [N]", "print the conversation, numbered; with N, what stands before it"),
    SlashCommand("attach", "/attach [FILE]", "attach a file to the next message; without FILE, none"),
    SlashCommand("edit", "/edit [N] [TEXT]", "say message N (the last by default) in another way"),
    SlashCommand("continue", "/continue N TEXT", "say TEXT after answer N; what followed it stays"),
    SlashCommand("regenerate", "/regenerate [PROCESS]", "let the last answer be made again"),
    SlashCommand("retry", "/retry", "the same, after an answer that failed or never came"),
    SlashCommand("stop", "/stop", "stop an answer that another process makes or left behind"),
    SlashCommand("alternatives", "/alternatives [N]", "list the alternatives of N, and what stands below each"),
    SlashCommand("switch", "/switch N K", "show alternative K of N, and what follows it"),
    SlashCommand("compare", "/compare N K L", "show how alternatives K and L of N differ"),
    SlashCommand("fork", "/fork [N]", "go on from N in a new conversation"),
    SlashCommand("forget", "/forget [N]", "erase message or answer N (your last message by default) for good"),
    SlashCommand("why", "/why [N]", "show what an answer was made from, with its share of the tokens"),
    *KNOWLEDGE_COMMANDS,
    SlashCommand("title", "/title TEXT", "give the conversation a title"),
    SlashCommand("search", "/search TEXT", "search in all your conversations, on every branch"),
    SlashCommand("list", "/list", "list your conversations"),
    SlashCommand("open", "/open ID", "go on with another conversation"),
    SlashCommand("new", "/new", "begin a new conversation"),
    SlashCommand("quit", "/quit", "leave; everything is kept"),
)

_SLASHED_TEXT = SlashCommand("", "//TEXT", "say a message that begins with a slash: /TEXT")


class ChatSession(Protocol):
    """The chat that the commands act on."""

    service: ConversationService
    knowledge: KnowledgeService
    conversation: Conversation | None
    process: str | None
    attachments: list[NewAttachment]

    def show(self, answer: AnswerFollower) -> Alternative:
        """Print an answer as it comes, and return it."""
        ...


class SlashCommands:
    """Runs the commands of one chat."""

    def __init__(self, chat: ChatSession) -> None:
        self.is_over = False
        self._chat = chat
        self._service = chat.service
        self._handlers: dict[str, Callable[[str], str | None]] = {
            **KnowledgeCommands(chat.service, chat.knowledge, self._conversation).handlers,
            "help": self._help,
            "show": self._show,
            "attach": self._attach,
            "edit": self._edit,
            "continue": self._continue,
            "regenerate": self._regenerate,
            "retry": self._regenerate,
            "stop": self._stop,
            "alternatives": self._alternatives,
            "switch": self._switch,
            "compare": self._compare,
            "fork": self._fork,
            "forget": self._forget,
            "why": self._why,
            "title": self._title,
            "search": self._search,
            "list": self._list,
            "open": self._open,
            "new": self._new,
            "quit": self._quit,
        }

    def run(self, line: str) -> str | None:
        """Run a line that begins with a slash; return a draft of the next message, if the command makes one.

        Raises InputError for an unknown command or wrong arguments, and what the conversation raises.
        """
        name, _, arguments = line[1:].strip().partition(" ")
        if name not in self._handlers:
            raise InputError(f"/{name} is not a command.", next_step="See /help.")
        return self._handlers[name](arguments.strip())

    def _help(self, _: str) -> None:
        columns = shutil.get_terminal_size((COLUMNS, 24)).columns
        usage = max(len(each.usage) for each in COMMANDS) + 2
        for each in (*COMMANDS, _SLASHED_TEXT):
            if columns - usage < _NARROW:
                print_data("\n".join([each.usage, *wrap(each.help, columns, "  ", "  ")]))
            else:
                print_data("\n".join(wrap(each.help, columns, each.usage.ljust(usage), " " * usage)))

    def _show(self, arguments: str) -> None:
        before, _ = _leading_number(arguments)
        conversation = self._service.get(self._conversation().id)
        path = self._service.path(conversation.id, before=before)
        print_message(heading(self._service, conversation))
        print_window(self._service, conversation, path, "/show {}")

    def _attach(self, file: str) -> None:
        if not file:
            self._chat.attachments = []
            print_message("nothing is attached to the next message")
            return
        read = self._service.read_attachment(Path(file).expanduser())
        self._chat.attachments.append(read)
        print_message(f"goes with the next message: {file_line(read.name, len(read.content))}")

    def _edit(self, arguments: str) -> str | None:
        number, text = _leading_number(arguments)
        message = self._at(number) if number is not None else self._last("user")
        if not text:
            return f"/edit {message.turn.sequence} {message.content or ''}"
        below = self._service.count_below(message.id)
        edited = self._service.edit(message.id, text, attachments=self._chat.attachments or None)
        self._chat.attachments = []
        if below:
            print_message(
                f"{below} message(s) stand on the other branch; back to it: "
                f"/switch {message.turn.sequence} {message.sequence}"
            )
        self._chat.show(self._service.reply(edited.id, process=self._chat.process))
        return None

    def _continue(self, arguments: str) -> None:
        number, text = _leading_number(arguments)
        if number is None or not text:
            raise InputError(
                "/continue needs a number and a text.", next_step="Give the answer and what you say: /continue 2 TEXT"
            )
        answer = answer_at(self._service, self._at(number))
        below, shown_next = self._service.count_below(answer.id), active_response(self._service, answer)
        said = self._service.say(answer.conversation_id, text, after=answer.id, attachments=self._chat.attachments)
        self._chat.attachments = []
        if shown_next is not None:
            print_message(
                f"{below} message(s) stand on the other branch; back to it: "
                f"/switch {said.turn.sequence} {shown_next.sequence}"
            )
        self._chat.show(self._service.reply(said.id, process=self._chat.process))

    def _regenerate(self, process: str) -> None:
        last, chosen = self._path()[-1], process or self._chat.process
        begin = self._service.reply if last.turn.speaker == "user" else self._service.regenerate
        self._chat.show(begin(last.id, process=chosen))

    def _stop(self, _: str) -> None:
        stopped = self._service.stop(self._last("agent").id)
        print_message(f"the last answer is {stopped.state}")

    def _alternatives(self, arguments: str) -> None:
        number, _ = _leading_number(arguments)
        chosen = self._at(number) if number is not None else self._path()[-1]
        rows = [
            (
                f"{each.sequence}{'*' if each.is_active else ''}",
                state_of(each) or "complete",
                self._service.count_below(each.id),
                each.model or "",
                shown_content(each),
            )
            for each in self._service.siblings(chosen.id)
        ]
        print_table(("K", "STATE", "BELOW", "MODEL", "TEXT"), rows)

    def _switch(self, arguments: str) -> None:
        number, rest = _leading_number(arguments)
        sequence, _ = _leading_number(rest)
        if number is None or sequence is None:
            raise InputError(
                "/switch needs two numbers.", next_step="Give the message and its alternative: /switch 1 2"
            )
        self._service.activate(self._alternative(number, sequence).id)
        self._show("")

    def _compare(self, arguments: str) -> None:
        number, rest = _leading_number(arguments)
        first, rest = _leading_number(rest)
        second, _ = _leading_number(rest)
        if number is None or first is None or second is None:
            raise InputError(
                "/compare needs three numbers.", next_step="Give the message and two alternatives: /compare 2 1 2"
            )
        pair = [self._alternative(number, sequence).id for sequence in (first, second)]
        print_comparison(self._service.compare(*pair))

    def _fork(self, arguments: str) -> None:
        number, _ = _leading_number(arguments)
        origin = self._at(number) if number is not None else self._path()[-1]
        made = self._service.fork(origin.id)
        print_message(f"left {origin.conversation_id[:SHORT_ID]}; now in its fork {made.id[:SHORT_ID]}")
        self._chat.conversation = made

    def _forget(self, arguments: str) -> None:
        number, _ = _leading_number(arguments)
        chosen = self._at(number) if number is not None else self._last("user")
        forget_with_question(self._service, chosen.id, is_confirmed=False)

    def _why(self, arguments: str) -> None:
        number, _ = _leading_number(arguments)
        answer = self._at(number) if number is not None else self._last("agent")
        print_origin(self._service, answer)

    def _title(self, text: str) -> None:
        changed = self._service.change(self._conversation().id, {"title": text or None})
        self._chat.conversation = changed
        print_message(heading(self._service, changed))

    def _search(self, text: str) -> None:
        print_hits(self._service, self._service.search(text))

    def _list(self, _: str) -> None:
        rows = [(each.id[:SHORT_ID], title_of(self._service, each)) for each in self._service.list(limit=20).items]
        print_table(("ID", "TITLE"), rows)

    def _open(self, name: str) -> None:
        self._chat.conversation = self._service.find(name or "last")
        self._show("")

    def _new(self, _: str) -> None:
        self._chat.conversation = None
        print_message("a new conversation")

    def _quit(self, _: str) -> None:
        self.is_over = True

    def _conversation(self) -> Conversation:
        if self._chat.conversation is None:
            raise InputError("The conversation is empty.", next_step="Write a message.")
        return self._chat.conversation

    def _path(self) -> list[Alternative]:
        conversation = self._conversation()
        path = self._service.path(conversation.id)
        if not path and conversation.forked_from_id is not None:
            raise _no_own_message(conversation, self._service.before_fork(conversation, limit=1))
        if not path:
            raise InputError("The conversation is empty.", next_step="Write a message.")
        return path

    def _at(self, number: int) -> Alternative:
        last = self._path()[-1].turn.sequence
        found = self._service.visible(self._conversation().id, number)
        if found is None:
            raise InputError(f"The conversation has no message {number}; its last is {last}.", next_step="See /show.")
        return found

    def _alternative(self, number: int, sequence: int) -> Alternative:
        siblings = self._service.siblings(self._at(number).id)
        chosen = next((each for each in siblings if each.sequence == sequence), None)
        if chosen is None:
            raise InputError(
                f"Message {number} has no alternative {sequence}.", next_step=f"See /alternatives {number}."
            )
        return chosen

    def _last(self, speaker: str) -> Alternative:
        found = next((each for each in reversed(self._path()) if each.turn.speaker == speaker), None)
        if found is None:
            raise InputError("Nothing was answered yet.", next_step="Write a message.")
        return found


def _no_own_message(fork: Conversation, before: list[Alternative]) -> InputError:
    """What is wrong where a command needs a message and the fork has none; `before` is what it continues from."""
    origin = (fork.forked_from_id or "")[:SHORT_ID]
    where = f"; it continues from message {before[-1].turn.sequence} of {origin}" if before else ""
    return InputError(
        f"The fork has no message of its own yet{where}.", next_step=f"Write a message, or go back with /open {origin}."
    )


def _leading_number(text: str) -> tuple[int | None, str]:
    """A number at the beginning of a text, and the rest of it."""
    first, _, rest = text.partition(" ")
    return (int(first), rest.strip()) if first.isdecimal() else (None, text)
