"""The parts of a picture as SVG: lines, boxes and their marks. Pure."""

from collections.abc import Sequence

from aeon.platform.processes.picture.shapes import Box, Point

_ROUND = 5
"""Radius of a line's corners."""
_HEAD = 7
"""Height of an arrow's head."""


def rectangle(kind: str, box: Box, radius: int = 6) -> str:
    """A rectangle with round corners."""
    x, y, width, height = box
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"/>'


def inset(box: Box, by: int) -> Box:
    """A rectangle in another one."""
    return Box(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by)


def arrow_head(kind: str, at: Point) -> str:
    """The head of an arrow that comes down."""
    return f'<path class="{kind}" d="M{at[0]} {at[1]}l-4 -{_HEAD}h8z"/>'


def straight_path(path: Sequence[Point]) -> str:
    """The way straight down from the first point to the last, bent where they are not one above the other."""
    (x, y), (to_x, to_y) = path
    to_y -= _HEAD
    if x == to_x:
        return f"M{x} {y}V{to_y}"
    middle = (y + to_y) // 2
    return f"M{x} {y}C{x} {middle} {to_x} {middle} {to_x} {to_y}"


def lane_path(path: Sequence[Point]) -> str:
    """The way by a lane to the right, past six points, with round corners."""
    (x, y), (_, out), (lane, _), (_, along), (to_x, _), (_, to_y) = path
    r = _ROUND
    return (
        f"M{x} {y}V{out - r}q0 {r} {r} {r}H{lane - r}q{r} 0 {r} {r}"
        f"V{along - r}q0 {r} -{r} {r}H{to_x + r}q-{r} 0 -{r} {r}V{to_y - _HEAD}"
    )


def condition_mark(at: Point) -> str:
    """The mark of a condition."""
    return f'<path class="mark" d="M{at[0]} {at[1] - 7}l9 7l-9 7l-9 -7z"/>'


def person_mark(at: Point) -> str:
    """The mark of what a person does: a head and shoulders, `at` between them."""
    x, y = at
    return (
        f'<circle class="person" cx="{x}" cy="{y - 5}" r="4"/>'
        f'<path class="person" d="M{x - 7} {y + 8}c0 -10 14 -10 14 0z"/>'
    )
