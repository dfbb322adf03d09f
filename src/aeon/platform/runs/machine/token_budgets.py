"""Token budgets: what a step may still use, and whether it overspent (platform 7). Pure."""

from aeon.platform.runs.machine.events import AttemptFailure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import MAIN_PHASES, RunState


def token_allowance(plan: RunPlan, state: RunState, position: int) -> int | None:
    """Return the tokens that a step of the current stage may still use; None if unlimited.

    It is the rest of the step's own budget, or an equal part of what earlier stages left of the shared budget, for
    the steps of its stage without a budget of their own. A step that is alone in its stage gets all of it.
    """
    own = plan.steps[position].output.token_budget
    used = state.steps[position].tokens
    if own is not None:
        return max(0, own - used)
    if plan.token_budget is None:
        return None
    shared_left = max(0, _shared_budget(plan, plan.token_budget) - state.shared_before)
    return max(0, shared_left // plan.sharing_steps[state.stage] - used)


def find_overspend(plan: RunPlan, state: RunState, position: int) -> AttemptFailure | None:
    """Return the failure of a step that overspent, or None. It ends the run.

    The step's own tokens are counted in. What follows a failure may overspend.
    """
    if state.phase not in MAIN_PHASES:
        return None
    own = plan.steps[position].output.token_budget
    used = state.steps[position].tokens
    if own is not None and used > own:
        return _failure(f"it used {used} tokens and has a budget of {own}")
    if plan.token_budget is None:
        return None
    if state.tokens > plan.token_budget:
        return _failure(f"with it the run used {state.tokens} tokens and has a budget of {plan.token_budget}")
    rest = _shared_budget(plan, plan.token_budget)
    if own is None and state.shared > rest:
        return _failure(f"with it the steps without a budget used {state.shared} tokens and share {rest}")
    return None


def _shared_budget(plan: RunPlan, budget: int) -> int:
    """Return the run's budget without the steps' own budgets."""
    return max(0, budget - plan.reserved)


def _failure(words: str) -> AttemptFailure:
    return AttemptFailure(code="tokens", message=words)
