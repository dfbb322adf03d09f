"""What differs between two definitions, step by step: pure."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.processes.model import FIELDS_OUTSIDE_DIGEST, ProcessDefinition, ProcessStep

ChangeKind: TypeAlias = Literal["added", "removed", "moved", "changed"]

_PARTS = ("inputs", "output", "execution")
"""Of a step: these are told apart by what stands in them."""

_SIGNS: dict[ChangeKind, str] = {"added": "+", "removed": "-", "moved": ">", "changed": "~"}


class DefinitionDifference(NamedTuple):
    """One thing that differs. `step` is the id of a step, empty for the Process itself.

    `field` is where, such as `inputs.query`; empty for a step as a whole, and then `old` and `new` are its places.
    """

    step: str
    change: ChangeKind
    field: str = ""
    old: Json = None
    new: Json = None


def diff_definitions(old: ProcessDefinition, new: ProcessDefinition) -> list[DefinitionDifference]:
    """All that differs in what a run would do: of the Process itself, steps that went, then the steps as they are now.

    Steps are the same when their ids are. As few as possible count as moved.
    """
    before, after = _by_id(old), _by_id(new)
    gone = [DefinitionDifference(id_, "removed", old=place) for id_, (place, _) in before.items() if id_ not in after]
    moved = _moved({id_: before[id_][0] for id_ in after if id_ in before})
    return [*_changed("", _whole(old), _whole(new)), *gone, *_of_steps(before, after, moved)]


def format_differences(differences: Iterable[DefinitionDifference]) -> Iterator[str]:
    """Differences in words, a line for each step and kind of change."""
    for (step, verb), found in groupby(differences, attrgetter("step", "change")):
        fields = ", ".join(each.field for each in found if each.field)
        yield f"{_SIGNS[verb]} {' '.join(part for part in (f'step {step}' if step else '', fields) if part)}"


_Steps: TypeAlias = Mapping[str, tuple[int, ProcessStep]]


def _of_steps(before: _Steps, after: _Steps, moved: set[str]) -> Iterator[DefinitionDifference]:
    for id_, (place, step) in after.items():
        if id_ not in before:
            yield DefinitionDifference(id_, "added", new=place)
            continue
        was, old = before[id_]
        if id_ in moved:
            yield DefinitionDifference(id_, "moved", old=was, new=place)
        yield from _changed(id_, _parts(old), _parts(step))


def _changed(step: str, old: JsonObject, new: JsonObject) -> Iterator[DefinitionDifference]:
    for field in dict.fromkeys([*old, *new]):
        if old.get(field) != new.get(field) or (field in old) != (field in new):
            yield DefinitionDifference(step, "changed", field, old.get(field), new.get(field))


def _by_id(definition: ProcessDefinition) -> _Steps:
    return {step.id: (place, step) for place, step in enumerate(definition.steps)}


def _whole(definition: ProcessDefinition) -> JsonObject:
    return {
        name: value for name, value in definition.as_dict().items() if name not in (*FIELDS_OUTSIDE_DIGEST, "steps")
    }


def _parts(step: ProcessStep) -> JsonObject:
    """What a step says, by field; without its id."""
    said = {name: value for name, value in step.as_dict().items() if name != "id"}
    inside = {f"{part}.{name}": value for part in _PARTS for name, value in cast(JsonObject, said.pop(part)).items()}
    return said | inside


def _moved(places: Mapping[str, int]) -> set[str]:
    """Those that do not stand in the longest row of steps that are still in their old order."""
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
