"""Where everything stands in a picture of a Process. Pure, the same for the same definition.

Layers are given here: a stage begins when the one before is over. What is left is the order within them, and lines that
meet no box. networkx places given layers, but orders none and draws no lines; grandalf does, but knows no stages, was
last released years ago, and would be a dependency for what is two small modules here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from aeon.platform.diagrams.routing import (
    LANE_ENTRY_X,
    LANE_EXIT_X,
    EdgeRouting,
    LaneRoute,
    StraightRoute,
    route_edges,
)
from aeon.platform.diagrams.shapes import (
    BOX_GAP,
    BOX_WIDTH,
    FRAME_MARGIN,
    LANE_WIDTH,
    TRACK_HEIGHT,
    Box,
    DiagramEdge,
    Point,
)
from aeon.platform.processes.model import ProcessDefinition, ProcessStep

_MOST_IN_ROW = 6
_SWEEPS = 4


def find_stages(steps: Sequence[ProcessStep]) -> list[list[int]]:
    """Sequential steps alone, neighbouring parallel ones together: each begins when all before it are over."""
    keys = [-1 if step.execution.mode == "parallel" else place for place, step in enumerate(steps)]
    return [[place for place, _ in run] for _, run in groupby(enumerate(keys), key=lambda pair: pair[1])]


def find_edges(steps: Sequence[ProcessStep]) -> list[DiagramEdge]:
    """Each dependency on a step of an earlier stage; what a check would refuse is left out."""
    stage_of = [number for number, stage in enumerate(find_stages(steps)) for _ in stage]
    places = {step.id: place for place, step in enumerate(steps)}
    return [
        DiagramEdge(places[needed], place)
        for place, step in enumerate(steps)
        for needed in dict.fromkeys(step.depends_on)
        if needed in places and stage_of[places[needed]] < stage_of[place]
    ]


def arrange_rows(stages: Sequence[list[int]], edges: Sequence[DiagramEdge]) -> list[list[int]]:
    """The stages, a long one in several rows that are about as long, each row in its order from left to right."""
    rows = [row for stage in stages for row in _broken(stage)]
    _untangle(rows, edges)
    return rows


def _broken(stage: list[int]) -> list[list[int]]:
    count = -(-len(stage) // _MOST_IN_ROW)
    length = -(-len(stage) // count)
    return [stage[start : start + length] for start in range(0, len(stage), length)]


def _untangle(rows: list[list[int]], edges: Sequence[DiagramEdge]) -> None:
    """Order each row by where its steps' neighbours stand on average, downwards and upwards in turn."""
    near: dict[int, list[int]] = {}
    for edge in edges:
        near.setdefault(edge.producer, []).append(edge.consumer)
        near.setdefault(edge.consumer, []).append(edge.producer)
    at = {place: 2 * number - len(row) for row in rows for number, place in enumerate(row)}
    wide = [row for row in rows if len(row) > 1]
    for sweep in range(_SWEEPS):
        for row in wide if sweep % 2 == 0 else reversed(wide):
            wanted = {place: _mean([at[each] for each in near.get(place, [place])]) for place in row}
            row.sort(key=lambda place: (wanted[place], place))
            at |= {place: 2 * number - len(row) for number, place in enumerate(row)}


def _mean(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers)


_MARGIN = 24
_NARROWEST = 460
_TITLE = 56
"""Kept free on top."""
_GAP = 18
"""Between two rows besides what lines and frames take."""


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """Boxes by step, frames by stage (a single step's is its box), and the corners of each edge's line.

    A line of two corners goes straight to the next row; one of six goes by a lane. `dots` mark where a line leaves a
    lane. `spine` joins stages that need it: from one point straight down to another.
    """

    width: int
    height: int
    boxes: list[Box]
    frames: list[Box]
    paths: dict[DiagramEdge, list[Point]]
    dots: list[Point]
    spine: list[tuple[Point, Point]]


