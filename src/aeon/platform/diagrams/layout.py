"""Computes the positions in a diagram of a Process. Pure: equal input, equal output.

The layers are given: a stage starts when the one before it is settled. What remains is the order within them, and
lines that cross no box. networkx places given layers, but neither orders them nor draws lines; grandalf does, but
knows no stages, was last released years ago, and would be a dependency for what is two small modules here.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.processes.sections import Section, SectionName, split_sections

_MAX_IN_ROW = 6
_SWEEPS = 4


def find_edges(definition: ProcessDefinition) -> list[DiagramEdge]:
    """Return each dependency on a step of an earlier stage; invalid dependencies are left out."""
    stage_of = [number for number, stage in enumerate(split_sections(definition)[1]) for _ in stage]
    places = {step.id: place for place, step in enumerate(definition.all_steps)}
    return [
        DiagramEdge(places[needed], place)
        for place, step in enumerate(definition.all_steps)
        for needed in dict.fromkeys(step.depends_on)
        if needed in places and stage_of[places[needed]] < stage_of[place]
    ]


def arrange_rows(stages: Sequence[Sequence[int]], edges: Sequence[DiagramEdge]) -> list[list[int]]:
    """Return the stages as rows, ordered from left to right; long stages become several rows."""
    rows = [row for stage in stages for row in _split_stage(stage)]
    _sort_rows(rows, edges)
    return rows


def _split_stage(stage: Sequence[int]) -> list[list[int]]:
    count = -(-len(stage) // _MAX_IN_ROW)
    length = -(-len(stage) // count)
    return [list(stage[start : start + length]) for start in range(0, len(stage), length)]


def _sort_rows(rows: list[list[int]], edges: Sequence[DiagramEdge]) -> None:
    """Order each row by the mean position of its steps' neighbours, downwards and upwards in turn."""
    neighbours: dict[int, list[int]] = {}
    for edge in edges:
        neighbours.setdefault(edge.producer, []).append(edge.consumer)
        neighbours.setdefault(edge.consumer, []).append(edge.producer)
    at = {place: 2 * number - len(row) for row in rows for number, place in enumerate(row)}
    wide = [row for row in rows if len(row) > 1]
    for sweep in range(_SWEEPS):
        for row in wide if sweep % 2 == 0 else reversed(wide):
            mean = {place: _mean([at[each] for each in neighbours.get(place, [place])]) for place in row}
            row.sort(key=lambda place: (mean[place], place))
            at |= {place: 2 * number - len(row) for number, place in enumerate(row)}


def _mean(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers)


_MARGIN = 24
_MIN_WIDTH = 460
_TITLE_HEIGHT = 56
"""Height of the title."""
_ROW_GAP = 18
"""Gap between two rows, besides tracks and frames."""
_CAPTION_HEIGHT = 30
"""Height of a section's caption, above its first row."""


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """Boxes by step, frames by stage (the box itself for a single step), and edges.

    An edge of two points goes straight to the next row; one of six goes through a lane. `dots` mark where a line
    leaves a lane. `spine` connects stages of a section that need it: from one point straight down to another.
    `captions` are the lines above the sections that follow the main one: where each has its left end.
    """

    width: int
    height: int
    boxes: list[Box]
    frames: list[Box]
    paths: dict[DiagramEdge, list[Point]]
    dots: list[Point]
    spine: list[tuple[Point, Point]]
    captions: dict[SectionName, Point]


def layout_diagram(definition: ProcessDefinition, height: int) -> DiagramLayout:
    """Return the layout of a valid definition; `height` is that of each box."""
    sections, stages = split_sections(definition)
    edges = find_edges(definition)
    rows = arrange_rows(stages, edges)
    routing = route_edges(edges, rows)
    widest = max(_width_of(row) for row in rows)
    margin = _MARGIN + max(0, _MIN_WIDTH - 2 * _MARGIN - widest) // 2
    later = [section for section in sections[1:] if section.steps]
    boxes = _boxes(rows, routing, height, margin + widest // 2, {section.steps.start for section in later})
    first_lane = margin + widest + FRAME_MARGIN + LANE_WIDTH
    gaps = _gaps(rows, boxes)
    paths = {edge: _path(edge, way, boxes, gaps, first_lane) for edge, way in routing.ways.items()}
    frames = [_frame([boxes[place] for place in stage]) for stage in stages]
    return DiagramLayout(
        width=max(first_lane + LANE_WIDTH * routing.lanes, margin + widest) + margin,
        height=max(box.bottom for box in boxes) + FRAME_MARGIN,
        boxes=boxes,
        frames=frames,
        paths=paths,
        dots=sorted({path[3] for edge, path in paths.items() if isinstance(routing.ways[edge], LaneRoute)}),
        spine=_spine(stages, frames, edges, {section.stages.start for section in later}),
        captions={section.name: _caption(section, boxes) for section in later},
    )


def _caption(section: Section, boxes: Sequence[Box]) -> Point:
    top = min(boxes[place].y for place in section.steps)
    return _MARGIN, top - FRAME_MARGIN - _CAPTION_HEIGHT // 2


def _width_of(row: Sequence[int]) -> int:
    return len(row) * (BOX_WIDTH + BOX_GAP) - BOX_GAP


def _boxes(
    rows: Sequence[Sequence[int]], routing: EdgeRouting, height: int, middle: int, captioned: Container[int]
) -> list[Box]:
    """Return the boxes by step; above a row with a step of `captioned` is room for a caption."""
    boxes: dict[int, Box] = {}
    top = _TITLE_HEIGHT + FRAME_MARGIN
    for row, tracks in zip(rows, routing.tracks, strict=True):
        left = middle - _width_of(row) // 2
        top += _CAPTION_HEIGHT if any(place in captioned for place in row) else 0
        boxes |= {place: Box(left + n * (BOX_WIDTH + BOX_GAP), top, BOX_WIDTH, height) for n, place in enumerate(row)}
        top += height + 2 * FRAME_MARGIN + _ROW_GAP + TRACK_HEIGHT * tracks
    return [boxes[place] for place in range(len(boxes))]


def _gaps(rows: Sequence[Sequence[int]], boxes: Sequence[Box]) -> dict[int, tuple[int, int]]:
    """Return, by step, where the tracks above its row start and where those below it do."""
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


def _frame(boxes: list[Box]) -> Box:
    if len(boxes) == 1:
        return boxes[0]
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.bottom for box in boxes)
    return Box(
        left - FRAME_MARGIN, top - FRAME_MARGIN, right - left + 2 * FRAME_MARGIN, bottom - top + 2 * FRAME_MARGIN
    )


def _spine(
    stages: Sequence[Sequence[int]], frames: Sequence[Box], edges: Sequence[DiagramEdge], first: Container[int]
) -> list[tuple[Point, Point]]:
    """Return lines between adjacent stages.

    There is none if all steps of the later stage depend on the earlier one, or if it is the `first` of a section.
    """
    stage_of = {place: number for number, stage in enumerate(stages) for place in stage}
    connected = {edge.consumer for edge in edges if stage_of[edge.producer] + 1 == stage_of[edge.consumer]}
    lines: list[tuple[Point, Point]] = []
    for number, (stage, (above, below)) in enumerate(zip(stages[1:], pairwise(frames), strict=True), 1):
        if number not in first and not connected.issuperset(stage):
            aside = BOX_WIDTH * 2 // 5 if connected.intersection(stage) else 0
            lines.append(((above.middle - aside, above.bottom), (below.middle - aside, below.y)))
    return lines
