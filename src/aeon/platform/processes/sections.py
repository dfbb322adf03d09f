"""The sections of a definition: its main steps, and those that follow a failure or the end (platform 41). Pure."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from aeon.platform.processes.model import UNDO_PREFIX, ProcessDefinition, ProcessStep

SectionName: TypeAlias = Literal["main", "compensation", "on_failure", "finally"]
"""`compensation` undoes completed steps, the last one first. It and `on_failure` only run in a run that did not
complete, `on_failure` only after a failure, and `finally` always."""


class Section(NamedTuple):
    """The steps of one section, by position, and the stages that they form, by number."""

    name: SectionName
    steps: range
    stages: range


def split_sections(definition: ProcessDefinition) -> tuple[list[Section], list[range]]:
    """Return the sections of a definition, also empty ones, and the positions of each stage's steps.

    Every sequential step is a stage, and so are adjacent parallel steps of one section.
    """
    sections: list[Section] = []
    stages: list[range] = []
    position = 0
    for name, steps in _parts(definition):
        first = len(stages)
        stages += _stages(steps, position)
        sections.append(Section(name, range(position, position + len(steps)), range(first, len(stages))))
        position += len(steps)
    return sections, stages


def paths_of(definition: ProcessDefinition) -> list[str]:
    """Return the JSON path of each of a definition's steps, in the order of their positions."""
    undoing = [
        f"$.steps[{place}].compensate"
        for place in reversed(range(len(definition.steps)))
        if definition.steps[place].compensate is not None
    ]
    return [
        *(f"$.steps[{place}]" for place in range(len(definition.steps))),
        *undoing,
        *(f"$.onFailure[{place}]" for place in range(len(definition.on_failure))),
        *(f"$.finally[{place}]" for place in range(len(definition.finally_))),
    ]


def undone_steps(definition: ProcessDefinition) -> dict[str, str]:
    """Return the id of the step that each compensation undoes, by the compensation's id."""
    return {f"{UNDO_PREFIX}{step.id}": step.id for step in definition.steps if step.compensate is not None}


def _parts(definition: ProcessDefinition) -> Iterator[tuple[SectionName, Sequence[ProcessStep]]]:
    main, handlers, last = definition.steps, definition.on_failure, definition.finally_
    undoing = definition.all_steps[len(main) : len(definition.all_steps) - len(handlers) - len(last)]
    yield "main", main
    yield "compensation", undoing
    yield "on_failure", handlers
    yield "finally", last


def _stages(steps: Sequence[ProcessStep], first: int) -> Iterator[range]:
    """Yield the stages: sequential steps alone, adjacent parallel ones together."""
    keys = [(-1 if step.execution.mode == "parallel" else place) for place, step in enumerate(steps, first)]
    for _, group in groupby(enumerate(keys, first), key=lambda pair: pair[1]):
        places = [place for place, _ in group]
        yield range(places[0], places[-1] + 1)
