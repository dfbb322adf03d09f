"""Compares two definitions step by step, without side effects."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.processes.model import FIELDS_OUTSIDE_DIGEST, ProcessDefinition, ProcessStep

ChangeKind: TypeAlias = Literal["added", "removed", "moved", "changed"]

_PARTS = ("inputs", "output", "execution")
"""Step fields that are compared by their members."""

_SIGNS: dict[ChangeKind, str] = {"added": "+", "removed": "-", "moved": ">", "changed": "~"}


class DefinitionDifference(NamedTuple):
    """One difference. `step` is the id of a step, empty for the Process itself.

    `field` is the path of what differs, such as `inputs.query`; it is empty for a step as a whole, and then `old` and
    `new` are the step's positions.
    """

    step: str
    change: ChangeKind
    field: str = ""
    old: Json = None
    new: Json = None


def diff_definitions(old: ProcessDefinition, new: ProcessDefinition) -> list[DefinitionDifference]:
    """Return every difference that affects a run: of the Process, then of its steps.

    Removed steps come first. Steps are the same if their ids are. As few steps as possible count as moved.
    """
    before, after = _by_id(old), _by_id(new)
    removed = [
        DefinitionDifference(id_, "removed", old=place) for id_, (place, _) in before.items() if id_ not in after
    ]
    moved = _moved_steps({id_: before[id_][0] for id_ in after if id_ in before})
    return [
        *_field_differences("", _process_fields(old), _process_fields(new)),
        *removed,
        *_step_differences(before, after, moved),
    ]


def format_differences(differences: Iterable[DefinitionDifference]) -> Iterator[str]:
    """Format differences as text, one line for each step and kind of change."""
    for (step, verb), group in groupby(differences, attrgetter("step", "change")):
        fields = ", ".join(each.field for each in group if each.field)
        yield f"{_SIGNS[verb]} {' '.join(part for part in (f'step {step}' if step else '', fields) if part)}"


_Steps: TypeAlias = Mapping[str, tuple[int, ProcessStep]]


def _step_differences(before: _Steps, after: _Steps, moved: set[str]) -> Iterator[DefinitionDifference]:
    for id_, (place, step) in after.items():
        if id_ not in before:
            yield DefinitionDifference(id_, "added", new=place)
            continue
        was, old = before[id_]
        if id_ in moved:
            yield DefinitionDifference(id_, "moved", old=was, new=place)
        yield from _field_differences(id_, _step_fields(old), _step_fields(step))


def _field_differences(step: str, old: JsonObject, new: JsonObject) -> Iterator[DefinitionDifference]:
    for field in dict.fromkeys([*old, *new]):
        if old.get(field) != new.get(field) or (field in old) != (field in new):
            yield DefinitionDifference(step, "changed", field, old.get(field), new.get(field))


def _by_id(definition: ProcessDefinition) -> _Steps:
    return {step.id: (place, step) for place, step in enumerate(definition.steps)}


def _process_fields(definition: ProcessDefinition) -> JsonObject:
    return {
        name: value for name, value in definition.as_dict().items() if name not in (*FIELDS_OUTSIDE_DIGEST, "steps")
    }


def _step_fields(step: ProcessStep) -> JsonObject:
    """Return the fields of a step, without its id."""
    fields = {name: value for name, value in step.as_dict().items() if name != "id"}
    inside = {f"{part}.{name}": value for part in _PARTS for name, value in cast(JsonObject, fields.pop(part)).items()}
    return fields | inside


def _moved_steps(places: Mapping[str, int]) -> set[str]:
    """Return the ids outside the longest sequence of steps that kept their old order."""
    ids = list(places)
    ends: list[int] = []
    rows: list[int] = []
    before: list[int | None] = []
    for number, id_ in enumerate(ids):
        length = bisect_left(ends, places[id_])
        before.append(rows[length - 1] if length else None)
        ends[length:] = [places[id_], *ends[length + 1 :]]
        rows[length:] = [number, *rows[length + 1 :]]
    at = rows[-1] if rows else None
    moved = set(ids)
    while at is not None:
        moved.discard(ids[at])
        at = before[at]
    return moved
