"""A Process as a picture: its steps from above to below, and what each takes from which. Pure, byte for byte the same.

No script, nothing from elsewhere, every text escaped: names may be anybody's.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from aeon.platform.diagrams.drawing import (
    CSS,
    STATUSES,
    arrow_head,
    clip_text,
    condition_mark,
    escape_text,
    inset,
    lane_path,
    person_mark,
    rectangle,
    straight_path,
)
from aeon.platform.diagrams.layout import DiagramLayout, layout_diagram
from aeon.platform.diagrams.legend import draw_legend
from aeon.platform.diagrams.shapes import Box
from aeon.platform.processes.model import ProcessDefinition, ProcessStep
from aeon.platform.runs.machine.state import INITIAL_STEP_STATE, StepState

_LOW, _HIGH = 48, 64
"""A box without a status, and with one."""
_ID_CELLS, _TARGET_CELLS = 23, 29
_TITLE_PIXELS_A_CELL = 10


def render_svg(
    definition: ProcessDefinition,
    states: Mapping[str, StepState] | None = None,
    names: Mapping[str, str] | None = None,
) -> str:
    """The picture as a document of its own, or to stand in a page.

    `states` are by step id; with them every step has a status. `names` are those of the tools and Processes that steps
    call, by id. The definition is one that was checked.
    """
    layout = layout_diagram(definition, _LOW if states is None else _HIGH)
    key = f"p{definition.digest[:12]}"
    keys, height = draw_legend(definition, states, layout)
    parts = [
        _opened(key, layout.width, height),
        f'<title id="{key}-title">{escape_text(definition.name)}</title>',
        f'<desc id="{key}-desc">{escape_text(_described(definition, layout, states))}</desc>',
        f"<style>{CSS}</style>",
        rectangle("ground", Box(0, 0, layout.width, height), 0),
        _titled(definition.name, layout.width),
        *_frames(layout),
        *_lines([escape_text(step.id) for step in definition.steps], layout),
        *(_step(step, box, states, names or {}) for step, box in zip(definition.steps, layout.boxes, strict=True)),
        keys,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _opened(key: str, width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="aeon-process" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{key}-title {key}-desc">'
    )


def _titled(name: str, width: int) -> str:
    return (
        f'<text class="name" x="24" y="34">{escape_text(clip_text(name, (width - 48) // _TITLE_PIXELS_A_CELL))}</text>'
    )


def _described(definition: ProcessDefinition, layout: DiagramLayout, states: Mapping[str, StepState] | None) -> str:
    text = f"{len(layout.boxes)} step(s) in {len(layout.frames)} stage(s), from above to below."
    if states is not None:
        counts = Counter(states.get(step.id, INITIAL_STEP_STATE).status for step in definition.steps)
        text += f" {', '.join(f'{counts[status]} {status}' for status in STATUSES if counts[status])}."
    return text


def _frames(layout: DiagramLayout) -> Iterator[str]:
    for frame in layout.frames:
        if frame not in layout.boxes:
            yield rectangle("frame", frame, 10)
            yield f'<text class="note" x="{frame.x + 8}" y="{frame.bottom - 4}">parallel</text>'


def _lines(ids: list[str], layout: DiagramLayout) -> Iterator[str]:
    for line in layout.spine:
        yield f'<path class="wait" d="{straight_path(line)}"/>{arrow_head("wait-head", line[1])}'
    for edge, path in layout.paths.items():
        way = straight_path(path) if len(path) == 2 else lane_path(path)  # noqa: PLR2004  # its two ends
        yield f'<path class="line" data-from="{ids[edge.producer]}" data-to="{ids[edge.consumer]}" d="{way}"/>'
    for end in sorted({path[-1] for path in layout.paths.values()}):
        yield arrow_head("head", end)
    for x, y in layout.dots:
        yield f'<circle class="dot" cx="{x}" cy="{y}" r="2.5"/>'


def _step(step: ProcessStep, box: Box, states: Mapping[str, StepState] | None, names: Mapping[str, str]) -> str:
    kind, id_ = ("tool", step.tool) if step.process is None else ("process", step.process)
    target = f"{kind} {names.get(id_ or '', id_ or '')}"
    shown_target = escape_text(clip_text(target, _TARGET_CELLS))
    state = None if states is None else states.get(step.id, INITIAL_STEP_STATE)
    is_manual = step.execution.interaction_mode == "manual"
    parts = [
        f'<g class="step{f" {state.status}" if state else ""}" data-step="{escape_text(step.id)}">',
        f"<title>{escape_text(_told(step, target, state))}</title>",
        rectangle("box", box),
        rectangle("inner", inset(box, 4), 3) if kind == "process" else "",
        f'<text class="id" x="{box.x + 14}" y="{box.y + 21}">{escape_text(clip_text(step.id, _ID_CELLS))}</text>',
        f'<text class="target" x="{box.x + 14}" y="{box.y + 37}">{shown_target}</text>',
        f'<text class="state" x="{box.x + 14}" y="{box.y + 53}">{_status(state)}</text>' if state else "",
        condition_mark((box.x + 20, box.y)) if step.execution.condition else "",
        person_mark((box.x + box.width - 20, box.y + 18)) if is_manual else "",
        "</g>",
    ]
    return "".join(parts)


def _status(state: StepState) -> str:
    return f"{state.status}, attempt {state.attempts}" if state.attempts > 1 else state.status


def _told(step: ProcessStep, target: str, state: StepState | None) -> str:
    """All about a step in words, for whoever hears the picture or points at it."""
    said = [f"{step.id}: {target}"]
    if step.execution.condition:
        said.append(f"only if {step.execution.condition}")
    if step.execution.interaction_mode == "manual":
        said.append("a person does it")
    if step.depends_on:
        said.append(f"takes from {', '.join(step.depends_on)}")
    return "; ".join([*said, *([_status(state)] if state else [])])
