"""What a picture is made of: boxes in rows, edges between them, lengths in whole pixels."""

from typing import NamedTuple, TypeAlias

Point: TypeAlias = tuple[int, int]

BOX_WIDTH = 216
"""Of the box of a step."""
BOX_GAP = 24
"""Two boxes beside each other."""
FRAME_MARGIN = 14
"""From the boxes of parallel steps to the line round them; kept free above and below every row."""
LANE_WIDTH = 10
"""From one line that goes down beside the boxes to the next."""
TRACK_HEIGHT = 9
"""From one line that goes along between two rows to the next."""


class Box(NamedTuple):
    """A rectangle."""

    x: int
    y: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        """Its lower end."""
        return self.y + self.height

    @property
    def middle(self) -> int:
        """Its horizontal centre."""
        return self.x + self.width // 2


class DiagramEdge(NamedTuple):
    """That one step takes something from another; both by their places in the definition."""

    producer: int
    consumer: int
