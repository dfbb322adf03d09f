"""Token budgets: what a step may still use, and whether it used too much (platform 7). Pure."""

from aeon.platform.runs.machine.events import AttemptFailure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunState


def token_allowance(plan: RunPlan, state: RunState, position: int) -> int | None:
    """The tokens that a step of the present stage may still use; None when nothing limits it.

    Its own budget, else what the earlier stages left of the common rest, in equal parts for the steps of its stage that
    have none of their own. Steps that stand alone thus get all that is left.
    """
    own = plan.steps[position].output.token_budget
    used = state.steps[position].tokens
    if own is not None:
        return max(0, own - used)
    if plan.token_budget is None:
        return None
    left = max(0, _common(plan, plan.token_budget) - state.shared_before)
    return max(0, left // plan.sharing_steps[state.stage] - used)


def find_overspend(plan: RunPlan, state: RunState, position: int) -> AttemptFailure | None:
    """What a step, its tokens counted in, used too much of, and None when it did not. This ends the run."""
    own = plan.steps[position].output.token_budget
    used = state.steps[position].tokens
    if own is not None and used > own:
        return _failure(f"it used {used} tokens and has a budget of {own}")
    if plan.token_budget is None:
        return None
    if state.tokens > plan.token_budget:
        return _failure(f"with it the run used {state.tokens} tokens and has a budget of {plan.token_budget}")
    rest = _common(plan, plan.token_budget)
    if own is None and state.shared > rest:
        return _failure(f"with it the steps without a budget used {state.shared} tokens and share {rest}")
    return None


def _common(plan: RunPlan, budget: int) -> int:
    """What the steps' own budgets leave of the run's."""
    return max(0, budget - plan.reserved)


def _failure(words: str) -> AttemptFailure:
    return AttemptFailure(code="tokens", message=words)
