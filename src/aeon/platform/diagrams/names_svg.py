"""Renders what is known as an SVG: names on a circle, and a line for each fact that joins two. Pure.

The SVG has no scripts and no external references, and every text is escaped. The same input gives the same bytes.
"""

import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from aeon.platform.diagrams.drawing import CSS, clip_text, escape_text, rectangle, svg_start
from aeon.platform.diagrams.shapes import Box, Point

_NAME_CELLS: Final = 28
_NAME_PIXELS: Final = 230
_LEAST_RADIUS: Final = 90
_ARC: Final = 26
"""Pixels of the circle that a name has."""

_TOP: Final = 60


class NamedNode(NamedTuple):
    """A name in the diagram, and how often it is mentioned."""

    id: str
    name: str
    mentions: int


class JoiningFact(NamedTuple):
    """A fact that joins two names."""

    subject: str
    object: str
    text: str


def render_names(title: str, nodes: Sequence[NamedNode], facts: Sequence[JoiningFact]) -> str:
    """Render a diagram of names and facts, as a document of its own or inside a page."""
    order = _in_order(nodes, facts)
    radius = max(_LEAST_RADIUS, round(len(order) * _ARC / (2 * math.pi)))
    width, height = 2 * (radius + _NAME_PIXELS), 2 * radius + 2 * _TOP
    places = {node.id: _on_circle(number, len(order), radius, width, height) for number, node in enumerate(order)}
    key = f"n{sha256(title.encode()).hexdigest()[:12]}"
    parts = [
        svg_start(key, width, height),
        f'<title id="{key}-title">{escape_text(title)}</title>',
        f'<desc id="{key}-desc">{len(order)} name(s), {len(facts)} fact(s) that join two of them.</desc>',
        f"<style>{CSS}</style>",
        rectangle("ground", Box(0, 0, width, height), 0),
        f'<text class="name" x="24" y="34">{escape_text(clip_text(title, (width - 48) // 10))}</text>',
        *(_line(fact, places) for fact in facts if fact.subject in places and fact.object in places),
        *(_node(node, places[node.id], width) for node in order),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _in_order(nodes: Sequence[NamedNode], facts: Sequence[JoiningFact]) -> list[NamedNode]:
    """Return the nodes so that joined ones are near each other: each after one that it is joined to."""
    by_id = {node.id: node for node in nodes}
    joined: dict[str, list[str]] = {id_: [] for id_ in by_id}
    for fact in facts:
        if fact.subject in by_id and fact.object in by_id:
            joined[fact.subject].append(fact.object)
            joined[fact.object].append(fact.subject)
    found: dict[str, NamedNode] = {}
    for node in nodes:
        _visit(node.id, by_id, joined, found)
    return list(found.values())


def _visit(
    start: str, by_id: Mapping[str, NamedNode], joined: Mapping[str, Sequence[str]], found: dict[str, NamedNode]
) -> None:
    waiting = [start]
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found[id_] = by_id[id_]
            waiting += [each for each in reversed(joined[id_]) if each not in found]


def _on_circle(number: int, count: int, radius: int, width: int, height: int) -> Point:
    angle = 2 * math.pi * number / max(1, count) - math.pi / 2
    return round(width / 2 + radius * math.cos(angle)), round(height / 2 + 10 + radius * math.sin(angle))


def _line(fact: JoiningFact, places: Mapping[str, Point]) -> str:
    (x, y), (to_x, to_y) = places[fact.subject], places[fact.object]
    return (
        f'<path class="line" data-from="{escape_text(fact.subject)}" data-to="{escape_text(fact.object)}" '
        f'd="M{x} {y}L{to_x} {to_y}"><title>{escape_text(fact.text)}</title></path>'
    )


def _node(node: NamedNode, place: Point, width: int) -> str:
    x, y = place
    radius = min(9, 3 + node.mentions.bit_length())
    is_left = x < width / 2
    at, anchor = (x - radius - 5, "end") if is_left else (x + radius + 5, "start")
    shown = escape_text(clip_text(node.name, _NAME_CELLS))
    tip = escape_text(f"{node.name}: mentioned {node.mentions} time(s)")
    return (
        f'<g class="step" data-name="{escape_text(node.id)}"><title>{tip}</title>'
        f'<circle class="dot" cx="{x}" cy="{y}" r="{radius}"/>'
        f'<text class="id" x="{at}" y="{y + 4}" text-anchor="{anchor}">{shown}</text></g>'
    )
