"""Renders a Process as an SVG diagram. Pure; the same input gives the same bytes.

The SVG has no scripts and no external references, and every text is escaped, because any user may choose names.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aeon.platform.diagrams.descriptions import SECTION_CAPTIONS, describe_action, describe_status
from aeon.platform.diagrams.drawing import (
    CSS,
    STATUSES,
    arrow_head,
    clip_text,
    clock_mark,
    condition_mark,
    escape_text,
    inset,
    lane_path,
    person_mark,
    rectangle,
    stacked_box,
    straight_path,
    svg_start,
)
from aeon.platform.diagrams.layout import DiagramLayout, layout_diagram
from aeon.platform.diagrams.legend import draw_legend
from aeon.platform.diagrams.shapes import Box
from aeon.platform.processes.model import ProcessDefinition, ProcessStep
from aeon.platform.runs.loop_counts import LoopCount
from aeon.platform.runs.machine.state import INITIAL_STEP_STATE, RunStepStatus, StepState

_HEIGHT, _HEIGHT_WITH_STATUS = 48, 64
"""Heights of a box without and with a status."""
_ID_CELLS, _TARGET_CELLS = 23, 29
_TITLE_CELL_PIXELS = 10


def render_svg(
    definition: ProcessDefinition,
    states: Mapping[str, StepState] | None = None,
    names: Mapping[str, str] | None = None,
    counts: Mapping[str, LoopCount] | None = None,
) -> str:
    """Render a diagram, to be used as a document of its own or inside a page.

    `states` are by step id; with them every step has a status. `names` are those of the tools and Processes that
    steps call, by id. `counts` are those of the loops that have started, by step id. The definition must be valid.
    """
    layout = layout_diagram(definition, _HEIGHT if states is None else _HEIGHT_WITH_STATUS)
    key = f"p{definition.digest[:12]}"
    keys, height = draw_legend(definition, states, layout)
    parts = [
        svg_start(key, layout.width, height),
        f'<title id="{key}-title">{escape_text(definition.name)}</title>',
        f'<desc id="{key}-desc">{escape_text(_description(definition, layout, states))}</desc>',
        f"<style>{CSS}</style>",
        rectangle("ground", Box(0, 0, layout.width, height), 0),
        _title(definition.name, layout.width),
        *_captions(layout),
        *_frames(layout),
        *_lines([escape_text(step.id) for step in definition.all_steps], layout),
        *(
            _step(step, box, _status_of(step.id, states, counts or {}), names or {})
            for step, box in zip(definition.all_steps, layout.boxes, strict=True)
        ),
        keys,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _title(name: str, width: int) -> str:
    return f'<text class="name" x="24" y="34">{escape_text(clip_text(name, (width - 48) // _TITLE_CELL_PIXELS))}</text>'


def _description(definition: ProcessDefinition, layout: DiagramLayout, states: Mapping[str, StepState] | None) -> str:
    text = f"{len(layout.boxes)} step(s) in {len(layout.frames)} stage(s), from above to below."
    if states is not None:
        counts = Counter(states.get(step.id, INITIAL_STEP_STATE).status for step in definition.all_steps)
        text += f" {', '.join(f'{counts[status]} {status}' for status in STATUSES if counts[status])}."
    return text


def _captions(layout: DiagramLayout) -> Iterator[str]:
    """Draw a line above each section after the main one, with when the section runs."""
    for name, (x, y) in layout.captions.items():
        yield f'<path class="border" d="M{x} {y - 16}H{layout.width - x}"/>'
        yield f'<text class="caption" x="{x}" y="{y}">{SECTION_CAPTIONS[name]}</text>'


def _frames(layout: DiagramLayout) -> Iterator[str]:
    for frame in layout.frames:
        if frame not in layout.boxes:
            yield rectangle("frame", frame, 10)
            yield f'<text class="note" x="{frame.x + 8}" y="{frame.bottom - 4}">parallel</text>'


def _lines(ids: list[str], layout: DiagramLayout) -> Iterator[str]:
    for line in layout.spine:
        yield f'<path class="wait" d="{straight_path(line)}"/>{arrow_head("wait-head", line[1])}'
    for edge, path in layout.paths.items():
        data = straight_path(path) if len(path) == 2 else lane_path(path)  # noqa: PLR2004  # its two ends
        yield f'<path class="line" data-from="{ids[edge.producer]}" data-to="{ids[edge.consumer]}" d="{data}"/>'
    for end in sorted({path[-1] for path in layout.paths.values()}):
        yield arrow_head("head", end)
    for x, y in layout.dots:
        yield f'<circle class="dot" cx="{x}" cy="{y}" r="2.5"/>'


class _ShownStatus(NamedTuple):
    status: RunStepStatus
    text: str


def _status_of(
    id_: str, states: Mapping[str, StepState] | None, counts: Mapping[str, LoopCount]
) -> _ShownStatus | None:
    if states is None:
        return None
    return _ShownStatus(states.get(id_, INITIAL_STEP_STATE).status, describe_status(id_, states, counts))


def _step(step: ProcessStep, box: Box, shown: _ShownStatus | None, names: Mapping[str, str]) -> str:
    action = describe_action(step, names)
    shown_action = escape_text(clip_text(action, _TARGET_CELLS))
    is_manual = step.execution.interaction_mode == "manual"
    parts = [
        f'<g class="step{f" {shown.status}" if shown else ""}" data-step="{escape_text(step.id)}">',
        f"<title>{escape_text(_tooltip(step, action, shown))}</title>",
        stacked_box("behind", box) if step.for_each is not None else "",
        rectangle("box", box),
        rectangle("inner", inset(box, 4), 3) if step.process is not None else "",
        f'<text class="id" x="{box.x + 14}" y="{box.y + 21}">{escape_text(clip_text(step.id, _ID_CELLS))}</text>',
        f'<text class="target" x="{box.x + 14}" y="{box.y + 37}">{shown_action}</text>',
        f'<text class="state" x="{box.x + 14}" y="{box.y + 53}">{shown.text}</text>' if shown else "",
        condition_mark((box.x + 20, box.y)) if step.execution.condition else "",
        person_mark((box.x + box.width - 20, box.y + 18)) if is_manual else "",
        clock_mark((box.x + box.width - 20, box.y + 18)) if step.wait is not None else "",
        "</g>",
    ]
    return "".join(parts)


def _tooltip(step: ProcessStep, action: str, shown: _ShownStatus | None) -> str:
    """Describe a step in words, for screen readers and tooltips."""
    parts = [f"{step.id}: {action}"]
    if step.execution.condition:
        parts.append(f"only if {step.execution.condition}")
    if step.execution.interaction_mode == "manual":
        parts.append("a person does it")
    if step.depends_on:
        parts.append(f"takes from {', '.join(step.depends_on)}")
    return "; ".join([*parts, *([shown.text] if shown else [])])
