"""SVG elements of a diagram: lines, boxes and marks. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from html import escape
from typing import Final

from aeon.platform.diagrams.shapes import Box, Point
from aeon.platform.runs.machine.state import RunStepStatus

_CORNER_RADIUS = 5
"""Radius of a line's corners."""
_HEAD_HEIGHT = 7
"""Height of an arrow's head."""


def svg_start(key: str, width: int, height: int) -> str:
    """Return the start of a drawing whose title and description have ids that begin with `key`."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="aeon-process" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{key}-title {key}-desc">'
    )


def rectangle(kind: str, box: Box, radius: int = 6) -> str:
    """Draw a rectangle with round corners."""
    x, y, width, height = box
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"/>'


def inset(box: Box, by: int) -> Box:
    """Return a rectangle inside another one."""
    return Box(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by)


def arrow_head(kind: str, at: Point) -> str:
    """Draw the head of an arrow that points down."""
    return f'<path class="{kind}" d="M{at[0]} {at[1]}l-4 -{_HEAD_HEIGHT}h8z"/>'


def straight_path(path: Sequence[Point]) -> str:
    """Return a path down from the first point to the last, curved if their columns differ."""
    (x, y), (to_x, to_y) = path
    to_y -= _HEAD_HEIGHT
    if x == to_x:
        return f"M{x} {y}V{to_y}"
    middle = (y + to_y) // 2
    return f"M{x} {y}C{x} {middle} {to_x} {middle} {to_x} {to_y}"


def lane_path(path: Sequence[Point]) -> str:
    """Return a path through a lane on the right, along six points, with round corners."""
    (x, y), (_, out), (lane, _), (_, along), (to_x, _), (_, to_y) = path
    r = _CORNER_RADIUS
    return (
        f"M{x} {y}V{out - r}q0 {r} {r} {r}H{lane - r}q{r} 0 {r} {r}"
        f"V{along - r}q0 {r} -{r} {r}H{to_x + r}q-{r} 0 -{r} {r}V{to_y - _HEAD_HEIGHT}"
    )


def stacked_box(kind: str, box: Box, radius: int = 6) -> str:
    """Draw the edge of a second box behind one: what is repeated for each item of a list."""
    x, y, width, height = box
    return (
        f'<path class="{kind}" d="M{x + radius} {y - 4}H{x + width - radius + 4}q{radius} 0 {radius} {radius}'
        f'V{y + height - radius}"/>'
    )


def clock_mark(at: Point) -> str:
    """Draw the mark of a step that waits."""
    x, y = at
    return f'<circle class="clock" cx="{x}" cy="{y}" r="7"/><path class="clock" d="M{x} {y - 4}V{y}h4"/>'


def condition_mark(at: Point) -> str:
    """Draw the mark of a condition."""
    return f'<path class="mark" d="M{at[0]} {at[1] - 7}l9 7l-9 7l-9 -7z"/>'


def person_mark(at: Point) -> str:
    """Draw the mark of a manual step, a head and shoulders; `at` is between them."""
    x, y = at
    return (
        f'<circle class="person" cx="{x}" cy="{y - 5}" r="4"/>'
        f'<path class="person" d="M{x - 7} {y + 8}c0 -10 14 -10 14 0z"/>'
    )


STATUSES: Final[tuple[RunStepStatus, ...]] = (
    "waiting",
    "running",
    "retrying",
    "stopping",
    "completed",
    "failed",
    "skipped",
    "stopped",
)

CSS: Final = """
.aeon-process text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.aeon-process .name{font-size:16px;font-weight:700}
.aeon-process .id{font-size:13px;font-weight:700}
.aeon-process .target,.aeon-process .state,.aeon-process .key,.aeon-process .caption{font-size:11px}
.aeon-process .note{font-size:9px}
.aeon-process .target,.aeon-process .note{fill:#57606a}
.aeon-process .ground{fill:#ffffff}
.aeon-process .box{fill:#f6f8fa;stroke:#57606a;stroke-width:1.5}
.aeon-process .inner{fill:none;stroke:#57606a}
.aeon-process .behind,.aeon-process .clock{fill:none;stroke:#57606a;stroke-width:1.5}
.aeon-process .border{fill:none;stroke:#d0d7de}
.aeon-process .frame{fill:none;stroke:#8c959f;stroke-dasharray:2 3}
.aeon-process .line{fill:none;stroke:#57606a;stroke-width:1.25}
.aeon-process .wait{fill:none;stroke:#8c959f;stroke-width:1.25;stroke-dasharray:5 4}
.aeon-process .dot,.aeon-process .head{fill:#57606a}
.aeon-process .wait-head{fill:#8c959f}
.aeon-process .mark{fill:#fff8c5;stroke:#57606a;stroke-width:1.25}
.aeon-process .person{fill:#57606a}
.aeon-process .running .box{fill:#ddf4ff;stroke:#0969da}
.aeon-process .retrying .box,.aeon-process .stopping .box{fill:#fff1e5;stroke:#bc4c00}
.aeon-process .completed .box{fill:#dafbe1;stroke:#1a7f37}
.aeon-process .failed .box{fill:#ffebe9;stroke:#cf222e;stroke-width:2.5}
.aeon-process .skipped .box,.aeon-process .stopped .box{fill:#ffffff;stroke:#8c959f;stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){
.aeon-process text{fill:#e6edf3}
.aeon-process .target,.aeon-process .note{fill:#9da7b3}
.aeon-process .ground{fill:#0d1117}
.aeon-process .box{fill:#161b22;stroke:#9da7b3}
.aeon-process .inner,.aeon-process .behind,.aeon-process .clock{stroke:#9da7b3}
.aeon-process .border{stroke:#30363d}
.aeon-process .line{stroke:#9da7b3}
.aeon-process .wait,.aeon-process .frame{stroke:#6e7681}
.aeon-process .dot,.aeon-process .head,.aeon-process .person{fill:#9da7b3}
.aeon-process .wait-head{fill:#6e7681}
.aeon-process .mark{fill:#4b3d0b;stroke:#9da7b3}
.aeon-process .running .box{fill:#0c2d4d;stroke:#58a6ff}
.aeon-process .retrying .box,.aeon-process .stopping .box{fill:#3d2107;stroke:#f0883e}
.aeon-process .completed .box{fill:#0f2d1a;stroke:#3fb950}
.aeon-process .failed .box{fill:#3c1618;stroke:#f85149}
.aeon-process .skipped .box,.aeon-process .stopped .box{fill:#0d1117;stroke:#6e7681}
}
"""


_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that XML forbids, or that would change the direction of the text around them."""

_REPLACEMENT = "\ufffd"


def escape_text(text: str) -> str:
    """Escape a text as content of an element or an attribute."""
    return escape(_FORBIDDEN.sub(_REPLACEMENT, text.replace("\n", " ").replace("\t", " ")), quote=True)


def clip_text(text: str, cells: int) -> str:
    """Clip a text to a number of cells of a fixed-width font; a clipped text ends with "..."."""
    text = text[: 4 * cells]
    if sum(map(_cells, text)) <= cells:
        return text
    clipped, room = "", cells - 3
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        clipped += character
    return f"{clipped}..."


def _cells(character: str) -> int:
    return 0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
