"""The live display of a skills run: the plan's nodes redrawn as they change; what is over scrolls by above."""

from typing import TextIO

from rich.console import Group
from rich.text import Text

from aeon.base.json import JsonObject
from aeon.cli.live_display import LiveRenderer
from aeon.cli.narration import StyledLine
from aeon.cli.skills.narration import STYLES, event_text, narrate, node_line
from aeon.cli.text import last_cells, one_line, printable
from aeon.observability.events import (
    Event,
    NodeEnded,
    NodeEventEmitted,
    NodeRetried,
    NodeStarted,
    PlanReady,
    RunEnded,
    TextGenerated,
)

_MARGIN = 4
"""Lines of a terminal that are left free below the drawing."""
_TAIL = 1_000
"""Characters that are kept of what a model writes: more than any terminal is wide."""


class LivePlanDisplay(LiveRenderer):
    """Every node with its state, redrawn as it changes; what is over scrolls by above.

    While a model plans or answers, the end of what it writes is shown. Invariant: `_states` has the state of each node
    of the plan that runs, by toolId.
    """

    def __init__(self, stream: TextIO) -> None:
        self._nodes: list[JsonObject] = []
        self._states: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._written = ""
        super().__init__(stream)

    def _clear(self) -> None:
        self._nodes, self._written = [], ""

    def _handle(self, event: Event) -> None:
        self._written = (self._written + event.text)[-_TAIL:] if isinstance(event, TextGenerated) else ""
        match event:
            case PlanReady():
                # Emptied first: another thread draws, and looks up the state of every node it finds.
                self._nodes = []
                self._states = {node["toolId"]: "pending" for node in event.plan["tools"]}
                self._nodes = list(event.plan["tools"])
                self._print(narrate(event, self._width)[:1])
                self._refresh()
            case NodeStarted():
                self._states[event.tool_id] = "running"
            case NodeEventEmitted():
                self._said[event.tool_id] = event_text(event.protocol_event)
            case NodeEnded():
                self._states[event.tool_id] = event.state
                self._said.pop(event.tool_id, None)
                self._print(narrate(event, self._width))
            case NodeRetried():
                self._said[event.tool_id] = f"again in {event.wait_ms} ms"
                self._print(narrate(event, self._width))
            case RunEnded():
                self._nodes = []
                self._print(narrate(event, self._width))
            case _:
                self._print(narrate(event, self._width))

    def _render(self) -> Group:
        """The nodes that matter most where not all fit: running ones, then those to come, then what is over."""
        room = max(3, self._console.height - _MARGIN)
        order = sorted(range(len(self._nodes)), key=lambda at: (_RANK[self._states[self._nodes[at]["toolId"]]], at))
        lines = [self._line(self._nodes[at]) for at in sorted(order[:room])]
        if len(order) > room:
            lines.append(Text(f"  ... and {len(order) - room:,} more", style="dim"))
        if self._written:
            lines.append(Text(f"  {last_cells(self._written, self._width - 2)}", style="dim", no_wrap=True))
        return Group(*lines)

    def _line(self, node: JsonObject) -> Text:
        state = self._states[node["toolId"]]
        said = self._said.get(node["toolId"])
        if said is None:
            line = node_line(node, state, self._width)
        else:
            spoken_line = one_line(f"{state} {node['toolId']}: {said}", self._width - 2)
            line = StyledLine(f"  {spoken_line}", STYLES[state])
        return Text(printable(line.text), style=line.style, no_wrap=True, overflow="ellipsis")


_RANK = {"running": 0, "pending": 1, "failed": 2, "timeout": 2, "skipped": 3, "completed": 4}
