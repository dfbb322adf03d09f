"""Asks on the terminal: before something is lost, and before a tool writes a file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from aeon.base.errors import InputError
from aeon.cli.console import print_message
from aeon.cli.text import printable

if TYPE_CHECKING:
    from aeon.cli.displays import Display


def can_ask() -> bool:
    """Whether somebody at a terminal can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()  # pyright: ignore[reportUnnecessaryComparison]  # None after `<&-`


def confirm(loss: str, *, is_confirmed: bool) -> None:
    """Ask on the terminal whether to go on; `loss` says what is lost, as "This deletes x.".

    Raises InputError without a terminal unless it `is_confirmed` by `--yes`, and if the user says no.
    """
    if is_confirmed:
        return
    if not can_ask():
        raise InputError(f"{printable(loss)} Nobody can be asked here.", next_step="If you want it, add --yes.")
    print_message(loss)
    if not typer.confirm("Go on?", err=True):
        raise InputError("Nothing was changed.", next_step="Answer y to go on.")


class WriteQuestion:
    """Asks the user whether a tool may write a file; the display of the run pauses meanwhile."""

    def __init__(self, display: "Display", folder: Path) -> None:
        """Paths inside `folder` are shown relative to it."""
        self._display = display
        self._folder = folder.resolve()

    def __call__(self, path: Path) -> bool:
        """Whether the user allows it; anything but y or yes does not."""
        shown = path.relative_to(self._folder) if path.is_relative_to(self._folder) else path
        with self._display.paused():
            sys.stderr.write(f"Write {printable(str(shown))}? [y/N] ".replace("\n", "\\n"))
            sys.stderr.flush()
            answer = sys.stdin.readline()
        return answer.strip().casefold() in {"y", "yes"}
