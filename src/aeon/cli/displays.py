"""How a run is shown on stderr: plain lines where nobody can redraw. The live display is in `live.py`."""

import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import Protocol, Self, TextIO

from aeon.cli.narration import StyledLine, event_lines
from aeon.cli.text import COLUMNS
from aeon.observability.events import Event, PlanReady


class Display(Protocol):
    """Shows events as they come, between entering and leaving. It never raises: a run outlives its display."""

    def __call__(self, event: Event) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def display_for(stream: TextIO | None = None) -> Display:
    """The display for stderr: live on a terminal, else lines."""
    target = sys.stderr if stream is None else stream
    if can_redraw(target):
        from aeon.cli.live_display import LiveDisplay

        return LiveDisplay(target)
    return LineDisplay(target)


def can_redraw(stream: TextIO) -> bool:
    """Whether what was written there can be drawn over."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class LineDisplay:
    """Plain lines without colour, at most 80 columns wide."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = 0

    def __call__(self, event: Event) -> None:
        with suppress(OSError, ValueError):
            for line in self._lines(event):
                self._stream.write(f"{line.text}\n")
            self._stream.flush()

    def _lines(self, event: Event) -> list[StyledLine]:
        """What an event says; other kinds of runs say other things."""
        if isinstance(event, PlanReady):
            self._total = len(event.plan["steps"])
        return event_lines(event, self._total, COLUMNS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to draw."""
