"""Completes what a chat's line begins with: the names of commands, and paths after those that take one."""

from collections.abc import Container, Iterable, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter, WordCompleter
from prompt_toolkit.document import Document


class CommandCompleter(Completer):
    """Completes `/comm` and `/command PATH`; other lines are messages."""

    def __init__(self, commands: Sequence[str], takes_path: Container[str]) -> None:
        """`takes_path` has those of `commands` that are followed by a path."""
        self._takes_path = takes_path
        self._names = WordCompleter([f"/{each}" for each in commands], sentence=True)
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The completions of the text before the cursor."""
        command, space, rest = document.text_before_cursor.partition(" ")
        if not space:
            return self._names.get_completions(document, complete_event)
        if command.startswith("/") and command[1:] in self._takes_path:
            return self._paths.get_completions(Document(rest), complete_event)
        return ()
