"""What a diagram says in words: what each step does, and when each section runs. Pure."""

from collections.abc import Mapping
from typing import Final

from aeon.platform.processes.model import ProcessStep
from aeon.platform.processes.sections import SectionName
from aeon.platform.processes.step_control import ForEach
from aeon.platform.runs.loop_counts import LoopCount
from aeon.platform.runs.machine.state import INITIAL_STEP_STATE, StepState

SECTION_CAPTIONS: Final[Mapping[SectionName, str]] = {
    "main": "",
    "compensation": "undoes, if the run fails",
    "on_failure": "if the run fails",
    "finally": "at the end",
}
"""When the steps of each section run."""


def describe_action(step: ProcessStep, names: Mapping[str, str]) -> str:
    """Return what a step does, such as `each of {rows}: tool fetch`; `names` are those of its targets, by id."""
    if step.wait is not None:
        action = f"wait {step.wait}"
    else:
        kind, id_ = ("tool", step.tool) if step.process is None else ("process", step.process)
        action = f"{kind} {names.get(id_ or '', id_ or '')}"
    return action if step.for_each is None else f"each of {_describe_items(step.for_each)}: {action}"


def describe_status(id_: str, states: Mapping[str, StepState], counts: Mapping[str, LoopCount]) -> str:
    """Return the status of a step, with its attempt after the first, and how far its loop is."""
    state = states.get(id_, INITIAL_STEP_STATE)
    parts = [state.status, *([f"attempt {state.attempts}"] if state.attempts > 1 else [])]
    return ", ".join([*parts, *([str(counts[id_])] if id_ in counts else [])])


def _describe_items(loop: ForEach) -> str:
    if isinstance(loop.items, str):
        return loop.items
    return f"{len(loop.items)} items" if loop.items else "what was done"
