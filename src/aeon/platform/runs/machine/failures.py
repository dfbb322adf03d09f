"""Builds the failures of runs and steps, with a message and what to do next."""

from aeon.base.errors import AeonError
from aeon.platform.runs.machine.events import AttemptFailure, RunFailure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import RunState

_OPTIONAL = "or make its output optional (required: false)"

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
    """Return the failure of a run that lacks inputs of its definition."""
    return RunFailure(
        code="inputs",
        message=f"The run lacks the inputs {', '.join(map(repr, names))}.",
        next_step="Start it again with all inputs in the process's initialContext.",
    )


def moved_failure(to: str) -> RunFailure:
    """Return why a run has ended that another one continues in another version of its Process."""
    message = f"It was moved to another version of its process: the run {to} continues it."
    return RunFailure(code="moved", message=message, next_step="Look at that run.")


def timeout_failure(plan: RunPlan, position: int) -> AttemptFailure:
    """Return the failure of a step that did not end in time, or of a question without an answer."""
    what = "nobody answered" if plan.is_manual(position) else "it did not end"
    return AttemptFailure(code="timed_out", message=f"{what} within {plan.timeout_of(position)} s")


def depth_failure(plan: RunPlan, position: int) -> AttemptFailure:
    """Return the failure of a step that would call a Process too deeply (platform 7)."""
    calls = " > ".join([*plan.call_stack, plan.call_of(plan.steps[position].id).name])
    message = f"processes call each other too deeply: {calls}"
    return AttemptFailure(code="depth", message=message, may_have_happened=False)


EMPTY_OUTPUT_FAILURE = AttemptFailure(code="empty", message="its output is empty")


def describe_target(plan: RunPlan, position: int) -> str:
    """Describe the target of a step."""
    call = plan.call_of(plan.steps[position].id)
    target = "wait" if call.kind == "wait" else f"{call.kind} {call.name!r}"
    return f"loop of the {target}" if plan.is_loop(position) else target


def run_failure(plan: RunPlan, position: int, attempts: int, cause: AttemptFailure) -> RunFailure:
    """Return the failure of a run that a step caused."""
    step = plan.steps[position].id
    tried = "never started" if attempts == 0 else "tried once" if attempts == 1 else f"tried {attempts} times"
    return RunFailure(
        code=cause.code,
        message=f"Step {step!r} ({describe_target(plan, position)}, {tried}): {cause.message.rstrip('.')}.",
        next_step=cause.next_step or _NEXT_STEP.get(cause.code, f"Fix what it calls, {_OPTIONAL}."),
        step=step,
        target=plan.call_of(step).id,
        attempts=attempts,
        cause=cause,
    )


def failure_after_unwinding(plan: RunPlan, state: RunState, failure: RunFailure) -> RunFailure:
    """Return a run's failure with whether everything was undone that was to be (platform 41)."""
    undoing = [state.steps[plan.positions[step]] for step in plan.undone]
    started = [step for step in undoing if step.attempts or step.status == "failed"]
    if not started:
        return failure
    is_undone = all(step.status == "completed" and not step.failures for step in started)
    return failure.model_copy(update={"compensation": "complete" if is_undone else "incomplete"})


def output_failure(error: AeonError) -> RunFailure:
    """Return the failure of a run whose output could not be rendered."""
    cause = AttemptFailure.from_error(error)
    return RunFailure(
        code=cause.code,
        message=f"The output could not be written: {cause.message.rstrip('.')}.",
        next_step=cause.next_step or "Correct the process's outputTemplate and run it again.",
        cause=cause,
    )
