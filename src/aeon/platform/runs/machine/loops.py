"""The steps of a loop: one for each item, all alike, made when they are asked for (platform 41). Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, overload

from aeon.platform.processes.model import ProcessStep, StepOutput

_ITEM: Final = re.compile(r"(?P<step>.+)\[(?P<index>0|[1-9][0-9]*)\]", re.DOTALL)

_KEPT_STEPS: Final = 256
"""Steps that are kept: one that is worked on is asked for several times."""


class LoopSteps(Sequence[ProcessStep]):
    """The steps of a loop over `count` items. A step's id is that of the looping step with the item's index."""

    def __init__(self, template: ProcessStep, count: int) -> None:
        self._count = count
        execution = template.execution.model_copy(update={"mode": "parallel", "condition": None})
        is_required = template.for_each is not None and template.for_each.failures is None
        base = template.model_copy(
            update={"for_each": None, "compensate": None, "depends_on": [], "execution": execution}
        )

        @lru_cache(maxsize=_KEPT_STEPS)
        def make(index: int) -> ProcessStep:
            id_ = item_id(template.id, index)
            return base.model_copy(update={"id": id_, "output": _output(id_, is_required=is_required)})

        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> ProcessStep: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ProcessStep]: ...

    def __getitem__(self, index: int | slice) -> ProcessStep | Sequence[ProcessStep]:
        if isinstance(index, slice):
            return [self._make(each) for each in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._make(index % self._count)


class LoopPositions(Mapping[str, int]):
    """The position of each step of a loop, by its id."""

    def __init__(self, step: str, count: int) -> None:
        self._step = step
        self._count = count

    def __getitem__(self, id_: str) -> int:
        matched = _ITEM.fullmatch(id_)
        if matched is None or matched["step"] != self._step or int(matched["index"]) >= self._count:
            raise KeyError(id_)
        return int(matched["index"])

    def __iter__(self) -> Iterator[str]:
        return (item_id(self._step, index) for index in range(self._count))

    def __len__(self) -> int:
        return self._count


def item_id(step: str, index: int) -> str:
    """Return the id of an item's step."""
    return f"{step}[{index}]"


def looping_step(id_: str) -> str:
    """Return the id of the step whose loop has a step with this id."""
    matched = _ITEM.fullmatch(id_)
    return id_ if matched is None else matched["step"]


def _output(name: str, *, is_required: bool) -> StepOutput:
    return StepOutput.model_construct(variable=name, required=is_required)
