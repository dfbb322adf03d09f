"""Shows a run on stderr: plain lines, or the live display of `live_display.py` on a terminal."""

import os
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import TracebackType
from typing import Protocol, Self, TextIO

from aeon.cli.narration import StyledLine, event_lines
from aeon.cli.text import COLUMNS
from aeon.observability.events import Event, PlanReady


class Display(Protocol):
    """A context manager that shows events as they come. It never raises: a run outlives its display."""

    def __call__(self, event: Event) -> None: ...
    def paused(self) -> AbstractContextManager[None]:
        """A scope in which nothing is drawn, so that the user can be asked something."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def display_for(stream: TextIO | None = None) -> Display:
    """Return the display for a stream (stderr by default): live on a terminal, else plain lines."""
    target = sys.stderr if stream is None else stream
    if can_redraw(target):
        from aeon.cli.live_display import LiveDisplay

        return LiveDisplay(target)
    return LineDisplay(target)


def can_redraw(stream: TextIO) -> bool:
    """Return whether the stream is a terminal that can be redrawn."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class LineDisplay:
    """A display of plain lines without colour, at most 80 columns wide."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = 0

    def __call__(self, event: Event) -> None:
        with suppress(OSError, ValueError):
            for line in self._lines(event):
                self._stream.write(f"{line.text}\n")
            self._stream.flush()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Do nothing: plain lines stay as they are."""
        yield

    def _lines(self, event: Event) -> list[StyledLine]:
        """Return the lines for an event; subclasses show other kinds of runs."""
        if isinstance(event, PlanReady):
            self._total = len(event.plan["steps"])
        return event_lines(event, self._total, COLUMNS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: plain lines need no cleanup."""


class QuietDisplay(LineDisplay):
    """A display that shows nothing."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    def _lines(self, event: Event) -> list[StyledLine]:
        del event
        return []
