"""Reads lines on a terminal, with history, several lines in one message, and completion of commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aeon.base.errors import MissingExtraError

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession


class LineEditor:
    """Asks for messages. Enter sends, Alt+Enter begins a new line, the arrows go through what was said before."""

    def __init__(self, commands: Sequence[str], history: Sequence[str]) -> None:
        """`history` is oldest first; nothing is written to a file. Raises MissingExtraError."""
        self._session = _session(commands, history)

    def ask(self, prompt: str, default: str = "") -> str:
        """Return what was entered. Raises KeyboardInterrupt for Ctrl-C, EOFError for Ctrl-D on an empty line."""
        return self._session.prompt(prompt, default=default)


def _session(commands: Sequence[str], history: Sequence[str]) -> "PromptSession[str]":
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
        from prompt_toolkit.output import create_output
    except ModuleNotFoundError as missing:
        raise MissingExtraError(
            "Talking on a terminal needs prompt-toolkit.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    import sys

    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _begin_line(event: KeyPressEvent) -> None:  # pyright: ignore[reportUnusedFunction]  # the decorator keeps it
        event.current_buffer.insert_text("\n")

    return PromptSession(
        history=InMemoryHistory(list(history)),
        completer=WordCompleter([f"/{each}" for each in commands], sentence=True),
        complete_while_typing=False,
        key_bindings=keys,
        output=create_output(sys.stderr),  # stdout is for answers
    )
