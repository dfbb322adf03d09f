"""What every live display has in common: lines that stay scroll by above, a drawing below is made again and again."""

from abc import ABC, abstractmethod
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from aeon.cli.narration import StyledLine
from aeon.observability.events import Event

_REFRESH_RATE = 10


class LiveRenderer(ABC):
    """Draws a run with rich. A subclass takes the events, says what to draw now, and forgets it in the end."""

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

    @abstractmethod
    def _handle(self, event: Event) -> None:
        """Note an event, and print what is to stay of it."""

    @abstractmethod
    def _render(self) -> RenderableType:
        """What is going on now; called by the drawing thread."""

    @abstractmethod
    def _clear(self) -> None:
        """Leave nothing to draw."""

    def _refresh(self) -> None:
        """Draw now, where waiting for the next time could mean never."""
        self._live.refresh()

    def _print(self, lines: list[StyledLine]) -> None:
        for line in lines:
            self._console.print(Text(line.text, style=line.style), overflow="fold")

    @property
    def _width(self) -> int:
        return self._console.width
