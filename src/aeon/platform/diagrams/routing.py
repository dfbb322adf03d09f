"""Routes edges between steps: straight to the next row, or through a side lane. Pure.

The outgoing lines of a step to later rows share one line, which runs below its row to a lane of its own and down; the
incoming lines of a step from lanes share one line above its row. So no line crosses a box, and between two rows there
are never more lines than boxes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aeon.platform.diagrams.shapes import BOX_WIDTH, DiagramEdge

LANE_EXIT_X, LANE_ENTRY_X = BOX_WIDTH - 30, BOX_WIDTH - 16
"""The x offsets in a box of the line to a lane, and of the line from lanes."""

_STRAIGHT_WIDTH, _STRAIGHT_STEP = 120, 24
"""The range around the middle of a box for straight lines, and their distance."""


class StraightRoute(NamedTuple):
    """The x offsets in the two boxes at which a line to the next row leaves and enters."""

    leaves: int
    enters: int


class LaneRoute(NamedTuple):
    """The lane of a line, and its tracks below its producer's row and above its consumer's row."""

    lane: int
    out_track: int
    in_track: int


@dataclass(frozen=True, slots=True)
class EdgeRouting:
    """The route of each edge, the number of lanes, and the number of tracks below each row."""

    ways: Mapping[DiagramEdge, StraightRoute | LaneRoute]
    lanes: int
    tracks: Sequence[int]


def route_edges(edges: Sequence[DiagramEdge], rows: Sequence[Sequence[int]]) -> EdgeRouting:
    """Return the routes of edges, each of which goes down by one row or more."""
    row_of = {place: number for number, row in enumerate(rows) for place in row}
    near = [edge for edge in edges if row_of[edge.producer] + 1 == row_of[edge.consumer]]
    far = [edge for edge in edges if row_of[edge.producer] + 1 < row_of[edge.consumer]]
    lanes = _lanes(far, row_of)
    out_tracks, in_tracks, tracks = _tracks(far, rows)
    routes: dict[DiagramEdge, StraightRoute | LaneRoute] = dict(_straight_routes(near, rows))
    for edge in far:
        routes[edge] = LaneRoute(lanes[edge.producer], out_tracks[edge.producer], in_tracks[edge.consumer])
    return EdgeRouting(routes, max(lanes.values(), default=-1) + 1, tracks)


def _lanes(far: Sequence[DiagramEdge], row_of: Mapping[int, int]) -> dict[int, int]:
    """Return a lane for each producer, short ones inside; lanes that do not overlap may be shared."""
    ends: dict[int, int] = {}
    for edge in far:
        ends[edge.producer] = max(ends.get(edge.producer, 0), row_of[edge.consumer] - 1)
    lane_spans: list[list[tuple[int, int]]] = []
    lanes: dict[int, int] = {}
    for producer in sorted(ends, key=lambda place: (ends[place] - row_of[place], place)):
        span = row_of[producer], ends[producer]
        lane = next((number for number, spans in enumerate(lane_spans) if _is_free(spans, span)), len(lane_spans))
        if lane == len(lane_spans):
            lane_spans.append([])
        lane_spans[lane].append(span)
        lanes[producer] = lane
    return lanes


def _is_free(spans: Iterable[tuple[int, int]], span: tuple[int, int]) -> bool:
    return all(end < span[0] or span[1] < start for start, end in spans)


def _tracks(
    far: Sequence[DiagramEdge], rows: Sequence[Sequence[int]]
) -> tuple[dict[int, int], dict[int, int], list[int]]:
    """Return the tracks of outgoing lines, of incoming lines, and their number below each row.

    Outgoing lines come first, that of the rightmost box on top; then the incoming ones of the next row, that of the
    leftmost box on top. So no horizontal line crosses a vertical one of the same kind.
    """
    leaving, entering = {edge.producer for edge in far}, {edge.consumer for edge in far}
    out_tracks: dict[int, int] = {}
    in_tracks: dict[int, int] = {}
    counts: list[int] = []
    for above, below in zip(rows, [*rows[1:], []], strict=True):
        outs = [place for place in reversed(above) if place in leaving]
        ins = [place for place in below if place in entering]
        out_tracks |= {place: number for number, place in enumerate(outs)}
        in_tracks |= {place: number for number, place in enumerate(ins, len(outs))}
        counts.append(len(outs) + len(ins))
    return out_tracks, in_tracks, counts


def _straight_routes(near: Sequence[DiagramEdge], rows: Sequence[Sequence[int]]) -> dict[DiagramEdge, StraightRoute]:
    """Return ports side by side, in the order of the boxes at the other ends."""
    column = {place: number for row in rows for number, place in enumerate(row)}
    leaves: dict[DiagramEdge, int] = {}
    enters: dict[DiagramEdge, int] = {}
    by_producer: dict[int, list[DiagramEdge]] = {}
    by_consumer: dict[int, list[DiagramEdge]] = {}
    for edge in near:
        by_producer.setdefault(edge.producer, []).append(edge)
        by_consumer.setdefault(edge.consumer, []).append(edge)
    for edges in by_producer.values():
        leaves |= _ports(sorted(edges, key=lambda edge: column[edge.consumer]))
    for edges in by_consumer.values():
        enters |= _ports(sorted(edges, key=lambda edge: column[edge.producer]))
    return {edge: StraightRoute(leaves[edge], enters[edge]) for edge in near}


def _ports(edges: list[DiagramEdge]) -> dict[DiagramEdge, int]:
    steps = len(edges) - 1
    step = min(_STRAIGHT_STEP, _STRAIGHT_WIDTH // steps) if steps else 0
    return {edge: BOX_WIDTH // 2 + (2 * number - steps) * step // 2 for number, edge in enumerate(edges)}
