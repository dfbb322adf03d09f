"""Whether a run may go on in another version of its definition, and where it begins there (platform 41). Pure."""

from collections.abc import Iterator

from aeon.base.json import Json, JsonObject
from aeon.platform.processes.model import ProcessStep
from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.events import HistoryEvent, RunStarted
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import (
    INITIAL_STEP_STATE,
    MAIN_PHASES,
    RunState,
    busy_steps,
    filled_array,
    initial_state,
)
from aeon.platform.runs.seeds import has_undone, seed_events


def seeds_in(plan: RunPlan, before: RunPlan, state: RunState, inputs: JsonObject) -> list[HistoryEvent]:
    """Return the events with which a run of `plan` begins that continues a run of another plan.

    `inputs` are those of the new run. As with `seed_events`, a run that has undone anything begins anew.
    """
    if has_undone(before, state):
        return [RunStarted(inputs=inputs)]
    steps = filled_array(INITIAL_STEP_STATE, len(plan.steps))
    for step in plan.main_steps:
        position = before.positions.get(step.id)
        if position is not None:
            steps = steps.with_value(plan.positions[step.id], state.steps[position])
    return seed_events(plan, RunState(state.phase, steps, inputs))


def move_problems(plan: RunPlan, before: RunPlan, state: RunState) -> list[str]:
    """Return why a run of `before` cannot go on in `plan` without doing again, or leaving out, what it has done.

    Each is a clause without a full stop.
    """
    if has_undone(before, state):
        return []
    if state.phase in MAIN_PHASES and state.stage >= before.main_end:
        return ["its final steps have begun"]
    changed = list(_changes_of_done_steps(plan, before, state))
    return changed or list(_repeated_steps(plan, before, state))


def waiting_problems(plan: RunPlan, state: RunState) -> list[str]:
    """Return what of a run is under way, so that it cannot be moved now."""
    return [
        f"step {step!r} has started a run that is under way" if plan.starts_run(step) else f"step {step!r} is under way"
        for step in busy_steps(plan, state)
    ]


def _done_steps(before: RunPlan, state: RunState) -> Iterator[ProcessStep]:
    for position, step in enumerate(before.main_steps):
        status = state.steps[position].status
        if status in ("completed", "skipped") or (status == "failed" and not step.output.required):
            yield step


def _changes_of_done_steps(plan: RunPlan, before: RunPlan, state: RunState) -> Iterator[str]:
    after = {step.id: step for step in plan.main_steps}
    for step in _done_steps(before, state):
        status = state.steps[before.positions[step.id]].status
        if step.id not in after:
            yield f"step {step.id!r} is {status}, and the new version does not have it"
            continue
        old, new = _fields_of_result(step), _fields_of_result(after[step.id])
        if different := [name for name in old if old[name] != new[name]]:
            yield f"step {step.id!r} is {status}, and the new version changes its {', '.join(different)}"


def _repeated_steps(plan: RunPlan, before: RunPlan, state: RunState) -> Iterator[str]:
    """Yield the steps that are done, and would be done again because of steps that now come before them."""
    after = initial_state(plan)
    for event in seeds_in(plan, before, state, state.inputs):
        after = apply_event(plan, after, event)
    for step in _done_steps(before, state):
        status = state.steps[before.positions[step.id]].status
        if after.steps[plan.positions[step.id]].status != status:
            yield f"step {step.id!r} is {status}, and in the new version a step comes before it that is not"


def _fields_of_result(step: ProcessStep) -> dict[str, Json]:
    """Return what decides the result of a step, by the names that users give it."""
    loop = None if step.for_each is None else step.for_each.as_dict()
    return {
        "tool": step.tool,
        "process": step.process,
        "wait": step.wait,
        "inputs": step.inputs,
        "output": step.output.variable,
        "condition": step.execution.condition,
        "interactionMode": step.execution.interaction_mode,
        "forEach": loop and {name: loop.get(name) for name in ("items", "as", "failures")},
    }
