"""Which stage comes next: after a failure or a cancel request, what follows it (platform 41). Pure."""

from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import CLOSING_PHASES, MAIN_PHASES, RunState


def following_stage(plan: RunPlan, state: RunState) -> int:
    """Return the number of the stage after the current one, which is settled.

    A run that completes has its final steps next; a cancelled one has no failure to handle.
    """
    return _next_stage(plan, state, state.stage + 1)


def first_unwinding_stage(plan: RunPlan, state: RunState) -> int | None:
    """Return the stage at which a closing run goes on, once nothing runs any more; None if it just ends.

    A run whose final steps have begun just ends, and so does one that another run continues.
    """
    is_stopped = state.phase in CLOSING_PHASES and not state.running
    if not is_stopped or state.stage >= plan.main_end or state.moved_to is not None:
        return None
    number = _next_stage(plan, state, plan.main_end)
    return None if number == len(plan.stages) else number


def _next_stage(plan: RunPlan, state: RunState, number: int) -> int:
    if state.phase in MAIN_PHASES:
        return plan.final_start if number == plan.main_end else number
    handlers = plan.sections["on_failure"].stages if "on_failure" in plan.sections else range(0)
    return handlers.stop if number in handlers and state.error is None else number
