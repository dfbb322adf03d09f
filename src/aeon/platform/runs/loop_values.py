"""The values of loops and waits: a list's items, what an item may read, and how long a step waits (platform 41)."""

from collections.abc import Mapping
from typing import Final, cast

from aeon.base.binding import STEP_PREFIX
from aeon.base.errors import BindingError
from aeon.base.json import Json, JsonObject
from aeon.platform.processes.expressions.bindings import bind, roots_of
from aeon.platform.processes.model import ProcessStep
from aeon.platform.processes.step_control import FAILURE, ForEach
from aeon.platform.processes.wait_times import CORRECT_WAIT, WaitTime, parse_wait_time
from aeon.platform.runs.machine.decide import RunValues


def list_items(loop: ForEach, values: RunValues) -> list[Json]:
    """Return the items of a loop. Raises BindingError if what it names is not a list, or cannot be read."""
    items: Json = bind({"items": loop.items}, values)["items"]
    if isinstance(items, list):
        return cast(list[Json], items)
    found = next((f"a {name}" for kind, name in _KINDS if isinstance(items, kind)), "null")
    raise BindingError(
        f"The loop needs a list, and {loop.items} is {found}.",
        next_step="Name a list, or give the step a condition that tests for one.",
    )


_KINDS: Final = ((str, "text"), (dict, "object"), (bool, "truth value"), (int | float, "number"))


def select_for_items(step: ProcessStep, values: RunValues) -> JsonObject:
    """Return the inputs and variables that the inputs of a step name, in the form in which expressions read them."""
    texts: JsonObject = {"inputs": step.inputs, "wait": step.wait}
    if step.question is not None:
        texts["people"] = [step.question.assignee, *(each.assignee for each in step.question.escalate)]
    variables = cast(Mapping[str, Json], values.get(STEP_PREFIX, {}))
    selected: JsonObject = {}
    read: JsonObject = {}
    for root in roots_of(texts):
        if root[0] == STEP_PREFIX and root[-1] in variables:
            read[root[-1]] = variables[root[-1]]
        elif len(root) == 1 and root[0] in values and root[0] != STEP_PREFIX:
            selected[root[0]] = values[root[0]]
    if FAILURE in values:
        selected[FAILURE] = values[FAILURE]
    return {**selected, STEP_PREFIX: read}


def read_wait_time(wait: int | str, values: RunValues) -> WaitTime:
    """Return how long a step waits. Raises BindingError if it is not a time, or longer than a year."""
    value: Json = bind({"wait": wait}, values)["wait"]
    if (found := parse_wait_time(value)) is None:
        raise BindingError(f"The step cannot wait for {str(value)[:100]!r}.", next_step=CORRECT_WAIT)
    return found
