"""How a skills run is shown on stderr: the plan's nodes redrawn on a terminal, plain lines elsewhere."""

import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from aeon.base.json import JsonObject
from aeon.cli.displays import Display
from aeon.cli.narration import Line
from aeon.cli.skills.narration import STYLES, narrated, node_line, spoken
from aeon.cli.text import COLUMNS, clean, one_line
from aeon.observability.events import Event, NodeEnded, NodeRetried, NodeSpoke, NodeStarted, PlanReady, RunEnded

_REDRAWS_A_SECOND = 10
_MARGIN = 4
"""Lines of a terminal that are left free below the drawing."""


def display_for(stream: TextIO | None = None) -> Display:
    """The display for stderr: live on a terminal, else lines."""
    target = sys.stderr if stream is None else stream
    if target.isatty() and os.environ.get("TERM") != "dumb":
        return LivePlan(target)
    return PlanLines(target)


class PlanLines:
    """A line or a few for each event, without colour."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        with suppress(OSError, ValueError):
            for line in narrated(event, COLUMNS):
                self._stream.write(f"{line.text}\n")
            self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to draw."""


class LivePlan:
    """Every node with its state, redrawn as it changes; what is over scrolls by above.

    Invariant: `_states` has the state of each node of the plan that runs, by toolId.
    """

    def __init__(self, stream: TextIO) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
        self._nodes: list[JsonObject] = []
        self._states: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._live = Live(
            console=self._console,
            get_renderable=self._drawn,
            refresh_per_second=_REDRAWS_A_SECOND,
            transient=True,
            vertical_overflow="crop",
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._nodes = []
        with suppress(OSError, ValueError):
            self._live.stop()

    def __call__(self, event: Event) -> None:
        with suppress(OSError, ValueError):
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case PlanReady():
                # Emptied first: another thread draws, and looks up the state of every node it finds.
                self._nodes = []
                self._states = {node["toolId"]: "pending" for node in event.plan["tools"]}
                self._nodes = list(event.plan["tools"])
                self._print(narrated(event, self._width)[:1])
            case NodeStarted():
                self._states[event.tool_id] = "running"
            case NodeSpoke():
                self._said[event.tool_id] = spoken(event.said)
            case NodeEnded():
                self._states[event.tool_id] = event.state
                self._said.pop(event.tool_id, None)
                self._print(narrated(event, self._width))
            case NodeRetried():
                self._said[event.tool_id] = f"again in {event.wait_ms} ms"
                self._print(narrated(event, self._width))
            case RunEnded():
                self._nodes = []
                self._print(narrated(event, self._width))
            case _:
                self._print(narrated(event, self._width))

    def _print(self, lines: list[Line]) -> None:
        for line in lines:
            self._console.print(Text(line.text, style=line.style), overflow="fold")

    @property
    def _width(self) -> int:
        return self._console.width

    def _drawn(self) -> Group:
        """The nodes that matter most where not all fit: running ones, then those to come, then what is over."""
        room = max(3, self._console.height - _MARGIN)
        order = sorted(range(len(self._nodes)), key=lambda at: (_RANK[self._states[self._nodes[at]["toolId"]]], at))
        lines = [self._line(self._nodes[at]) for at in sorted(order[:room])]
        if len(order) > room:
            lines.append(Text(f"  ... and {len(order) - room:,} more", style="dim"))
        return Group(*lines)

    def _line(self, node: JsonObject) -> Text:
        state = self._states[node["toolId"]]
        said = self._said.get(node["toolId"])
        if said is None:
            line = node_line(node, state, self._width)
        else:
            spoken_line = one_line(f"{state} {node['toolId']}: {said}", self._width - 2)
            line = Line(f"  {spoken_line}", STYLES[state])
        return Text(clean(line.text), style=line.style, no_wrap=True, overflow="ellipsis")


_RANK = {"running": 0, "pending": 1, "failed": 2, "timeout": 2, "skipped": 3, "completed": 4}
