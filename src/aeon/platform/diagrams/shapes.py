"""Shapes and dimensions of a diagram: boxes, points and edges, in whole pixels."""

from typing import NamedTuple, TypeAlias

Point: TypeAlias = tuple[int, int]

BOX_WIDTH = 216
"""Width of a step's box."""
BOX_GAP = 24
"""Gap between two adjacent boxes."""
FRAME_MARGIN = 14
"""Distance between parallel boxes and their frame; free above and below every row."""
LANE_WIDTH = 10
"""Distance between two lanes."""
TRACK_HEIGHT = 9
"""Distance between two tracks."""


class Box(NamedTuple):
    """A rectangle."""

    x: int
    y: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        """The y coordinate of the lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> int:
        """The x coordinate of the centre."""
        return self.x + self.width // 2


class DiagramEdge(NamedTuple):
    """A dependency between two steps, by their positions in the definition."""

    producer: int
    consumer: int
