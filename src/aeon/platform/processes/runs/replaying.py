"""Where a run stands, from its entries."""

from aeon.platform.processes.running.apply import apply
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.state import State, begun
from aeon.platform.processes.runs.model import Entry


def replayed(plan: Plan, entries: list[Entry]) -> State:
    """Where a run stands after these entries."""
    state = begun(plan)
    for entry in entries:
        state = apply(plan, state, entry.event)
    return state
