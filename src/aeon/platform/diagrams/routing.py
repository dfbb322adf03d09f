"""How lines get from step to step: straight down to the next row, else by a lane beside all boxes. Pure.

What a step gives to steps further down leaves it on one line, which goes along below its row to a lane of its own and
down; what a step takes from lanes comes to it on one line above its row. So no line meets a box, and between two rows
there are never more lines than boxes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aeon.platform.diagrams.shapes import BOX_WIDTH, DiagramEdge

LANE_EXIT_X, LANE_ENTRY_X = BOX_WIDTH - 30, BOX_WIDTH - 16
"""Where in a box the line to a lane begins, and the one from lanes ends: clear of those that go straight."""

_STRAIGHT_WIDTH, _STRAIGHT_STEP = 120, 24
"""About the middle of a box: where lines straight down leave and enter it."""


class StraightRoute(NamedTuple):
    """Where in the two boxes a line straight to the next row leaves and enters."""

    leaves: int
    enters: int


class LaneRoute(NamedTuple):
    """Which lane a line takes, and which track below its producer's row and above its consumer's."""

    lane: int
    out_track: int
    in_track: int


@dataclass(frozen=True, slots=True)
class EdgeRouting:
    """The way of each edge, how many lanes there are, and how many tracks below each row."""

    ways: Mapping[DiagramEdge, StraightRoute | LaneRoute]
    lanes: int
    tracks: Sequence[int]


def route_edges(edges: Sequence[DiagramEdge], rows: Sequence[Sequence[int]]) -> EdgeRouting:
    """The ways of edges, each of which goes down by a row or more."""
    row_of = {place: number for number, row in enumerate(rows) for place in row}
    near = [edge for edge in edges if row_of[edge.producer] + 1 == row_of[edge.consumer]]
    far = [edge for edge in edges if row_of[edge.producer] + 1 < row_of[edge.consumer]]
    lanes = _lanes(far, row_of)
    out_tracks, in_tracks, tracks = _tracks(far, rows)
    across: dict[DiagramEdge, StraightRoute | LaneRoute] = dict(_straight(near, rows))
    for edge in far:
        across[edge] = LaneRoute(lanes[edge.producer], out_tracks[edge.producer], in_tracks[edge.consumer])
    return EdgeRouting(across, max(lanes.values(), default=-1) + 1, tracks)


def _lanes(far: Sequence[DiagramEdge], row_of: Mapping[int, int]) -> dict[int, int]:
    """A lane for each producer, short ways in the inner ones; two that never are beside each other may share one."""
    ends: dict[int, int] = {}
    for edge in far:
        ends[edge.producer] = max(ends.get(edge.producer, 0), row_of[edge.consumer] - 1)
    taken: list[list[tuple[int, int]]] = []
    found: dict[int, int] = {}
    for producer in sorted(ends, key=lambda place: (ends[place] - row_of[place], place)):
        span = row_of[producer], ends[producer]
        lane = next((number for number, spans in enumerate(taken) if _is_free(spans, span)), len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append(span)
        found[producer] = lane
    return found


def _is_free(spans: Iterable[tuple[int, int]], wanted: tuple[int, int]) -> bool:
    return all(end < wanted[0] or wanted[1] < start for start, end in spans)


def _tracks(
    far: Sequence[DiagramEdge], rows: Sequence[Sequence[int]]
) -> tuple[dict[int, int], dict[int, int], list[int]]:
    """Below each row first the lines that leave it, the rightmost box's on top; then those that enter the next.

    Of these the leftmost box's is on top. So no line along crosses one up or down of the same sort.
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


def _straight(near: Sequence[DiagramEdge], rows: Sequence[Sequence[int]]) -> dict[DiagramEdge, StraightRoute]:
    """Ports side by side, in the order of the boxes at the other ends."""
    column = {place: number for row in rows for number, place in enumerate(row)}
    leaves: dict[DiagramEdge, int] = {}
    enters: dict[DiagramEdge, int] = {}
    by_producer: dict[int, list[DiagramEdge]] = {}
    by_consumer: dict[int, list[DiagramEdge]] = {}
    for edge in near:
        by_producer.setdefault(edge.producer, []).append(edge)
        by_consumer.setdefault(edge.consumer, []).append(edge)
    for together in by_producer.values():
        leaves |= _ports(sorted(together, key=lambda edge: column[edge.consumer]))
    for together in by_consumer.values():
        enters |= _ports(sorted(together, key=lambda edge: column[edge.producer]))
    return {edge: StraightRoute(leaves[edge], enters[edge]) for edge in near}


def _ports(edges: list[DiagramEdge]) -> dict[DiagramEdge, int]:
    steps = len(edges) - 1
    step = min(_STRAIGHT_STEP, _STRAIGHT_WIDTH // steps) if steps else 0
    return {edge: BOX_WIDTH // 2 + (2 * number - steps) * step // 2 for number, edge in enumerate(edges)}
