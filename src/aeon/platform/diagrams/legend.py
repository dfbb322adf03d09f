"""What the signs of a picture mean: only those that are in it. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from aeon.platform.diagrams.drawing import STATUSES, arrow_head, condition_mark, inset, person_mark, rectangle
from aeon.platform.diagrams.layout import DiagramLayout
from aeon.platform.diagrams.shapes import Box, Point
from aeon.platform.processes.model import ProcessDefinition
from aeon.platform.runs.machine.state import INITIAL_STEP_STATE, StepState

_MARGIN, _LINE, _SIGN, _PIXELS_A_CELL, _BETWEEN = 24, 22, 30, 7, 18


class _Key(NamedTuple):
    words: str
    sign: Callable[[Point], str]
    """Draws it about a point."""


def draw_legend(
    definition: ProcessDefinition, states: Mapping[str, StepState] | None, layout: DiagramLayout
) -> tuple[str, int]:
    """The signs with their words in lines below all boxes, and how deep the picture ends then."""
    x, y = _MARGIN, layout.height + 30
    parts = ['<g class="legend">']
    for key in _keys(definition, states, layout):
        length = _SIGN + _PIXELS_A_CELL * len(key.words)
        if x > _MARGIN and x + length > layout.width - _MARGIN:
            x, y = _MARGIN, y + _LINE
        parts.append(f'{key.sign((x + 11, y))}<text class="key" x="{x + _SIGN}" y="{y + 4}">{key.words}</text>')
        x += length + _BETWEEN
    return "\n".join([*parts, "</g>"]), y + _MARGIN


def _keys(
    definition: ProcessDefinition, states: Mapping[str, StepState] | None, layout: DiagramLayout
) -> Iterator[_Key]:
    steps = definition.steps
    if layout.paths:
        yield _Key("takes its result", _arrow("line", "head"))
    if layout.spine:
        yield _Key("waits for it", _arrow("wait", "wait-head"))
    if any(step.execution.condition for step in steps):
        yield _Key("only if its condition holds", condition_mark)
    if any(step.execution.interaction_mode == "manual" for step in steps):
        yield _Key("a person does it", person_mark)
    if any(step.process is not None for step in steps):
        yield _Key("another process", _double)
    if states is not None:
        found = {states.get(step.id, INITIAL_STEP_STATE).status for step in steps}
        for status in STATUSES:
            if status in found:
                yield _Key(status, _swatch(status))


def _arrow(line: str, tip: str) -> Callable[[Point], str]:
    def draw(at: Point) -> str:
        x, y = at
        return f'<path class="{line}" d="M{x} {y - 9}V{y + 2}"/>{arrow_head(tip, (x, y + 9))}'

    return draw


def _double(at: Point) -> str:
    box = _around(at)
    return rectangle("box", box, 3) + rectangle("inner", inset(box, 3), 2)


def _swatch(status: str) -> Callable[[Point], str]:
    return lambda at: f'<g class="{status}">{rectangle("box", _around(at), 3)}</g>'


def _around(at: Point) -> Box:
    return Box(at[0] - 11, at[1] - 7, 22, 14)
