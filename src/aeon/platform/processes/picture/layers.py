"""Which steps stand beside each other, and in which order, so that few lines cross. Pure."""

from collections.abc import Sequence
from itertools import groupby

from aeon.platform.processes.definition import ProcessStep
from aeon.platform.processes.picture.shapes import DiagramEdge

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
