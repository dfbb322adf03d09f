"""Renders a Process as a Mermaid flowchart, for Markdown pages and editors. Pure; the same input gives the same text.

Every text that a user may choose is escaped character by character, so that it is always content of a label.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from aeon.base.json import canonical_json
from aeon.platform.diagrams.descriptions import SECTION_CAPTIONS, describe_action, describe_status
from aeon.platform.diagrams.drawing import clip_text
from aeon.platform.diagrams.layout import find_edges
from aeon.platform.processes.model import ProcessDefinition, ProcessStep
from aeon.platform.processes.sections import Section, split_sections
from aeon.platform.runs.loop_counts import LoopCount
from aeon.platform.runs.machine.state import StepState

_PLAIN: Final = frozenset(" _-.,:/")
"""Characters besides letters and digits that mean nothing in a label."""

_MAX_CELLS: Final = 80


def render_mermaid(
    definition: ProcessDefinition,
    states: Mapping[str, StepState] | None = None,
    names: Mapping[str, str] | None = None,
    counts: Mapping[str, LoopCount] | None = None,
) -> str:
    """Render a flowchart. The parameters are those of `render_svg`."""
    sections, stages = split_sections(definition)

    def label(step: ProcessStep) -> str:
        parts = _described(step, names or {})
        if states is not None:
            parts.append(describe_status(step.id, states, counts or {}))
        return "<br/>".join(escape_label(clip_text(part, _MAX_CELLS)) for part in parts)

    lines: list[str] = []
    for section in sections:
        inside = [line for number in section.stages for line in _stage(number, stages[number], definition, label)]
        if inside and section.name != "main":
            inside = [f'subgraph {section.name}["{SECTION_CAPTIONS[section.name]}"]', *_indented(inside), "end"]
        lines += inside
    lines += _lines(definition, sections, stages)
    head = ["---", f"title: {_quoted_title(definition.name)}", "---", "flowchart TD"]
    return "\n".join([*head, *_indented(lines)]) + "\n"


def _lines(definition: ProcessDefinition, sections: Sequence[Section], stages: Sequence[range]) -> Iterator[str]:
    """Yield the lines of dependencies, those between stages that need one, and hidden ones between sections."""
    edges = find_edges(definition)
    yield from (f"s{edge.producer} --> s{edge.consumer}" for edge in edges)
    stage_of = {place: number for number, stage in enumerate(stages) for place in stage}
    for above, below in (pair for section in sections for pair in pairwise(section.stages)):
        connected = {edge.consumer for edge in edges if stage_of[edge.producer] == above}
        if not connected.issuperset(stages[below]):
            yield f"{_name(above, stages[above])} -.-> {_name(below, stages[below])}"
    for before, after in pairwise(section for section in sections if section.steps):
        yield f"s{before.steps[-1]} ~~~ {after.name}"


def _described(step: ProcessStep, names: Mapping[str, str]) -> list[str]:
    parts = [step.id, describe_action(step, names)]
    if step.execution.condition:
        parts.append(f"only if {step.execution.condition}")
    if step.execution.interaction_mode == "manual":
        parts.append("a person does it")
    return parts


def escape_label(text: str) -> str:
    """Return a text as content of a quoted label: every other character than letters and digits by its number."""
    return "".join(
        character if character in _PLAIN or (character.isalnum() and character.isprintable()) else _entity(character)
        for character in text
    )


def _entity(character: str) -> str:
    return f"#{ord(character)};" if character.isprintable() else "#65533;"


def _quoted_title(name: str) -> str:
    """Return a name for the header of the text, which is YAML."""
    return canonical_json("".join(character if character.isprintable() else "\ufffd" for character in name))


def _stage(
    number: int, stage: Sequence[int], definition: ProcessDefinition, label: Callable[[ProcessStep], str]
) -> Iterator[str]:
    """Yield the lines of one stage; parallel steps are in a frame of their own."""
    steps = [_node(place, definition.all_steps[place], label) for place in stage]
    if len(steps) == 1:
        yield steps[0]
        return
    yield f'subgraph {_name(number, stage)}["parallel"]'
    yield from _indented(steps)
    yield "end"


def _node(place: int, step: ProcessStep, label: Callable[[ProcessStep], str]) -> str:
    if step.wait is not None:
        before, after = "([", "])"
    elif step.process is not None:
        before, after = "[[", "]]"
    elif step.execution.interaction_mode == "manual":
        before, after = "[/", "/]"
    else:
        before, after = "[", "]"
    return f's{place}{before}"{label(step)}"{after}'


def _name(number: int, stage: Sequence[int]) -> str:
    """Return what a line to a stage leads to: its one step, or its frame."""
    return f"s{stage[0]}" if len(stage) == 1 else f"parallel{number}"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
