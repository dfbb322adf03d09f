"""The live display on a terminal: finished steps scroll up; running and pending steps are redrawn below."""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text
from rich.tree import Tree

from aeon.base.json import JsonObject, unescape_json
from aeon.cli.narration import StyledLine, event_lines, is_lone_answer, planned_line
from aeon.cli.text import printable
from aeon.observability.events import (
    Event,
    PlanningStarted,
    PlanReady,
    PlanStepEnded,
    PlanStepStarted,
    RepairAttempted,
    RunEnded,
    TextGenerated,
    ToolInvoked,
    WarningIssued,
)

_REFRESH_RATE = 10


class LiveRenderer(ABC):
    """The base of live displays, drawn with rich. A subclass handles events and renders and clears the state."""

    def __init__(self, stream: TextIO) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
        self._live = Live(
            console=self._console,
            get_renderable=self._render,
            refresh_per_second=_REFRESH_RATE,
            transient=True,
            vertical_overflow="crop",
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()
        with suppress(OSError, ValueError):
            self._live.stop()

    def __call__(self, event: Event) -> None:
        with suppress(OSError, ValueError):
            self._handle(event)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Draw nothing inside, so that the user can be asked something."""
        self._live.stop()
        try:
            yield
        finally:
            self._live.start()

    @abstractmethod
    def _handle(self, event: Event) -> None:
        """Record an event, and print the lines that stay."""

    @abstractmethod
    def _render(self) -> RenderableType:
        """Return the current state as a renderable; called by the drawing thread."""

    @abstractmethod
    def _clear(self) -> None:
        """Clear the state, so that nothing is drawn any more."""

    def _refresh(self) -> None:
        """Draw now; the next regular redraw may come too late."""
        self._live.refresh()

    def _print(self, lines: list[StyledLine]) -> None:
        for line in lines:
            self._console.print(Text(line.text, style=line.style), overflow="fold")

    @property
    def _width(self) -> int:
        return self._console.width


_REDRAW_INTERVAL = 0.05
"""Seconds after a redraw in which further changes wait for the next regular one."""
_MAX_TEXT = 20_000
_TAIL = 240
_MIN_PENDING = 3
_GUIDE = 4
_DESCRIPTION = re.compile(r'"description"\s*:\s*"((?:[^"\\]|\\.)*)')


class LiveDisplay(LiveRenderer):
    """The live display of a run of the kernel. Invariant: `_steps[_next:]` have not started."""

    def __init__(self, stream: TextIO) -> None:
        self._title = ""
        self._text = ""
        self._is_planning = False
        self._steps: list[JsonObject] = []
        self._next = 0
        self._running: StyledLine | None = None
        self._details: list[StyledLine] = []
        self._drawn_at = 0.0
        self._began = time.monotonic()
        self._pieces = 0
        super().__init__(stream)

    def _clear(self) -> None:
        self._title, self._running, self._steps = "", None, []

    def _handle(self, event: Event) -> None:
        match event:
            case PlanningStarted():
                self._is_planning, self._title = True, "planning"
                self._start_clock()
                self._print(event_lines(event, 0, self._width))
            case TextGenerated():
                self._pieces += 1
                self._text = (self._text + event.text)[:_MAX_TEXT] if self._is_planning else self._tail(event)
            case PlanReady():
                self._begin(event)
            case PlanStepStarted():
                self._next, self._text = event.position + 1, ""
                self._start_clock()
                self._running = event_lines(event, len(self._steps), self._width)[0]
                self._redraw()
            case ToolInvoked() | WarningIssued() | RepairAttempted():
                self._note(event_lines(event, len(self._steps), self._width))
                self._redraw()
            case PlanStepEnded():
                self._end_step(event)
            case RunEnded():
                self._title, self._steps = "", []
                self._print(event_lines(event, 0, self._width))
            case _:
                pass

    def _begin(self, event: PlanReady) -> None:
        self._is_planning, self._text, self._title = False, "", "to do"
        self._steps, self._next = list(event.plan["steps"]), 0
        self._print(event_lines(event, 0, self._width)[:1])
        self._refresh()

    def _end_step(self, event: PlanStepEnded) -> None:
        lines = event_lines(event, len(self._steps), self._width)
        self._print([*lines[:1], *self._details, *lines[1:]])
        self._running, self._details, self._text = None, [], ""

    def _start_clock(self) -> None:
        self._began, self._pieces = time.monotonic(), 0

    def _progress(self) -> str:
        """What the model does, and for how long; a model writes about a token with each piece of text."""
        seconds = f"{time.monotonic() - self._began:.0f} s"
        if self._pieces:
            return f"the model writes, {self._pieces} tokens, {seconds}"
        return f"the model reads, {seconds}" if self._is_planning or is_lone_answer(self._steps) else seconds

    def _redraw(self) -> None:
        """Show a change at once, but do not redraw thousands of times a second."""
        if time.monotonic() - self._drawn_at > _REDRAW_INTERVAL:
            self._drawn_at = time.monotonic()
            self._refresh()

    def _note(self, lines: list[StyledLine]) -> None:
        """Add lines under the running step, or print them at once if none runs."""
        if self._running is None:
            self._print(lines)
        else:
            self._details.extend(lines)

    def _tail(self, event: TextGenerated) -> str:
        return (self._text + event.text)[-_TAIL:] if event.purpose == "answer" else ""

    def _render(self) -> Tree | Text:
        """Return the current state as a renderable; called by the drawing thread."""
        if not self._title:
            return Text()
        title = Text(self._title, style="bold")
        if self._is_planning:
            title.append(f"  {self._progress()}", style="not bold dim")
        tree = Tree(title, hide_root=is_lone_answer(self._steps))
        width = self._width - _GUIDE
        if self._is_planning:
            for number, description in enumerate(partial_descriptions(self._text)[-self._room :], 1):
                tree.add(_truncated(f"{number}. {description}", "dim", width))
        else:
            self._draw_steps(tree, width)
        return tree

    def _draw_steps(self, tree: Tree, width: int) -> None:
        running = self._running
        if running is not None:
            progress = f"  {self._progress()}"
            branch = tree.add(
                _truncated(running.text, running.style, width - len(progress)).append(progress, style="not bold dim")
            )
            for line in self._details[-self._room :]:
                branch.add(_truncated(line.text.strip(), line.style, width - _GUIDE))
            if self._text:
                branch.add(_truncated(self._text.replace("\n", " ")[-(width - 2 * _GUIDE) :], "dim", width - _GUIDE))
        pending = self._steps[self._next :]
        room = max(_MIN_PENDING, self._room - len(self._details))
        for step in pending[:room]:
            line = planned_line(step, width)
            tree.add(_truncated(line.text.strip(), line.style, width))
        if len(pending) > room:
            tree.add(Text(f"... and {len(pending) - room:,} more", style="dim"))

    @property
    def _room(self) -> int:
        """Lines available for lists, so that the drawing fits on the screen."""
        return max(_MIN_PENDING, self._console.height - 6)


def partial_descriptions(text: str) -> list[str]:
    """Return the steps' descriptions in a plan that is still being generated; the last may be incomplete."""
    return [_decoded(description) for description in _DESCRIPTION.findall(text)]


def _decoded(inner: str) -> str:
    try:
        return unescape_json(inner)
    except ValueError:
        return inner.partition("\\")[0]


def _truncated(text: str, style: str, width: int) -> Text:
    drawn = Text(printable(text), style=style, no_wrap=True, overflow="ellipsis")
    drawn.truncate(max(10, width), overflow="ellipsis")
    return drawn
