"""Reads lines on a terminal, with history, several lines in one message, and completion of commands."""

import os
import sys
from collections.abc import Callable, Container, Sequence
from typing import Protocol

from aeon.base.errors import MissingExtraError

_DUMB = frozenset({"dumb", "unknown"})
"""Values of TERM for terminals that know no escape sequences."""


class LineReader(Protocol):
    """Asks for messages."""

    def __call__(self, prompt: str, *, default: str = "") -> str:
        """Return what was entered. Raises KeyboardInterrupt for Ctrl-C, EOFError for Ctrl-D on an empty line."""
        ...


def open_line_reader(commands: Sequence[str], takes_path: Container[str], history: Sequence[str]) -> LineReader:
    """Return what reads lines on this terminal: Enter sends, Alt+Enter begins a new line, the arrows go back.

    Tab completes the names of `commands`, and paths after those in `takes_path`. `history` is oldest first; nothing is
    written to a file. A dumb terminal reads plain lines. Raises MissingExtraError.
    """
    return _read_plain_line if os.environ.get("TERM", "").lower() in _DUMB else _session(commands, takes_path, history)


def _read_plain_line(prompt: str, *, default: str = "") -> str:
    sys.stderr.write(f"{default}\n{prompt}" if default else prompt)
    sys.stderr.flush()
    if not (line := sys.stdin.readline()):
        raise EOFError
    return line.rstrip("\n")


def _session(commands: Sequence[str], takes_path: Container[str], history: Sequence[str]) -> Callable[..., str]:
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
        from prompt_toolkit.output import create_output

        from aeon.cli.conversations.command_completer import CommandCompleter
    except ModuleNotFoundError as missing:
        raise MissingExtraError(
            "Talking on a terminal needs prompt-toolkit.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _begin_line(event: KeyPressEvent) -> None:  # pyright: ignore[reportUnusedFunction]  # the decorator keeps it
        event.current_buffer.insert_text("\n")

    session: PromptSession[str] = PromptSession(
        history=InMemoryHistory(list(history)),
        completer=CommandCompleter(commands, takes_path),
        complete_while_typing=False,
        key_bindings=keys,
        output=create_output(sys.stderr),  # stdout is for answers
    )
    return session.prompt
