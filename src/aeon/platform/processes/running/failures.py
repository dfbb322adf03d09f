"""The words in which a run says why it failed: which step, what it called, how often, why, and what to do."""

from aeon.base.errors import AeonError
from aeon.platform.processes.running.events import Failure, RunFailure
from aeon.platform.processes.running.plan import Plan

_OPTIONAL = "or let the process do without it (required: false)"

_NEXT_STEP = {
    "empty": f"Look at the inputs of the step, {_OPTIONAL}.",
    "timed_out": f"Give the step more time, {_OPTIONAL}.",
    "tokens": "Give the step or the process a larger token budget.",
    "depth": "Allow a larger maxRecursionDepth, or give the call a condition that ends the recursion.",
}

DEADLINE = RunFailure(
    code="deadline", message="The run did not end before its deadline.", next_step="Start it again with more time."
)


def lacks(names: list[str]) -> RunFailure:
    """Of a run that was not given all inputs of its definition."""
    return RunFailure(
        code="inputs",
        message=f"The run lacks the inputs {', '.join(map(repr, names))}.",
        next_step="Start it again with all that the process's initialContext names.",
    )


def timed_out(plan: Plan, position: int) -> Failure:
    """Of a step that did not end in its time, or of a question that nobody answered."""
    what = "nobody answered" if plan.is_manual(position) else "it did not end"
    return Failure(code="timed_out", message=f"{what} within {plan.steps[position].execution.timeout} s")


def too_deep(plan: Plan, position: int) -> Failure:
    """Of a step that would call a Process deeper than is allowed (platform 7)."""
    calls = " > ".join([*plan.call_stack, plan.calls[plan.steps[position].id].name])
    said = f"processes call each other deeper than is allowed: {calls}"
    return Failure(code="depth", message=said, may_have_happened=False)


EMPTY = Failure(code="empty", message="its output is empty")


def target_of(plan: Plan, position: int) -> str:
    """What a step calls, in words."""
    call = plan.calls[plan.steps[position].id]
    return f"{call.kind} {call.name!r}"


def run_failure(plan: Plan, position: int, attempts: int, cause: Failure) -> RunFailure:
    """Why the run ends with this step."""
    step = plan.steps[position].id
    tried = "never started" if attempts == 0 else "tried once" if attempts == 1 else f"tried {attempts} times"
    return RunFailure(
        code=cause.code,
        message=f"Step {step!r} ({target_of(plan, position)}, {tried}): {cause.message.rstrip('.')}.",
        next_step=cause.next_step or _NEXT_STEP.get(cause.code, f"Mend what it calls, {_OPTIONAL}."),
        step=step,
        target=plan.calls[step].id,
        attempts=attempts,
        cause=cause,
    )


def output_failure(error: AeonError) -> RunFailure:
    """Why a run has no output though its steps are over."""
    cause = Failure.of(error)
    return RunFailure(
        code=cause.code,
        message=f"The output could not be written: {cause.message.rstrip('.')}.",
        next_step=cause.next_step or "Correct the process's outputTemplate and run it again.",
        cause=cause,
    )
