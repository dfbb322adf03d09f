"""How a skills run is shown on stderr: plain lines where nobody can redraw. The live display is in `live.py`."""

import sys
from typing import TextIO

from aeon.cli.displays import Display, LineDisplay, can_redraw
from aeon.cli.narration import StyledLine
from aeon.cli.skills.narration import narrate
from aeon.cli.text import COLUMNS
from aeon.observability.events import Event


def display_for(stream: TextIO | None = None) -> Display:
    """The display for stderr: live on a terminal, else lines."""
    target = sys.stderr if stream is None else stream
    if can_redraw(target):
        from aeon.cli.skills.live import LivePlanDisplay

        return LivePlanDisplay(target)
    return PlanLineDisplay(target)


class PlanLineDisplay(LineDisplay):
    """A line or a few for each event, without colour."""

    def _lines(self, event: Event) -> list[StyledLine]:
        return narrate(event, COLUMNS)
