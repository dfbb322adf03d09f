"""The state of a run, from its entries."""

from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunState, initial_state
from aeon.platform.runs.model import RunEntry


def replay(plan: RunPlan, entries: list[RunEntry]) -> RunState:
    """Return the state of a run after these entries."""
    state = initial_state(plan)
    for entry in entries:
        state = apply_event(plan, state, entry.event)
    return state
