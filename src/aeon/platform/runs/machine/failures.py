"""The words in which a run says why it failed: which step, what it called, how often, why, and what to do."""

from aeon.base.errors import AeonError
from aeon.platform.runs.machine.events import AttemptFailure, RunFailure
from aeon.platform.runs.machine.plan import RunPlan

_OPTIONAL = "or let the process do without it (required: false)"

_NEXT_STEP = {
    "empty": f"Look at the inputs of the step, {_OPTIONAL}.",
    "timed_out": f"Give the step more time, {_OPTIONAL}.",
    "tokens": "Give the step or the process a larger token budget.",
    "depth": "Allow a larger maxRecursionDepth, or give the call a condition that ends the recursion.",
}

DEADLINE_FAILURE = RunFailure(
    code="deadline", message="The run did not end before its deadline.", next_step="Start it again with more time."
)


def missing_inputs_failure(names: list[str]) -> RunFailure:
    """Of a run that was not given all inputs of its definition."""
    return RunFailure(
        code="inputs",
        message=f"The run lacks the inputs {', '.join(map(repr, names))}.",
        next_step="Start it again with all that the process's initialContext names.",
    )


def timeout_failure(plan: RunPlan, position: int) -> AttemptFailure:
    """Of a step that did not end in its time, or of a question that nobody answered."""
    what = "nobody answered" if plan.is_manual(position) else "it did not end"
    return AttemptFailure(code="timed_out", message=f"{what} within {plan.steps[position].execution.timeout} s")


def depth_failure(plan: RunPlan, position: int) -> AttemptFailure:
    """Of a step that would call a Process deeper than is allowed (platform 7)."""
    calls = " > ".join([*plan.call_stack, plan.calls[plan.steps[position].id].name])
    said = f"processes call each other deeper than is allowed: {calls}"
    return AttemptFailure(code="depth", message=said, may_have_happened=False)


EMPTY_OUTPUT_FAILURE = AttemptFailure(code="empty", message="its output is empty")


def describe_target(plan: RunPlan, position: int) -> str:
    """What a step calls, in words."""
    call = plan.calls[plan.steps[position].id]
    return f"{call.kind} {call.name!r}"


def run_failure(plan: RunPlan, position: int, attempts: int, cause: AttemptFailure) -> RunFailure:
    """Why the run ends with this step."""
    step = plan.steps[position].id
    tried = "never started" if attempts == 0 else "tried once" if attempts == 1 else f"tried {attempts} times"
    return RunFailure(
        code=cause.code,
        message=f"Step {step!r} ({describe_target(plan, position)}, {tried}): {cause.message.rstrip('.')}.",
        next_step=cause.next_step or _NEXT_STEP.get(cause.code, f"Mend what it calls, {_OPTIONAL}."),
        step=step,
        target=plan.calls[step].id,
        attempts=attempts,
        cause=cause,
    )


def output_failure(error: AeonError) -> RunFailure:
    """Why a run has no output though its steps are over."""
    cause = AttemptFailure.from_error(error)
    return RunFailure(
        code=cause.code,
        message=f"The output could not be written: {cause.message.rstrip('.')}.",
        next_step=cause.next_step or "Correct the process's outputTemplate and run it again.",
        cause=cause,
    )
