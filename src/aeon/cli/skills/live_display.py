"""The live display of a skills run: redraws the plan's nodes as they change.

Ended nodes scroll above.
"""

from typing import TextIO

from rich.console import Group
from rich.text import Text

from aeon.base.json import JsonObject
from aeon.cli.live_display import LiveRenderer
from aeon.cli.narration import StyledLine
from aeon.cli.skills.narration import STYLES, event_text, narrate, node_line
from aeon.cli.text import last_cells, one_line, printable
from aeon.observability.events import Event, PlanReady, RunEnded, TextGenerated
from aeon.observability.skill_events import NodeEnded, NodeEventEmitted, NodeRetried, NodeStarted

_MARGIN = 4
"""Free terminal lines below the display."""
_TAIL = 1_000
"""Characters kept of the model's text: more than any terminal's width."""


class LivePlanDisplay(LiveRenderer):
    """Shows every node with its state, redrawn on changes; ended nodes scroll above.

    While a model plans or answers, the end of its text is shown. `_states` has the states of nodes by toolId; a node
    without one is pending. Another thread draws: it takes the nodes of a moment; the states may be of the next plan.
    """

    def __init__(self, stream: TextIO) -> None:
        self._nodes: list[JsonObject] = []
        self._states: dict[str, str] = {}
        self._messages: dict[str, str] = {}
        self._model_text = ""
        super().__init__(stream)

    def _clear(self) -> None:
        self._nodes, self._model_text = [], ""

    def _handle(self, event: Event) -> None:
        self._model_text = (self._model_text + event.text)[-_TAIL:] if isinstance(event, TextGenerated) else ""
        match event:
            case PlanReady():
                self._states = {node["toolId"]: "pending" for node in event.plan["tools"]}
                self._nodes = list(event.plan["tools"])
                self._print(narrate(event, self._width)[:1])
                self._refresh()
            case NodeStarted():
                self._states[event.tool_id] = "running"
            case NodeEventEmitted():
                self._messages[event.tool_id] = event_text(event.protocol_event)
            case NodeEnded():
                self._states[event.tool_id] = event.state
                self._messages.pop(event.tool_id, None)
                self._print(narrate(event, self._width))
            case NodeRetried():
                self._messages[event.tool_id] = f"retry in {event.wait_ms} ms"
                self._print(narrate(event, self._width))
            case RunEnded():
                self._nodes = []
                self._print(narrate(event, self._width))
            case _:
                self._print(narrate(event, self._width))

    def _render(self) -> Group:
        """Renders the most important nodes if not all fit.

        Running ones come first, then pending ones, then ended ones.
        """
        room = max(3, self._console.height - _MARGIN)
        nodes = self._nodes  # the list of this moment: another thread replaces it
        order = sorted(range(len(nodes)), key=lambda at: (_RANK[self._state(nodes[at])], at))
        lines = [self._line(nodes[at]) for at in sorted(order[:room])]
        if len(order) > room:
            lines.append(Text(f"  ... and {len(order) - room:,} more", style="dim"))
        if self._model_text:
            lines.append(Text(f"  {last_cells(self._model_text, self._width - 2)}", style="dim", no_wrap=True))
        return Group(*lines)

    def _state(self, node: JsonObject) -> str:
        return self._states.get(node["toolId"], "pending")

    def _line(self, node: JsonObject) -> Text:
        state = self._state(node)
        message = self._messages.get(node["toolId"])
        if message is None:
            line = node_line(node, state, self._width)
        else:
            text = one_line(f"{state} {node['toolId']}: {message}", self._width - 2)
            line = StyledLine(f"  {text}", STYLES[state])
        return Text(printable(line.text), style=line.style, no_wrap=True, overflow="ellipsis")


_RANK = {"running": 0, "pending": 1, "failed": 2, "timeout": 2, "skipped": 3, "completed": 4}
