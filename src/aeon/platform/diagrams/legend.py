"""The legend of a diagram, with the signs that occur in it. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from aeon.platform.diagrams.drawing import (
    STATUSES,
    arrow_head,
    clock_mark,
    condition_mark,
    inset,
    person_mark,
    rectangle,
    stacked_box,
)
from aeon.platform.diagrams.layout import DiagramLayout
from aeon.platform.diagrams.shapes import Box, Point
from aeon.platform.processes.model import ProcessDefinition, ProcessStep
from aeon.platform.runs.machine.state import INITIAL_STEP_STATE, StepState

_MARGIN, _LINE, _SIGN, _CELL_PIXELS, _ENTRY_GAP = 24, 22, 30, 7, 18


class _LegendEntry(NamedTuple):
    label: str
    sign: Callable[[Point], str]
    """Draw the sign around a point."""


def draw_legend(
    definition: ProcessDefinition, states: Mapping[str, StepState] | None, layout: DiagramLayout
) -> tuple[str, int]:
    """Return the legend's lines below all boxes, and the height of the diagram with them."""
    x, y = _MARGIN, layout.height + 30
    parts = ['<g class="legend">']
    for key in _entries(definition, states, layout):
        length = _SIGN + _CELL_PIXELS * len(key.label)
        if x > _MARGIN and x + length > layout.width - _MARGIN:
            x, y = _MARGIN, y + _LINE
        parts.append(f'{key.sign((x + 11, y))}<text class="key" x="{x + _SIGN}" y="{y + 4}">{key.label}</text>')
        x += length + _ENTRY_GAP
    return "\n".join([*parts, "</g>"]), y + _MARGIN


def _entries(
    definition: ProcessDefinition, states: Mapping[str, StepState] | None, layout: DiagramLayout
) -> Iterator[_LegendEntry]:
    if layout.paths:
        yield _LegendEntry("takes its result", _arrow("line", "head"))
    if layout.spine:
        yield _LegendEntry("waits for it", _arrow("wait", "wait-head"))
    for is_so, label, sign in _STEP_SIGNS:
        if any(map(is_so, definition.all_steps)):
            yield _LegendEntry(label, sign)
    if states is not None:
        statuses = {states.get(step.id, INITIAL_STEP_STATE).status for step in definition.all_steps}
        yield from (_LegendEntry(status, _swatch(status)) for status in STATUSES if status in statuses)


def _arrow(line: str, tip: str) -> Callable[[Point], str]:
    def draw(at: Point) -> str:
        x, y = at
        return f'<path class="{line}" d="M{x} {y - 9}V{y + 2}"/>{arrow_head(tip, (x, y + 9))}'

    return draw


def _double_box(at: Point) -> str:
    box = _sign_box(at)
    return rectangle("box", box, 3) + rectangle("inner", inset(box, 3), 2)


def _stacked_boxes(at: Point) -> str:
    box = Box(at[0] - 11, at[1] - 5, 19, 12)
    return stacked_box("behind", box, 3) + rectangle("box", box, 3)


def _swatch(status: str) -> Callable[[Point], str]:
    return lambda at: f'<g class="{status}">{rectangle("box", _sign_box(at), 3)}</g>'


def _sign_box(at: Point) -> Box:
    return Box(at[0] - 11, at[1] - 7, 22, 14)


_STEP_SIGNS: Final[Sequence[tuple[Callable[[ProcessStep], bool], str, Callable[[Point], str]]]] = (
    (lambda step: step.execution.condition is not None, "only if its condition holds", condition_mark),
    (lambda step: step.execution.interaction_mode == "manual", "a person does it", person_mark),
    (lambda step: step.process is not None, "another process", _double_box),
    (lambda step: step.for_each is not None, "once for each item", _stacked_boxes),
    (lambda step: step.wait is not None, "waits for a time", clock_mark),
)
"""The signs of steps: which step has one, what it means, and how it is drawn."""