def layout_diagram(definition: ProcessDefinition, height: int) -> DiagramLayout:
    """The layout of a definition that was checked; each box as high as is said."""
    steps = definition.steps
    stages, edges = find_stages(steps), find_edges(steps)
    rows = arrange_rows(stages, edges)
    wiring = route_edges(edges, rows)
    widest = max(_width_of(row) for row in rows)
    margin = _MARGIN + max(0, _NARROWEST - 2 * _MARGIN - widest) // 2
    boxes = _boxes(rows, wiring, height, margin + widest // 2)
    first_lane = margin + widest + FRAME_MARGIN + LANE_WIDTH
    gaps = _gaps(rows, boxes)
    paths = {edge: _path(edge, way, boxes, gaps, first_lane) for edge, way in wiring.ways.items()}
    frames = [_around([boxes[place] for place in stage]) for stage in stages]
    return DiagramLayout(
        width=max(first_lane + LANE_WIDTH * wiring.lanes, margin + widest) + margin,
        height=max(box.bottom for box in boxes) + FRAME_MARGIN,
        boxes=boxes,
        frames=frames,
        paths=paths,
        dots=sorted({path[3] for edge, path in paths.items() if isinstance(wiring.ways[edge], LaneRoute)}),
        spine=_spine(stages, frames, edges),
    )


def _width_of(row: Sequence[int]) -> int:
    return len(row) * (BOX_WIDTH + BOX_GAP) - BOX_GAP


def _boxes(rows: Sequence[Sequence[int]], wiring: EdgeRouting, height: int, middle: int) -> list[Box]:
    found: dict[int, Box] = {}
    top = _TITLE + FRAME_MARGIN
    for row, tracks in zip(rows, wiring.tracks, strict=True):
        left = middle - _width_of(row) // 2
        found |= {place: Box(left + n * (BOX_WIDTH + BOX_GAP), top, BOX_WIDTH, height) for n, place in enumerate(row)}
        top += height + 2 * FRAME_MARGIN + _GAP + TRACK_HEIGHT * tracks
    return [found[place] for place in range(len(found))]


def _gaps(rows: Sequence[Sequence[int]], boxes: Sequence[Box]) -> dict[int, tuple[int, int]]:
    """By step, where the tracks above its row begin and where those below it do."""
    bottoms = [boxes[row[0]].bottom + FRAME_MARGIN for row in rows]
    return {
        place: (above, below) for row, above, below in zip(rows, [0, *bottoms], bottoms, strict=False) for place in row
    }


def _path(
    edge: DiagramEdge,
    way: StraightRoute | LaneRoute,
    boxes: Sequence[Box],
    gaps: dict[int, tuple[int, int]],
    first_lane: int,
) -> list[Point]:
    above, below = boxes[edge.producer], boxes[edge.consumer]
    if isinstance(way, StraightRoute):
        return [(above.x + way.leaves, above.bottom), (below.x + way.enters, below.y)]
    out_y = gaps[edge.producer][1] + TRACK_HEIGHT * (way.out_track + 1)
    in_y = gaps[edge.consumer][0] + TRACK_HEIGHT * (way.in_track + 1)
    leaves, enters, lane = above.x + LANE_EXIT_X, below.x + LANE_ENTRY_X, first_lane + LANE_WIDTH * way.lane
    return [(leaves, above.bottom), (leaves, out_y), (lane, out_y), (lane, in_y), (enters, in_y), (enters, below.y)]


def _around(boxes: list[Box]) -> Box:
    if len(boxes) == 1:
        return boxes[0]
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.bottom for box in boxes)
    return Box(
        left - FRAME_MARGIN, top - FRAME_MARGIN, right - left + 2 * FRAME_MARGIN, bottom - top + 2 * FRAME_MARGIN
    )


def _spine(
    stages: Sequence[list[int]], frames: Sequence[Box], edges: Sequence[DiagramEdge]
) -> list[tuple[Point, Point]]:
    """From stage to stage, unless all steps of the later one take something from the earlier one anyway."""
    stage_of = {place: number for number, stage in enumerate(stages) for place in stage}
    fed = {edge.consumer for edge in edges if stage_of[edge.producer] + 1 == stage_of[edge.consumer]}
    lines: list[tuple[Point, Point]] = []
    for stage, (above, below) in zip(stages[1:], pairwise(frames), strict=True):
        if not fed.issuperset(stage):
            aside = BOX_WIDTH * 2 // 5 if fed.intersection(stage) else 0
            lines.append(((above.middle - aside, above.bottom), (below.middle - aside, below.y)))
    return lines
