"""What is to be done next in a run: a pure function of its plan and its state (platform 6-10).

Whoever carries the commands out does so for each in turn: record `recorded(command)`, and if the state took that event,
act. What was recorded is never asked for again, so that a step which completed never runs twice. Between recording and
acting everything may be lost; `underway` then gives what was recorded again, under the same ids. An attempt that has a
delay may be recorded at once, and its job waits; or when the delay is over, and until then it is given every time.
"""

from typing import NamedTuple, TypedDict

from aeon.base.errors import AeonError
from aeon.base.json import JsonObject
from aeon.platform.processes.running.commands import (
    AskPerson,
    CancelStep,
    Command,
    EndCancelled,
    Fail,
    Finish,
    RefuseStep,
    SkipStep,
    StartJob,
    StartProcess,
)
from aeon.platform.processes.running.events import Failure
from aeon.platform.processes.running.failures import output_failure, too_deep
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.retries import wait_before
from aeon.platform.processes.running.semantics import Semantics, Values, values_of
from aeon.platform.processes.running.spending import allowance
from aeon.platform.processes.running.state import CLOSING, State, positions_of


class _Start(TypedDict):
    """What all attempts have in common."""

    step: str
    job: str
    attempt: int
    inputs: JsonObject
    timeout: int
    delay: float


class _Moment(NamedTuple):
    """All that a command follows from."""

    plan: Plan
    state: State
    semantics: Semantics
    values: Values


def decide(plan: Plan, state: State, semantics: Semantics) -> list[Command]:
    """The commands that this state calls for, in the order of the steps, at most one for each.

    Costs as much as it gives: steps that wait, run or are over are not looked at. Raises nothing of its own.
    """
    if state.phase in CLOSING:
        return _closing(plan, state)
    if state.phase != "running":
        return []
    moment = _Moment(plan, state, semantics, values_of(plan, state))
    if state.stage == len(plan.stages):
        return [_end(moment)]
    return [_begin(moment, position) for position in positions_of(plan, state.stage, state.ready)]


def underway(plan: Plan, state: State, semantics: Semantics) -> list[Command]:
    """What was recorded and is not over: after a restart it is done again, since it may never have been done.

    The ids are the same, so whoever knows them already has nothing to do. Nothing of this is to be recorded again.
    """
    if state.phase in CLOSING:
        return [_cancel(plan, state, position) for position in positions_of(plan, state.stage, state.stopping)]
    moment = _Moment(plan, state, semantics, values_of(plan, state))
    running = positions_of(plan, state.stage, state.running)
    return [_attempt(moment, position, state.steps[position].attempts) for position in running]


def _closing(plan: Plan, state: State) -> list[Command]:
    """Stop what runs; when nothing does, end."""
    if state.running:
        untold = state.running & ~state.stopping
        return [_cancel(plan, state, position) for position in positions_of(plan, state.stage, untold)]
    if state.phase == "failing" and state.error is not None:
        return [Fail(error=state.error)]
    return [EndCancelled()]


def _cancel(plan: Plan, state: State, position: int) -> Command:
    step = plan.steps[position].id
    return CancelStep(step=step, job=plan.job(step, state.steps[position].attempts))


def _end(moment: _Moment) -> Command:
    """The output is the template's, or without one the last step's value."""
    template = moment.plan.definition.output_template
    if not template:
        return Finish(output=moment.state.steps[len(moment.plan.steps) - 1].value)
    try:
        return Finish(output=moment.semantics.render(template, moment.values))
    except AeonError as error:
        return Fail(error=output_failure(error))


def _begin(moment: _Moment, position: int) -> Command:
    """Skip a step whose condition is false, else start it, or start it again.

    A required output that its own condition leaves out does not end the run: `required` is about a result that was
    asked for and did not come, and here the owner said himself when not to ask.
    """
    step = moment.plan.steps[position]
    condition = step.execution.condition
    attempts = moment.state.steps[position].attempts
    try:
        if condition is None or attempts or moment.semantics.holds(condition, moment.values):
            return _attempt(moment, position, attempts + 1)
    except AeonError as error:
        return RefuseStep(step=step.id, error=Failure.of(error))
    return SkipStep(step=step.id, reason=f"its condition is false: {condition}")


def _attempt(moment: _Moment, position: int, attempt: int) -> Command:
    plan = moment.plan
    step = plan.steps[position]
    if plan.calls[step.id].kind == "process" and plan.depth_left == 0 and not plan.is_manual(position):
        return RefuseStep(step=step.id, error=too_deep(plan, position))
    try:
        inputs = moment.semantics.bind(step.inputs, moment.values)
    except AeonError as error:
        return RefuseStep(step=step.id, error=Failure.of(error))
    return _started(moment, position, attempt, inputs)


def _started(moment: _Moment, position: int, attempt: int, inputs: JsonObject) -> Command:
    plan = moment.plan
    step = plan.steps[position]
    call = plan.calls[step.id]
    start = _Start(
        step=step.id,
        job=plan.job(step.id, attempt),
        attempt=attempt,
        inputs=inputs,
        timeout=step.execution.timeout,
        delay=wait_before(attempt),
    )
    if plan.is_manual(position):
        return AskPerson(**start, asks=call.asks)
    tokens = allowance(plan, moment.state, position)
    if call.kind == "tool":
        return StartJob(**start, tool=call.id, worker=call.worker, tokens=tokens)
    return StartProcess(
        **start, process=call.id, depth_left=plan.depth_left - 1, tokens=tokens, callers=plan.call_stack
    )
